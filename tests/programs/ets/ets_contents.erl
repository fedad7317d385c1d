%% Terms of all kinds in tables; fixed tables; ordered sets; bags; heirs and gifts.
-module(ets_contents).
-export([main/0]).
-include_lib("stdlib/include/ms_transform.hrl").

main() -> misc(), fixed(), orderedset(), bags(), trans().

misc() ->
  T=ets:new(m,[named_table,public,{keypos,2}]),
  p(info,[{K,V}||{K,V}<-ets:info(T),K=/=id,K=/=owner,K=/=memory]),
  ets:insert(m,[{a,1},{b,2}]), p(tl,lists:sort(ets:tab2list(m))),
  p(all,[lists:member(m,ets:all()),length([X||X<-ets:all(),X=:=m])]),
  p(big,[ets:insert(m,{big,lists:seq(1,1000)}),ets:lookup(m,lists:seq(1,1000))=:=[{big,lists:seq(1,1000)}]]),
  F=fun(X)->X+1 end, ets:insert(m,{F,fn}), [{G,fn}]=ets:lookup(m,fn), p('fun',G(1)),
  R=make_ref(), ets:insert(m,{R,R}), p(ref,ets:member(m,R)),
  ets:insert(m,{T2=ets:new(inner,[]),tid}), [{T3,tid}]=ets:lookup(m,tid), p(tid,{T2=:=T3,ets:insert(T3,{x})}),
  Bin=binary:copy(<<"abc">>,100), <<_:10,Sub:200/bitstring,_/bitstring>> = Bin, ets:insert(m,{Sub,sub}),
  [{S2,sub}]=ets:lookup(m,sub), p(sub,S2=:=Sub),
  ets:insert(m,{#{a=>1,b=>[1,2]},map}), p(map,ets:lookup(m,map)), p(mapm,ets:match(m,{#{a=>'$1'},map})),
  M=maps:from_list([{I,I}||I<-lists:seq(1,100)]), ets:insert(m,{M,hmap}),
  p(hmap,[ets:lookup(m,hmap)=:=[{M,hmap}],ets:match(m,{#{50=>'$1'},'$2'})]),
  p(del,[ets:delete(m),ets:info(m),ets:whereis(m)]),
  p(insnew,begin N=ets:new(n,[]),[ets:insert_new(N,{a,1}),ets:insert_new(N,{a,2}),ets:insert_new(N,[{b,1},{a,3}]),
      ets:insert_new(N,[{b,1},{c,1},{b,2}]),lists:sort(ets:tab2list(N))] end),
  p(binfo,begin N2=ets:new(n,[]), ets:insert(N2,{a,binary:copy(<<1>>,100)}), [{_,Sz,_}]=ets:info(N2,binary), Sz end),
  p(ms,ets:match_spec_run([{1,a},{2,b},x],ets:match_spec_compile(ets:fun2ms(fun({A,B}) when A>1 -> {B,A} end)))),
  p(msbig,length(ets:match_spec_run(lists:seq(1,20000),ets:match_spec_compile([{'$1',[{'>','$1',100}],['$1']}])))).

fixed() ->
  [begin T=ets:new(f,[K]), ets:insert(T,[{I,I}||I<-lists:seq(1,500)]), ets:safe_fixtable(T,true),
    N=fx(T,ets:first(T),0), {_,[{P,C}]}=ets:info(T,safe_fixed),
    p({fixed,K},{N,ets:info(T,size),ets:info(T,fixed),P=:=self(),C}),
    ets:insert(T,[{I,new}||I<-lists:seq(1,500,7)]), ets:safe_fixtable(T,false),
    p({unfixed,K},{ets:info(T,fixed),ets:info(T,size),ets:info(T,safe_fixed),
        erlang:phash2(lists:sort(ets:tab2list(T)))}) end||K<-[set,bag,duplicate_bag,ordered_set]].
fx(_,'$end_of_table',N)->N;
fx(T,K,N)->ets:delete(T,K),fx(T,ets:next(T,K),N+1).

orderedset() ->
  T=ets:new(o,[ordered_set]), ets:insert(T,[{{I,J},x}||I<-lists:seq(1,20),J<-[a,b,1.5]]),
  ets:insert(T,[{1,int},{1.0,float},{"l",l},{<<"b">>,b},{a,at},{#{},m},{self(),p},{make_ref(),r},{fun lists:map/2,f},
      {[],n}]),
  p(os1,[V||{K,V}<-ets:tab2list(T),not is_tuple(K)]),
  p(os2,ets:select(T,[{{{7,'$1'},'_'},[],['$1']}])), p(os3,ets:select_reverse(T,[{{{7,'$1'},'_'},[],['$1']}])),
  p(os4,walk(ets:select(T,[{{{7,'$1'},'_'},[],['$1']}],2),fun ets:select/1)),
  p(os5,ets:select(T,[{{{'$1',a},'_'},[{'>','$1',17}],['$1']}])),
  p(os6,[ets:lookup(T,1),ets:lookup(T,1.0),ets:member(T,1)]), p(os7,ets:select_delete(T,[{{{7,'_'},'_'},[],[true]}])),
  p(os8,ets:info(T,size)),
  p(os9,ets:select_replace(T,[{{{8,'$1'},'_'},[],[{{{{8,'$1'}},y}}]}])), p(os10,ets:match(T,{{8,'_'},'$1'})),
  p(os11,[ets:first(T),ets:next(T,1),ets:prev(T,{1,a}),ets:next(T,{20,a}),ets:next(T,{20,zz})]).

walk('$end_of_table',_) -> [];
walk({L,C},F) -> [L|walk(F(C),F)].

bags() ->
  B=ets:new(b,[bag]), D=ets:new(d,[duplicate_bag]),
  [begin [ets:insert(T,{k,I})||I<-[3,1,2,3,1]], p({bag,N},ets:lookup(T,k)), ets:insert(T,[{k,9},{j,1},{k,1}]),
      p({bag2,N},ets:lookup(T,k)), p({bagle,N},ets:lookup_element(T,k,2)),
    ets:delete_object(T,{k,1}), p({bag3,N},ets:lookup(T,k)), p({bagnew,N},ets:insert_new(T,{k,5})),
    p({bagtake,N},ets:take(T,k)), p({bagsz,N},ets:info(T,size)),
    ets:insert(T,[{1,a},{1.0,b}]), p({bagf,N},[ets:lookup(T,1),ets:lookup(T,1.0)]) end || {T,N}<-[{B,bag},{D,dbag}]].

trans() ->
  Me=self(),
  P=spawn(fun()-> T=ets:new(h,[{heir,Me,{data,[1,2]}}]), ets:insert(T,{a,b}), Me!{t,T} end),
  T=receive {t,X}->X end,
  p(heir,receive {'ETS-TRANSFER',T,P,D}->{D,ets:tab2list(T),ets:info(T,owner)=:=self(),ets:info(T,heir)=:=Me}
      after 2000->none end),
  P2=spawn(fun()->receive go->ok end end), ets:give_away(T,P2,gift), p(given,ets:info(T,owner)=:=P2), P2!go,
  timer_sleep(50), p(back,receive {'ETS-TRANSFER',T,P2,D2}->D2 after 1000->none end),
  ets:setopts(T,{heir,none}), P3=spawn(fun()->receive go->ok end end), ets:give_away(T,P3,gift), P3!go, timer_sleep(50),
  p(gone,ets:info(T)).

timer_sleep(T) -> receive after T -> ok end.

p(Label, Value) -> see:value(Label, Value).
