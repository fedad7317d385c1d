//! Counters of a socket's traffic, as `inet:getstat` returns them.

use super::protocol::{Bytes, Refusal, statistic};

/// Packets and bytes in one direction.
#[derive(Clone, Copy, Default, Debug)]
struct Direction {
    octets: u64,
    count: u64,
    max: u64,
    average: f64,
}

impl Direction {
    fn count(&mut self, bytes: usize) {
        let bytes = bytes as u64;
        self.octets = self.octets.wrapping_add(bytes);
        self.count = self.count.wrapping_add(1).max(1);
        self.average += (bytes as f64 - self.average) / self.count as f64;
        self.max = self.max.max(bytes);
    }
}

/// Both directions of a socket.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Statistics {
    received: Direction,
    sent: Direction,
    deviation: f64,
}

impl Statistics {
    pub(super) fn count_received(&mut self, bytes: usize) {
        self.received.count(bytes);
        let off = bytes as f64 - self.received.average;
        self.deviation += (off - self.deviation) / self.received.count as f64;
    }

    pub(super) fn count_sent(&mut self, bytes: usize) {
        self.sent.count(bytes);
    }

    /// Counts several packets that were taken together.
    pub(super) fn count_packets_sent(&mut self, packets: usize, bytes: usize) {
        for _ in 0..packets {
            self.sent.count(bytes / packets);
        }
    }

    /// Answers each question with its number and the value; `pending` is the number of bytes not sent yet.
    ///
    /// # Errors
    /// For an unknown question.
    pub(super) fn answer(&self, questions: &[u8], pending: usize) -> Result<Bytes, Refusal> {
        let mut bytes = Bytes::new();
        for &question in questions {
            bytes.push(question);
            let value = match question {
                statistic::RECEIVED_OCTETS => {
                    bytes.extend_from_slice(&self.received.octets.to_be_bytes());
                    continue;
                }
                statistic::SENT_OCTETS => {
                    bytes.extend_from_slice(&self.sent.octets.to_be_bytes());
                    continue;
                }
                statistic::RECEIVED_COUNT => self.received.count,
                statistic::RECEIVED_MAX => self.received.max,
                statistic::RECEIVED_AVERAGE => self.received.average as u64,
                statistic::RECEIVED_DEVIATION => self.deviation.abs() as u64,
                statistic::SENT_COUNT => self.sent.count,
                statistic::SENT_MAX => self.sent.max,
                statistic::SENT_AVERAGE => self.sent.average as u64,
                statistic::SEND_PENDING => pending as u64,
                _ => return Err(Refusal::Bad),
            };
            bytes.extend_from_slice(&(value as u32).to_be_bytes());
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn averages_and_extremes_follow() {
        let mut statistics = Statistics::default();
        for bytes in [10, 20, 60] {
            statistics.count_received(bytes);
            statistics.count_sent(bytes / 10);
        }
        let word = |question: u8| {
            let bytes = statistics.answer(&[question], 7).unwrap();
            u32::from_be_bytes(bytes[1..].try_into().unwrap())
        };
        let all: Vec<u32> = (1..=8).map(word).collect();
        // The deviations from the average at each time are 0, 5 and 30; this is their average.
        assert_eq!(all, [3, 60, 30, 11, 3, 6, 3, 7]);
        let octets = statistics.answer(&[9, 10], 0).unwrap();
        assert_eq!(
            octets[..],
            [9, 0, 0, 0, 0, 0, 0, 0, 90, 10, 0, 0, 0, 0, 0, 0, 0, 9]
        );
        assert_eq!(statistics.answer(&[11], 0), Err(Refusal::Bad));
    }
}
