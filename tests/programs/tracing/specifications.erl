%% Match specifications of calls, sends and receives; counting of calls; what is wrong with arguments.
%% args: +S 1:1
-module(specifications).
-export([main/0]).
-compile([export_all, nowarn_export_all]).
f(X) -> g(X) + 1.
g(X) -> X * 2.
h(X) -> case X of 0 -> error(zero); N -> N end.
k(X) -> try h(X) catch error:zero -> caught end.
thrower(X) -> throw({ball, X}).
t2(X) -> catch thrower(X).
deep(0) -> error(bottom); deep(N) -> 1 + deep(N-1).
d2(N) -> try deep(N) catch error:bottom:S -> length(S) end.
bin(<<A, R/binary>>) -> A + bin(R); bin(<<>>) -> 0.
main() ->
  Me = self(), P = spawn(fun() -> Me ! up, wait() end), receive up -> ok end,
  erlang:trace(P, true, [call]),
  Specs = [ [{'_',[],[{return_trace}]}], [{['$1'],[{'>','$1',1}],[{message,{{a,'$1'}}}]}], [{'_',[],[{message,false}]}],
   [{['$1'],[],[{message,{{'$1','$_','$$'}}}]}], [{'_',[],[{exception_trace}]}], [{'_',[],[{message,{caller}}]}],
   [{'_',[],[{message,{caller_line}}]}],
   [{[1],[],[]},{[2],[],[{message,two}]}], [{'$1',[],[{message,'$1'}]}], [{['_','_'],[],[]}],
   [{['$1'],[],[{message,{element,1,'$1'}}]}],
   [{'_',[],[{silent,true}]}], [{'_',[],[{silent,false},{message,x}]}], [{'_',[],[{message,{get_tcw}}]}],
   [{'_',[],[{set_tcw,7},{message,{get_tcw}}]}],
   [{'_',[],[{return_trace},{message,false}]}], [{[0],[],[{return_trace}]}], [{'_',[],[{message,{self}}]}],
   [{'_',[{'==',{get_tcw},7}],[]}] ],
  [ try
     erlang:trace_pattern({?MODULE,'_','_'}, S, [local]),
     io:format("~p ~p~n", [S, erlang:trace_info({?MODULE,f,1}, match_spec)]),
     run(P, fun() -> f(3), k(0), k(1), t2(1), d2(3), bin(<<1,2,3>>), f(2) end),
     io:format("flags ~p~n", [erlang:trace_info(P, flags)])
    catch _:E9 -> io:format("FAIL ~p ~p~n", [S,E9]) end || S <- Specs],
  erlang:trace_pattern({?MODULE,'_','_'}, false, [local]),
  [ begin io:format("~p~n", [S]), 
     erlang:trace_pattern({?MODULE,'_','_'}, S, [meta]),
     io:format("~p~n", [tracelog:named(erlang:trace_info({?MODULE,f,1}, all), #{self() => me})]),
     run(P, fun() -> f(3), k(0) end) end || S <- [true, [{'_',[],[{return_trace}]}],
         [{'_',[],[{exception_trace},{message,{caller}}]}]]],
  erlang:trace_pattern({?MODULE,'_','_'}, false, [meta]),
  Bad = [ [{'_',[],[{message}]}], [{'_',[{message,1}],[]}], [{'_',[],[{return_trace,1}]}], [{'_',[],[{foo}]}], [{foo}],
      foo, [{'_',[{caller}],[]}], [{'_',[],[{set_tcw}]}], [{'_',[{set_tcw,1}],[]}], [{'_',[],[{trace,1}]}],
  [{'_',[],[{enable_trace}]}],[{'_',[],['$1']}], [{'_',[],[{silent}]}], [{['$1'|a],[],[]}] ],
  [ io:format("~p ~p ~p~n", [B, catch_it(fun() -> erlang:trace_pattern({?MODULE,'_','_'}, B, [local]) end),
      erlang:match_spec_test([1], B, trace)]) || B <- Bad],
  [ io:format("~p ~p~n", [B, erlang:match_spec_test([1], B, trace)]) || B <- Specs,
      B =/= [{'_',[],[{message,{self}}]}]],
  io:format("~p~n", [[catch_it(fun() -> erlang:trace_pattern(X, Y, Z) end)
      || {X,Y,Z} <- [{{?MODULE,'_','_'}, true, [foo]}, {{?MODULE,'_','_'}, true, [local,global]},
      {{'_',f,1},true,[local]},{{?MODULE,'_',1},restart,[]}, {{?MODULE,f,a},true,[]}, {foo,true,[]},
  {send,true,[local]},{{?MODULE,f,1},[{'_',[],[]}],[call_count]}, {{?MODULE,f,1},true,local}, {{a,b},true,[]},
  {{?MODULE,nono,1},true,[local]}, {{nono,'_','_'},true,[local]}]]]),
  erlang:trace_pattern({?MODULE,'_','_'}, false, [local]),erlang:trace_pattern({?MODULE,'_','_'}, false, [global]),
  erlang:trace(P, false, [call]), erlang:trace(P, true, [send,'receive']),
  [begin erlang:trace_pattern(send, S1, []), io:format("~p ~p~n", [S1, erlang:trace_info(send, match_spec)]),
      run(P, fun() -> self() ! a, self() ! {b, 1}, receive a -> ok end, receive {b, _} -> ok end end)
      end || S1 <- [[{['_',a],[],[]}], [{['_',{b,'$1'}],[],[{message,'$1'}]}], false, true]],
  [begin erlang:trace_pattern('receive', S1, []), io:format("~p ~p~n", [S1, erlang:trace_info('receive', match_spec)]),
      run(P, fun() -> self() ! a, self() ! {b, 1}, receive a -> ok end, receive {b, _} -> ok end end)
      end || S1 <- [[{['_','_',a],[],[]}], [{['_','_',{b,'$1'}],[],[{message,'$1'}]}], false, true]],
  erlang:trace(P, false, [all]),
  cnt(P),
  ok.
cnt(P) ->
  erlang:trace_pattern({?MODULE,'_','_'}, true, [call_count]),
  run(P, fun() -> f(1), f(2), d2(4) end),
      I = fun() -> io:format("~p~n", [[{F,erlang:trace_info({?MODULE,F,1}, call_count)}||F<-[f,g,deep,d2,k]]]) end, I(),
  erlang:trace_pattern({?MODULE,f,'_'}, pause, [call_count]), run(P, fun() -> f(1), f(2), d2(4) end), I(),
  erlang:trace_pattern({?MODULE,f,'_'}, true, [call_count]), run(P, fun() -> f(1), f(2), d2(4) end), I(),
  erlang:trace_pattern({?MODULE,'_','_'}, restart, [call_count]), run(P, fun() -> f(1) end), I(),
  erlang:trace_pattern({?MODULE,'_','_'}, false, [call_count]), I().
catch_it(F) -> try F() catch C:R:S -> {C,R,[I || {error_info,I} <- element(4,hd(S))]} end.
wait() -> receive {F,From} -> (fun() -> F() end)(), From ! done, wait() end.
run(P, F) -> P ! {F, self()}, receive done -> ok end, R = erlang:trace_delivered(P),
    receive {trace_delivered,_,R} -> ok end, fl(P).
fl(P) -> receive M0 -> M = case element(1,M0) of trace_ts -> setelement(size(M0), M0, ts); _ -> M0 end,
    io:format("  ~0p~n", [tracelog:named(M, #{P=>p, self()=>me})]), fl(P) after 0 -> ok end.
