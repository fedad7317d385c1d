%% Comma-separated values, some of them quoted: split, converted, grouped and written again.
-module(compute_csv).
-export([run/0]).

run() ->
    Text = iolist_to_binary([row(N) || N <- lists:seq(1, 5000)]),
    Rows = rows(Text),
    Sums = lists:foldl(
             fun([Id, Name, City, Amount, Rate], Groups) ->
                     Value = binary_to_integer(Amount) + round(binary_to_float(Rate) * 100)
                         + binary_to_integer(Id) rem 3,
                     maps:update_with(City, fun({N, Sum}) -> {N + 1, Sum + Value + byte_size(Name)} end, {1, Value},
                         Groups)
             end, #{}, Rows),
    Written = [lists:join(<<",">>, [quote(Field) || Field <- Row]) || Row <- Rows],
    {length(Rows), lists:sort(maps:to_list(Sums)), iolist_size(lists:join($\n, Written))}.

row(N) ->
    City = element(N rem 5 + 1, {"Umea", "Oslo", "Bergen, Norway", "Turku", "Lund"}),
    [integer_to_list(N), ",\"name \"\"", integer_to_list(N * 7 rem 101), "\"\"\",\"", City, "\",",
     integer_to_list(N * 37 rem 1000), ",", integer_to_list(N rem 9), ".", integer_to_list(N rem 10), "\r\n"].

rows(<<>>) -> [];
rows(Text) ->
    {Row, Rest} = fields(Text, []),
    [Row | rows(Rest)].

fields(<<"\"", Rest/binary>>, Row) ->
    {Field, Rest1} = quoted(Rest, <<>>),
    after_field(Rest1, [Field | Row]);
fields(Text, Row) ->
    Length = plain(Text, 0),
    <<Field:Length/binary, Rest/binary>> = Text,
    after_field(Rest, [Field | Row]).

after_field(<<",", Rest/binary>>, Row) -> fields(Rest, Row);
after_field(<<"\r\n", Rest/binary>>, Row) -> {lists:reverse(Row), Rest}.

plain(Text, At) ->
    case Text of
        <<_:At/binary, C, _/binary>> when C =/= $,, C =/= $\r -> plain(Text, At + 1);
        _ -> At
    end.

quoted(<<"\"\"", Rest/binary>>, Field) -> quoted(Rest, <<Field/binary, $">>);
quoted(<<"\"", Rest/binary>>, Field) -> {Field, Rest};
quoted(<<C, Rest/binary>>, Field) -> quoted(Rest, <<Field/binary, C>>).

quote(Field) ->
    case binary:match(Field, [<<",">>, <<"\"">>]) of
        nomatch -> Field;
        _ -> [$", binary:replace(Field, <<"\"">>, <<"\"\"">>, [global]), $"]
    end.
