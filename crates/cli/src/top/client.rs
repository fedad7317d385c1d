//! Requests to the window of a node.

use std::time::Duration;

use serde::de::DeserializeOwned;
use ureq::Agent;

/// A node that works answers much sooner, whatever it does else.
const PATIENCE: Duration = Duration::from_secs(10);
/// The largest answer that is read.
const MOST_BYTES: u64 = 32 << 20;

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum Failure {
    /// What was asked for is not there (any more).
    Gone,
    /// In words.
    Other(String),
}

impl From<Failure> for String {
    fn from(failure: Failure) -> String {
        match failure {
            Failure::Gone => "this node does not tell that".to_owned(),
            Failure::Other(text) => text,
        }
    }
}

#[derive(Clone)]
pub(super) struct Client {
    agent: Agent,
    /// Without a slash at its end.
    base: String,
    token: Option<String>,
}

impl Client {
    /// For a URL such as `http://127.0.0.1:8080/#token=SECRET`.
    pub(super) fn new(url: &str) -> Result<Client, String> {
        let (base, fragment) = url.split_once('#').unwrap_or((url, ""));
        let base = base.trim_end_matches('/');
        let rest = base.strip_prefix("http://");
        if rest.is_none_or(|rest| rest.is_empty() || rest.contains('/')) {
            return Err(format!(
                "{base:?} is no URL of a dashboard, such as http://127.0.0.1:8080"
            ));
        }
        let config = Agent::config_builder()
            .timeout_global(Some(PATIENCE))
            .http_status_as_error(false)
            // The node is asked itself, and goes nowhere else.
            .proxy(None)
            .max_redirects(0)
            .build();
        let client = Client {
            agent: config.into(),
            base: base.to_owned(),
            token: None,
        };
        Ok(match fragment.strip_prefix("token=") {
            Some(token) => client.with_token(token),
            None => client,
        })
    }

    pub(super) fn with_token(self, token: &str) -> Client {
        Client {
            token: Some(token.to_owned()),
            ..self
        }
    }

    pub(super) fn base(&self) -> &str {
        &self.base
    }

    /// The answer to a question, with parameters.
    pub(super) fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        parameters: &[(&str, String)],
    ) -> Result<T, Failure> {
        let mut request = self.agent.get(format!("{}{path}", self.base));
        for (name, value) in parameters {
            request = request.query(name, value);
        }
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        self.read(request.call())
    }

    /// Has the node do something.
    pub(super) fn post(&self, path: &str) -> Result<(), Failure> {
        let mut request = self.agent.post(format!("{}{path}", self.base));
        if let Some(token) = &self.token {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        self.body(request.send_empty()).map(|_| ())
    }

    fn read<T: DeserializeOwned>(
        &self,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<T, Failure> {
        let body = self.body(answer)?;
        serde_json::from_str(&body).map_err(|error| {
            Failure::Other(format!("{}: not an answer of ferl: {error}", self.base))
        })
    }

    fn body(
        &self,
        answer: Result<ureq::http::Response<ureq::Body>, ureq::Error>,
    ) -> Result<String, Failure> {
        let in_words = |error: ureq::Error| Failure::Other(format!("{}: {error}", self.base));
        let mut answer = answer.map_err(in_words)?;
        let status = answer.status().as_u16();
        let body = answer.body_mut().with_config().limit(MOST_BYTES);
        let body = body.read_to_string().map_err(in_words)?;
        match status {
            200..=299 => Ok(body),
            404 | 410 => Err(Failure::Gone),
            401 => Err(Failure::Other(match self.token {
                None => {
                    "the dashboard asks for a token: --token-file FILE, or the whole URL".to_owned()
                }
                Some(_) => "the dashboard does not take this token".to_owned(),
            })),
            403 => Err(Failure::Other(
                "the node was not started with `+dashboard_control true`".to_owned(),
            )),
            _ => {
                let error: Option<Refusal> = serde_json::from_str(&body).ok();
                let text = error.map_or(body, |refusal| refusal.error);
                let line = text.lines().next().unwrap_or_default();
                Err(Failure::Other(format!("the node answers {status}: {line}")))
            }
        }
    }
}

/// How the node says what is wrong.
#[derive(serde::Deserialize)]
struct Refusal {
    error: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_taken_as_they_are_printed() {
        let client = Client::new("http://127.0.0.1:8080/#token=abc")
            .ok()
            .unwrap();
        assert_eq!(client.base(), "http://127.0.0.1:8080");
        assert_eq!(client.token.as_deref(), Some("abc"));
        let client = Client::new("http://[::1]:1").ok().unwrap();
        assert_eq!(client.base(), "http://[::1]:1");
        assert_eq!(client.token, None);
        for wrong in [
            "",
            "127.0.0.1",
            "https://x",
            "http://",
            "http://a/b",
            "ftp://a",
        ] {
            assert!(Client::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_node_that_is_not_there_is_told_of() {
        let client = Client::new("http://127.0.0.1:1").ok().unwrap();
        let answer: Result<serde_json::Value, Failure> = client.get("/api/v1/node", &[]);
        let Err(Failure::Other(text)) = answer else {
            panic!("nobody listens there");
        };
        assert!(text.starts_with("http://127.0.0.1:1: "), "{text}");
    }
}
