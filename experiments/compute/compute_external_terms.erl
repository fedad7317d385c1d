%% Terms of every sort encoded in the external format and decoded again, as a node or a file would.
-module(compute_external_terms).
-export([run/0]).

run() ->
    Terms = [#{id => N, name => <<"user", (integer_to_binary(N))/binary>>, roles => [admin, user, {group, N rem 7}],
               score => N * 1.5, big => N bsl 70, text => "a list of characters", more => {N, -N, [], {}, <<N:13>>}}
             || N <- lists:seq(1, 300)],
    loop(50, Terms, 0).

loop(0, _, Sum) -> Sum;
loop(N, Terms, Sum) ->
    Together = term_to_binary({N, Terms}),
    {N, Terms} = binary_to_term(Together),
    Each = [term_to_binary(Term) || Term <- Terms],
    Terms = [binary_to_term(Binary, [safe]) || Binary <- Each],
    loop(N - 1, Terms, Sum + byte_size(Together) + iolist_size(Each)).
