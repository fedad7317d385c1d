//! Clients on threads of their own.

use anyhow::{Context, Result};
use std::thread::{self, ScopedJoinHandle};

/// Makes `count` things on so many threads, each of which takes every so many-th number; returns all.
pub(super) fn share_out<T: Send>(
    threads: usize,
    count: usize,
    make: impl Fn(usize) -> Result<T> + Sync,
) -> Result<Vec<T>> {
    let make = &make;
    thread::scope(|scope| {
        let handles: Vec<_> = (0..threads)
            .map(|first| {
                let numbers = (first..count).step_by(threads);
                scope.spawn(move || numbers.map(make).collect::<Result<Vec<T>>>())
            })
            .collect();
        let mut all = Vec::with_capacity(count);
        for handle in handles {
            all.extend(joined(handle)?);
        }
        Ok(all)
    })
}

/// What a client returns.
pub(super) fn joined<T>(client: ScopedJoinHandle<Result<T>>) -> Result<T> {
    client.join().ok().context("a client has failed")?
}

#[cfg(test)]
mod tests {
    use super::share_out;

    #[test]
    fn all_are_made_once_and_a_failure_is_told() {
        for (threads, count) in [(1, 0), (3, 2), (4, 11)] {
            let mut made = share_out(threads, count, Ok).unwrap();
            made.sort_unstable();
            assert_eq!(made, (0..count).collect::<Vec<_>>());
        }
        let fails = |number| match number {
            5 => Err(anyhow::anyhow!("the fifth")),
            other => Ok(other),
        };
        assert_eq!(share_out(2, 8, fails).unwrap_err().to_string(), "the fifth");
    }
}
