//! Who may ask: the name by which the server is called, the page that asks, and the token.
//!
//! A page of somebody else, open in a browser that reaches this server, must neither read from it nor make it do
//! something, whatever that page's name is made to point to (DNS rebinding). So the server is known by addresses, by
//! `localhost`, by its host's name and by names that were listed, and by no other; and what browsers say about the page
//! that asks has to agree with that name. Who has the token in a header is no browser that was tricked.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{AUTHORIZATION, COOKIE, HOST, HeaderName, ORIGIN};
use hyper::http::Uri;
use hyper::http::uri::Authority;

use super::options::Options;
use super::token::Token;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// See the module's documentation.
pub(super) struct Access {
    url: String,
    /// Names that this server is called by, in lower case.
    names: Vec<String>,
    token: Option<Token>,
    /// What a browser keeps once it had the token: another secret, so that the token is nowhere else.
    session: Option<Token>,
    /// The cookie's name. Cookies are for all ports of a host, and there may be a node at each.
    cookie: String,
    /// Whether requests may change something.
    pub(super) control: bool,
}

/// What a request may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing that needs a token.
    No,
    /// Everything: by the token in a header.
    ByHeader,
    /// Everything: by the cookie, or because no token is needed.
    ByCookie,
}

impl Access {
    pub(super) fn new(address: SocketAddr, options: &Options, token: Option<Token>) -> Access {
        let host = sys::socket::host_name().unwrap_or_default();
        let host = String::from_utf8_lossy(&host).to_ascii_lowercase();
        let short = host.split('.').next().unwrap_or_default().to_owned();
        let mut url = match address.ip() {
            ip if ip.is_unspecified() && !host.is_empty() => {
                format!("http://{host}:{}/", address.port())
            }
            _ => format!("http://{address}/"),
        };
        if let Some(token) = &token {
            url = format!("{url}#token={}", token.text());
        }
        let listed = options.hosts.iter().map(|name| name.to_ascii_lowercase());
        let names = listed.chain([host, short, "localhost".to_owned()]);
        Access {
            url,
            names: names.filter(|name| !name.is_empty()).collect(),
            session: token.is_some().then(|| Token::random().ok()).flatten(),
            token,
            cookie: format!("ferl_window_{}", address.port()),
            control: options.control,
        }
    }

    /// What to open, with the token in the fragment.
    pub(super) fn url(&self) -> String {
        self.url.clone()
    }

    /// Whether this is a name of the server, with or without a port, which a tunnel may change.
    pub(super) fn is_own_name(&self, host: &str) -> bool {
        let Ok(authority) = host.parse::<Authority>() else {
            return false;
        };
        let host_bytes = authority.host().len();
        let behind = authority.as_str().get(host_bytes..).unwrap_or("@");
        // The library takes anything for a port, and a user in front for a part of the name.
        let is_port = |text: &str| text.strip_prefix(':')?.parse::<u16>().ok();
        if !authority.as_str().starts_with(authority.host())
            || !(behind.is_empty() || is_port(behind).is_some())
        {
            return false;
        }
        let name = authority.host().to_ascii_lowercase();
        let name = name.strip_suffix('.').unwrap_or(&name);
        let bare = name
            .strip_prefix('[')
            .and_then(|name| name.strip_suffix(']'));
        bare.unwrap_or(name).parse::<IpAddr>().is_ok() || self.names.iter().any(|own| own == name)
    }

    /// Whether the page that asks, if a browser names one, is the server's own.
    pub(super) fn is_own_page(headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        let same_site = text(FETCH_SITE).is_none_or(|site| site == "same-origin" || site == "none");
        let same_origin = text(ORIGIN).is_none_or(|origin| {
            let origin = origin.parse::<Uri>().ok();
            let authority = origin.as_ref().and_then(Uri::authority);
            authority.is_some_and(|authority| {
                text(HOST).is_some_and(|host| authority.as_str().eq_ignore_ascii_case(host))
            })
        });
        same_site && same_origin
    }

    /// Whether a browser says that the page which asks is the server's own; older ones and other programs say nothing.
    pub(super) fn names_own_page(headers: &HeaderMap) -> bool {
        let says = headers.contains_key(ORIGIN) || headers.contains_key(FETCH_SITE);
        says && Access::is_own_page(headers)
    }

