%% A specification that is only tried out changes nothing.
-module(tried_out).
-export([main/0]).

main() ->
    [see:value(Actions, tried(Actions)) || Actions <- [
        [{get_seq_token}], [{set_seq_token, label, 1}], [{set_seq_token, print, true}], [{set_seq_token, yxa, true}],
        [{set_seq_token, label, 1}, {message, {get_seq_token}}], [{is_seq_trace}], [{set_tcw, 7}], [{get_tcw}]]],
    see:value(token, seq_trace:get_token()),
    seq_trace:set_token(label, 3),
    [see:value(Actions, tried(Actions)) || Actions <- [
        [{is_seq_trace}], [{set_seq_token, label, 1}], [{set_seq_token, [], []}], [{is_seq_trace}]]],
    see:value(label, seq_trace:get_token(label)),
    seq_trace:set_token([]).

tried(Actions) ->
    Last = lists:last(Actions),
    Body = lists:droplast(Actions) ++ [case Last of {message, _} -> Last; _ -> {message, Last} end],
    erlang:match_spec_test([], [{'_', [], Body}], trace).
