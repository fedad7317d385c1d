%% module_info, attributes, exports, what code knows of a module.
-module(module_information).
-export([main/0, one/1, two/2]).
-author("someone").
-custom([a, {b, 1}]).
-custom(c).
-behaviour(gen_server).
-export([init/1, handle_call/3, handle_cast/2]).

main() ->
    see:value(exports, lists:sort(?MODULE:module_info(exports))),
    see:value(attributes, lists:sort([A || {K, _} = A <- ?MODULE:module_info(attributes), K =/= vsn])),
    see:value(module, ?MODULE:module_info(module)),
    see:value(keys, [K || {K, _} <- ?MODULE:module_info()]),
    see:value(md5, {byte_size(?MODULE:module_info(md5)), ?MODULE:module_info(md5) =:= erlang:get_module_info(?MODULE,
        md5)}),
    see:value(native, ?MODULE:module_info(native)),
    see:value(functions, [lists:member(F, ?MODULE:module_info(functions)) || F <- [{one, 1}, {private, 0}, {main, 0}]]),
    see:value(nifs, [?MODULE:module_info(nifs), length(erlang:module_info(exports)) > 100]),
    see:value(compile, lists:keymember(version, 1, ?MODULE:module_info(compile))),
    see:value(loaded, [erlang:module_loaded(?MODULE), erlang:module_loaded(nothing_like_it),
        lists:member(?MODULE, erlang:loaded()), code:is_loaded(?MODULE) =/= false]),
    see:value(pre_loaded, lists:sort(erlang:pre_loaded())),
    see:value(which, filename:basename(code:which(?MODULE))),
    see:value(lists_info, lists:module_info(module)),
    see:value(exported, [erlang:function_exported(?MODULE, F, A) || {F, A} <- [{one, 1}, {private, 0}, {module_info, 0},
        {module_info, 1}, {one, 2}]]),
    see:value(builtins, [erlang:function_exported(erlang, F, A) || {F, A} <- [{length, 1}, {self, 0}, {'+', 2},
        {nothing, 0}, {apply, 3}]]),
    see:value(private, private()),
    see:fails([fun() -> ?MODULE:module_info(see:id(nonsense)) end, fun() -> (see:id(no_module_x)):module_info() end,
        fun() -> erlang:get_module_info(see:id(no_module_x), exports) end]).

one(X) -> X.
two(X, Y) -> {X, Y}.
private() -> private.
init(X) -> X.
handle_call(_, _, S) -> {reply, ok, S}.
handle_cast(_, S) -> {noreply, S}.
