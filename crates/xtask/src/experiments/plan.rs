//! Which experiments run, with which flags and sizes. A table only.

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Size {
    Quick,
    Modest,
    Published,
}

#[derive(Clone, Copy)]
pub enum Better {
    Less,
    More,
}

/// Where a row's figure comes from.
pub enum Figure {
    /// Printed by the experiment right after `before`; multiplied by `scale` to give `unit`.
    Printed {
        before: &'static str,
        scale: f64,
        unit: &'static str,
        better: Better,
    },
    /// Resident bytes for each waiting process: the slope between two counts.
    BytesEach { few: u64, many: u64 },
    /// From the start of the machine to its end.
    Boot,
}

impl Figure {
    pub fn unit(&self) -> &'static str {
        match self {
            Figure::Printed { unit, .. } => unit,
            Figure::BytesEach { .. } => "bytes",
            Figure::Boot => "s",
        }
    }

    pub fn better(&self) -> Better {
        match self {
            Figure::Printed { better, .. } => *better,
            Figure::BytesEach { .. } | Figure::Boot => Better::Less,
        }
    }

    pub fn show(&self, number: f64) -> String {
        match self.unit() {
            "s" => format!("{number:.3}"),
            "us" | "ms" => format!("{number:.2}"),
            _ => grouped(number.round() as i64),
        }
    }
}

/// 1234567 as 1,234,567.
fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::new();
    if number < 0 {
        out.push('-');
    }
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

pub struct Row {
    pub name: String,
    /// Emulator flags as published.
    pub flags: &'static str,
    /// The same for stock, which has refused `-smp disable` since OTP 24.
    pub stock_flags: &'static str,
    /// The rest of the command line; COUNT stands for the number of processes of `BytesEach`.
    pub arguments: String,
    pub figure: Figure,
    /// Watchdog times allowed.
    pub patience: u32,
}

const SCHEDULERS: [(&str, &str); 3] = [
    ("+S 1:1", "+S 1:1"),
    ("+S 2:2", "+S 2:2"),
    ("-smp disable", "+S 1:1"),
];

pub fn rows(size: Size) -> Vec<Row> {
    let of = |quick: u64, modest: u64, published: u64| match size {
        Size::Quick => quick,
        Size::Modest => modest,
        Size::Published => published,
    };
    let patience = if size == Size::Published { 10 } else { 1 };
    let mut rows = Vec::new();
    let mut add = |name: String,
                   (flags, stock_flags): (&'static str, &'static str),
                   arguments: String,
                   figure: Figure| {
        rows.push(Row {
            name,
            flags,
            stock_flags,
            arguments,
            figure,
            patience,
        });
    };

    add(
        "boot and halt".into(),
        ("", ""),
        "-s erlang halt".into(),
        Figure::Boot,
    );
    let count = of(100_000, 1_000_000, 10_000_000);
    for function in ["start", "start_wo_msg"] {
        for flags in SCHEDULERS {
            add(
                format!("E1 create_process:{function}({})", grouped(count as i64)),
                flags,
                format!("-s timed tc create_process {function} {count} -s erlang halt"),
                Figure::Printed {
                    before: "timed: ",
                    scale: 1e-6,
                    unit: "s",
                    better: Better::Less,
                },
            );
        }
    }
    let count = of(50_000, 200_000, 1_000_000);
    let limits: [(&str, &str); 2] = match size {
        Size::Published => [
            ("+S 1:1 +P 1000000", "+S 1:1 +P 1000000"),
            ("+S 2:2 +P 1000000", "+S 2:2 +P 1000000"),
        ],
        _ => [("+S 1:1", "+S 1:1"), ("+S 2:2", "+S 2:2")],
    };
    for flags in limits {
        add(
            format!("E4 measure_processes:limit({})", grouped(count as i64)),
            flags,
            format!("-s timed tc measure_processes limit {count} -s erlang halt"),
            Figure::Printed {
                before: "(",
                scale: 1.0,
                unit: "us",
                better: Better::Less,
            },
        );
    }
    for (function, count) in [
        ("oneway", of(300_000, 3_000_000, 10_000_000)),
        ("pingpong", of(100_000, 1_000_000, 10_000_000)),
    ] {
        for flags in SCHEDULERS {
            add(
                format!("E5 ipctest:{function}({})", grouped(count as i64)),
                flags,
                format!("-s timed tc ipctest {function} {count} -s erlang halt"),
                Figure::Printed {
                    before: "us, ",
                    scale: 1.0,
                    unit: "/s",
                    better: Better::More,
                },
            );
        }
    }
    let count = of(500, 5_000, 100_000);
    add(
        format!("E3 pipe_ring:start(10, {}, 8)", grouped(count as i64)),
        ("+Bd +K true -smp disable", "+Bd +K true +S 1:1"),
        format!("-s pipe_ring start 10 {count} 8"),
        Figure::Printed {
            before: "us each, ",
            scale: 1.0,
            unit: "/s",
            better: Better::More,
        },
    );
    let (few, many) = (of(20_000, 50_000, 500_000), of(100_000, 250_000, 3_000_000));
    for (flags, count) in [("+S 1:1 +P 4000000", many), ("+S 2:2 +P 4000000", many)] {
        add(
            format!(
                "memory of a waiting process ({} of them)",
                grouped(count as i64)
            ),
            (flags, flags),
            "-s timed waiting COUNT".into(),
            Figure::BytesEach { few, many },
        );
    }
    rows
}

/// What the names of the rows of the compute set begin with.
pub const COMPUTE: &str = "compute ";

/// A row for each program of `experiments/compute`: one process, one scheduler, the same work at every size.
pub fn compute_rows(programs: &[String]) -> impl Iterator<Item = Row> {
    programs.iter().map(|program| Row {
        name: format!("{COMPUTE}{program}"),
        flags: "+S 1:1",
        stock_flags: "+S 1:1",
        arguments: format!("-s compute time {program} -s erlang halt"),
        figure: Figure::Printed {
            before: "compute: ",
            scale: 1e-3,
            unit: "ms",
            better: Better::Less,
        },
        patience: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn thousands_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (-1234567, "-1,234,567"),
        ] {
            assert_eq!(grouped(number), text);
        }
    }
}
