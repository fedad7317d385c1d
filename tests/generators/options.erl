%% Calls of the functions that take options, with every option that this release documents: what the types of its
%% specifications name, and each word between backquotes in its text. An option is tried alone, and with values of each
%% kind, right and wrong. What comes of each call is printed on a line: a value, or for what depends on the moment its
%% shape; or the exception, with the explanation that the shell would give. Each call has a process of its own.
-module(options).
-compile(nowarn_deprecated_function).
-export([start/0]).

-define(CALL_MS, 5000).
%% How deep types within types are followed.
-define(DEPTH, 12).
%% Options that are not tried, of any function: the first takes descriptors that the machine needs, the other ends
%% stock 25.
-define(LEFT_OUT, [fd, sequential_tracer]).
%% Options of a function about which ferl says something of its own, or stock what makes no sense: how it was built, its
%% allocators and poll sets, kinds of threads; quotas that are none; a smallest virtual heap that stock takes and then
%% ignores; an offset beyond the subject, which ends the process by `internal_error` up to OTP 27; writing to standard
%% input; SCTP.
-define(DIFFERS,
        [{system_info, allocated_areas}, {system_info, allocator}, {system_info, c_compiler_used},
         {system_info, check_io}, {system_info, cpu_quota}, {system_info, embedded_3pps},
         {statistics, microstate_accounting}, {spawn_opt, min_bin_vheap_size}, {spawn_request, min_bin_vheap_size},
         {run, offset}, {display_string, stdin}, {socket, sctp}]).

