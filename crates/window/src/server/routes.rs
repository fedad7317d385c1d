//! From a request to an answer: what is refused before anything is looked at, and what each path is.

use std::time::Duration;

use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use hyper::header::{ACCEPT, ALLOW, CONTENT_LENGTH, HOST, SET_COOKIE, TRANSFER_ENCODING};
use hyper::{HeaderMap, Method, Request, Response, StatusCode};

use super::access::{Access, Known};
use super::answer::{Answer, Sent};
use super::api::{self, Asked, Needs, Route, Thread};
use super::assets;
use super::served::Served;
use crate::events::{self, Own};

/// The bytes of the body of a login, and how long it may take to come.
const MOST_BODY_BYTES: usize = 4 << 10;
const BODY_TIME: Duration = Duration::from_secs(5);

/// Answers a request.
pub(super) async fn respond(served: &Served, request: Request<Incoming>) -> Response<Sent> {
    served.lease.used();
    let answer = match refusal(&request) {
        Some(refused) => refused.closing(),
        None => answer(served, request).await,
    };
    answer.into_response(&served.in_flight)
}

/// What is refused whatever is asked for: methods that do nothing here, and requests of which it is not plain where
/// they end or whom they are for.
fn refusal(request: &Request<Incoming>) -> Option<Answer> {
    let headers = request.headers();
    let bad = |why| Some(Answer::fault(StatusCode::BAD_REQUEST, why));
    if headers.contains_key(TRANSFER_ENCODING) {
        return bad("a request has no Transfer-Encoding here");
    }
    let lengths = headers.get_all(CONTENT_LENGTH).iter().count();
    let is_empty = headers
        .get(CONTENT_LENGTH)
        .is_none_or(|length| length == "0");
    if lengths > 1 || (request.method() != Method::POST && !is_empty) {
        return bad("this request has no body");
    }
    if ![Method::GET, Method::HEAD, Method::POST].contains(request.method()) {
        return Some(not_allowed("GET, HEAD, POST"));
    }
    if request.uri().authority().is_some() {
        return bad("this server is no proxy: ask for a path");
    }
    if headers.get_all(HOST).iter().count() != 1 {
        return bad("a request has one Host header");
    }
    None
}

fn not_allowed(methods: &str) -> Answer {
    let why = "there is no such method for this path";
    Answer::fault(StatusCode::METHOD_NOT_ALLOWED, why).with(ALLOW, methods)
}

async fn answer(served: &Served, request: Request<Incoming>) -> Answer {
    let path = request.uri().path();
    if path == "/login" {
        return login(served, request).await;
    }
    let Some(route) = api::find(path) else {
        return page(served, &request);
    };
    if let Err(refused) = permit(served, route, request.method(), request.headers()) {
        return refused;
    }
    let query = request.uri().query().unwrap_or_default();
    let accepted = request.headers().get(ACCEPT);
    let accepted = accepted.and_then(|types| types.to_str().ok());
    let asked = Asked::new(route, path, query, accepted.unwrap_or_default());
    match route.thread {
        Thread::Here => (route.make)(&asked),
        Thread::Walker => served.walker.make(route.make, asked).await,
    }
}

/// Whether a request may have what a row gives.
fn permit(
    served: &Served,
    route: &Route,
    method: &Method,
    headers: &HeaderMap,
) -> Result<(), Answer> {
    let is_post = method == Method::POST;
    let acts = matches!(route.needs, Needs::Action | Needs::Control);
    if is_post != acts {
        let methods = if is_post { "GET, HEAD" } else { "POST" };
        return Err(not_allowed(methods).closing());
    }
    if route.needs == Needs::Nothing {
        return Ok(());
    }
    let known = served.access.known(headers);
    if known != Known::ByHeader {
        check_name(served, headers)?;
        if !Access::is_own_page(headers) {
            return Err(foreign());
        }
    }
    if known == Known::No && route.needs != Needs::Name {
        let why = "this needs the token of the node's dashboard";
        return Err(Answer::fault(StatusCode::UNAUTHORIZED, why));
    }
    if route.needs == Needs::Control && !served.access.control {
        let why = "the node was started without +dashboard_control true";
        return Err(Answer::fault(StatusCode::FORBIDDEN, why));
    }
    if acts && known != Known::ByHeader && !Access::names_own_page(headers) {
        return Err(foreign());
    }
    Ok(())
}

fn foreign() -> Answer {
    let why = "this may only be asked for by the node's own page";
    Answer::fault(StatusCode::FORBIDDEN, why)
}

/// Refuses a request that calls the server by a name that is not its own.
fn check_name(served: &Served, headers: &HeaderMap) -> Result<(), Answer> {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    match host.is_some_and(|host| served.access.is_own_name(host)) {
        true => Ok(()),
        false => Err(Answer::fault(
            StatusCode::MISDIRECTED_REQUEST,
            "this server is not known by that name: use its address, or list the name by +dashboard_hosts",
        )),
    }
}

/// The page and its files, which are the same on every node.
fn page(served: &Served, request: &Request<Incoming>) -> Answer {
    if let Err(refused) = check_name(served, request.headers()) {
        return refused;
    }
    if request.method() == Method::POST {
        return not_allowed("GET, HEAD").closing();
    }
    match assets::find(request.uri().path()) {
        Some(asset) => Answer::of_type(asset.kind, asset.bytes),
        None => Answer::fault(StatusCode::NOT_FOUND, "there is nothing at this path"),
    }
}

/// Gives a browser with the token its cookie.
async fn login(served: &Served, request: Request<Incoming>) -> Answer {
    if request.method() != Method::POST {
        return not_allowed("POST");
    }
    if let Err(refused) = check_name(served, request.headers()) {
        return refused.closing();
    }
    if !Access::names_own_page(request.headers()) {
        return foreign().closing();
    }
    let body = Limited::new(request.into_body(), MOST_BODY_BYTES).collect();
    let body = match tokio::time::timeout(BODY_TIME, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        Ok(Err(_)) => {
            let why = "a token is not so long";
            return Answer::fault(StatusCode::PAYLOAD_TOO_LARGE, why).closing();
        }
        Err(_) => {
            let why = "the body of this request did not come";
            return Answer::fault(StatusCode::REQUEST_TIMEOUT, why).closing();
        }
    };
    let token = api::token_of(&body).unwrap_or_default();
    match served.access.cookie_for(&token) {
        Some(cookie) => Answer::text(StatusCode::NO_CONTENT, "").with(SET_COOKIE, cookie),
        None => {
            events::note(Own::WrongToken);
            Answer::fault(StatusCode::UNAUTHORIZED, "this is not the token")
        }
    }
}
