%% Planets around the sun: floats in tuples and lists.
-module(compute_nbody).
-export([run/0]).

run() ->
    Bodies = [{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 39.47841760435743},
              {4.84143144246472090, -1.16032004402742839, -0.103622044471123109,
               0.606326392995832, 2.81198684491626, -0.02521836165988763, 0.03769367487038949},
              {8.34336671824457987, 4.12479856412430479, -0.403523417114321381,
               -1.01077434617879, 1.82566237123041, 0.008415761376584154, 0.011286326131968767},
              {12.8943695621391310, -15.1111514016986312, -0.223307578892655734,
               1.08279100644154, 0.868713018169608, -0.010832637401363636, 0.0017237240570597112},
              {15.3796971148509165, -25.9193146099879641, 0.179258772950371181,
               0.979090732243898, 0.594698998647676, -0.034755955550407844, 0.0020336868699246304}],
    energy(steps(15000, Bodies), 0.0).

steps(0, Bodies) -> Bodies;
steps(N, Bodies) -> steps(N - 1, move(pull(Bodies, Bodies))).

pull([Body | Rest], All) -> [pull_one(Body, All) | pull(Rest, All)];
pull([], _) -> [].

pull_one(Body, []) -> Body;
pull_one(Body = {X, Y, Z, VX, VY, VZ, M}, [{X2, Y2, Z2, _, _, _, M2} | Rest]) ->
    DX = X - X2, DY = Y - Y2, DZ = Z - Z2,
    Square = DX * DX + DY * DY + DZ * DZ,
    if Square == 0.0 ->
            pull_one(Body, Rest);
       true ->
            F = 0.01 * M2 / (Square * math:sqrt(Square)),
            pull_one({X, Y, Z, VX - DX * F, VY - DY * F, VZ - DZ * F, M}, Rest)
    end.

move([{X, Y, Z, VX, VY, VZ, M} | Rest]) ->
    [{X + 0.01 * VX, Y + 0.01 * VY, Z + 0.01 * VZ, VX, VY, VZ, M} | move(Rest)];
move([]) -> [].

energy([{_, _, _, VX, VY, VZ, M} | Rest], Sum) ->
    energy(Rest, Sum + 0.5 * M * (VX * VX + VY * VY + VZ * VZ));
energy([], Sum) -> Sum.
