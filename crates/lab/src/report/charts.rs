//! The plots of the page: growth with the size, bars, ratios, and the load of processors over time.

use anyhow::Result;
use plotters::coord::CoordTranslate;
use plotters::prelude::*;

use super::canvas::{
    Area, FONT, GRID, INK, LETTERS, PUBLISHED, Side, Width, colour, css, round_numbers, twice,
    write,
};
use crate::experiment::Unit;
use crate::results::{Found, Line, Load, Session};
use crate::show;
use crate::statistics::{Ratio, Verdict};
use crate::view::{LegendEntry, PlotView};

/// The points of one VM, or of the published figures, in one case.
struct Series {
    label: String,
    colour: RGBColor,
    pattern: Pattern,
    is_published: bool,
    points: Vec<(f64, f64)>,
}

#[derive(Clone, Copy)]
enum Pattern {
    Line,
    Dashed,
    Dotted,
}

impl Pattern {
    fn of(at: usize) -> Pattern {
        [Pattern::Line, Pattern::Dashed, Pattern::Dotted][at.min(2)]
    }

    fn name(self) -> &'static str {
        match self {
            Pattern::Line => "line",
            Pattern::Dashed => "dashed",
            Pattern::Dotted => "dotted",
        }
    }
}

/// A figure against the size, with both axes logarithmic, and the published figures beside it.
pub(super) fn growth(
    session: &Session,
    found: &Found,
    figure: &str,
    lines: &[&Line],
) -> Result<PlotView> {
    let unit = lines[0].unit;
    let series = series(session, found, lines);
    let points = || series.iter().flat_map(|series| &series.points);
    let range = |of: fn(&(f64, f64)) -> f64, margin: f64| {
        let least = points().map(of).fold(f64::INFINITY, f64::min);
        let most = points().map(of).fold(0.0, f64::max);
        (least / margin, most * margin)
    };
    let (left, right) = range(|point| point.0, 1.25);
    let (low, high) = range(|point| point.1, 1.4);
    let (wide, narrow) = twice(
        |width| if width == Width::Wide { 340 } else { 280 },
        |area, width| {
            let mut chart = ChartBuilder::on(area)
                .margin(6)
                .margin_right(16)
                .x_label_area_size(26)
                .y_label_area_size(58)
                .build_cartesian_2d(
                    (left..right)
                        .log_scale()
                        .with_key_points(round_numbers(left, right)),
                    (low..high)
                        .log_scale()
                        .with_key_points(round_numbers(low, high)),
                )?;
            let letters = if width == Width::Wide {
                LETTERS
            } else {
                LETTERS - 1
            };
            chart
                .configure_mesh()
                .bold_line_style(GRID)
                .light_line_style(TRANSPARENT)
                .axis_style(INK)
                .label_style((FONT, letters).into_font().color(&INK))
                .x_label_formatter(&|size| show::size(*size as u64))
                .y_label_formatter(&|number| axis_number(unit, *number))
                .draw()?;
            series.iter().try_for_each(|series| series.draw(&mut chart))
        },
    )?;
    let legend = series
        .iter()
        .map(|series| legend_entry(&series.label, series.colour, series.pattern.name()));
    Ok(PlotView {
        title: title(found, figure, unit),
        wide,
        narrow,
        legend: legend.collect(),
    })
}

impl Series {
    fn draw<C: CoordTranslate<From = (f64, f64)>>(
        &self,
        chart: &mut ChartContext<SVGBackend, C>,
    ) -> Result<()> {
        let style = ShapeStyle::from(self.colour).stroke_width(2);
        let points = self.points.iter().copied();
        match self.pattern {
            Pattern::Line => chart.draw_series(LineSeries::new(points, style))?,
            Pattern::Dashed => chart.draw_series(DashedLineSeries::new(points, 7, 4, style))?,
            Pattern::Dotted => chart.draw_series(DashedLineSeries::new(points, 2, 4, style))?,
        };
        if self.is_published {
            let size = 5;
            let diamond = [(0, -size), (size, 0), (0, size), (-size, 0)];
            chart.draw_series(
                self.points
                    .iter()
                    .map(|at| EmptyElement::at(*at) + Polygon::new(diamond, self.colour.filled())),
            )?;
        } else {
            let dots = self.points.iter();
            chart.draw_series(dots.map(|at| Circle::new(*at, 4, self.colour.filled())))?;
        }
        Ok(())
    }
}

