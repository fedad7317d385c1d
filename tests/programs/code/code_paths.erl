%% The code server: paths, finding, loading from binaries, sticky modules, errors in files.
-module(code_paths).
-export([main/0]).

main() ->
    see:value(embedded_or_interactive, code:get_mode()),
    see:value(lib_dirs, [filename:basename(hd(string:split(filename:basename(code:lib_dir(A)), "-")))
        || A <- [kernel, stdlib]]),
    see:value(which, [filename:basename(code:which(M)) || M <- [lists, gen_server]]),
    see:value(which_odd, [code:which(erlang), code:which(no_such_module_abc)]),
    see:value(paths, [code:add_path("/no/such/dir"), is_list(code:get_path()), code:del_path(kernel_not_there)]),
    {?MODULE, Beam, File} = code:get_object_code(?MODULE),
    see:value(object, {is_binary(Beam), filename:basename(File)}),
    see:value(load_binary, begin {lists, B, F} = code:get_object_code(lists),
        {byte_size(B) > 1000, catch code:load_binary(lists, F, B)} end),
    see:value(sticky, [code:is_sticky(lists), code:is_sticky(?MODULE)]),
    see:value(garbage, code:load_binary(nonsense_module, "nonsense.beam", <<"not a beam file">>)),
    see:value(wrong_name, code:load_binary(other_name, "x.beam", Beam)),
    see:value(truncated, code:load_binary(?MODULE, "x.beam", binary:part(Beam, 0, byte_size(Beam) div 2))),
    see:value(ensure, [code:ensure_loaded(M) || M <- [lists, orddict, no_such_module_abc]]),
    see:value(all_loaded, lists:member(lists, [M || {M, _} <- code:all_loaded()])),
    see:value(modified, code:modified_modules() -- [?MODULE, see]),
    see:value(beam_lib, begin {ok, {M2, [{exports, E}]}} = beam_lib:chunks(Beam, [exports]), {M2, lists:sort(E)} end),
    see:value(md5, begin {ok, {_, Md5}} = beam_lib:md5(Beam), Md5 =:= ?MODULE:module_info(md5) end),
    see:value(on_demand, [orddict:to_list(orddict:from_list([{b, 1}, {a, 2}])), sofs:to_external(sofs:set([c, a, b]))]),
    see:value(error_handler, try no_such_module_abc:f(1) catch error:undef -> undef end).
