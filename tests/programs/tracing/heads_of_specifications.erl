%% Heads of the match specifications of tracing: lists, tuples and variables, and what is none of these; and what is
%% named if the flags of a pattern are wrong as well.
-module(heads_of_specifications).
-export([main/0]).

-define(FORMS, [['$1', '$2'], ['$1' | '_'], ['$1' | '$2'], [a | '_'], ['$1', '$2' | '$3'], '_', '$1', '$_', '$$', [],
                ['_' | a], ['$1' | '$1'],
                a, {}, {a}, {'$1', '_'}, {a, b}, {{'$1'}, '$1'}, ['$1' | {x}], [a | b], 1, 1.5, <<"b">>, "ab",
                ['$1' | 1], #{}, #{a => '$1'}, ['_', b | '_']]).

main() ->
    Arguments = [[], [a], [a, b], [a, b, c], [[a]], [a, a], [a, [a]], [{x}, x]],
    [see:value(Head, [tested(Words, [{Head, [], ['$$']}]) || Words <- Arguments]) || Head <- ?FORMS],
    [see:value({told, Head}, [tested(Words, [{Head, [], [{message, {{'$_', '$$', '$1'}}}]}]) || Words <- Arguments])
        || Head <- ?FORMS],
    see:value(guard_too, tested([a], [{a, [x], [{unknown, '$1'}]}])),
    [see:value({pattern, Head}, pattern({?MODULE, main, 0}, [{Head, [], []}], [local])) || Head <- ?FORMS],
    [see:value({event, Event, Head}, pattern(Event, [{Head, [], []}], [])) || Event <- [send, 'receive'],
        Head <- ?FORMS],
    [erlang:trace_pattern(Event, true, []) || Event <- [send, 'receive']],
    [see:value({table, Head}, try ets:match_spec_compile([{Head, [], ['$_']}]) of _ -> compiled catch error:Reason ->
        Reason end) || Head <- ?FORMS],
    Wrong = [{x}],
    [see:value({Number, both_wrong}, pattern(What, Specification, Flags)) || {Number, What, Specification, Flags} <- [
        {1, {?MODULE, '_', '_'}, #{}, [global, local]}, {2, {a}, "abc", [[]]},
        {3, {none, f, 1}, [{[a], [], ['$1']}], [1]}, {4, on_load, [{a}], [global, local]},
        {5, {?MODULE, '_', '_'}, Wrong, [call_count]}, {6, {?MODULE, '_', '_'}, Wrong, []},
        {7, {?MODULE, '_', '_'}, [{'_', [], []}], [call_count]},
        {8, {?MODULE, '_', '_'}, [{'_', [], []}], [1]}, {9, {a}, true, [1]}, {10, {a}, x, []},
        {11, send, Wrong, [global, local]}, {12, send, Wrong, [1]},
        {13, what, Wrong, []}, {14, {?MODULE, '_', a}, Wrong, [1]}, {15, send, x, [call_count]},
        {16, {?MODULE, '_', '_'}, Wrong, [{meta, 1}]},
        {17, {?MODULE, '_', '_'}, Wrong, a}, {18, {?MODULE, '_', '_'}, pause, [call_count, 1]},
        {19, {?MODULE, '_', '_'}, Wrong, [local | a]}]].

tested(Words, Specification) ->
    case erlang:match_spec_test(Words, Specification, trace) of
        {ok, Result, _, _} -> Result;
        {error, Complaints} -> {error, [lists:flatten(Text) || {error, Text} <- Complaints]}
    end.

pattern(What, Specification, Flags) ->
    try erlang:trace_pattern(What, Specification, Flags)
    catch
        error:Reason:Stack ->
            Info = element(4, hd(Stack)),
            {Reason, maps:get(cause, proplists:get_value(error_info, Info, #{}), none)}
    end.
