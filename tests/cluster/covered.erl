%% cover on two nodes: code that is compiled here is loaded there too, what both have counted is one sum, and a node
%% that is stopped or lost is left out. From OTP 27 on the machines count.
%% needs: tools compiler
%% timeout: 40
-module(covered).
-export([main/1]).

main([B]) ->
    ok = file:write_file("counted.erl", source()),
    {ok, Pid} = cover:start(),
    % It tells of imported files by their whole paths.
    true = group_leader(spawn_link(fun silent/0), Pid),
    see:value("compiled here", cover:compile(counted)),
    see:value("started", {cover:start([B]) =:= {ok, [B]}, cover:which_nodes() =:= [B]}),
    see:value("there", rpc:call(B, counted, count, [3])),
    see:value("here", counted:count(2)),
    see:value("sum", cover:analyse(counted, calls, function)),
    see:value("lines", cover:analyse(counted, calls, line)),
    see:value("remote fun", rpc:call(B, erlang, apply, [fun counted:count/1, [1]])),
    see:value("flushed", {cover:flush(B), cover:analyse(counted, calls, function)}),
    see:value("reset", {cover:reset(counted), rpc:call(B, counted, count, [5]),
        cover:analyse(counted, coverage, clause), cover:analyse(counted, calls, clause)}),
    see:value("compiled on both", {cover:compile(counted), cover:analyse(counted, calls, module),
        rpc:call(B, counted, count, [1]), counted:count(1),
                                   cover:analyse(counted, calls, line)}),
    see:value("exported", {rpc:call(B, counted, count, [2]), cover:export("sum.coverdata"), cover:reset(),
        cover:import("sum.coverdata"), cover:analyse(counted, calls, function)}),
    see:value("stopped", {rpc:call(B, counted, count, [4]), cover:stop([B]), cover:which_nodes(),
        cover:analyse(counted, calls, function)}),
    see:value("no longer counted there",
        {cover:analyse(counted, calls, module), rpc:call(B, code, is_loaded, [counted]), counted:count(1),
        cover:analyse(counted, calls, module)}),
    see:value("lost", lost()),
    see:value("over", {cover:stop(), code:is_loaded(counted)}).

silent() ->
    receive {io_request, From, As, _} -> From ! {io_reply, As, ok}, silent() end.

%% A node that ends takes along what was not fetched.
lost() ->
    {Peer, C} = cluster:start(c),
    {ok, [C]} = cover:start([C]),
    done = rpc:call(C, counted, count, [7]),
    ok = cover:flush(C),
    done = rpc:call(C, counted, count, [1]),
    cluster:kill(Peer),
    {cluster:wait(fun() -> cover:which_nodes() =:= [] end), cover:analyse(counted, calls, function)}.

source() ->
    "-module(counted).\n-export([count/1]).\n"
    "count(0) ->\n    done;\ncount(N) ->\n    step(N),\n    count(N - 1).\n\n"
    "step(N) ->\n    case N rem 2 of\n        0 -> even;\n        _ ->\n            odd\n    end.\n".
