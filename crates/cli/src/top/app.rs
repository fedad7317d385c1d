//! What is shown, and what keys change of it.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use clap::ValueEnum;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::answers::{History, Node, Page, Process};

/// Samples of the history that are kept, for the plots.
const SAMPLES: usize = 120;

/// What processes are sorted by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(super) enum Sort {
    Memory,
    /// All since a process began.
    Reductions,
    /// In a second.
    #[value(alias = "reductions_rate")]
    ReductionsRate,
    Queue,
    #[value(alias = "queue_growth")]
    QueueGrowth,
    Binaries,
}

impl Sort {
    const ALL: [Sort; 6] = [
        Sort::Memory,
        Sort::ReductionsRate,
        Sort::Reductions,
        Sort::Queue,
        Sort::QueueGrowth,
        Sort::Binaries,
    ];

    /// Its name in a request.
    pub(super) fn name(self) -> &'static str {
        match self {
            Sort::Memory => "memory",
            Sort::Reductions => "reductions",
            Sort::ReductionsRate => "reductions_rate",
            Sort::Queue => "queue",
            Sort::QueueGrowth => "queue_growth",
            Sort::Binaries => "binaries",
        }
    }
}

/// What processes are grouped by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Group {
    None,
    InitialCall,
    Label,
    Current,
}

impl Group {
    const ALL: [Group; 4] = [
        Group::None,
        Group::InitialCall,
        Group::Label,
        Group::Current,
    ];

    pub(super) fn name(self) -> &'static str {
        match self {
            Group::None => "none",
            Group::InitialCall => "initial_call",
            Group::Label => "label",
            Group::Current => "current",
        }
    }
}

/// What the reader asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    Table(Vec<(&'static str, String)>),
    Process(String),
}

/// What the reader is to have the node do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Deed {
    Kill(String),
    Collect(String),
}

/// What the reader has found.
#[derive(Debug)]
pub(super) enum Found {
    Node(Box<Node>),
    History(History),
    Page(Page),
    Process(Box<Process>),
    /// The process of this pid has ended.
    ProcessIsGone(String),
    /// What the node was to do is done, or not.
    Done(Result<String, String>),
    /// There was no answer, for this reason.
    Silence(String),
}

/// Which of the screens.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum View {
    Table,
    Process(String),
}

/// What keys go to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    Keys,
    /// A filter is typed.
    Filter(String),
    /// A question that `y` confirms.
    Confirm(Deed),
    Help,
}

/// What the loop has to do after a key.
#[derive(PartialEq, Eq, Debug)]
#[must_use]
pub(super) enum After {
    Nothing,
    /// Other things are wanted now.
    Ask,
    Do(Deed),
    Quit,
}

pub(super) struct App {
    pub(super) node: Option<Node>,
    pub(super) columns: HashMap<String, VecDeque<Option<f64>>>,
    pub(super) page: Page,
    pub(super) process: Option<Process>,
    pub(super) is_gone: bool,
    pub(super) view: View,
    pub(super) mode: Mode,
    pub(super) sort: Sort,
    pub(super) ascending: bool,
    pub(super) group: Group,
    pub(super) filter: Option<String>,
    /// The number of the page, and the row that is chosen on it.
    pub(super) page_number: usize,
    pub(super) row: usize,
    pub(super) scroll: u16,
    pub(super) is_paused: bool,
    /// Rows that the screen has room for.
    pub(super) room: usize,
    /// What happened, for the last line.
    pub(super) note: Option<String>,
    /// Why the last question had no answer, and when the last answer came.
    pub(super) silence: Option<String>,
    pub(super) heard: Option<Instant>,
}

impl App {
    pub(super) fn new(sort: Sort, filter: Option<String>) -> App {
        App {
            node: None,
            columns: HashMap::new(),
            page: Page::default(),
            process: None,
            is_gone: false,
            view: View::Table,
            mode: Mode::Keys,
            sort,
            ascending: false,
            group: Group::None,
            filter,
            page_number: 0,
            row: 0,
            scroll: 0,
            is_paused: false,
            room: 20,
            note: None,
            silence: None,
            heard: None,
        }
    }

