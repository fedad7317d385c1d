%% Which calls are reported: local, global, through apply and funs, of BIFs; where processes return to.
%% args: +S 1:1
-module(traced_calls).
-export([main/0]).
-compile([export_all, nowarn_export_all]).
f(X) -> g(X) + 1.
g(X) -> X * 2.
h(X) -> case X of 0 -> error(zero); N -> N end.
loop(0) -> done; loop(N) -> loop(N-1).
ext(X) -> ?MODULE:g(X).
catches(X) -> try h(X) catch error:zero -> caught end.
len(L) -> length(L).
main() ->
  Me = self(),
  P = spawn(fun() -> Me ! up, wait() end), receive up -> ok end,
  io:format("~p~n", [erlang:trace_pattern({?MODULE,'_','_'}, true, [local])]),
  erlang:trace(P, true, [call]),
  run(P, fun() -> f(3), ext(4), catches(0), loop(3), len([1,2,3]), apply(?MODULE, g, [5]), F = fun ?MODULE:g/1, F(6)
      end),
  erlang:trace_pattern({?MODULE,'_','_'}, false, [local]),
  io:format("global ~p~n", [erlang:trace_pattern({?MODULE,'_','_'}, true, [global])]),
  run(P, fun() -> f(3), ext(4), catches(0), loop(3), len([1,2,3]), apply(?MODULE, g, [5]), F = fun ?MODULE:g/1, F(6)
      end),
  erlang:trace_pattern({?MODULE,'_','_'}, false, [global]),
  run(P, fun() -> f(3), ext(4) end),
  io:format("bifs ~p~n",
      [[erlang:trace_pattern({erlang,B,'_'}, true, [local])||B<-[atom_to_list, self, length, integer_to_list,
      list_to_binary]]]),
  run(P, fun() -> atom_to_list(see:id(a)), self(), integer_to_list(see:id(1)), (catch atom_to_list(see:id(1))),
      apply(erlang,atom_to_list,[b]), list_to_binary([see:id($a)]), length(see:id([1])) end),
  erlang:trace_pattern({erlang,'_','_'}, false, [local]),
  run(P, fun() -> atom_to_list(see:id(a)) end),
  erlang:trace(P, true, [return_to]),
  erlang:trace_pattern({?MODULE,'_','_'}, true, [local]),
  run(P, fun() -> f(3), ext(4), catches(0), loop(3), len([1,2,3]) end),
  erlang:trace(P, false, [return_to]),
  erlang:trace_pattern({?MODULE,'_','_'}, true, [call_count]),
  erlang:trace(P,false,[call]), run(P, fun() -> loop(1000) end),
  io:format("~p~n", [erlang:trace_info({?MODULE,loop,1}, call_count)]),
  erlang:trace_pattern({?MODULE,'_','_'}, false, [local,call_count]),
  io:format("~p~n", [erlang:trace_info({?MODULE,loop,1}, all)]),
  ok.
wait() -> receive {F,From} -> F(), From ! done, wait() end.
run(P, F) -> P ! {F, self()}, receive done -> ok end, R = erlang:trace_delivered(P),
    receive {trace_delivered,_,R} -> ok end, fl(P).
fl(P) -> receive M -> io:format("  ~0p~n", [tracelog:named(M, #{P=>p})]), fl(P) after 0 -> ok end.
