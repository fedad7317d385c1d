//! Fuzzes what the dashboard's server parses itself: paths, queries, names of hosts and pages, cookies, logins.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| window::server::fuzz(bytes));
