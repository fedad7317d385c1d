//! What the node is, and how much of its limits is in use: `/api/v1/node`.
//!
//! All of it is read from counters, by any thread, in microseconds.

use runtime::effects::port;
use runtime::mail::time;
use runtime::process::{config, table};
use serde::Serialize;
use term::{atom, node};

use crate::printed;

/// How much of a limit is in use.
#[derive(Serialize)]
pub struct Used {
    count: usize,
    limit: usize,
}

/// Schedulers of one kind.
#[derive(Serialize)]
pub struct Schedulers {
    total: usize,
    online: usize,
}

/// The memory guard; sizes are those of [`guard::Figures`].
#[derive(Serialize)]
pub struct Guard {
    on: bool,
    budget_bytes: Option<u64>,
    source: Option<&'static str>,
    soft_bytes: Option<u64>,
    high_bytes: Option<u64>,
    hard_bytes: Option<u64>,
    resident_bytes: Option<u64>,
    others_bytes: Option<u64>,
    level: Option<&'static str>,
    pressure_percent: Option<u8>,
    soft_events: Option<u64>,
    high_events: Option<u64>,
    hard_events: Option<u64>,
    ended: Option<u64>,
    refused: Option<u64>,
}

/// See the module's documentation.
#[derive(Serialize)]
pub struct Summary {
    name: String,
    /// The release of OTP, such as 25.
    release: String,
    /// The version of stock's emulator in it.
    erts: String,
    /// The version of ferl.
    ferl: &'static str,
    os_pid: u32,
    now_unix_ms: i64,
    started_unix_ms: i64,
    uptime_ms: i64,
    schedulers: Schedulers,
    dirty_cpu: Schedulers,
    dirty_io: Schedulers,
    processes: Used,
    ports: Used,
    atoms: Used,
    tables: Used,
    guard: Guard,
    /// Whether requests may change something.
    control: bool,
    /// Why the node is not ready, if it is not.
    not_ready: Option<&'static str>,
}

const NS_PER_MS: i64 = 1_000_000;

/// The node as it is now.
#[must_use]
pub fn summary() -> Summary {
    let config = config::get();
    let now_unix_ms = time::system_ns() / NS_PER_MS;
    let uptime_ms = time::uptime_ns() / NS_PER_MS;
    let dirty_io = config.flags.dirty_io_schedulers;
    Summary {
        name: printed::node(node::own_name()),
        release: config.release.to_string(),
        erts: config.erts_version.clone(),
        ferl: env!("CARGO_PKG_VERSION"),
        os_pid: sys::host::process_id(),
        now_unix_ms,
        started_unix_ms: now_unix_ms - uptime_ms,
        uptime_ms,
        schedulers: Schedulers {
            total: config.schedulers,
            online: runtime::exec::scheduler::online::online(),
        },
        dirty_cpu: Schedulers {
            total: config.dirty_cpu_schedulers,
            online: runtime::mail::dirty::cpu_online(),
        },
        dirty_io: Schedulers {
            total: dirty_io,
            online: dirty_io,
        },
        processes: Used {
            count: table::count(),
            limit: table::limit(),
        },
        ports: Used {
            count: port::count(),
            limit: port::limit(),
        },
        atoms: Used {
            count: atom::count(),
            limit: atom::limit(),
        },
        tables: Used {
            count: ets::count(),
            limit: config.flags.ets_limit,
        },
        guard: guard(),
        control: config.flags.dashboard_control,
        not_ready: crate::health::readiness().err(),
    }
}

fn guard() -> Guard {
    let figures = guard::figures();
    let number = |of: fn(&guard::Figures) -> u64| figures.as_ref().map(of);
    Guard {
        on: figures.is_some(),
        budget_bytes: number(|figures| figures.budget),
        source: figures.as_ref().map(|figures| figures.source),
        soft_bytes: number(|figures| figures.soft),
        high_bytes: number(|figures| figures.high),
        hard_bytes: number(|figures| figures.hard),
        resident_bytes: number(|figures| figures.resident),
        others_bytes: number(|figures| figures.others),
        level: figures.as_ref().map(|figures| figures.level),
        pressure_percent: figures
            .as_ref()
            .and_then(|figures| figures.pressure_percent),
        soft_events: number(|figures| figures.soft_count),
        high_events: number(|figures| figures.high_count),
        hard_events: number(|figures| figures.hard_count),
        ended: number(|figures| figures.ended),
        refused: number(|figures| figures.refused),
    }
}