/// The lines of a figure as series: for each VM and case, and then for the published figures.
fn series(session: &Session, found: &Found, lines: &[&Line]) -> Vec<Series> {
    let mut cases: Vec<&str> = Vec::new();
    for line in lines {
        if !cases.contains(&line.case.as_str()) {
            cases.push(&line.case);
        }
    }
    let label = |who: &str, case: &str| match case {
        "" => who.to_owned(),
        case => format!("{who}, {case}"),
    };
    let mut series = Vec::new();
    for (vm, info) in session.vms.iter().enumerate() {
        for (at, case) in cases.iter().enumerate() {
            series.push(Series {
                label: label(&info.name, case),
                colour: colour(vm),
                pattern: Pattern::of(at),
                is_published: false,
                points: points(lines, case, |line| Some(line.on.get(vm)?.summary()?.median)),
            });
        }
    }
    for (at, case) in cases.iter().enumerate() {
        series.push(Series {
            label: label("published", case),
            colour: PUBLISHED,
            pattern: Pattern::of(at),
            is_published: true,
            points: published(found, &lines[0].figure, case),
        });
    }
    series.retain(|series| !series.points.is_empty());
    series
}

fn points(lines: &[&Line], case: &str, of: impl Fn(&Line) -> Option<f64>) -> Vec<(f64, f64)> {
    lines
        .iter()
        .filter(|line| line.case == case)
        .filter_map(|line| Some((line.size? as f64, of(line)?)))
        .filter(|(size, number)| *size > 0.0 && *number > 0.0)
        .collect()
}

/// All figures published for the case, including those of sizes that were not run here.
fn published(found: &Found, figure: &str, case: &str) -> Vec<(f64, f64)> {
    let all = crate::rows::all();
    let Some(row) = all.iter().find(|row| row.key() == found.key) else {
        return Vec::new();
    };
    row.published
        .iter()
        .filter(|published| published.figure == figure && published.case == case)
        .filter(|published| published.size > 0)
        .map(|published| (published.size as f64, published.value))
        .collect()
}

/// Height of a bar, and of the name above the bars of a line.
const BAR: i32 = 18;
const BAR_HEADING: i32 = 22;
const BAR_GAP: i32 = 6;

struct Bar {
    colour: RGBColor,
    median: f64,
    /// The least and the most; `None` for a published figure.
    spread: Option<(f64, f64)>,
}

/// The bars of one line.
struct BarGroup {
    name: String,
    bars: Vec<Bar>,
}

impl BarGroup {
    fn of(found: &Found, line: &Line) -> BarGroup {
        let of_vms = line.on.iter().enumerate().filter_map(|(at, measured)| {
            let summary = measured.summary()?;
            Some(Bar {
                colour: colour(at),
                median: summary.median,
                spread: Some((summary.least, summary.most)),
            })
        });
        let of_author = line.published.map(|published| Bar {
            colour: PUBLISHED,
            median: published,
            spread: None,
        });
        BarGroup {
            name: show::line_name(found, line),
            bars: of_vms.chain(of_author).collect(),
        }
    }

    fn height(&self) -> i32 {
        self.bars.len() as i32 * BAR + BAR_HEADING + BAR_GAP
    }

    /// Draws the group at this height; `across` gives the x of a number.
    fn draw(&self, area: &Area, mut y: i32, unit: Unit, across: impl Fn(f64) -> i32) -> Result<()> {
        write(area, &self.name, (4, y + BAR_HEADING / 2), Side::Left, INK)?;
        y += BAR_HEADING;
        for bar in &self.bars {
            let end = across(bar.median);
            let middle = y + BAR / 2;
            area.draw(&Rectangle::new(
                [(4, y + 2), (end, y + BAR - 2)],
                bar.colour.filled(),
            ))?;
            let mut right = end;
            if let Some((least, most)) = bar.spread {
                right = across(most).max(end);
                let whisker = [(across(least), middle), (right, middle)];
                area.draw(&PathElement::new(whisker, INK))?;
            }
            let number = show::number(unit, bar.median);
            write(area, &number, (right + 6, middle), Side::Left, INK)?;
            y += BAR;
        }
        Ok(())
    }
}

