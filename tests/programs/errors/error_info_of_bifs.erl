%% What erl_erts_errors says of failing BIFs: error_info must name the right arguments.
-module(error_info_of_bifs).
-export([main/0]).

main() ->
    P = self(),
    Calls = [{element, [0, {a}]}, {element, [1, a]}, {setelement, [3, {a}, x]}, {hd, [[]]}, {tl, [x]},
        {length, [[a | b]]},
             {tuple_size, [[]]}, {byte_size, [a]}, {bit_size, [1]}, {map_size, [[]]}, {map_get, [k, #{}]},
             {map_get, [k, x]},
             {abs, [a]}, {round, ["x"]}, {float, [<<>>]}, {atom_to_list, [1]}, {atom_to_binary, ["a"]},
             {list_to_atom, [[x]]},
             {list_to_existing_atom, ["surely this atom does not exist"]}, {binary_to_atom, [a]},
             {list_to_integer, ["x"]},
             {list_to_integer, ["1", 99]}, {integer_to_list, [a]}, {integer_to_list, [1, 1]}, {list_to_float, ["1"]},
             {float_to_list, [1]}, {float_to_list, [1.0, [x]]}, {list_to_binary, [[300]]}, {list_to_binary, [a]},
             {iolist_to_binary, [[a]]}, {iolist_size, [[a]]}, {binary_to_list, [x]}, {binary_to_list, [<<1>>, 2, 3]},
             {binary_part, [<<1>>, 0, 5]}, {split_binary, [<<1>>, 9]}, {list_to_tuple, [x]},
             {tuple_to_list, [x]}, {list_to_pid, ["<x>"]}, {list_to_ref, ["x"]}, {binary_to_term, [<<0>>]},
             {binary_to_term, [<<131, 1>>, [x]]},
             {term_to_binary, [x, [bad]]}, {make_tuple, [-1, x]}, {insert_element, [9, {}, x]},
             {delete_element, [1, {}]},
             {append_element, [a, b]}, {register, [undefined, P]}, {register, [a, 1]}, {unregister, [nobody_there]},
             {whereis, [1]},
             {link, [x]}, {unlink, [x]}, {monitor, [bad, P]}, {monitor, [process, "x"]}, {demonitor, [x]},
             {demonitor, [make_ref(), [x]]},
             {exit, [x, y]}, {process_flag, [bad_flag, true]}, {process_flag, [priority, x]},
             {process_flag, [trap_exit, 1]},
             {process_info, [x]}, {process_info, [P, bad_item]}, {is_process_alive, [x]}, {group_leader, [x, P]},
             {spawn, [x]},
             {spawn, [a, b, c]}, {spawn, [1, b, []]}, {spawn_link, [x]}, {spawn_opt, [fun() -> ok end, [bad]]},
             {send, [1, x]},
             {send_after, [-1, P, x]}, {send_after, [a, P, x]}, {send_after, [1, 1, x]},
             {start_timer, [1, P, x, [bad]]},
             {cancel_timer, [x]}, {read_timer, [x]}, {system_flag, [x, y]}, {system_info, [no_such_item]},
             {statistics, [x]},
             {memory, [x]}, {phash2, [a, 0]}, {unique_integer, [[x]]}, {monotonic_time, [x]},
             {convert_time_unit, [1, x, second]},
             {function_exported, [1, 2, 3]}, {fun_info, [1]}, {fun_info, [fun lists:map/2, x]}, {make_fun, [1, 2, 3]},
             {apply, [a, b]}, {nif_error, [x]}, {get_module_info, [1]}, {garbage_collect, [x]}, {hibernate, [1, 2, 3]},
             {suspend_process, [x]},
             {resume_process, [P]}, {bump_reductions, [x]}, {alias, [[x]]}, {unalias, [x]}, {port_close, [x]},
             {port_command, [x, y]},
             {port_info, [x]}, {localtime_to_universaltime, [x]}, {universaltime_to_posixtime, [x]},
             {raise, [x, y, z]}, {is_function, [fun main/0, -1]}, {is_record, [x, 1]}, {is_map_key, [k, x]},
             {binary_to_integer, [<<"x">>]},
             {list_to_bitstring, [[x]]}, {bitstring_to_list, [x]}, {display_string, [x]}, {error, [r, [a], [b]]},
             {delete_module, [1]},
             {check_process_code, [P, 1]}, {load_module, [a, b]}, {purge_module, [x]}, {trace, [P, x, y]}, {halt, [x]},
             {'++', [a, [b]]}, {'--', [a, b]}, {'and', [1, true]}, {'not', [1]}, {'div', [1, 0]}, {'bsl', [a, 1]},
             {'!', [1, x]}],
    lists:foreach(fun({F, As}) -> show(erlang, F, As) end, Calls),
    Others = [{lists, keyfind, [1, 0, []]}, {lists, member, [1, x]}, {lists, reverse, [x, y]}, {maps, get, [k, #{}]},
        {maps, get, [k, x]},
              {maps, put, [k, v, x]}, {maps, from_list, [[x]]}, {maps, merge, [#{}, x]}, {maps, keys, [x]},
              {maps, values, [x]},
              {maps, take, [k, x]}, {maps, remove, [k, x]}, {maps, update, [k, v, #{}]}, {maps, find, [k, x]},
              {maps, from_keys, [x, y]},
              {binary, at, [<<1>>, 5]}, {binary, match, [<<1>>, <<>>]}, {binary, part, [<<1>>, 1, 5]},
              {binary, copy, [x]}, {binary, first, [<<>>]},
              {binary, split, [x, y]}, {binary, replace, [x, y, z]}, {binary, encode_unsigned, [-1]},
              {binary, decode_unsigned, [x]},
              {math, sqrt, [x]}, {math, log, [0]}, {math, pow, [x, 1]}, {atomics, new, [0, []]}, {atomics, get, [x, 1]},
              {counters, new, [0, []]},
              {persistent_term, get, [no_such_key_here]}, {os, getenv, [x]}, {unicode, characters_to_binary, [x]},
              {unicode, characters_to_list, [[a]]}, {re, run, [x, y]}, {re, compile, [x]}, {ets, new, [1, []]},
              {ets, new, [t, [bad]]},
              {ets, lookup, [no_such_table, x]}, {ets, insert, [no_such_table, {x}]}, {string, length, [x]}],
    lists:foreach(fun({M, F, As}) -> show(M, F, As) end, Others).

show(M, F, As) ->
    try apply(M, see:id(F), As) of
        V -> io:format("~w:~w/~w returned ~0p~n", [M, F, length(As), plain(V)])
    catch
        C:R:S -> io:format("~w:~w/~w ~w ~0p ~0p~n", [M, F, length(As), C, plain(R), explained(R, S)])
    end.

plain(T) when is_pid(T); is_reference(T); is_function(T); is_port(T) -> opaque;
plain(T) when is_tuple(T) -> list_to_tuple([plain(E) || E <- tuple_to_list(T)]);
plain([H | T]) -> [plain(H) | plain(T)];
plain(T) -> T.

%% As the shell does it.
explained(Reason, [{_, _, _, Info} | _] = Stack) ->
    case lists:keyfind(error_info, 1, Info) of
        {error_info, Map} ->
            Module = maps:get(module, Map, none),
            Function = maps:get(function, Map, format_error),
            try lists:sort([{K, unicode:characters_to_binary([V])}
                || {K, V} <- maps:to_list(Module:Function(Reason, Stack))])
            catch _:_ -> cannot_explain end;
        false -> no_error_info
    end;
explained(_, []) -> no_stack.
