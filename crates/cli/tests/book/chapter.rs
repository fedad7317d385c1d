//! A chapter's blocks of code, and what is done with each.

use std::fs;
use std::path::Path;

/// What a chapter has to be done, in its order.
pub(crate) struct Chapter {
    pub name: String,
    pub steps: Vec<Step>,
}

pub(crate) struct Step {
    /// The line of the chapter, with what it includes.
    pub line: usize,
    pub task: Task,
    /// The program that it needs and why, if the block says so.
    pub needs: Option<(String, String)>,
}

pub(crate) enum Task {
    Write {
        name: String,
        text: String,
    },
    Command {
        typed: String,
        /// The lines that are shown; none if nothing is.
        shown: Vec<String>,
        status: i32,
    },
    LeaveOut {
        reason: String,
    },
}

/// What the comments before a block say.
#[derive(Default)]
struct Remarks {
    file: Option<String>,
    status: Option<i32>,
    needs: Option<(String, String)>,
    not_run: Option<String>,
}

impl Chapter {
    pub(crate) fn read(name: &str, text: &str) -> Chapter {
        let mut chapter = Chapter {
            name: name.to_owned(),
            steps: Vec::new(),
        };
        let mut remarks = Remarks::default();
        let mut lines = text.lines().enumerate();
        while let Some((index, line)) = lines.next() {
            if let Some(language) = line.strip_prefix("```") {
                let block: Vec<&str> = lines
                    .by_ref()
                    .map(|(_, line)| line)
                    .take_while(|line| *line != "```")
                    .collect();
                chapter.block(index + 1, language, &block, std::mem::take(&mut remarks));
            } else if let Some(remark) = line
                .strip_prefix("<!-- ")
                .and_then(|rest| rest.strip_suffix(" -->"))
            {
                remarks.add(remark);
            }
        }
        chapter
    }

    fn block(&mut self, line: usize, language: &str, block: &[&str], remarks: Remarks) {
        if let Some(name) = remarks.file {
            let text = format!("{}\n", block.join("\n"));
            self.steps.push(Step {
                line,
                task: Task::Write { name, text },
                needs: None,
            });
        } else if language == "console" {
            let first = self.steps.len();
            for (offset, text) in block.iter().enumerate() {
                self.console_line(line + 1 + offset, text, &remarks);
            }
            let last = self.steps[first..].last_mut();
            let last = last.unwrap_or_else(|| panic!("{}:{line}: nothing is typed", self.name));
            if let (Task::Command { status, .. }, Some(meant)) = (&mut last.task, remarks.status) {
                *status = meant;
            }
        }
    }

    fn console_line(&mut self, line: usize, text: &str, remarks: &Remarks) {
        if let Some(typed) = text.strip_prefix("$ ") {
            let typed = typed.to_owned();
            let task = match &remarks.not_run {
                Some(reason) => Task::LeaveOut {
                    reason: reason.clone(),
                },
                None => Task::Command {
                    typed,
                    shown: Vec::new(),
                    status: 0,
                },
            };
            let needs = remarks.needs.clone();
            self.steps.push(Step { line, task, needs });
            return;
        }
        let last = self.steps.last_mut().map(|step| &mut step.task);
        match (last, text.strip_prefix("> ")) {
            (Some(Task::Command { typed, shown, .. }), Some(more)) if shown.is_empty() => {
                typed.push('\n');
                typed.push_str(more);
            }
            (Some(Task::Command { shown, .. }), _) => shown.push(text.to_owned()),
            (Some(Task::LeaveOut { .. }), _) => {}
            _ => panic!("{}:{line}: nothing is typed before it", self.name),
        }
    }
}

impl Remarks {
    fn add(&mut self, remark: &str) {
        let Some((kind, text)) = remark.split_once(": ") else {
            return;
        };
        match kind {
            "file" => self.file = Some(text.to_owned()),
            "exit status" => self.status = Some(text.parse().expect("a number")),
            "not run" => self.not_run = Some(text.to_owned()),
            "needs" => {
                let (program, why) = text.split_once(": ").expect("a program and a reason");
                self.needs = Some((program.to_owned(), why.to_owned()));
            }
            _ => {}
        }
    }
}

/// The languages of the blocks.
pub(crate) fn languages(text: &str) -> Vec<String> {
    let fences = text.lines().filter_map(|line| line.strip_prefix("```"));
    fences.step_by(2).map(str::to_owned).collect()
}

/// The text with the files that it includes, whole (`{{#include FILE}}`) or between two marks (`FILE:NAME`).
pub(crate) fn with_included(text: &str, folder: &Path) -> String {
    let mut whole = String::new();
    for line in text.lines() {
        let named = line
            .strip_prefix("{{#include ")
            .and_then(|rest| rest.strip_suffix("}}"));
        let Some(named) = named else {
            whole.push_str(line);
            whole.push('\n');
            continue;
        };
        let (file, mark) = match named.split_once(':') {
            Some((file, mark)) => (file, Some(mark)),
            None => (named, None),
        };
        let path = folder.join(file);
        let included = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{file}: {error}"));
        let part = match mark {
            None => &*included,
            Some(mark) => {
                between(&included, mark).unwrap_or_else(|| panic!("{file} has no {mark}"))
            }
        };
        whole.push_str(part);
    }
    whole
}

fn between<'a>(text: &'a str, mark: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<!-- ANCHOR: {mark} -->\n"))?;
    let (part, _) = rest.split_once(&format!("<!-- ANCHOR_END: {mark} -->"))?;
    Some(part)
}
