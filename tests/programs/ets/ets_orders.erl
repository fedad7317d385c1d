%% Keys of many kinds come in the same order of slots as on stock, after growing and deleting.
-module(ets_orders).
-export([main/0]).

main() -> order().

order() ->
  Keys = [{ints,lists:seq(1,2000)},{atoms,[list_to_atom("k"++integer_to_list(I))||I<-lists:seq(1,600)]},
          {bins,[integer_to_binary(I)||I<-lists:seq(1,600)]},{floats,[I/3||I<-lists:seq(1,600)]},
          {tuples,[{I,<<I:16>>,"s"}||I<-lists:seq(1,600)]},{strings,["str"++integer_to_list(I)||I<-lists:seq(1,600)]},
          {bigs,[1 bsl (60+I)||I<-lists:seq(1,300)]},{neg,lists:seq(-300,-1)}],
  [begin T=ets:new(t,[K]), [ets:insert(T,{X,1})||X<-L],
      p({order,K,N},{erlang:phash2(ets:tab2list(T)),lists:sublist(ets:tab2list(T),3)}),
     [ets:delete(T,X)||X<-L,erlang:phash2(X) rem 3=/=0], p({order_after,K,N},erlang:phash2(ets:tab2list(T))),
     p({slots,K,N},[length(ets:slot(T,I))||I<-lists:seq(0,40)]),
     p({first,K,N},{ets:first(T),ets:next(T,ets:first(T)),ets:last(T)}),
     ets:delete(T) end || K<-[set,bag,duplicate_bag], {N,L}<-Keys], ok.

p(Label, Value) -> see:value(Label, Value).
