//! The number of schedulers of each kind: `+S`, `+SP`, `+SDcpu`, `+SDPcpu` and their interaction. A
//! number that is 0 or negative is added to the number of processors. What no flag has set follows the processors that
//! the node may use, also while it runs (`node::processors`). Main thread only.

use spec::flags::MAX_SCHEDULERS;

use runtime::process::config::Config;

use crate::refusal::Refusal;

/// How many processors this process may use: just now, and at most if its quota rises while it runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usable {
    pub now: u32,
    /// At least `now`.
    pub most: u32,
}

/// The counts while flags are read. All values are within 32 bits, so 64-bit arithmetic cannot overflow.
pub(super) struct Schedulers {
    /// Processors this process may use: the default of every count, but for the totals, for which more may be allowed
    /// later.
    processors: i64,
    pub total: i64,
    online: i64,
    dirty: i64,
    dirty_online: i64,
    /// Percentages for `total` and `online`.
    percent: (i64, i64),
    /// Percentages for `dirty` and `dirty_online`.
    dirty_percent: (i64, i64),
    /// Whether no flag has set the numbers of schedulers, or of dirty ones.
    is_default: bool,
    is_dirty_default: bool,
}

impl Schedulers {
    pub(super) fn new(usable: Usable) -> Schedulers {
        let count = |processors: u32| i64::from(processors).clamp(1, MAX_SCHEDULERS);
        let (processors, most) = (count(usable.now), count(usable.most));
        Schedulers {
            processors,
            total: most,
            online: processors,
            dirty: most,
            dirty_online: processors,
            percent: (100, 100),
            dirty_percent: (100, 100),
            is_default: true,
            is_dirty_default: true,
        }
    }

    /// `+SP total:online`.
    pub(super) fn set_percent(&mut self, percent: (i64, i64)) {
        self.percent = percent;
        self.is_default = false;
    }

    /// `+SDPcpu total:online`.
    pub(super) fn set_dirty_percent(&mut self, percent: (i64, i64)) {
        self.dirty_percent = percent;
        self.is_dirty_default = false;
    }

    /// `+S total:online`.
    pub(super) fn set(&mut self, pair: (Option<i64>, Option<i64>)) -> Result<(), Refusal> {
        let (total, online) = self.counted(pair, self.online);
        if !(1..=MAX_SCHEDULERS).contains(&total) {
            let asked = pair.0.unwrap_or(self.processors);
            return Err(Refusal::emulator(format!(
                "bad amount of schedulers {asked}"
            )));
        }
        if !(1..=total).contains(&online) {
            return Err(Refusal::emulator(format!(
                "bad amount of schedulers online {online} (total amount of schedulers {total})"
            )));
        }
        (self.total, self.online) = (total, online);
        self.is_default = false;
        Ok(())
    }

    /// `+SDcpu total:online`.
    pub(super) fn set_dirty_cpu(
        &mut self,
        pair: (Option<i64>, Option<i64>),
    ) -> Result<(), Refusal> {
        let (total, online) = self.counted(pair, self.dirty_online);
        if !(1..=MAX_SCHEDULERS).contains(&total) {
            let asked = pair.0.unwrap_or(self.processors);
            return Err(Refusal::emulator(format!(
                "bad amount of dirty CPU schedulers {asked}"
            )));
        }
        if !(1..=total).contains(&online) {
            return Err(Refusal::emulator(format!(
                "bad amount of dirty CPU schedulers online {online} \
                 (total amount of dirty CPU schedulers {total})"
            )));
        }
        (self.dirty, self.dirty_online) = (total, online);
        self.is_dirty_default = false;
        Ok(())
    }

    /// Fills in the missing half of a pair, and adds the number of processors to numbers that are not positive.
    fn counted(&self, pair: (Option<i64>, Option<i64>), online: i64) -> (i64, i64) {
        let total = pair.0.unwrap_or(self.processors);
        let online = pair.1.unwrap_or(total.min(online));
        let count = |number: i64| {
            if number > 0 {
                number
            } else {
                self.processors + number
            }
        };
        (count(total), count(online))
    }

    /// Applies the percentages to the result of all other flags, regardless of their order.
    pub(super) fn apply_percentages(&mut self) -> Result<(), Refusal> {
        if self.percent != (100, 100) {
            let (total, online) = self.percent;
            self.total = (self.total * total / 100).max(1);
            self.online = (self.online * online / 100).max(1);
            if self.total > MAX_SCHEDULERS {
                return Err(Refusal::emulator(format!(
                    "bad schedulers percentage {total} (total amount of schedulers {})",
                    self.total
                )));
            }
            if self.online > self.total {
                return Err(Refusal::emulator(format!(
                    "bad schedulers online percentage {online} \
                     (total amount of schedulers {}, online {})",
                    self.total, self.online
                )));
            }
        }
        self.dirty = self.dirty * self.dirty_percent.0 / 100;
        self.dirty_online = self.dirty_online * self.dirty_percent.1 / 100;
        // There are never more dirty CPU schedulers than normal ones.
        self.dirty = self.dirty.clamp(1, self.total);
        self.dirty_online = self.dirty_online.clamp(1, self.online.min(self.dirty));
        Ok(())
    }

    /// Stores the counts in the configuration; without `smp` there is one scheduler of each kind.
    pub(super) fn fill(&self, config: &mut Config, smp: bool) {
        let count = |number: i64| if smp { number as usize } else { 1 };
        config.schedulers = count(self.total);
        config.schedulers_online = count(self.online);
        config.dirty_cpu_schedulers = count(self.dirty);
        config.dirty_cpu_schedulers_online = count(self.dirty_online);
        config.follows_processors = smp && self.is_default;
        config.dirty_follow_processors = smp && self.is_dirty_default;
        if !smp {
            config.flags.dirty_io_schedulers = 1;
        }
    }
}
