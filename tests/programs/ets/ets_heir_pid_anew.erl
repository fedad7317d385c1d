%% A table goes to its heir only while that process lives, not to a later one with the same pid; and it is still told
%% who the heir was.
-module(ets_heir_pid_anew).
-export([main/0]).

main() ->
    logger:set_primary_config(level, none),
    erts_debug:set_internal_state(available_internal_state, true),
    show("new, heir lives", fun() -> owner(new, lives) end),
    show("new, heir died", fun() -> owner(new, died) end),
    show("new, pid used again", fun() -> owner(new, anew) end),
    show("setopts, heir lives", fun() -> owner(setopts, lives) end),
    show("setopts, heir died", fun() -> owner(setopts, died) end),
    show("setopts, pid used again", fun() -> owner(setopts, anew) end),
    show("heir of the pid used again", fun named_anew/0),
    show("used again, died, used again", fun twice_anew/0).

%% A pid is only used again if nobody else makes processes meanwhile.
show(What, Try) ->
    case Try() of
        again -> show(What, Try);
        Seen -> io:format("~s: ~p~n", [What, Seen])
    end.

owner(How, Fate) ->
    Place = place(),
    {Heir, Mark} = holder(),
    Owner = table_owner(How, Heir),
    case Fate of
        lives ->
            Given = owner_ends(Owner, Heir),
            stop(Heir, Mark),
            Given;
        died ->
            stop(Heir, Mark),
            owner_ends(Owner, Heir);
        anew ->
            stop(Heir, Mark),
            {Pid, Other} = holder_anew(Heir, Place),
            Given = owner_ends(Owner, Heir),
            stop(Pid, Other),
            case Pid of
                Heir -> Given;
                _ -> again
            end
    end.

%% The second process with a pid is an heir like any other.
named_anew() ->
    Place = place(),
    {First, Mark} = holder(),
    stop(First, Mark),
    {Pid, Other} = holder_anew(First, Place),
    Owner = table_owner(new, Pid),
    Given = owner_ends(Owner, Pid),
    stop(Pid, Other),
    case Pid of
        First -> Given;
        _ -> again
    end.

twice_anew() ->
    Place = place(),
    {First, Mark} = holder(),
    stop(First, Mark),
    {Second, SecondMark} = holder_anew(First, Place),
    Owner = table_owner(setopts, Second),
    stop(Second, SecondMark),
    {Third, ThirdMark} = holder_anew(First, Place),
    Given = owner_ends(Owner, Second),
    stop(Third, ThirdMark),
    case {Second, Third} of
        {First, First} -> Given;
        _ -> again
    end.

%% A process that says what it is given.
holder() ->
    spawn_monitor(fun hold/0).

%% Where pids are looked for again: what is created after this has the next ones. The process that is created here
%% stays.
place() ->
    Next = erts_debug:get_internal_state(next_pid),
    spawn_link(fun hold/0),
    Next.

%% As holder/0, with this pid if one of the next processes gets it.
holder_anew(Pid, Place) ->
    erts_debug:set_internal_state(next_pid, Place),
    one_of(10, Pid).

one_of(0, _) ->
    holder();
one_of(Tries, Pid) ->
    case holder() of
        {Pid, _} = Both ->
            Both;
        {Other, Mark} ->
            stop(Other, Mark),
            one_of(Tries - 1, Pid)
    end.

hold() ->
    receive
        {'ETS-TRANSFER', Table, _, Data} ->
            put(given, {Data, ets:tab2list(Table)}),
            hold();
        {given, To} ->
            To ! {given, get(given)},
            hold();
        stop ->
            ok
    end.

stop(Pid, Mark) ->
    Pid ! stop,
    receive {'DOWN', Mark, process, Pid, normal} -> ok end.

table_owner(How, Heir) ->
    Self = self(),
    {Owner, _} = Both = spawn_monitor(
        fun() ->
            Data = {"data of", [How]},
            Table =
                case How of
                    new ->
                        ets:new(inherited, [named_table, {heir, Heir, Data}]);
                    setopts ->
                        Made = ets:new(inherited, [named_table]),
                        ets:setopts(Made, {heir, Heir, Data}),
                        Made
                end,
            ets:insert(Table, {key, value}),
            Self ! {made, self()},
            receive
                stop -> ok
            end
        end),
    receive {made, Owner} -> ok end,
    Both.

%% What the heir has got, whether it is still called the heir, and whether there is a table afterwards.
owner_ends({Owner, Mark}, Heir) ->
    Named = ets:info(inherited, heir) =:= Heir,
    stop(Owner, Mark),
    Heir ! {given, self()},
    Given = receive
        {given, What} -> What
    after 100 -> nobody
    end,
    {Named, Given, ets:info(inherited, owner) =:= Heir, ets:info(inherited, size)}.
