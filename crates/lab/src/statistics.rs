//! Statistics of figures that vary from run to run.
//!
//! Ratios are taken between the two runs of one round, because the host was in the same state for both. A difference
//! counts only if the spread of the ratios lies on one side of 1. With few ratios the spread is widened first.

use serde::{Deserialize, Serialize};

/// Smaller differences are not reported: no user would notice them.
const LEAST_DIFFERENCE: f64 = 1.02;
/// With this many pairs the spread is not widened: by chance all of them lie on one side only once in 32 times.
const ENOUGH_PAIRS: usize = 6;
/// With fewer pairs there is no verdict.
const FEWEST_PAIRS: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Summary {
    pub median: f64,
    pub least: f64,
    pub most: f64,
    pub count: usize,
}

/// `None` if there are no numbers.
pub(crate) fn summary(numbers: &[f64]) -> Option<Summary> {
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let (least, most) = (*sorted.first()?, *sorted.last()?);
    let middle = sorted.len() / 2;
    let median = if sorted.len() % 2 == 1 {
        sorted[middle]
    } else {
        (sorted[middle - 1] + sorted[middle]) / 2.0
    };
    Some(Summary {
        median,
        least,
        most,
        count: sorted.len(),
    })
}

/// How ferl compares with another VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Better,
    Worse,
    /// The spread includes 1.
    CannotTell,
    /// There are too few pairs for a verdict.
    TooFew,
}

/// How many times as good ferl is as another VM. Above 1 ferl is better, whether less or more of the figure is better.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Ratio {
    pub median: f64,
    pub least: f64,
    pub most: f64,
    pub pairs: usize,
    pub verdict: Verdict,
}

/// `None` if there are no ratios. Each must be above zero.
pub(crate) fn ratio(ratios: &[f64]) -> Option<Ratio> {
    let Summary {
        median,
        least,
        most,
        count,
    } = summary(ratios)?;
    let widening = if count < ENOUGH_PAIRS {
        (most / least).sqrt()
    } else {
        1.0
    };
    Some(Ratio {
        median,
        least,
        most,
        pairs: count,
        verdict: verdict(median, least / widening, most * widening, count),
    })
}

/// How many times as good what was measured later is. Both say how good it was: more is better, and all numbers are
/// above zero. They are of different sessions, so there are no pairs: the spread is that of the worst beside the best.
pub(crate) fn change(earlier: &Summary, later: &Summary) -> Ratio {
    let (least, most) = (later.least / earlier.most, later.most / earlier.least);
    let median = later.median / earlier.median;
    let count = earlier.count.min(later.count);
    Ratio {
        median,
        least,
        most,
        pairs: count,
        verdict: verdict(median, least, most, count),
    }
}

fn verdict(median: f64, least: f64, most: f64, count: usize) -> Verdict {
    if count < FEWEST_PAIRS {
        Verdict::TooFew
    } else if least > 1.0 && median >= LEAST_DIFFERENCE {
        Verdict::Better
    } else if most < 1.0 && median <= 1.0 / LEAST_DIFFERENCE {
        Verdict::Worse
    } else {
        Verdict::CannotTell
    }
}

/// The slope of the line through the points by least squares; `None` with fewer than two different x.
pub(crate) fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let together: f64 = points
        .iter()
        .map(|(x, y)| (x - mean_x) * (y - mean_y))
        .sum();
    (spread > 0.0).then(|| together / spread)
}

/// The geometric mean; `None` if there are no ratios.
pub(crate) fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let sum: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_count_lies_between() {
        let found = summary(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((found.median, found.least, found.most), (2.5, 1.0, 4.0));
        assert_eq!(summary(&[]), None);
    }

    #[test]
    fn a_difference_counts_only_outside_the_spread() {
        let verdict = |ratios: &[f64]| ratio(ratios).unwrap().verdict;
        for (ratios, expected) in [
            (&[2.0, 2.1, 1.9][..], Verdict::Better),
            (&[0.5, 0.51, 0.49], Verdict::Worse),
            (&[1.2, 0.9, 1.1], Verdict::CannotTell),
            // All above 1, but three pairs so far apart could be chance.
            (&[1.1, 1.5, 2.2], Verdict::CannotTell),
            (&[1.1, 1.5, 2.2, 1.2, 1.3, 1.4], Verdict::Better),
            // Certainly different, but by too little.
            (&[1.001, 1.002, 1.001], Verdict::CannotTell),
            (&[3.0, 3.0], Verdict::TooFew),
        ] {
            assert_eq!(verdict(ratios), expected, "{ratios:?}");
        }
    }

    #[test]
    fn a_change_counts_only_if_the_spreads_lie_apart() {
        let change = |earlier: &[f64], later: &[f64]| {
            change(&summary(earlier).unwrap(), &summary(later).unwrap()).verdict
        };
        let earlier = [1.0, 1.02, 1.04];
        for (later, expected) in [
            (&[0.90, 0.92, 0.94][..], Verdict::Worse),
            (&[0.95, 0.97, 1.01], Verdict::CannotTell),
            (&[1.10, 1.12, 1.14], Verdict::Better),
            (&[0.90, 0.92], Verdict::TooFew),
        ] {
            assert_eq!(change(&earlier, later), expected, "{later:?}");
        }
    }

    #[test]
    fn a_constant_part_does_not_change_the_slope() {
        let found = slope(&[(1.0, 110.0), (2.0, 120.0), (4.0, 140.0)]).unwrap();
        assert!((found - 10.0).abs() < 1e-9);
        assert_eq!(slope(&[(1.0, 5.0), (1.0, 6.0)]), None);
    }

    #[test]
    fn ratios_have_a_geometric_mean() {
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
    }
}