%% `start First Count`: makes the calls of these numbers. A number is one option of one function; when all have had
%% their turn, they begin again.
start() ->
    [First, Count] = [list_to_integer(Word) || Word <- init:get_plain_arguments()],
    logger:set_primary_config(level, none),
    put(types, #{}),
    All = list_to_tuple([{Site, Option} || Site <- sites(), Option <- options_of(Site)]),
    [begin
         {Site, Option} = element((Number - 1) rem tuple_size(All) + 1, All),
         [try_out(Number, Site, Value) || Value <- lists:usort(Option)]
     end || Number <- lists:seq(First, First + Count - 1)],
    halt().

try_out(Number, {Name, _, Call}, Value) ->
    {Pid, Monitor} = spawn_monitor(fun() -> exit({told, outcome(fun() -> Call(Value) end)}) end),
    Outcome = receive
                  {'DOWN', Monitor, process, Pid, {told, Told}} -> Told;
                  {'DOWN', Monitor, process, Pid, Reason} -> {ended, shape(Reason)}
              after ?CALL_MS ->
                  exit(Pid, kill),
                  erlang:demonitor(Monitor, [flush]),
                  waits
              end,
    io:format("~b: ~w ~0tp ~0tp~n", [Number, Name, shape(Value), Outcome]).

outcome(Call) ->
    try Call()
    catch
        Class:Reason:Stack -> {Class, shape(Reason), explained(Reason, Stack)}
    end.

explained(Reason, [{M, _, _, Place} | _] = Stack) ->
    case proplists:get_value(error_info, Place) of
        undefined -> none;
        Info ->
            Explainer = maps:get(module, Info, M),
            Texts = try Explainer:format_error(Reason, Stack) catch _:_ -> #{} end,
            [{At, unicode:characters_to_list(Text)} || {At, Text} <- lists:sort(maps:to_list(Texts))]
    end;
explained(_, _) -> none.

%% What a term looks like, without what changes from run to run.
shape(Term) when is_pid(Term) -> pid;
shape(Term) when is_port(Term) -> port;
shape(Term) when is_reference(Term) -> reference;
shape(Term) when is_function(Term) -> function;
shape([Head | Tail]) -> [shape(Head) | shape(Tail)];
shape(Term) when is_tuple(Term) -> list_to_tuple(shape(tuple_to_list(Term)));
shape(Term) when is_map(Term) -> maps:from_list(shape(maps:to_list(Term)));
shape(Term) -> Term.

%% The same for what is a number of the moment, or as long as it happens to be.
kind(Term) when is_integer(Term) -> integer;
kind(Term) when is_float(Term) -> float;
kind(Term) when is_binary(Term) -> binary;
kind([]) -> [];
kind(Term) when is_list(Term) ->
    case io_lib:printable_unicode_list(Term) of
        true -> text;
        false -> lists:usort(kinds(Term))
    end;
kind(Term) when is_tuple(Term) -> list_to_tuple([kind(Element) || Element <- tuple_to_list(Term)]);
kind(Term) when is_map(Term) -> maps:map(fun(_, Value) -> kind(Value) end, Term);
kind(Term) -> shape(Term).

kinds([Head | Tail]) -> [kind(Head) | kinds(Tail)];
kinds([]) -> [];
kinds(Tail) -> [{tail, kind(Tail)}].

%%% Where options go: a name, the functions and types that document them, and a call with one option.

sites() ->
    of_processes() ++ of_the_node() ++ of_tables() ++ of_terms() ++ of_tracing() ++ of_ports().

of_processes() ->
    Spawned = fun(Spawn, Options) ->
        Main = self(),
        Spawn(fun() -> Main ! {seen, told_of(self())} end, Options),
        receive {seen, Seen} -> Seen; {spawn_reply, _, error, _} = Reply -> shape(Reply) after 300 -> nothing end
    end,
    Monitored = fun(Options) ->
        {Other, _} = spawn_monitor(fun() -> receive stop -> ok end end),
        _ = monitor(process, Other, Options),
        Other ! stop,
        receive {_, _, _, _, _} = Down -> shape(Down) after 100 -> nothing end
    end,
    [{spawn_opt, [{erlang, spawn_opt, 2}, {erlang, spawn_opt, 4}],
      fun(O) -> Spawned(fun(F, Os) -> spawn_opt(F, Os) end, [O]) end},
     {spawn_request, [{erlang, spawn_request, 2}, {erlang, spawn_request, 5}],
      fun(O) -> Spawned(fun(F, Os) -> spawn_request(F, Os) end, [O]) end},
     {process_flag, [{erlang, process_flag, 2}],
      fun({F, V}) -> {shape(process_flag(F, V)), told_of(self())};
         (F) -> [outcome(fun() -> shape(process_flag(F, V)) end) || V <- [true, 0]] end},
     {process_flag_of, [{erlang, process_flag, 3}, {erlang, process_flag, 2}],
      fun({F, V}) -> shape(process_flag(self(), F, V));
         (F) -> shape(process_flag(self(), F, 10)) end},
     {process_info, [{erlang, process_info, 1}, {erlang, process_info, 2}],
      fun(Item) -> kind(process_info(self(), Item)) end},
     {process_info_of, [{erlang, process_info, 1}, {erlang, process_info, 2}],
      fun(Item) -> kind(process_info(whereis(init), [Item])) end},
     {monitor, [{erlang, monitor, 3}], fun(O) -> Monitored([O]) end},
     {monitor_kind, [{erlang, monitor, 2}],
      fun({Kind, Of}) -> shape(monitor(Kind, Of));
         (Kind) -> [outcome(fun() -> shape(monitor(Kind, Of)) end) || Of <- [self(), init, clock_service]] end},
     {demonitor, [{erlang, demonitor, 2}], fun(O) -> shape(demonitor(make_ref(), [O])) end},
     {alias, [{erlang, alias, 1}], fun(O) -> shape(alias([O])) end},
     {link, [{erlang, link, 2}], fun(O) -> shape(erlang:link(self(), [O])) end},
     {exit, [{erlang, exit, 3}],
      fun(O) -> process_flag(trap_exit, true), shape(erlang:exit(self(), reason, [O])) end},
     {send, [{erlang, send, 3}], fun(O) -> shape(erlang:send(self(), message, [O])) end},
     {suspend_process, [{erlang, suspend_process, 2}],
      fun(O) -> shape(erlang:suspend_process(spawn_link(fun() -> receive stop -> ok end end), [O])) end},
     {garbage_collect, [{erlang, garbage_collect, 2}],
      fun(O) -> [shape(garbage_collect(self(), [O])), receive R -> shape(R) after 0 -> nothing end] end},
     {check_process_code, [{erlang, check_process_code, 3}],
      fun(O) -> [shape(check_process_code(self(), lists, [O])), receive R -> shape(R) after 0 -> nothing end] end},
     {send_after, [{erlang, send_after, 4}], fun(O) -> shape(erlang:send_after(1 bsl 30, self(), x, [O])) end},
     {start_timer, [{erlang, start_timer, 4}], fun(O) -> shape(erlang:start_timer(1 bsl 30, self(), x, [O])) end},
     {cancel_timer, [{erlang, cancel_timer, 2}],
      fun(O) -> kind(erlang:cancel_timer(erlang:send_after(1 bsl 30, self(), x), [O])) end},
     {read_timer, [{erlang, read_timer, 2}],
      fun(O) -> kind(erlang:read_timer(erlang:send_after(1 bsl 30, self(), x), [O])) end}].

told_of(Pid) ->
    Items = [priority, trap_exit, min_heap_size, min_bin_vheap_size, max_heap_size, message_queue_data, error_handler],
    [told(process_info(Pid, Item)) || Item <- Items]
        ++ [proplists:get_value(fullsweep_after, element(2, process_info(Pid, garbage_collection)))].

%% ferl's smallest heap has 32 words, and stock's 233.
told({min_heap_size, Words}) -> {min_heap_size, max(Words, 233)};
told(Item) -> shape(Item).

of_the_node() ->
    [{system_flag, [{erlang, system_flag, 2}],
      fun({Flag, Value}) ->
              Old = erlang:system_flag(Flag, Value),
              Now = outcome(fun() -> kind(erlang:system_info(Flag)) end),
              outcome(fun() -> erlang:system_flag(Flag, before(Flag, Old)) end),
              {kind(Old), Now};
         (Flag) -> [outcome(fun() -> kind(erlang:system_flag(Flag, V)) end) || V <- [foo, -1]] end},
     {system_info, [{erlang, system_info, 1}], fun(Item) -> kind(erlang:system_info(Item)) end},
     {statistics, [{erlang, statistics, 1}], fun(Item) -> kind(statistics(Item)) end},
     {memory, [{erlang, memory, 0}, {erlang, memory, 1}], fun(Item) -> kind(erlang:memory(Item)) end},
     {nodes, [{erlang, nodes, 1}], fun(Kind) -> nodes(Kind) end},
     {nodes_with, [{erlang, nodes, 1}, {erlang, nodes, 2}],
      fun({O, V}) -> nodes(connected, #{O => V}); (O) -> nodes(O, #{}) end},
     {system_time, [{erlang, system_time, 1}, {erlang, monotonic_time, 1}],
      fun(Unit) -> kind({erlang:system_time(Unit), erlang:monotonic_time(Unit), erlang:time_offset(Unit)}) end},
     {convert_time_unit, [{erlang, convert_time_unit, 3}],
      fun(Unit) -> {erlang:convert_time_unit(1234567, Unit, second), erlang:convert_time_unit(-5, second, Unit)} end},
     {unique_integer, [{erlang, unique_integer, 1}], fun(O) -> kind(erlang:unique_integer([O])) end},
     {set_signal, [{os, set_signal, 2}],
      fun({Signal, What}) when Signal =/= sigstop -> os:set_signal(Signal, What);
         (Signal) -> os:set_signal(Signal, foo) end},
     {halt, [{erlang, halt, 2}],
      fun({flush, V}) when is_boolean(V) -> left_out;
         ({flush_timeout, V}) when V =:= infinity; is_integer(V) -> left_out;
         ({flush, V}) -> halt(0, [{flush, V}]);
         (O) -> shape(halt(0, [O, not_an_option])) end},
     {monitor_node, [{erlang, monitor_node, 3}], fun(O) -> erlang:monitor_node(node(), false, [O]) end}].

%% What to set so that a flag has again the value that it had.
before(multi_scheduling, blocked) -> unblock;
before(multi_scheduling, blocked_normal) -> unblock_normal;
before(_, Old) -> Old.

of_tables() ->
    New = fun(O) ->
        Table = ets:new(options_table, [O]),
        Told = [{Item, shape(ets:info(Table, Item))}
                || Item <- [type, protection, named_table, keypos, heir, compressed, write_concurrency,
                            read_concurrency, decentralized_counters]],
        ets:delete(Table),
        Told
    end,
    [{new, [{ets, new, 2}], New},
     {info, [{ets, info, 1}, {ets, info, 2}],
      fun(Item) -> Table = ets:new(options_table, []), kind(ets:info(Table, Item)) end},
     {setopts, [{ets, setopts, 2}],
      fun(O) -> Table = ets:new(options_table, []), {ets:setopts(Table, [O]), ets:info(Table, heir)} end}].

of_terms() ->
    Term = [a, 1.5, lists:duplicate(100, $a), #{1 => 2, a => b}, <<1:3>>],
    External = term_to_binary(Term),
    Subject = <<"one two\nThree">>,
    [{term_to_binary, [{erlang, term_to_binary, 2}], fun(O) -> term_to_binary(Term, [O]) end},
     {term_to_iovec, [{erlang, term_to_iovec, 2}], fun(O) -> iolist_to_binary(erlang:term_to_iovec(Term, [O])) end},
     {external_size, [{erlang, external_size, 2}], fun(O) -> erlang:external_size(Term, [O]) end},
     {binary_to_term, [{erlang, binary_to_term, 2}], fun(O) -> binary_to_term(External, [O]) end},
     {float_to_list, [{erlang, float_to_list, 2}], fun(O) -> float_to_list(-1234.5678, [O]) end},
     {float_to_binary, [{erlang, float_to_binary, 2}], fun(O) -> float_to_binary(1.0e22, [O, compact]) end},
     {decode_packet, [{erlang, decode_packet, 3}],
      fun({_, _} = O) -> erlang:decode_packet(line, <<0, 0, 0, 4, "abc\nGET / HTTP/1.0\r\n">>, [O]);
         (Type) -> erlang:decode_packet(Type, <<0, 0, 0, 4, "abcd">>, []) end},
     {fun_info, [{erlang, fun_info, 1}, {erlang, fun_info, 2}],
      fun(Item) ->
              [outcome(fun() -> kind(erlang:fun_info(F, Item)) end) || F <- [fun lists:map/2, fun() -> ok end]] end},
     {compile, [{re, compile, 2}, {re, run, 3}],
      fun(O) -> case re:compile(<<"(t)([a-z]+)$">>, [O]) of {ok, _} -> ok; Error -> Error end end},
     {run, [{re, run, 3}], fun(O) -> re:run(Subject, <<"(t)([a-z]+)$">>, [multiline, O]) end},
     {inspect, [{re, inspect, 2}], fun(O) -> {ok, P} = re:compile("(?<a>.)"), re:inspect(P, O) end},
     {characters_to_binary, [{unicode, characters_to_binary, 3}],
      fun(O) -> {unicode:characters_to_binary([229, 100], latin1, O), unicode:characters_to_binary(<<"ab">>, O, utf8)}
      end},
     {match, [{binary, match, 3}], fun(O) -> binary:match(Subject, <<"t">>, [O]) end},
     {matches, [{binary, matches, 3}], fun(O) -> binary:matches(Subject, [<<"t">>, <<"T">>], [O]) end},
     {deflate, [{zlib, deflateInit, 6}, {zlib, deflate, 3}],
      fun(O) ->
              Z = zlib:open(),
              Ok = zlib:deflateInit(Z),
              {Ok, [outcome(Call) || Call <- [fun() -> iolist_to_binary(zlib:deflate(Z, <<"abcabcabc">>, O)) end,
                                              fun() -> zlib:deflateParams(Z, O, default) end]]} end},
     {atomics, [{atomics, new, 2}], fun(O) -> shape(atomics:info(atomics:new(2, [O]))) end},
     {counters, [{counters, new, 2}], fun(O) -> kind(counters:info(counters:new(2, [O]))) end},
     {display_string, [{erlang, display_string, 2}], fun(O) -> erlang:display_string(O, "") end}].

of_tracing() ->
    Pattern = fun(O) -> erlang:trace_pattern({lists, reverse, 2}, true, [O]) end,
    [{trace, [{erlang, trace, 3}], fun(O) -> [erlang:trace(self(), On, [O]) || On <- [true, false]] end},
     {trace_pattern, [{erlang, trace_pattern, 3}],
      fun(O) -> Set = Pattern(O), erlang:trace_pattern({lists, reverse, 2}, false, [O]), Set end},
     {trace_info, [{erlang, trace_info, 2}],
      fun(Item) -> [outcome(fun() -> kind(erlang:trace_info(Of, Item)) end)
                     || Of <- [self(), new, {lists, reverse, 2}, on_load]] end},
     {system_monitor, [{erlang, system_monitor, 2}],
      fun(O) ->
              Old = erlang:system_monitor(self(), [O]),
              Set = erlang:system_monitor(),
              erlang:system_monitor(undefined),
              {Old, shape(Set)} end},
     {system_profile, [{erlang, system_profile, 2}],
      fun(O) -> Old = erlang:system_profile(self(), [O]), erlang:system_profile(undefined, [O]), Old end},
     {seq_trace, [{seq_trace, set_token, 2}],
      fun({Component, Value}) -> shape(seq_trace:set_token(Component, Value));
         (Component) -> shape(seq_trace:get_token(Component)) end},
     {seq_trace_info, [{seq_trace, get_token, 1}], fun(Component) -> shape(seq_trace:get_token(Component)) end}].

of_ports() ->
    Port = fun() -> open_port({spawn, "cat"}, [binary]) end,
    [{open_port, [{erlang, open_port, 2}],
      fun(O) ->
              P = open_port({spawn, "true"}, [exit_status, O]),
              receive {P, Said} -> kind(Said) after 2000 -> silent end end},
     {open_port_of, [{erlang, open_port, 2}],
      fun(O) -> P = open_port({spawn_executable, "/bin/true"}, [O]), shape(P) end},
     {port_info, [{erlang, port_info, 1}, {erlang, port_info, 2}],
      fun(Item) -> kind(erlang:port_info(Port(), Item)) end},
     {port_command, [{erlang, port_command, 3}], fun(O) -> erlang:port_command(Port(), "a", [O]) end},
     {file, [{file, open, 2}],
      fun(O) ->
              Opened = file:open("options.tmp", [O]),
              _ = [file:close(Device) || {ok, Device} <- [Opened]],
              kind(case Opened of {ok, #{} = _} -> ok; {ok, _} -> ok; Error -> Error end) end},
     {listen, [{gen_tcp, listen, 2}], fun(O) -> opened(gen_tcp:listen(0, [O])) end},
     {udp, [{gen_udp, open, 2}], fun(O) -> opened(gen_udp:open(0, [O])) end},
     {tcp_setopts, [{inet, setopts, 2}],
      fun(O) -> {ok, S} = gen_tcp:listen(0, []), {inet:setopts(S, [O]), kind(inet:getopts(S, [name_of(O)]))} end},
     {udp_setopts, [{inet, setopts, 2}],
      fun(O) -> {ok, S} = gen_udp:open(0), {inet:setopts(S, [O]), kind(inet:getopts(S, [name_of(O)]))} end},
     {getstat, [{inet, getstat, 2}], fun(O) -> {ok, S} = gen_udp:open(0), kind(inet:getstat(S, [O])) end},
     {socket, [{socket, getopt, 2}],
      fun({_, _} = O) -> {ok, S} = socket:open(inet, stream), kind(socket:getopt(S, O));
         (O) -> {ok, S} = socket:open(inet, dgram), kind(socket:getopt(S, {socket, O})) end}].

opened({ok, Socket}) -> inet:close(Socket), ok;
opened(Error) -> Error.

name_of(O) when is_tuple(O), tuple_size(O) > 0 -> element(1, O);
name_of(O) -> O.

%%% What is documented.

%% The terms to try at this place, by the option that they are of.
options_of({Site, Documents, _}) ->
    Typed = lists:append([typed(M, F, A) || {M, F, A} <- Documents]),
    Words = lists:usort(lists:append([words(M, F, A) || {M, F, A} <- Documents])),
    Wrong = [[Term] || Term <- anything()],
    ByName = lists:foldl(fun(Option, All) ->
                             maps:update_with(name_of(Option), fun(Old) -> [Option | Old] end, [Option], All)
                         end, maps:from_list([{Word, []} || Word <- Words]), Typed),
    [lists:usort([Name | Options] ++ [{Name, Value} || Value <- anything()])
     || {Name, Options} <- lists:sort(maps:to_list(ByName)), is_atom(Name), not lists:member(Name, ?LEFT_OUT),
        not lists:member({Site, Name}, ?DIFFERS)] ++ Wrong.

anything() ->
    [true, false, 0, 1, -1, 2, 10, 60000, 1 bsl 62, 1 bsl 64, 1.5, foo, undefined, default, infinity, [],
     "abc", <<"abc">>, <<1:3>>, {}, {a, b}, {1, 2}, [a], [{a, 1}], [1 | 2], #{}, #{size => 1000000}, self(),
     fun() -> ok end].

%% What the types of the arguments of a function allow: atoms, and tuples that begin with one.
typed(M, F, A) ->
    Types = types_of(M),
    case Types of
        #{{spec, F, A} := Clauses} ->
            lists:usort(lists:append([options_in(M, Clause) || Clause <- Clauses]));
        _ -> []
    end.

options_in(M, {type, _, bounded_fun, [{type, _, 'fun', [{type, _, product, Arguments}, _]}, Constraints]}) ->
    Bound = maps:from_list([{Name, Type} || {type, _, constraint, [_, [{var, _, Name}, Type]]} <- Constraints]),
    of_arguments(M, Arguments, Bound);
options_in(M, {type, _, 'fun', [{type, _, product, Arguments}, _]}) -> of_arguments(M, Arguments, #{}).

%% Two arguments that are a name and its value make a pair.
of_arguments(M, Arguments, Bound) ->
    Each = [found(M, Argument, Bound, ?DEPTH) || Argument <- Arguments],
    Pairs = case [values(M, Argument, Bound, ?DEPTH) || Argument <- Arguments] of
                [Names, Values] -> [{Name, Value} || Name <- Names, is_atom(Name), Value <- Values];
                _ -> []
            end,
    lists:append([Pairs | Each]).

%% The options within a type.
found(_, _, _, 0) -> [];
found(_, {atom, _, Atom}, _, _) -> [Atom];
found(M, {type, _, tuple, [First | _] = Types} = Type, Bound, Depth) ->
    case values(M, First, Bound, Depth - 1) of
        [Name | _] when is_atom(Name) -> values(M, Type, Bound, Depth);
        _ -> lists:append([found(M, T, Bound, Depth - 1) || T <- Types])
    end;
found(M, Type, Bound, Depth) -> lists:append([found(N, T, B, Depth - 1) || {N, T, B} <- within(M, Type, Bound)]).

%% Some terms of a type.
values(_, _, _, 0) -> [];
values(_, {atom, _, Atom}, _, _) -> [Atom];
values(_, {integer, _, Integer}, _, _) -> [Integer];
values(_, {type, _, boolean, []}, _, _) -> [true, false];
values(_, {type, _, Kind, []}, _, _)
  when Kind =:= non_neg_integer; Kind =:= pos_integer; Kind =:= integer; Kind =:= byte; Kind =:= char ->
    [0, 1, 7, 1000];
values(_, {type, _, range, [_, _]}, _, _) -> [0, 1, 9, 20, 255];
values(_, {type, _, pid, []}, _, _) -> [self()];
values(_, {type, _, Kind, []}, _, _) when Kind =:= atom; Kind =:= module -> [lists];
values(_, {type, _, string, []}, _, _) -> ["abc"];
values(_, {type, _, binary, _}, _, _) -> [<<"abc">>];
values(_, {type, _, map, Fields}, _, _) when is_list(Fields) ->
    [#{}, maps:from_list([{Name, 1000000} || {type, _, _, [{atom, _, Name}, _]} <- Fields])];
values(M, {type, _, tuple, Types}, Bound, Depth) when is_list(Types) ->
    products([lists:sublist(lists:usort(values(M, T, Bound, Depth - 1)), 12) || T <- Types]);
values(M, {type, _, list, [Type]}, Bound, Depth) ->
    [[] | [[Value] || Value <- lists:sublist(values(M, Type, Bound, Depth - 1), 6)]];
values(M, Type, Bound, Depth) -> lists:append([values(N, T, B, Depth - 1) || {N, T, B} <- within(M, Type, Bound)]).

products([]) -> [{}];
products(Lists) -> lists:foldr(fun(Values, Tails) ->
                                   [list_to_tuple([Value | tuple_to_list(Tail)]) || Value <- Values, Tail <- Tails]
                               end, [{}], Lists).

%% The types that a type is made of, each with the module and the variables that it is to be read with.
within(M, {ann_type, _, [_, Type]}, Bound) -> [{M, Type, Bound}];
within(M, {paren_type, _, [Type]}, Bound) -> [{M, Type, Bound}];
within(M, {var, _, Name}, Bound) -> [{M, Type, Bound} || {ok, Type} <- [maps:find(Name, Bound)]];
within(M, {user_type, _, Name, Given}, Bound) -> named(M, Name, Given, M, Bound);
within(M, {remote_type, _, [{atom, _, N}, {atom, _, Name}, Given]}, Bound) -> named(N, Name, Given, M, Bound);
within(M, {type, _, Kind, Types}, Bound) when is_list(Types), Kind =/= 'fun' -> [{M, Type, Bound} || Type <- Types];
within(_, _, _) -> [].

named(M, Name, Given, _, _) ->
    case types_of(M) of
        #{{type, Name, length(Given)} := {Type, Variables}} ->
            [{M, Type, maps:from_list([{V, G} || {{var, _, V}, G} <- lists:zip(Variables, Given)])}];
        _ -> []
    end.

%% The types and specifications of a module, which is read once.
types_of(M) ->
    case get(types) of
        #{M := Types} -> Types;
        Known ->
            Types = read_types(M),
            put(types, Known#{M => Types}),
            Types
    end.

read_types(M) ->
    case beam_lib:chunks(code:where_is_file(atom_to_list(M) ++ ".beam"), [abstract_code]) of
        {ok, {M, [{abstract_code, {_, Forms}}]}} -> maps:from_list(lists:append([type(M, Form) || Form <- Forms]));
        _ -> #{}
    end.

type(_, {attribute, _, Kind, {Name, Type, Variables}}) when Kind =:= type; Kind =:= opaque; Kind =:= nominal ->
    [{{type, Name, length(Variables)}, {Type, Variables}}];
type(_, {attribute, _, spec, {{F, A}, Clauses}}) -> [{{spec, F, A}, Clauses}];
type(M, {attribute, _, spec, {{M, F, A}, Clauses}}) -> [{{spec, F, A}, Clauses}];
type(_, _) -> [].

%% The words that the text about a function has between backquotes, or as code in the documents of OTP 25.
words(M, F, A) ->
    case code:get_doc(M) of
        {ok, {docs_v1, _, _, _, _, _, Entries}} ->
            Texts = [Text || {{function, Name, Arity}, _, _, #{<<"en">> := Text}, _} <- Entries,
                             Name =:= F, Arity =:= A],
            lists:usort(lists:append([words_of(Text) || Text <- Texts]));
        _ -> []
    end.

words_of(Markdown) when is_binary(Markdown) ->
    Parts = case re:run(Markdown, "```.*?```|`[^`]+`", [global, dotall, {capture, first, binary}]) of
                {match, Found} -> lists:append(Found);
                nomatch -> []
            end,
    lists:append([atoms_of(Part) || Part <- Parts]);
words_of(Elements) when is_list(Elements) -> lists:append([words_of(Element) || Element <- Elements]);
words_of({code, _, Content}) -> lists:append([atoms_of(Text) || Text <- texts_of(Content)]);
words_of({_, _, Content}) -> lists:append([words_of(Element) || Element <- Content, is_tuple(Element)]).

texts_of(Text) when is_binary(Text) -> [Text];
texts_of({_, _, Content}) -> texts_of(Content);
texts_of(Elements) -> lists:append([texts_of(Element) || Element <- Elements]).

%% Words that are atoms: no calls, no variables, no parts of either.
atoms_of(Text) ->
    Word = "(?<![A-Za-z0-9_@#:/.%-])[a-z][a-z0-9_]*(?![A-Za-z0-9_@(:/])",
    case re:run(Text, Word, [global, {capture, first, list}]) of
        {match, Found} -> [list_to_atom(Atom) || [Atom] <- Found];
        nomatch -> []
    end.
