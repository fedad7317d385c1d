%% A process that writes to itself: messages taken in order, by tag, and by reference.
-module(compute_mailbox).
-export([run/0]).

run() -> loop(5000, 0).

loop(0, Sum) -> Sum;
loop(N, Sum) ->
    [self() ! {job, Key rem 3, Key, [Key, N]} || Key <- lists:seq(1, 30)],
    Urgent = drain(0, 0),
    Ref = make_ref(),
    self() ! {Ref, N},
    Answer = receive {Ref, Reply} -> Reply end,
    loop(N - 1, (Sum + Urgent + Answer + drain(1, 0) * 3 + any(0)) rem 1000003).

drain(Sort, Sum) ->
    receive {job, Sort, Key, [Key | _]} -> drain(Sort, Sum + Key)
    after 0 -> Sum
    end.

any(Sum) ->
    receive {job, _, Key, Rest} -> any(Sum + Key + length(Rest))
    after 0 -> Sum
    end.
