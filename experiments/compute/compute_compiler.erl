%% OTP's own tools: scanning, parsing, linting and compiling a generated module.
-module(compute_compiler).
-export([run/0]).

run() ->
    Text = "-module(made_up).\n-export([f/1]).\n" ++
        lists:append([function(N) || N <- lists:seq(1, 6)]) ++ "f(X) -> f1(X).\n",
    {ok, Tokens, _} = erl_scan:string(Text),
    Forms = [begin {ok, Form} = erl_parse:parse_form(F), Form end || F <- forms(Tokens, [], [])],
    {ok, made_up, Code} = compile:forms(Forms, [binary]),
    {length(Tokens), is_binary(Code)}.

function(N) ->
    Name = "f" ++ integer_to_list(N),
    Name ++ "(X) when is_integer(X) -> case X rem 3 of 0 -> {zero, X}; 1 -> [X | g" ++ integer_to_list(N) ++
        "(X, [])]; _ -> #{x => X, y => [Y * 2 || Y <- lists:seq(1, X), Y > 3]} end;\n" ++
        Name ++ "({A, B}) -> try " ++ Name ++ "(A) catch error:_ -> B end.\n" ++
        "g" ++ integer_to_list(N) ++ "(0, L) -> lists:reverse(L);\n" ++
        "g" ++ integer_to_list(N) ++ "(X, L) -> g" ++ integer_to_list(N) ++ "(X - 1, [{X, <<X:16>>} | L]).\n".

forms([{dot, _} = Dot | Rest], Form, Forms) -> forms(Rest, [], [lists:reverse([Dot | Form]) | Forms]);
forms([Token | Rest], Form, Forms) -> forms(Rest, [Token | Form], Forms);
forms([], [], Forms) -> lists:reverse(Forms).
