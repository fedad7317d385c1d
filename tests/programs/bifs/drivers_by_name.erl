%% Drivers by name: those that are linked in, those that are not there, what is no name, path, option or error. Loading
%% a file that is there is not done by ferl, and not tried here.
-module(drivers_by_name).
-export([main/0]).
main() ->
  Names = [tcp_inet, "tcp_inet", <<"tcp_inet">>, ["ram","_file_drv"], "udp_inet", "sctp_inet", tty_sl, spawn, fd,
      vanilla, forker, inet, nosuch, "nosuch", "", [], 1, {a}, "a/b", [300], [[a]], lists:duplicate(300,$a), "ok"],
  Tags = [processes, driver_options, port_count, linked_in_driver, permanent, awaiting_load, awaiting_unload, other, 1],
  p(loaded, fun() -> {ok, L} = erl_ddll:loaded_drivers(), lists:sort(L) end),
  p(loaded2, fun() -> erl_ddll:loaded_drivers() end),
  [p({info,N,T}, fun() -> erl_ddll:info(N,T) end) || N <- Names, T <- Tags],
  p(info, fun() -> lists:sort(erl_ddll:info()) end),
  [p({info,N}, fun() -> erl_ddll:info(N) end) || N <- Names],
  Paths = ["/tmp", "/nosuch", '/tmp', <<"/tmp">>, ".", "", 1, [300], {a}, "/etc"],
  Opts = [[], [{monitor,pending_driver}], [{monitor,pending}], [{driver_options,[kill_ports]}], [{driver_options,[x]}],
      [{reload,pending}], [{reload,pending_driver}], [x], x, [{monitor,x}], [{reload,x}], [{driver_options,kill_ports}],
  [{monitor,pending},{reload,pending_driver}], [{driver_options,[]}|x]],
  [p({try_load,P,N,O}, fun() -> erl_ddll:try_load(P,N,O) end) || P <- Paths, N <- [nosuch, "nosuch", tcp_inet, 1, "",
      '', "a/b", <<"nosuch">>], O <- [[]]],
  [p({try_load,P,N,O}, fun() -> erl_ddll:try_load(P,N,O) end) || P <- ["/tmp"], N <- [nosuch, tcp_inet, fd], O <- Opts],
  p(load, fun() -> erl_ddll:load("/tmp", nosuch) end), p(load_driver, fun() -> erl_ddll:load_driver("/tmp", "nosuch")
      end), p(reload, fun() -> erl_ddll:reload("/tmp", nosuch) end),
  p(reload_driver, fun() -> erl_ddll:reload_driver("/tmp", nosuch) end),
  [p({try_unload,N,O}, fun() -> erl_ddll:try_unload(N,O) end) || N <- [nosuch, "nosuch", tcp_inet, 1, "", '', "a/b",
      <<"x">>, fd, forker], O <- [[], [{monitor,pending_driver}], [{monitor,pending}], [kill_ports], [x], x,
  [{monitor,x}], [kill_ports|x]]],
  p(unload, fun() -> erl_ddll:unload(nosuch) end), p(unload_driver, fun() -> erl_ddll:unload_driver(tcp_inet) end),
  [p({monitor,T,I}, fun() -> R = erl_ddll:monitor(T,I), receive {A, R, B, C, D} -> {A, ref, B, C, D} after 5000 ->
      {is_reference(R), none} end end) || T <- [driver, port, 1], I <- [{nosuch,loaded}, {nosuch,unloaded},
  {nosuch,unloaded_only}, {tcp_inet,loaded}, {tcp_inet,unloaded}, {"tcp_inet",unloaded_only}, {fd, loaded},
  {tcp_inet,x}, tcp_inet, {1,loaded}, {"",loaded}, {'',loaded}, {a,b,c}]],
  [p({demonitor,R}, fun() -> erl_ddll:demonitor(R) end) || R <- [make_ref(), 1, self(), {make_ref()}]],
  [p({format,E}, fun() -> erl_ddll:format_error_int(E) end) || E <- es()],
  [p({format_error,E}, fun() -> erl_ddll:format_error(E) end) || E <- es()].
es() -> [inconsistent, linked_in_driver, permanent, not_loaded, not_loaded_by_this_process, not_pending, already_loaded,
    pending_reload, pending_process, unloading, other, 1, "x", {open_error, 1}, {open_error, -1}, {open_error, -10},
{open_error,2}, {open_error,0}, {open_error,99}, {open_error,x}, {x,1}, {error,1}, unexpected, undefined,
load_cancelled, bad_driver_name, {open_error, 1 bsl 70}, []|[{open_error, -N} || N <- lists:seq(2, 11)]] .
p(Label, Fun) -> see:that(shown(Label), Fun).

shown(T) when is_tuple(T) -> list_to_tuple([shown(X) || X <- tuple_to_list(T)]);
shown(X) when is_pid(X); is_reference(X) -> identifier;
shown(X) -> X.
