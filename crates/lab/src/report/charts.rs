//! The kinds of plots: growth with the size, bars, ratios, and the load of processors over time.

use anyhow::Result;
use plotters::prelude::*;

use super::canvas::{
    FONT, GRID, INK, LETTERS, PUBLISHED, Side, Width, colour, css, round_numbers, shortened, twice,
    write,
};
use crate::results::{Found, Line, Load, Session};
use crate::rows::Unit;
use crate::show;
use crate::statistics::Verdict;
use crate::view::{Key, PlotView};

/// One VM (or the author's) in one case.
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

/// Lines against the size, both axes logarithmic, with what was published beside.
pub fn growth(session: &Session, found: &Found, figure: &str, lines: &[&Line]) -> Result<PlotView> {
    let unit = lines[0].unit;
    let series = series(session, lines);
    let points = || series.iter().flat_map(|series| &series.points);
    let range = |of: fn(&(f64, f64)) -> f64, room: f64| {
        let least = points().map(of).fold(f64::INFINITY, f64::min);
        let most = points().map(of).fold(0.0, f64::max);
        (least / room, most * room)
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
            for series in &series {
                let style = ShapeStyle::from(series.colour).stroke_width(2);
                let points = series.points.iter().copied();
                match series.pattern {
                    Pattern::Line => chart.draw_series(LineSeries::new(points, style))?,
                    Pattern::Dashed => {
                        chart.draw_series(DashedLineSeries::new(points, 7, 4, style))?
                    }
                    Pattern::Dotted => {
                        chart.draw_series(DashedLineSeries::new(points, 2, 4, style))?
                    }
                };
                if series.is_published {
                    let size = 5;
                    chart.draw_series(series.points.iter().map(|at| {
                        EmptyElement::at(*at)
                            + Polygon::new(
                                [(0, -size), (size, 0), (0, size), (-size, 0)],
                                series.colour.filled(),
                            )
                    }))?;
                } else {
                    let points = series.points.iter();
                    chart.draw_series(
                        points.map(|at| Circle::new(*at, 4, series.colour.filled())),
                    )?;
                }
            }
            Ok(())
        },
    )?;
    Ok(PlotView {
        title: format!("{}: {figure}{}", found.key, in_unit(unit)),
        wide,
        narrow,
        legend: series
            .iter()
            .map(|series| Key {
                label: series.label.clone(),
                colour: css(series.colour),
                shape: series.pattern.name().to_owned(),
            })
            .collect(),
    })
}

/// The lines of a figure as series: VM by VM and case by case, then what was published.
fn series(session: &Session, lines: &[&Line]) -> Vec<Series> {
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
    let mut found = Vec::new();
    for (vm, name) in session.vms.iter().map(|vm| &vm.name).enumerate() {
        for (at, case) in cases.iter().enumerate() {
            found.push(Series {
                label: label(name, case),
                colour: colour(vm),
                pattern: Pattern::of(at),
                is_published: false,
                points: points(lines, case, |line| Some(line.on.get(vm)?.summary()?.median)),
            });
        }
    }
    // What was published for sizes that were not run is in the rows; a point there shows how far it went.
    for (at, case) in cases.iter().enumerate() {
        found.push(Series {
            label: label("published", case),
            colour: PUBLISHED,
            pattern: Pattern::of(at),
            is_published: true,
            points: published(session, lines, case),
        });
    }
    found.retain(|series| !series.points.is_empty());
    found
}

fn points(lines: &[&Line], case: &str, of: impl Fn(&Line) -> Option<f64>) -> Vec<(f64, f64)> {
    lines
        .iter()
        .filter(|line| line.case == case)
        .filter_map(|line| Some((line.size? as f64, of(line)?)))
        .filter(|(size, number)| *size > 0.0 && *number > 0.0)
        .collect()
}

