//! Colours and text of plots, and drawing a plot at two widths.

use anyhow::Result;
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

/// The style sheet of the page finds these colours by their values and replaces them.
pub(super) const INK: RGBColor = RGBColor(0x10, 0x10, 0x10);
pub(super) const GRID: RGBColor = RGBColor(0xd0, 0xd0, 0xd1);
pub(super) const PUBLISHED: RGBColor = RGBColor(0x80, 0x80, 0x81);

/// Colours of VMs and of processors, visible on light and on dark backgrounds.
const COLOURS: [RGBColor; 8] = [
    RGBColor(0xe8, 0x59, 0x0c),
    RGBColor(0x22, 0x8b, 0xe6),
    RGBColor(0x2f, 0x9e, 0x44),
    RGBColor(0x9c, 0x36, 0xb5),
    RGBColor(0xc2, 0x9a, 0x0b),
    RGBColor(0x0c, 0x85, 0x99),
    RGBColor(0xe0, 0x31, 0x31),
    RGBColor(0x74, 0x8f, 0x3c),
];

pub(super) const FONT: &str = "sans-serif";
pub(super) const LETTERS: u32 = 13;

pub(super) type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

pub(super) fn colour(at: usize) -> RGBColor {
    COLOURS[at % COLOURS.len()]
}

pub(super) fn css(colour: RGBColor) -> String {
    format!("#{:02X}{:02X}{:02X}", colour.0, colour.1, colour.2)
}

/// The width of a drawing.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Width {
    Wide,
    Narrow,
}

impl Width {
    pub(super) fn pixels(self) -> u32 {
        match self {
            Width::Wide => 620,
            Width::Narrow => 340,
        }
    }
}

/// Draws at both widths; returns the wide drawing and the narrow one.
pub(super) fn twice(
    height: impl Fn(Width) -> u32,
    draw: impl Fn(&Area, Width) -> Result<()>,
) -> Result<(String, String)> {
    let at = |width: Width| -> Result<String> {
        let mut svg = String::new();
        {
            let size = (width.pixels(), height(width));
            let area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
            draw(&area, width)?;
            area.present()?;
        }
        Ok(responsive(&svg))
    };
    Ok((at(Width::Wide)?, at(Width::Narrow)?))
}

/// Removes the fixed size, so that the drawing takes the width that the page gives it.
fn responsive(svg: &str) -> String {
    let Some(start) = svg.find("<svg ") else {
        return svg.to_owned();
    };
    let Some(end) = svg[start..].find('>') else {
        return svg.to_owned();
    };
    let (head, rest) = svg[start..].split_at(end);
    let kept: Vec<&str> = head
        .split(' ')
        .filter(|word| !word.starts_with("width=") && !word.starts_with("height="))
        .collect();
    format!("{} role=\"img\"{rest}", kept.join(" "))
}

#[derive(Clone, Copy)]
pub(super) enum Side {
    Left,
    Middle,
    Right,
}

/// Writes a text, centred vertically at the point, with the given side of the text there.
pub(super) fn write(
    area: &Area,
    text: &str,
    at: (i32, i32),
    side: Side,
    colour: RGBColor,
) -> Result<()> {
    let across = match side {
        Side::Left => HPos::Left,
        Side::Middle => HPos::Center,
        Side::Right => HPos::Right,
    };
    let style = (FONT, LETTERS)
        .into_text_style(area)
        .color(&colour)
        .pos(Pos::new(across, VPos::Center));
    area.draw_text(text, &style, at)?;
    Ok(())
}

/// Round numbers between two positive numbers, for a logarithmic axis.
pub(super) fn round_numbers(least: f64, most: f64) -> Vec<f64> {
    let decades = (most / least).log10();
    let steps: &[f64] = if decades > 2.5 {
        &[1.0]
    } else if decades > 1.2 {
        &[1.0, 3.0]
    } else {
        &[1.0, 2.0, 5.0]
    };
    let (first, last) = (least.log10().floor() as i32, most.log10().ceil() as i32);
    let every = if decades > 6.0 { 2 } else { 1 };
    (first..=last)
        .filter(|power| power % every == 0)
        .flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)))
        .filter(|number| (least..=most).contains(number))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(round_numbers(2.0, 9.0), [2.0, 5.0]);
        assert_eq!(round_numbers(1e4, 1e7), [1e4, 1e5, 1e6, 1e7]);
        assert_eq!(round_numbers(1.0, 30.0), [1.0, 3.0, 10.0, 30.0]);
    }

    #[test]
    fn drawings_have_no_fixed_size() {
        let (wide, narrow) = twice(
            |_| 50,
            |area, _| write(area, "a<b", (9, 9), Side::Left, INK),
        )
        .unwrap();
        assert!(
            wide.contains("viewBox=\"0 0 620 50\"") && narrow.contains("viewBox=\"0 0 340 50\"")
        );
        let head = &wide[..wide.find('>').unwrap()];
        assert!(
            !head.contains(" width=") && !head.contains(" height="),
            "{head}"
        );
        assert!(wide.contains("a&lt;b") && wide.contains(&css(INK)));
    }
}