/// A bar for each VM in each case, with the number at its end and the spread as a whisker.
pub(super) fn bars(
    session: &Session,
    found: &Found,
    figure: &str,
    lines: &[&Line],
) -> Result<PlotView> {
    let unit = lines[0].unit;
    let groups: Vec<BarGroup> = lines.iter().map(|line| BarGroup::of(found, line)).collect();
    let most = groups
        .iter()
        .flat_map(|group| &group.bars)
        .map(|bar| bar.spread.map_or(bar.median, |(_, most)| most))
        .fold(0.0, f64::max);
    let height: i32 = groups.iter().map(BarGroup::height).sum();
    let (wide, narrow) = twice(
        |_| (height + BAR_GAP).unsigned_abs(),
        |area, width| {
            let room = width.pixels() as i32 - 90;
            let across = |number: f64| 4 + (number / most * f64::from(room)) as i32;
            let mut y = 2;
            for group in &groups {
                group.draw(area, y, unit, across)?;
                y += group.height();
            }
            Ok(())
        },
    )?;
    let vms = session.vms.iter().enumerate();
    let mut legend: Vec<LegendEntry> = vms
        .map(|(at, vm)| legend_entry(&vm.name, colour(at), "box"))
        .collect();
    if lines.iter().any(|line| line.published.is_some()) {
        legend.push(legend_entry("published", PUBLISHED, "box"));
    }
    Ok(PlotView {
        title: title(found, figure, unit),
        wide,
        narrow,
        legend,
    })
}

/// Height of a row of the plot of ratios, and the margins above and below the rows.
const RATIO_ROW: i32 = 19;
const RATIO_TOP: i32 = 8;
const RATIO_BOTTOM: i32 = 26;

/// The logarithmic axis of ratios.
struct RatioAxis {
    least: f64,
    most: f64,
    left: i32,
    room: f64,
}

impl RatioAxis {
    fn across(&self, ratio: f64) -> i32 {
        let share = (ratio / self.least).ln() / (self.most / self.least).ln();
        self.left + (share * self.room) as i32
    }

    /// Draws the lines of the axis down to `bottom`, with their numbers below.
    fn draw(&self, area: &Area, bottom: i32) -> Result<()> {
        for mark in [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
            if !(self.least..=self.most).contains(&mark) {
                continue;
            }
            let x = self.across(mark);
            let style = if mark == 1.0 {
                ShapeStyle::from(INK).stroke_width(2)
            } else {
                ShapeStyle::from(GRID)
            };
            area.draw(&PathElement::new([(x, RATIO_TOP), (x, bottom)], style))?;
            let number = mark.to_string();
            write(area, &number, (x, bottom + 12), Side::Middle, INK)?;
        }
        Ok(())
    }

    /// Draws the spread and the median of a ratio. The median is hollow if there is no verdict.
    fn draw_ratio(&self, area: &Area, ratio: &Ratio, colour: RGBColor, y: i32) -> Result<()> {
        let line = ShapeStyle::from(colour).stroke_width(2);
        let ends = [(self.across(ratio.least), y), (self.across(ratio.most), y)];
        area.draw(&PathElement::new(ends, line))?;
        let dot = match ratio.verdict {
            Verdict::Better | Verdict::Worse => colour.filled(),
            Verdict::CannotTell | Verdict::TooFew => line,
        };
        area.draw(&Circle::new((self.across(ratio.median), y), 5, dot))?;
        Ok(())
    }
}

/// The ratios of a group's lines on one logarithmic axis; ferl is better to the right of 1. `None` if there are none.
pub(super) fn ratios(session: &Session, group: &str) -> Result<Option<PlotView>> {
    let rows: Vec<(String, &Line)> = session
        .comparisons()
        .filter(|(found, line)| found.group == group && line.ratios.iter().any(Option::is_some))
        .map(|(found, line)| (show::name_in(found, line), line))
        .collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let all = || {
        rows.iter()
            .flat_map(|(_, line)| line.ratios.iter().flatten())
    };
    let least = all().map(|ratio| ratio.least).fold(0.5, f64::min) / 1.1;
    let most = all().map(|ratio| ratio.most).fold(2.0, f64::max) * 1.1;
    let bottom = RATIO_TOP + rows.len() as i32 * RATIO_ROW;
    let (wide, narrow) = twice(
        |_| (bottom + RATIO_BOTTOM).unsigned_abs(),
        |area, width| {
            let (left, letters) = match width {
                Width::Wide => (230, 34),
                Width::Narrow => (138, 20),
            };
            let axis = RatioAxis {
                least,
                most,
                left,
                room: f64::from(width.pixels() as i32 - left - 14),
            };
            axis.draw(area, bottom)?;
            for (at, (name, line)) in rows.iter().enumerate() {
                let y = RATIO_TOP + at as i32 * RATIO_ROW + RATIO_ROW / 2;
                let name = show::shortened(name, letters);
                write(area, &name, (left - 8, y), Side::Right, INK)?;
                for (other, ratio) in line.ratios.iter().enumerate() {
                    if let Some(ratio) = ratio {
                        axis.draw_ratio(area, ratio, colour(other + 1), y)?;
                    }
                }
            }
            Ok(())
        },
    )?;
    let others = session.vms.iter().enumerate().skip(1);
    let legend = others
        .map(|(at, vm)| legend_entry(&format!("ferl against {}", vm.name), colour(at), "line"));
    Ok(Some(PlotView {
        title: "How many times as good ferl is (right of 1: better; hollow: cannot tell)"
            .to_owned(),
        wide,
        narrow,
        legend: legend.collect(),
    }))
}