/// All that was published for this case, whether or not those sizes were run here.
fn published(session: &Session, lines: &[&Line], case: &str) -> Vec<(f64, f64)> {
    let of_line = |found: &&Found| found.lines.iter().any(|line| std::ptr::eq(line, lines[0]));
    let Some(found) = session.experiments.iter().find(of_line) else {
        return Vec::new();
    };
    let all = crate::rows::all();
    let Some(row) = all.iter().find(|row| row.key() == found.key) else {
        return Vec::new();
    };
    row.published
        .iter()
        .filter(|published| published.figure == lines[0].figure && published.case == case)
        .filter(|published| published.size > 0)
        .map(|published| (published.size as f64, published.value))
        .collect()
}

/// A bar for each VM in each case, with its number at the end and the spread as a whisker.
pub fn bars(session: &Session, found: &Found, figure: &str, lines: &[&Line]) -> Result<PlotView> {
    struct Bar {
        colour: RGBColor,
        median: f64,
        spread: Option<(f64, f64)>,
    }
    const BAR: i32 = 18;
    const HEADING: i32 = 22;
    let unit = lines[0].unit;
    let groups: Vec<(String, Vec<Bar>)> = lines
        .iter()
        .map(|line| {
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
            (
                show::line_name(found, line),
                of_vms.chain(of_author).collect(),
            )
        })
        .collect();
    let most = groups
        .iter()
        .flat_map(|(_, bars)| bars)
        .map(|bar| bar.spread.map_or(bar.median, |(_, most)| most))
        .fold(0.0, f64::max);
    let rows: usize = groups.iter().map(|(_, bars)| bars.len()).sum();
    let height = rows as i32 * BAR + groups.len() as i32 * (HEADING + 6) + 6;
    let (wide, narrow) = twice(
        |_| height.unsigned_abs(),
        |area, width| {
            let room = width.pixels() as i32 - 90;
            let across = |number: f64| 4 + (number / most * f64::from(room)) as i32;
            let mut y = 2;
            for (name, bars) in &groups {
                write(area, name, (4, y + HEADING / 2), Side::Left, INK)?;
                y += HEADING;
                for bar in bars {
                    let end = across(bar.median);
                    area.draw(&Rectangle::new(
                        [(4, y + 2), (end, y + BAR - 2)],
                        bar.colour.filled(),
                    ))?;
                    let mut right = end;
                    if let Some((least, most)) = bar.spread {
                        let middle = y + BAR / 2;
                        right = across(most).max(end);
                        area.draw(&PathElement::new(
                            [(across(least), middle), (right, middle)],
                            INK,
                        ))?;
                    }
                    let number = show::number(unit, bar.median);
                    write(area, &number, (right + 6, y + BAR / 2), Side::Left, INK)?;
                    y += BAR;
                }
                y += 6;
            }
            Ok(())
        },
    )?;
    let mut legend = vm_keys(session, 0);
    if lines.iter().any(|line| line.published.is_some()) {
        legend.push(key("published", PUBLISHED, "box"));
    }
    Ok(PlotView {
        title: format!("{}: {figure}{}", found.key, in_unit(unit)),
        wide,
        narrow,
        legend,
    })
}

