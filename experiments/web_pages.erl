%% A web server on Cowboy: pages of JSON, and WebSockets that send back what they get (`ferl lab services/web`).
%%
%%   erl -noshell -pa .../cowboy/ebin .../cowlib/ebin .../ranch/ebin .../jsx/ebin -s web_pages serve
%%
%% prints `port: ` and the number.
-module(web_pages).
-export([serve/0]).
-export([init/2, websocket_handle/2, websocket_info/2]).

-define(ITEMS, 10).

serve() ->
    {ok, _} = application:ensure_all_started(cowboy),
    Routes = cowboy_router:compile([{'_', [{"/json/:number", ?MODULE, json}, {"/socket", ?MODULE, socket}]}]),
    Transport = #{socket_opts => [{ip, {127, 0, 0, 1}}, {port, 0}, {backlog, 1024}], max_connections => infinity},
    {ok, _} = cowboy:start_clear(?MODULE, Transport, #{env => #{dispatch => Routes},
        max_keepalive => infinity, idle_timeout => infinity}),
    io:format("port: ~b~n", [ranch:get_port(?MODULE)]),
    receive after infinity -> ok end.

init(Request, json) ->
    Number = binary_to_integer(cowboy_req:binding(number, Request)),
    Page = jsx:encode(page(Number)),
    {ok, cowboy_req:reply(200, #{<<"content-type">> => <<"application/json">>}, Page, Request), json};
init(Request, socket) ->
    {cowboy_websocket, Request, 0, #{idle_timeout => infinity}}.

page(Number) ->
    #{<<"number">> => Number, <<"name">> => <<"a page of things">>, <<"is_current">> => true,
      <<"things">> => [#{<<"id">> => Number * 100 + Item, <<"price">> => Item * 1.25, <<"sold">> => null,
                         <<"title">> => <<"thing ", (integer_to_binary(Item))/binary, ", \"new\"">>,
                         <<"tags">> => [<<"one">>, <<"two">>, <<"three">>]} || Item <- lists:seq(1, ?ITEMS)]}.

websocket_handle({text, Text}, Count) -> {[{text, Text}], Count + 1};
websocket_handle(_, Count) -> {[], Count}.

websocket_info(_, Count) -> {[], Count}.