    /// Parameters of the table that is shown, of so many rows.
    pub(super) fn query(&self, rows: usize) -> Vec<(&'static str, String)> {
        let mut query = vec![
            ("sort", self.sort.name().to_owned()),
            (
                "order",
                if self.ascending { "asc" } else { "desc" }.to_owned(),
            ),
            ("group", self.group.name().to_owned()),
            ("page", self.page_number.to_string()),
            ("rows", rows.to_string()),
        ];
        query.extend(self.filter.clone().map(|filter| ("filter", filter)));
        query
    }

    /// What is to be asked for; nothing while it is paused.
    pub(super) fn wanted(&self) -> Option<Wanted> {
        if self.is_paused {
            return None;
        }
        Some(match &self.view {
            View::Table => Wanted::Table(self.query(self.room.clamp(1, 500))),
            View::Process(pid) => Wanted::Process(pid.clone()),
        })
    }

    /// The last value of a column.
    pub(super) fn last(&self, id: &str) -> Option<f64> {
        *self.columns.get(id)?.back()?
    }

    pub(super) fn take(&mut self, found: Found) {
        match found {
            Found::Silence(reason) => {
                self.silence = Some(reason);
                return;
            }
            Found::Done(outcome) => {
                self.note = Some(outcome.unwrap_or_else(|reason| reason));
                return;
            }
            Found::Node(node) => self.node = Some(*node),
            Found::History(history) => self.add(&history),
            Found::Page(page) => {
                self.page = page;
                self.row = self.row.min(self.page.rows.len().saturating_sub(1));
            }
            Found::Process(process) => {
                self.is_gone = false;
                self.process = Some(*process);
            }
            Found::ProcessIsGone(pid) => {
                self.is_gone |= self.view == View::Process(pid);
            }
        }
        self.silence = None;
        self.heard = Some(Instant::now());
    }

    fn add(&mut self, history: &History) {
        for (id, values) in &history.columns {
            let column = self.columns.entry(id.clone()).or_default();
            column.extend(values);
            let extra = column.len().saturating_sub(SAMPLES);
            column.drain(..extra);
        }
    }

