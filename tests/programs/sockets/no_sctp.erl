%% What SCTP answers where the system has none; where it has, stock can do what ferl cannot yet, and nothing is asked.
-module(no_sctp).
-export([main/0]).

main() ->
    case socket:open(inet, seqpacket, sctp) of
        {ok, _} -> ok;
        {error, _} ->
            see:value(open, [gen_sctp:open(), gen_sctp:open(0), gen_sctp:open(0, [inet6]),
                gen_sctp:open(0, [{type, stream}]), gen_sctp:open(0, [{ip, {127, 0, 0, 1}}, {active, false}])]),
            see:value(driver, is_port(open_port({spawn_driver, "sctp_inet"}, [binary]))),
            see:that(type, fun() -> gen_sctp:open(0, [{type, nosuch}]) end),
            see:that(option, fun() -> gen_sctp:open(0, [{nosuch, 1}]) end),
            see:that(listen, fun() -> gen_sctp:listen(x, true) end)
    end.
