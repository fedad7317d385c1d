-module(lambdas).
-export([plain/0]).
plain() -> fun(X) -> {two, X} end.
