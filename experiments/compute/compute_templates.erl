%% Pages of HTML built as nested lists, escaped, and flattened to binaries.
-module(compute_templates).
-export([run/0]).

run() -> loop(240, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    Page = iolist_to_binary(page(N, [item(N, I) || I <- lists:seq(1, 50)])),
    loop(N - 1, Sum + erlang:adler32(Page)).

item(N, I) -> #{title => <<"Item <", (integer_to_binary(I))/binary, "> & more">>, price => N * I,
    tags => ["a", "b & c", "\"d\""]}.

page(N, Items) ->
    [<<"<!doctype html><html><head><title>">>, escape(["Page ", integer_to_list(N)]), <<"</title></head><body><ul>\n">>,
     [row(Item) || Item <- Items], <<"</ul></body></html>\n">>].

row(#{title := Title, price := Price, tags := Tags}) ->
    ["<li class=\"item\"><b>", escape(Title), "</b> <i>", integer_to_binary(Price div 100), $.,
        integer_to_binary(Price rem 100), "</i> ",
     lists:join(", ", [["<span>", escape(Tag), "</span>"] || Tag <- Tags]), "</li>\n"].

escape(Text) when is_binary(Text) -> << <<(escaped(C))/binary>> || <<C>> <= Text >>;
escape(Text) -> escape(iolist_to_binary(Text)).

escaped($<) -> <<"&lt;">>;
escaped($>) -> <<"&gt;">>;
escaped($&) -> <<"&amp;">>;
escaped($") -> <<"&quot;">>;
escaped(C) -> <<C>>.
