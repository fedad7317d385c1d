%% What 26 and later tell and take that 25 does not: the stack trace of callers in specifications of tracing, addresses
%% of IPv6 in requests of HTTP, the clock's resolution that is used, silent heirs of tables (28), integers within bounds
%% in specifications (29), the flags that other nodes must have, checksums of dictionaries (27).
%% releases: 27 29
-module(told_27).
-export([main/0, called/1, middle/1, outer/1, deep/1, tail/1]).

main() ->
    callers(),
    forms(),
    requests(),
    see:value("clock", [[Key || {Key, _} <- erlang:system_info(Source)]
        || Source <- [os_monotonic_time_source, os_system_time_source]]),
    heirs(),
    dictionaries(),
    within(),
    options(),
    ended_port(),
    see:value("old binaries", [limited(Words) || Words <- [3_000_000, 1_000_000]]),
    see:value("flags", element(3, erts_internal:get_dflags())).

called(X) -> X.
middle(X) -> Y = called(X), {Y}.
outer(X) -> Y = middle(X), {Y}.
deep(0) -> called(deep);
deep(N) -> [deep(N - 1)].
tail(X) -> called(X).

%% What is told of calls of `called/1'.
callers() ->
    [see:value(text("~w", [Form]), told([{'_', [], [{message, Form}]}]))
     || Form <- [{current_stacktrace}, {current_stacktrace, 0}, {current_stacktrace, 1}, {current_stacktrace, 2},
         {current_stacktrace, 12}, {{a, {current_stacktrace, 1}}}]],
    [begin
         Before = erlang:system_flag(backtrace_depth, Depth),
         see:value(text("depth ~b", [Depth]), told([{'_', [], [{message, {current_stacktrace, 3}}]}])),
         erlang:system_flag(backtrace_depth, Before)
     end || Depth <- [0, 1, 2, 20]].

told(Specification) ->
    1 = erlang:trace_pattern({?MODULE, called, 1}, Specification, [local]),
    {Pid, Monitor} = spawn_monitor(fun() ->
                receive go -> see:id([outer(1), tail(2), apply(?MODULE, see:id(called), [3]), deep(15)]) end,
                receive stop -> ok end
        end),
    erlang:trace(Pid, true, [call]),
    Pid ! go,
    Told = [receive {trace, Pid, call, {_, _, Arguments}, Message} -> {Arguments, plain(Message)} end
            || _ <- lists:seq(1, 4)],
    Pid ! stop,
    receive {'DOWN', Monitor, _, _, _} -> Told end.

plain({a, Stack}) -> {a, plain(Stack)};
plain(Stack) -> [{Name, Arity, proplists:get_value(line, Where)} || {?MODULE, Name, Arity, Where} <- Stack].

forms() ->
    [see:value(text("~w ~w", [Kind, Specification]), tested(Kind, Specification))
     || {Kind, Specification} <- [
         {trace, {'_', [], [{current_stacktrace, x}]}}, {trace, {'_', [], [{current_stacktrace, -1}]}},
         {trace, {'_', [], [{current_stacktrace, 1 bsl 70}]}}, {trace, {'_', [], [{current_stacktrace, 1, 2}]}},
         {trace, {['$1'], [], [{current_stacktrace, '$1'}]}}, {trace, {'_', [{current_stacktrace}], []}},
         {trace, {'_', [], [{current_stacktrace}]}}, {table, {{'_'}, [], [{current_stacktrace}]}},
         {table, {{'_'}, [], [{current_stacktrace, 1}]}}]],
    [see:fails(Event, fun() -> erlang:trace_pattern(Event, [{'_', [], [{message, {current_stacktrace}}]}], []) end)
     || Event <- [send, 'receive']].

tested(trace, Specification) -> erlang:match_spec_test([a], [Specification], trace);
tested(table, Specification) -> erlang:match_spec_test({a}, [Specification], table).

requests() ->
    [see:value(Place, begin
         Line = iolist_to_binary(["GET ", Place, " HTTP/1.1\r\n"]),
         {ok, {http_request, _, Uri, _}, <<>>} = erlang:decode_packet(http, Line, []),
         Uri
     end) || Place <- ["http://[::1]:80/a", "http://[::1]/a", "http://[::1]", "http://[::1", "http://[::1]x/a",
         "http://[::1]x:80/a", "http://[a/b]:8/c", "http://[]/c", "http://[::1]:/c", "http://[::1]:8x/c",
         "https://[fe80::1%25eth0]:443/", "http://a[b]:8/c", "http://[x]y]:7/"]].

%% A heir without data is not told.
heirs() ->
    Self = self(),
    see:fails("heir", fun() -> is_reference(ets:new(table, [{heir, Self}])) end),
    Table = ets:new(table, [{heir, Self, data}, public]),
    see:fails("heir set", fun() -> ets:setopts(Table, {heir, Self}) end),
    see:fails("heir that is none", fun() -> ets:setopts(Table, {heir, foo}) end),
    see:value("heir asked", ets:info(Table, heir) =:= Self),
    {Owner, Monitor} = spawn_monitor(fun() ->
                Self ! {tables, [made(Heir) || Heir <- [[{heir, Self, data}], [{heir, Self}]]]},
                receive stop -> ok end
        end),
    Tables = receive {tables, Made} -> [Id || Id <- Made, is_reference(Id)] end,
    Owner ! stop,
    receive {'DOWN', Monitor, _, _, _} -> ok end,
    receive {'ETS-TRANSFER', _, Owner, Data} -> see:value("transfer", Data) end,
    see:value("own", [ets:info(Id, owner) =:= Self || Id <- Tables]),
    see:value("silent", receive {'ETS-TRANSFER', _, _, _} = Other -> Other after 100 -> nothing end).

%% What excludes each other, and what regular expressions of PCRE2 have.
options() ->
    see:fails("local", fun() -> term_to_binary(a, [local, deterministic]) end),
    [see:value(Pattern, re:run("abc", Pattern, [unicode])) ||
        Pattern <- ["a\\N", "\\N{2}"]],
    [see:value(Pattern, try re:run("abc", Pattern, [unicode]) catch error:Reason -> Reason end)
     || Pattern <- ["\\N{U+61}", "[\\N{U+61}]", "b\\N{U+63}", "\\Q\\N{U+\\E", "\\N{x}"]],
    [see:fails(Option, fun() -> re:run("a\0b", "^b", [multiline, {newline, Option}]) end) || Option <- [lf, nul, foo]],
    see:value("start", erlang:convert_time_unit(erlang:system_info(start_time), native, second)),
    see:value("whole seconds", erlang:system_info(start_time) rem erlang:convert_time_unit(1, second, native)).

%% The message of a port's monitor, whatever the reason is.
ended_port() ->
    Port = open_port({spawn, "cat"}, []),
    Monitor = monitor(port, Port),
    unlink(Port),
    exit(Port, {a, reason}),
    receive {'DOWN', Monitor, Kind, Port, Reason} -> see:value("port", {Kind, Reason}) end.

%% How a process ends when its heap gets a limit: a binary that others may share counts also when it is old.
limited(Words) ->
    Limit = #{size => Words, kill => true, error_logger => false, include_shared_binaries => true},
    {_, Monitor} = spawn_monitor(fun() ->
                put(binary, binary:copy(<<1>>, 16_000_000)),
                [lists:seq(1, 20_000) || _ <- lists:seq(1, 8)],
                process_flag(max_heap_size, Limit),
                erlang:garbage_collect(self(), [{type, minor}])
        end),
    receive {'DOWN', Monitor, _, _, Reason} -> Reason end.

made(Options) ->
    try ets:new(table, Options) catch error:badarg -> none end.

within() ->
    [see:value(text("~w", [Bounds]), {ets:test_ms({Value}, [{{'$1'}, [], [{is_integer, '$1', Least, Most}]}]),
         ets:test_ms({Value}, [{{'$1'}, [{is_integer, '$1', Least, Most}], [yes]}])})
     || {Value, Least, Most} = Bounds <- [{3, 1, 5}, {a, 1, 5}, {3, a, 5}, {3, 1, 1.5}, {7, 1, 5}, {0, 1, 5}, {3, 5, 1},
         {1 bsl 70, 1, 1 bsl 71}, {1.0, 1, 5}, {a, b, c}]].

text(Format, Arguments) -> lists:flatten(io_lib:format(Format, Arguments)).

%% As unsigned integers.
dictionaries() ->
    Dictionary = binary:copy(<<255>>, 16),
    [begin
         Z = zlib:open(),
         ok = zlib:deflateInit(Z, default, deflated, Bits, 8, default),
         see:value("dictionary", zlib:deflateSetDictionary(Z, Dictionary)),
         Packed = zlib:deflate(Z, "hello", finish),
         zlib:close(Z),
         I = zlib:open(),
         ok = zlib:inflateInit(I, Bits),
         see:value("asks", catch zlib:inflate(I, Packed, [{exception_on_need_dict, Bits < 0}])),
         zlib:close(I)
     end || Bits <- [15, -15]].
