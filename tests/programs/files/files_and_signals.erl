%% Processes that are busy with files while others collect, question and kill
%% them, and while they raise, trap exits and get messages.
-module(files_and_signals).
-export([main/0]).

main() ->
    Top = filename:join(os:getenv("TMPDIR", "/tmp"), "files_and_signals_" ++ os:getpid()),
    ok = file:make_dir(Top),
    try
        questioned(Top),
        killed(Top),
        messages(Top),
        raising(Top),
        reloading(Top)
    after
        timer:sleep(50),
        see:value(removed, file:del_dir_r(Top))
    end.

questioned(Top) ->
    Pids = busy_files:start(Top, 4),
    Answers = [begin
                   [{memory, M}, {message_queue_len, 0}] = process_info(P, [memory, message_queue_len]),
                   true = is_integer(M),
                   {links, [_]} = process_info(P, links),
                   true = garbage_collect(P),
                   {current_function, {_, _, _}} = process_info(P, current_function),
                   {backtrace, B} = process_info(P, backtrace),
                   is_binary(B)
               end || _ <- lists:seq(1, 50), P <- Pids],
    see:value("questioned", {length(Answers), lists:usort(Answers), lists:usort(busy_files:stop(Pids))}).

killed(Top) ->
    Ends = [begin
                {P, M} = spawn_monitor(fun() -> busy_files:busy(Top, 100 + N) end),
                timer:sleep(N rem 5),
                exit(P, case N rem 3 of 0 -> kill; 1 -> stopped; 2 -> {some, reason} end),
                receive {'DOWN', M, process, P, Reason} -> Reason end
            end || N <- lists:seq(1, 60)],
    see:value("killed", lists:usort(Ends)),
    Linked = [begin
                  process_flag(trap_exit, true),
                  P = spawn_link(fun() -> spawn_link(fun() -> timer:sleep(N rem 4), exit(chain) end),
                      busy_files:busy(Top, 200 + N) end),
                  receive {'EXIT', P, Reason} -> Reason end
              end || N <- lists:seq(1, 20)],
    process_flag(trap_exit, false),
    see:value("linked", lists:usort(Linked)).

messages(Top) ->
    Self = self(),
    File = filename:join(Top, "log"),
    Writer = spawn_link(fun() ->
                                {ok, Fd} = file:open(File, [raw, append]),
                                write_messages(Fd),
                                ok = file:close(Fd),
                                Self ! done
                        end),
    [Writer ! {write, integer_to_binary(N)} || N <- lists:seq(1, 2000)],
    Writer ! stop,
    receive done -> ok end,
    {ok, Text} = file:read_file(File),
    Numbers = [binary_to_integer(L) || L <- binary:split(Text, <<"\n">>, [global, trim])],
    see:value("messages", Numbers =:= lists:seq(1, 2000)).

write_messages(Fd) ->
    receive
        {write, Text} -> ok = file:write(Fd, [Text, $\n]), write_messages(Fd);
        stop -> ok
    end.

raising(Top) ->
    File = filename:join(Top, "raising"),
    {ok, Fd} = file:open(File, [raw, write, read]),
    Caught = [try prim_file:F(A) catch Class:Reason -> {F, Class, Reason} end
              || {F, A} <- [{read_file, a}, {list_dir, {}}, {delete, 1.0}, {get_cwd, "x"}, {read_link, [a]}],
                 _ <- [1, 2]],
    see:value("raising", lists:usort(Caught)),
    see:value("many errors",
        lists:usort([file:read_file(filename:join(Top, "no" ++ integer_to_list(N))) || N <- lists:seq(1, 500)])),
    see:value("bad handles", lists:usort([file:write(Fd, [bad]) || _ <- lists:seq(1, 100)])),
    file:close(Fd).

%% New code is loaded and old code purged while processes are in calls of the file system.
reloading(Top) ->
    Pids = busy_files:start(Top, 3),
    Forms = fun(V) -> [{attribute, 1, module, of_files}, {attribute, 1, export, [{v, 0}]},
                       {function, 1, v, 0, [{clause, 1, [], [], [{integer, 1, V}]}]}] end,
    Versions = [begin
                    {ok, of_files, Binary} = compile:forms(Forms(V)),
                    code:purge(of_files),
                    {module, of_files} = code:load_binary(of_files, "of_files.beam", Binary),
                    of_files:v()
                end || V <- lists:seq(1, 10)],
    see:value("reloading", {Versions, lists:usort(busy_files:stop(Pids))}).