    /// What a request with these headers may see.
    pub(super) fn known(&self, headers: &HeaderMap) -> Known {
        let Some(token) = &self.token else {
            return Known::ByCookie;
        };
        let bearer = headers.get(AUTHORIZATION).map(|value| value.as_bytes());
        let bearer = bearer.and_then(|value| {
            let (scheme, rest) = value.split_at_checked(7)?;
            scheme
                .eq_ignore_ascii_case(b"bearer ")
                .then(|| rest.trim_ascii())
        });
        if bearer.is_some_and(|text| token.is(text)) {
            return Known::ByHeader;
        }
        let session = self.session.as_ref();
        let cookies = headers.get_all(COOKIE).iter();
        let is_session = |value: &[u8]| session.is_some_and(|session| session.is(value));
        let has_session = cookies
            .flat_map(|value| value.as_bytes().split(|byte| *byte == b';'))
            .filter_map(|pair| pair.trim_ascii().strip_prefix(self.cookie.as_bytes()))
            .filter_map(|rest| rest.strip_prefix(b"="))
            .any(is_session);
        match has_session {
            true => Known::ByCookie,
            false => Known::No,
        }
    }

    /// The cookie for who has this token; `None` if it is another one, or none is needed.
    pub(super) fn cookie_for(&self, token: &[u8]) -> Option<String> {
        let (own, session) = (self.token.as_ref()?, self.session.as_ref()?);
        own.is(token).then(|| {
            let (name, value) = (&self.cookie, session.text());
            format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict")
        })
    }
}

/// Parses a text as everything that is parsed here.
pub(super) fn fuzz(text: &str) {
    let address = SocketAddr::from(([127, 0, 0, 1], 1));
    let access = Access::new(address, &Options::default(), Token::random().ok());
    let _ = access.is_own_name(text);
    if let Ok(value) = hyper::header::HeaderValue::from_str(text) {
        let names = [HOST, ORIGIN, COOKIE, AUTHORIZATION, FETCH_SITE];
        let headers: HeaderMap = names
            .map(|name| (name, value.clone()))
            .into_iter()
            .collect();
        let _ = (access.known(&headers), Access::is_own_page(&headers));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(token: bool) -> Access {
        let options = Options {
            hosts: vec!["Ops.Example".to_owned()],
            ..Options::default()
        };
        let token = token.then(|| Token::random().unwrap());
        Access::new("127.0.0.1:8080".parse().unwrap(), &options, token)
    }

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pair = |(name, value): &(&'static str, &str)| {
            (HeaderName::from_static(name), value.parse().unwrap())
        };
        pairs.iter().map(pair).collect()
    }

    #[test]
    fn addresses_and_listed_names_are_its_own() {
        let access = access(false);
        for own in [
            "127.0.0.1:8080",
            "127.0.0.1",
            "localhost:9000",
            "LOCALHOST.",
            "[::1]:8080",
            "10.1.2.3",
            "ops.example:1",
        ] {
            assert!(access.is_own_name(own), "{own}");
        }
        for other in [
            "",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "a@127.0.0.1",
            "127.0.0.1:x",
            "localhost/",
            "0x7f.1",
            "[::1",
            "example",
        ] {
            assert!(!access.is_own_name(other), "{other}");
        }
    }

    #[test]
    fn pages_of_others_are_seen() {
        let own = ("host", "127.0.0.1:8080");
        for (pairs, expected) in [
            (&[own][..], true),
            (&[own, ("origin", "http://127.0.0.1:8080")], true),
            (&[own, ("sec-fetch-site", "same-origin")], true),
            (&[own, ("sec-fetch-site", "none")], true),
            (&[own, ("origin", "http://127.0.0.1:8081")], false),
            (&[own, ("origin", "null")], false),
            (&[own, ("origin", "http://evil.example")], false),
            (&[own, ("sec-fetch-site", "cross-site")], false),
            (&[own, ("sec-fetch-site", "same-site")], false),
            (&[("origin", "http://127.0.0.1:8080")], false),
        ] {
            assert_eq!(Access::is_own_page(&headers(pairs)), expected, "{pairs:?}");
        }
        assert!(!Access::names_own_page(&headers(&[own])));
    }

    #[test]
    fn a_token_is_asked_for_where_there_is_one() {
        assert_eq!(access(false).known(&HeaderMap::new()), Known::ByCookie);
        let access = access(true);
        let token = access.token.as_ref().unwrap().text();
        let known = |name, value: &str| access.known(&headers(&[(name, value)]));
        assert_eq!(
            known("authorization", &format!("bearer  {token}")),
            Known::ByHeader
        );
        assert_eq!(known("authorization", &format!("Basic {token}")), Known::No);
        assert_eq!(known("authorization", "Bearer"), Known::No);
        assert_eq!(access.cookie_for(b"something else"), None);
        let cookie = access.cookie_for(token.as_bytes()).unwrap();
        assert!(!cookie.contains(token));
        let pair = cookie.split(';').next().unwrap();
        assert_eq!(known("cookie", &format!("a=b; {pair}")), Known::ByCookie);
        assert_eq!(
            known("cookie", &format!("ferl_window_8080={token}")),
            Known::No
        );
        assert!(access.url().ends_with(&format!("/#token={token}")));
    }
}
