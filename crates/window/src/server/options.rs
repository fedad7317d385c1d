//! What may be seen and done by the window, beside its address: as the node's flags say. Any thread.

use std::path::PathBuf;

use runtime::process::config;

use crate::events::Limits;

/// See the module's documentation.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Whether requests may change something.
    pub control: bool,
    /// Where the token is, without which nothing is shown. Without a file there is a random one where one is needed.
    pub token_file: Option<PathBuf>,
    /// Names that this host has beside its own, as browsers and proxies use them.
    pub hosts: Vec<String>,
    /// From what on events are told of.
    pub events: Limits,
}

impl Options {
    /// What the node's flags say.
    #[must_use]
    pub fn configured() -> Options {
        let flags = &config::get().flags;
        let hosts = String::from_utf8_lossy(&flags.dashboard_hosts);
        let names = hosts.split(',').map(|name| name.trim().to_owned());
        Options {
            control: flags.dashboard_control,
            token_file: flags.dashboard_token_file.clone(),
            hosts: names.filter(|name| !name.is_empty()).collect(),
            events: Limits {
                long_gc_ms: flags.dashboard_long_gc,
                long_schedule_ms: flags.dashboard_long_schedule,
                large_heap_words: flags.dashboard_large_heap,
                long_queue_messages: flags.dashboard_long_queue,
            },
        }
    }
}
