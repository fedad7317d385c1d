//! Random bytes that cannot be foreseen, for secrets.

use rustix::rand::{GetRandomFlags, getrandom};

use crate::errno::Result;

/// Fills a buffer of at most 256 bytes. Waits only where a host that has just started has no random bytes yet.
pub fn fill(bytes: &mut [u8]) -> Result<()> {
    let mut done = 0;
    while done < bytes.len() {
        done += getrandom(&mut bytes[done..], GetRandomFlags::empty())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn all_bytes_are_random() {
        let mut seen = [false; 40];
        for _ in 0..100 {
            let mut bytes = [0; 40];
            super::fill(&mut bytes).unwrap();
            for (seen, byte) in seen.iter_mut().zip(bytes) {
                *seen |= byte != 0;
            }
        }
        assert_eq!(seen, [true; 40]);
    }
}
