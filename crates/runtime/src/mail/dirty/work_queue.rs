//! Work that waits for a dirty scheduler, by priority: as in the run queues, what is urgent comes first, and one item
//! of low priority for every eight of normal priority.

use std::collections::VecDeque;

use crate::mail::queues::NORMAL_PER_LOW;
use crate::process::Priority;

/// See the module's documentation.
pub(super) struct WorkQueue<T> {
    /// By priority.
    lines: [VecDeque<T>; 4],
    /// Normal items taken since the last low one, while a low one waited.
    passed: u32,
}

impl<T> Default for WorkQueue<T> {
    fn default() -> WorkQueue<T> {
        WorkQueue::new()
    }
}

impl<T> WorkQueue<T> {
    pub(super) const fn new() -> WorkQueue<T> {
        WorkQueue {
            lines: [const { VecDeque::new() }; 4],
            passed: 0,
        }
    }

    pub(super) fn push(&mut self, item: T, priority: Priority) {
        self.lines[priority as usize].push_back(item);
    }

    pub(super) fn pop(&mut self) -> Option<T> {
        let [max, high, normal, low] = &mut self.lines;
        if let Some(item) = max.pop_front().or_else(|| high.pop_front()) {
            return Some(item);
        }
        if low.is_empty() {
            return normal.pop_front();
        }
        if self.passed < NORMAL_PER_LOW
            && let Some(item) = normal.pop_front()
        {
            self.passed += 1;
            return Some(item);
        }
        self.passed = 0;
        low.pop_front()
    }

    pub(super) fn len(&self) -> usize {
        self.lines.iter().map(VecDeque::len).sum()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.iter().all(VecDeque::is_empty)
    }

    /// Takes all items, the most urgent first.
    pub(super) fn take_all(&mut self) -> Vec<T> {
        std::mem::take(&mut self.lines)
            .into_iter()
            .flatten()
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urgent_work_comes_first_and_low_work_is_not_forgotten() {
        let mut queue = WorkQueue::default();
        for number in 0..20 {
            queue.push(number, Priority::Normal);
        }
        queue.push(100, Priority::Low);
        queue.push(101, Priority::Low);
        queue.push(200, Priority::High);
        queue.push(300, Priority::Max);
        assert_eq!((queue.len(), queue.is_empty()), (24, false));
        let order: Vec<i32> = std::iter::from_fn(|| queue.pop()).collect();
        let mut wanted = vec![300, 200];
        wanted.extend(0..8);
        wanted.push(100);
        wanted.extend(8..16);
        wanted.push(101);
        wanted.extend(16..20);
        assert_eq!(order, wanted);
        assert!(queue.is_empty() && queue.take_all().is_empty());
    }
}