/// The load of each processor over time, on each VM, in the first run of each case.
pub(super) fn load(session: &Session, found: &Found) -> Result<Vec<PlotView>> {
    let mut plots = Vec::new();
    for cell in &found.cells {
        for (on, vm) in cell.on.iter().zip(&session.vms) {
            // With fewer samples there is nothing to see.
            if on.load.len() < 3 {
                continue;
            }
            let name = show::cell_name(found, cell);
            plots.push(load_plot(
                &format!("{name}: load of each processor on {}, %", vm.name),
                &on.load,
            )?);
        }
    }
    Ok(plots)
}

fn load_plot(title: &str, load: &[Load]) -> Result<PlotView> {
    let cores = load
        .iter()
        .map(|sample| sample.cores.len())
        .min()
        .unwrap_or(0);
    let end = load.last().map_or(1.0, |sample| sample.at_s);
    let (wide, narrow) = twice(
        |_| 200,
        |area, _| {
            let mut chart = ChartBuilder::on(area)
                .margin(6)
                .margin_right(16)
                .x_label_area_size(26)
                .y_label_area_size(40)
                .build_cartesian_2d(0.0..end, 0.0..100.0)?;
            chart
                .configure_mesh()
                .bold_line_style(GRID)
                .light_line_style(TRANSPARENT)
                .axis_style(INK)
                .label_style((FONT, LETTERS).into_font().color(&INK))
                .x_labels(5)
                .y_labels(4)
                .x_label_formatter(&|seconds| format!("{seconds:.1} s"))
                .y_label_formatter(&|percent| format!("{percent:.0}"))
                .draw()?;
            for core in 0..cores {
                let points = load
                    .iter()
                    .map(|sample| (sample.at_s, f64::from(sample.cores[core].busy()).min(100.0)));
                let style = ShapeStyle::from(colour(core)).stroke_width(2);
                chart.draw_series(LineSeries::new(points, style))?;
            }
            Ok(())
        },
    )?;
    Ok(PlotView {
        title: title.to_owned(),
        wide,
        narrow,
        legend: (0..cores.min(8))
            .map(|core| legend_entry(&format!("cpu {core}"), colour(core), "line"))
            .collect(),
    })
}

fn legend_entry(label: &str, colour: RGBColor, shape: &str) -> LegendEntry {
    LegendEntry {
        label: label.to_owned(),
        colour: css(colour),
        shape: shape.to_owned(),
    }
}

/// `E1/start: time, s`.
fn title(found: &Found, figure: &str, unit: Unit) -> String {
    let title = format!("{}: {figure}", found.key);
    match show::unit(unit) {
        "" => title,
        unit => format!("{title}, {unit}"),
    }
}

/// A short form of the number, because an axis has little room.
fn axis_number(unit: Unit, number: f64) -> String {
    match unit {
        Unit::Bytes | Unit::BytesPerSecond | Unit::PerSecond | Unit::Count => {
            for (factor, letter) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
                if number >= factor {
                    return format!("{}{letter}", trimmed(number / factor));
                }
            }
            trimmed(number)
        }
        _ => trimmed(number),
    }
}

fn trimmed(number: f64) -> String {
    let text = format!("{number:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_short() {
        assert_eq!(axis_number(Unit::Bytes, 3e8), "300M");
        assert_eq!(axis_number(Unit::Seconds, 0.02), "0.02");
        assert_eq!(axis_number(Unit::Micros, 10.0), "10");
    }
}