    pub(super) fn key(&mut self, key: KeyEvent) -> After {
        self.note = None;
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return After::Quit;
        }
        match std::mem::replace(&mut self.mode, Mode::Keys) {
            Mode::Help => After::Nothing,
            Mode::Filter(text) => self.filter_key(text, key.code),
            Mode::Confirm(deed) => match key.code {
                KeyCode::Char('y' | 'Y') => After::Do(deed),
                _ => After::Nothing,
            },
            Mode::Keys => match key.code {
                KeyCode::Char('q') => After::Quit,
                KeyCode::Char('?' | 'h') => {
                    self.mode = Mode::Help;
                    After::Nothing
                }
                KeyCode::Char(' ' | 'p') => {
                    self.is_paused = !self.is_paused;
                    After::Ask
                }
                code => match self.view.clone() {
                    View::Table => self.table_key(code),
                    View::Process(pid) => self.process_key(pid, code),
                },
            },
        }
    }

    fn filter_key(&mut self, mut text: String, code: KeyCode) -> After {
        match code {
            KeyCode::Esc => return After::Nothing,
            KeyCode::Enter => {
                self.filter = (!text.is_empty()).then_some(text);
                return self.ask_anew();
            }
            KeyCode::Backspace => _ = text.pop(),
            KeyCode::Char(c) if text.chars().count() < 200 => text.push(c),
            _ => {}
        }
        self.mode = Mode::Filter(text);
        After::Nothing
    }

    fn table_key(&mut self, code: KeyCode) -> After {
        let last = self.page.rows.len().saturating_sub(1);
        match code {
            KeyCode::Down | KeyCode::Char('j') => self.row = (self.row + 1).min(last),
            KeyCode::Up | KeyCode::Char('k') => self.row = self.row.saturating_sub(1),
            KeyCode::Home => self.row = 0,
            KeyCode::End => self.row = last,
            KeyCode::PageDown => {
                let shown = (self.page_number + 1) * self.room;
                if (shown as u64) < self.page.matched {
                    self.page_number += 1;
                    self.row = 0;
                    return After::Ask;
                }
            }
            KeyCode::PageUp if self.page_number > 0 => {
                self.page_number -= 1;
                self.row = 0;
                return After::Ask;
            }
            KeyCode::Enter | KeyCode::Right => return self.drill(),
            KeyCode::Esc if self.filter.is_some() => {
                self.filter = None;
                return self.ask_anew();
            }
            KeyCode::Char('/') => {
                self.mode = Mode::Filter(self.filter.clone().unwrap_or_default());
            }
            KeyCode::Char('s') => {
                let place = Sort::ALL.iter().position(|sort| *sort == self.sort);
                self.sort = Sort::ALL[(place.unwrap_or(0) + 1) % Sort::ALL.len()];
                return self.ask_anew();
            }
            KeyCode::Char('g') => {
                let place = Group::ALL.iter().position(|group| *group == self.group);
                self.group = Group::ALL[(place.unwrap_or(0) + 1) % Group::ALL.len()];
                return self.ask_anew();
            }
            KeyCode::Char('r') => {
                self.ascending = !self.ascending;
                return self.ask_anew();
            }
            KeyCode::Char(digit @ '1'..='6') => {
                self.sort = Sort::ALL[digit as usize - '1' as usize];
                return self.ask_anew();
            }
            KeyCode::Char('x') | KeyCode::Delete => {
                if let Some(row) = self
                    .page
                    .rows
                    .get(self.row)
                    .filter(|row| row.count.is_none())
                {
                    return self.confirm(Deed::Kill(row.pid.clone()));
                }
            }
            _ => {}
        }
        After::Nothing
    }

    /// Opens what the chosen row stands for: a process, or the processes of a group.
    fn drill(&mut self) -> After {
        let Some(row) = self.page.rows.get(self.row).cloned() else {
            return After::Nothing;
        };
        if row.count.is_some() {
            self.group = Group::None;
            self.filter = row.key;
            return self.ask_anew();
        }
        self.view = View::Process(row.pid);
        (self.process, self.is_gone, self.scroll) = (None, false, 0);
        // What is paused is the table; a process is read at least once.
        self.is_paused = false;
        After::Ask
    }

    fn process_key(&mut self, pid: String, code: KeyCode) -> After {
        match code {
            KeyCode::Esc | KeyCode::Left | KeyCode::Backspace => {
                self.view = View::Table;
                return After::Ask;
            }
            KeyCode::Down | KeyCode::Char('j') => self.scroll = self.scroll.saturating_add(1),
            KeyCode::Up | KeyCode::Char('k') => self.scroll = self.scroll.saturating_sub(1),
            KeyCode::PageDown => self.scroll = self.scroll.saturating_add(10),
            KeyCode::PageUp => self.scroll = self.scroll.saturating_sub(10),
            KeyCode::Home => self.scroll = 0,
            KeyCode::Char('x') | KeyCode::Delete => return self.confirm(Deed::Kill(pid)),
            KeyCode::Char('c') => return self.confirm(Deed::Collect(pid)),
            _ => {}
        }
        After::Nothing
    }

    fn confirm(&mut self, deed: Deed) -> After {
        match self.node.as_ref().is_some_and(|node| node.control) {
            true => self.mode = Mode::Confirm(deed),
            false => {
                let text = "the node was not started with `+dashboard_control true`";
                self.note = Some(text.to_owned());
            }
        }
        After::Nothing
    }

    /// Another table is wanted, from its beginning.
    fn ask_anew(&mut self) -> After {
        (self.page_number, self.row) = (0, 0);
        self.is_paused = false;
        After::Ask
    }
}

#[cfg(test)]
#[path = "app/tests.rs"]
mod tests;
