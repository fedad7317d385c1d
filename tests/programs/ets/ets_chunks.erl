%% Results in chunks, forwards and backwards, and continuations.
-module(ets_chunks).
-export([main/0]).

main() -> chunks().

walk('$end_of_table',_) -> [];
walk({L,C},F) -> [L|walk(F(C),F)].

chunks() ->
  [begin T=ets:new(t,[K]), [ets:insert(T,{I,I rem 3})||I<-lists:seq(1,N)],
     [begin p({chunk,K,N,Lim},walk(ets:select(T,[{{'$1',1},[],['$1']}],Lim),fun ets:select/1)),
      p({mchunk,K,N,Lim},erlang:phash2(walk(ets:match(T,{'$1',0},Lim),fun ets:match/1))),
      p({mochunk,K,N,Lim},erlang:phash2(walk(ets:match_object(T,{'_','$1'},Lim),fun ets:match_object/1))),
      p({rchunk,K,N,Lim},walk(ets:select_reverse(T,[{{'$1',1},[],['$1']}],Lim),fun ets:select_reverse/1))
      end || Lim<-[1,2,7,100]],
     p({rev,K},ets:select_reverse(T,[{{'$1',2},[],['$1']}])),
     p({sel,K},ets:select(T,[{{'$1',2},[],['$1']}])),
     p({keyed,K},[without_references(X)||X<-[ets:select(T,[{{3,'_'},[],['$_']}]),
         ets:select(T,[{{3,'_'},[],['$_']},{{5,'_'},[],[five]},{{999,'_'},[],['$_']}]),
     ets:select(T,[{{3,'_'},[],['$_']}],10),ets:select(T,[{{3,'_'},[],['$_']},{{4,'_'},[],['$_']},{{8,'_'},[],['$_']}],
         2), ets:select(T,[{{3.0,'_'},[],['$_']}])]]),
     p({nothing,K},[ets:select(T,[]),ets:select(T,[],1),ets:select(T,[{foo,[],[x]}]),ets:select(T,[{foo,[],[x]}],3),
         ets:match(T,foo),ets:match(T,{a,b,c})]),
     {_,C}=ets:select(T,[{{'$1','_'},[],['$1']}],2),
     p({cont,K},tuple_size(C)),
     p({repaired,K},ets:select(ets:repair_continuation(C,[{{'$1','_'},[],['$1']}]))=:=ets:select(C)),
     p({eot,K},ets:select('$end_of_table')),
     ets:delete(T) end || K<-[set,ordered_set,bag,duplicate_bag], N<-[0,1,20,300], N>=20], ok.

without_references({L,C}) when is_tuple(C) -> {L,tuple_size(C)};
without_references(Other) -> Other.

p(Label, Value) -> see:value(Label, Value).