/// The ratios of a group's lines on one logarithmic axis: right of 1, ferl is better.
pub fn ratios(session: &Session, group: &str) -> Result<Vec<PlotView>> {
    const ROW: i32 = 19;
    const TOP: i32 = 8;
    const BOTTOM: i32 = 26;
    let rows: Vec<(String, &Line)> = session
        .contests()
        .filter(|(found, line)| found.group == group && line.ratios.iter().any(Option::is_some))
        .map(|(found, line)| (ratio_name(found, line), line))
        .collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let all = || {
        rows.iter()
            .flat_map(|(_, line)| line.ratios.iter().flatten())
    };
    let least = all().map(|ratio| ratio.least).fold(0.5, f64::min) / 1.1;
    let most = all().map(|ratio| ratio.most).fold(2.0, f64::max) * 1.1;
    let bottom = TOP + rows.len() as i32 * ROW;
    let (wide, narrow) = twice(
        |_| (bottom + BOTTOM).unsigned_abs(),
        |area, width| {
            let (names, letters) = if width == Width::Wide {
                (230, 34)
            } else {
                (138, 20)
            };
            let room = f64::from(width.pixels() as i32 - names - 14);
            let across =
                |ratio: f64| names + ((ratio / least).ln() / (most / least).ln() * room) as i32;
            for mark in [0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0] {
                if !(least..=most).contains(&mark) {
                    continue;
                }
                let x = across(mark);
                let style = if mark == 1.0 {
                    ShapeStyle::from(INK).stroke_width(2)
                } else {
                    ShapeStyle::from(GRID)
                };
                area.draw(&PathElement::new([(x, TOP), (x, bottom)], style))?;
                write(
                    area,
                    &format!("{mark}"),
                    (x, bottom + 12),
                    Side::Middle,
                    INK,
                )?;
            }
            for (at, (name, line)) in rows.iter().enumerate() {
                let y = TOP + at as i32 * ROW + ROW / 2;
                let name = shortened(name, letters);
                write(area, &name, (names - 8, y), Side::Right, INK)?;
                for (other, ratio) in line.ratios.iter().enumerate() {
                    let Some(ratio) = ratio else { continue };
                    let colour = colour(other + 1);
                    let ends = [(across(ratio.least), y), (across(ratio.most), y)];
                    area.draw(&PathElement::new(
                        ends,
                        ShapeStyle::from(colour).stroke_width(2),
                    ))?;
                    let is_called = matches!(ratio.verdict, Verdict::Better | Verdict::Worse);
                    let style = if is_called {
                        colour.filled()
                    } else {
                        ShapeStyle::from(colour).stroke_width(2)
                    };
                    area.draw(&Circle::new((across(ratio.median), y), 5, style))?;
                }
            }
            Ok(())
        },
    )?;
    Ok(vec![PlotView {
        title: "How many times as good ferl is (right of 1: better; hollow: cannot tell)"
            .to_owned(),
        wide,
        narrow,
        legend: session.vms[1..]
            .iter()
            .enumerate()
            .map(|(at, vm)| key(&format!("ferl against {}", vm.name), colour(at + 1), "line"))
            .collect(),
    }])
}

fn ratio_name(found: &Found, line: &Line) -> String {
    let name = show::line_name(found, line);
    if found.lines.iter().any(|other| other.figure != line.figure) {
        format!("{name}: {}", line.figure)
    } else {
        name
    }
}

/// The load of each processor over time, on each VM, in the first run of each case.
pub fn load(session: &Session, found: &Found) -> Result<Vec<PlotView>> {
    let mut plots = Vec::new();
    for cell in &found.cells {
        for (on, vm) in cell.on.iter().zip(&session.vms) {
            // Fewer samples draw no course.
            if on.load.len() < 3 {
                continue;
            }
            let name = show::join(&found.key, &cell.case, cell.size);
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
                let course = load
                    .iter()
                    .map(|sample| (sample.at_s, f64::from(sample.cores[core].busy()).min(100.0)));
                let style = ShapeStyle::from(colour(core)).stroke_width(2);
                chart.draw_series(LineSeries::new(course, style))?;
            }
            Ok(())
        },
    )?;
    Ok(PlotView {
        title: title.to_owned(),
        wide,
        narrow,
        legend: (0..cores.min(8))
            .map(|core| key(&format!("cpu {core}"), colour(core), "line"))
            .collect(),
    })
}

fn vm_keys(session: &Session, from: usize) -> Vec<Key> {
    let vms = session.vms.iter().enumerate().skip(from);
    vms.map(|(at, vm)| key(&vm.name, colour(at), "box"))
        .collect()
}

fn key(label: &str, colour: RGBColor, shape: &str) -> Key {
    Key {
        label: label.to_owned(),
        colour: css(colour),
        shape: shape.to_owned(),
    }
}

fn in_unit(unit: Unit) -> String {
    match show::unit(unit) {
        "" => String::new(),
        unit => format!(", {unit}"),
    }
}

/// Short: an axis has little room.
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
