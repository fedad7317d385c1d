%% What fails, and the cause that error_info names.
-module(ets_errors).
-export([main/0]).

main() -> errs().

e(F) -> try F() catch C:R:S -> {C,R,[{Fn,length_or(A),lists:keyfind(error_info,1,I)}||{ets,Fn,A,I}<-[hd(S)]]} end.
length_or(A) when is_list(A)->length(A); length_or(A)->A.

errs() ->
  T=ets:new(t,[]), ets:insert(T,{a,1,x}), B=ets:new(b,[bag]), ets:insert(B,[{a,1},{a,2,3}]), O=ets:new(o,[ordered_set]),
  ets:insert(O,{1,2}),
  D=ets:new(d,[]), ets:delete(D), Pid=spawn(fun()->ok end), timer_sleep(50), Self=self(),
  Pv=spawn(fun()-> X=ets:new(x,[private]), Y=ets:new(y,[protected]), Self!{tabs,X,Y}, receive stop->ok end end),
  {X,Y}=receive {tabs,X0,Y0}->{X0,Y0} end,
  L=[fun()->ets:lookup(D,a) end,fun()->ets:lookup(foo,a) end,fun()->ets:lookup(5,a) end,fun()->ets:lookup(make_ref(),a)
      end,
   fun()->ets:lookup(X,a) end,fun()->ets:insert(Y,{a}) end,fun()->ets:lookup(Y,a) end,fun()->ets:insert(Y,foo) end,
       fun()->ets:insert(Y,[foo]) end,fun()->ets:insert(Y,[]) end,
   fun()->ets:insert(T,foo) end,fun()->ets:insert(T,[{a},foo]) end,fun()->ets:insert(T,[{a}|b]) end,
       fun()->ets:insert(T,{}) end,fun()->ets:insert_new(T,[{}]) end,
   fun()->ets:lookup_element(T,a,0) end,fun()->ets:lookup_element(T,a,9) end,fun()->ets:lookup_element(T,zz,1) end,
       fun()->ets:lookup_element(B,a,3) end,fun()->ets:lookup_element(B,a,2) end,fun()->ets:lookup_element(T,a,x) end,
   fun()->ets:update_counter(T,a,{1,1}) end,fun()->ets:update_counter(T,a,{9,1}) end,
       fun()->ets:update_counter(T,a,{0,1}) end,fun()->ets:update_counter(T,a,{3,1}) end,
   fun()->ets:update_counter(T,a,foo) end,fun()->ets:update_counter(T,a,{2,x}) end,fun()->ets:update_counter(T,zz,1)
       end,fun()->ets:update_counter(B,a,1) end,
   fun()->ets:update_counter(T,a,[{2,1}|x]) end,fun()->ets:update_counter(T,a,[]) end,
       fun()->ets:update_counter(T,zz,{2,1},foo) end,fun()->ets:update_counter(T,zz,{2,1},{x}) end,
   fun()->ets:update_counter(T,zz,{2,1},{x,y}) end,fun()->ets:update_counter(T,zz,{2,1,0,1,1},{x,1}) end,
   fun()->ets:update_counter(T,zz,{2,1},{x,5}) end,fun()->ets:lookup(T,zz) end,
   fun()->ets:update_counter(T,zz,[{2,1},{2,-100,0,7},{2,1 bsl 70}]) end,fun()->ets:lookup(T,zz) end,
       fun()->ets:update_counter(T,zz,{2,-(1 bsl 70)}) end,
   fun()->ets:update_element(T,a,{1,x}) end,fun()->ets:update_element(T,a,{9,x}) end,fun()->ets:update_element(T,a,foo)
       end,fun()->ets:update_element(T,a,[{2,x},{1,y}]) end,fun()->ets:update_element(B,a,{2,x}) end,
   fun()->ets:update_element(T,q,foo) end,fun()->ets:update_element(T,a,[{2,"new"},{3,<<"b">>},{2,other}]) end,
   fun()->ets:lookup(T,a) end,fun()->ets:update_element(T,a,[]) end,
   fun()->ets:next(T,nokey) end,fun()->ets:prev(T,nokey) end,fun()->ets:next(O,0) end,fun()->ets:next(O,1.0) end,
       fun()->ets:prev(O,5) end,
   fun()->ets:slot(T,-1) end,fun()->ets:slot(T,256) end,fun()->ets:slot(T,257) end,fun()->ets:slot(T,x) end,
       fun()->ets:slot(O,0) end,fun()->ets:slot(O,1) end,fun()->ets:slot(O,2) end,
   fun()->ets:select(T,foo) end,fun()->ets:select(T,[{a,b}]) end,fun()->ets:select(T,[{a,[],[]}]) end,
       fun()->ets:select(T,[{'$1',[],['$2']}]) end,fun()->ets:select(T,[{'$1',[],['$1']}],0) end,
   fun()->ets:select(T,[{'$1',[],['$1']}],x) end,fun()->ets:select(foo) end,fun()->ets:select({foo}) end,
   fun()->ets:select({T,1,2,3,4,5}) end,fun()->ets:match({}) end,fun()->ets:match_object(x) end,
   fun()->ets:select_replace(B,[{{'$1'},[],[{{'$1'}}]}]) end,
       fun()->ets:select_replace(T,[{{'$1','_','_'},[],[{{b,c,d}}]}]) end,fun()->ets:select_delete(T,foo) end,
   fun()->ets:select_count(T,[x]) end,
   fun()->ets:new(foo,bar) end,fun()->ets:new(foo,[bar]) end,fun()->ets:new("x",[]) end,
       fun()->ets:new(foo,[{keypos,0}]) end,fun()->ets:new(foo,[{heir,x,y}]) end,fun()->ets:new(foo,[set|x]) end,
   fun()->ets:new(foo,[{write_concurrency,'maybe'}]) end,
   fun()->ets:rename(T,5) end,fun()->ets:rename(foo,bar) end,fun()->ets:rename(T,renamed)=:=T end,
       fun()->ets:info(T,name) end,
   fun()->ets:give_away(T,Pid,x) end,fun()->ets:give_away(T,self(),x) end,fun()->ets:give_away(T,foo,x) end,
       fun()->ets:give_away(Y,self(),x) end,
   fun()->ets:setopts(T,foo) end,fun()->ets:setopts(T,[{heir,none},{heir,none}]) end,
       fun()->ets:setopts(T,{protection,x}) end,fun()->ets:setopts(T,[{protection,public}]) end,
   fun()->ets:info(T,protection) end,fun()->ets:setopts(Y,[]) end,
   fun()->ets:safe_fixtable(T,'maybe') end,fun()->ets:safe_fixtable(D,true) end,
   fun()->ets:info(T,nosuch) end,fun()->ets:info(D,size) end,fun()->ets:info(D) end,fun()->ets:info(5) end,
       fun()->ets:info(make_ref(),size) end,fun()->ets:info(T,stats)=/=false end,fun()->ets:info(O,stats) end,
   fun()->ets:whereis("x") end,fun()->ets:whereis(none_such) end,
   fun()->ets:match_spec_compile(foo) end,fun()->ets:match_spec_compile([]) end,fun()->ets:match_spec_run([a],foo) end,
       fun()->ets:match_spec_run([a|b],ets:match_spec_compile([{'_',[],[x]}])) end,fun()->ets:is_compiled_ms(foo) end,
   fun()->ets:is_compiled_ms(ets:match_spec_compile([{'_',[],[x]}])) end,
   fun()->ets:take(T,a) end,fun()->ets:take(T,a) end,fun()->ets:delete_object(T,foo) end,fun()->ets:delete_object(T,{})
       end,fun()->ets:delete(T,a) end,fun()->ets:delete(foo) end,fun()->ets:delete(Y) end,fun()->ets:delete(X) end,
   fun()->ets:test_ms({a,b},[{{'$1','$2'},[],[{{'$2','$1'}}]}]) end,fun()->ets:test_ms({a,b},[{{'$1','$2'},[],['$3']}])
       end,
   fun()->ets:tab2list(D) end,fun()->ets:foldl(fun(_,A)->A end,0,D) end, fun()->ets:member(D,a) end,fun()->ets:first(D)
       end,fun()->ets:match_delete(T,'_') end],
  [p({err,I},e(F))||{I,F}<-lists:zip(lists:seq(1,length(L)),L)], Pv!stop, ok.

timer_sleep(T) -> receive after T -> ok end.

p(Label, Value) -> see:value(Label, Value).
