%% The functions of `native_library.c`, in a module of its own, which is loaded anew and purged while they run.
-module(native_library).
-export([init/0, play/3, play_cpu/3, play_io/3, play_thread/3, terms/1, counts/0]).
-on_load(init/0).

init() -> erlang:load_nif(filename:join(filename:dirname(code:which(natives)), "native_library"), 0).

play(_, _, _) -> erlang:nif_error(not_loaded).
play_cpu(_, _, _) -> erlang:nif_error(not_loaded).
play_io(_, _, _) -> erlang:nif_error(not_loaded).
play_thread(_, _, _) -> erlang:nif_error(not_loaded).
terms(_) -> erlang:nif_error(not_loaded).
counts() -> erlang:nif_error(not_loaded).
