%% Tables that take more than a slice to traverse.
-module(ets_big).
-export([main/0]).

main() -> big().

big() ->
  [begin T=ets:new(t,[K|O]), [ets:insert(T,{I,I*2,[I]})||I<-lists:seq(1,20000)],
     L=ets:select(T,[{{'$1','$2','_'},[{'>','$2',1000}],[{{'$1','$2'}}]}]),
     p({big,K,O},{length(L),lists:sum([A||{A,_}<-L]),length(ets:match(T,{'$1','_','_'})),
         length(ets:match_object(T,'_')),length(ets:tab2list(T)),ets:info(T,fixed)}),
     p({bigord,K,O},case K of ordered_set -> L=:=lists:sort(L); _ when O=:=[] ->
         [erlang:phash2(L) || erlang:system_info(otp_release) =:= "25"]; _ -> x end),
     p({bigcount,K,O},ets:select_count(T,[{{'$1','_','_'},[{'=:=',{'rem','$1',7},0}],[true]}])),
     p({bigrep,K,O},try ets:select_replace(T,[{{'$1','$2','_'},[{'=:=',{'rem','$1',7},0}],[{{'$1',replaced,'$2'}}]}])
         catch error:R->R end),
     p({bigchk,K,O},{ets:lookup(T,7),ets:lookup(T,8)}),
     p({bigdel,K,O},ets:select_delete(T,[{{'$1','_','_'},[{'=/=',{'rem','$1',5},0}],[true]}])),
     p({bigleft,K,O},{ets:info(T,size),ets:info(T,fixed),length(ets:tab2list(T))}),
     {L3,C3}=ets:select(T,[{{'$1','_','_'},[],['$1']}],6000),
     p({big3,K,O},{length(L3),case ets:select(C3) of {L4,_}->length(L4); X->X end}),
     p({bigda,K,O},{ets:delete_all_objects(T),ets:info(T,size)}),
     ets:delete(T) end || K<-[set,ordered_set,bag,duplicate_bag],O<-[[],[{write_concurrency,true},public],
     [{read_concurrency,true}]]],ok.

p(Label, Value) -> see:value(Label, Value).
