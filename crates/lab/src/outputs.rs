//! The files that a session is written to, and read from again.

use anyhow::{Context, Result, bail};
use std::borrow::Cow;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use crate::headline::{self, Headline};
use crate::options::LabOptions;
use crate::report;
use crate::results::Session;
use crate::saved::{self, Checkout};
use crate::screen::say;
use crate::summary;
use crate::view;

/// What `--from` can read.
pub(crate) enum Stored {
    Session(Box<Session>),
    Headline(Headline),
}

/// Reads what `--json`, `--save` or `--headline` wrote.
pub(crate) fn read(path: &Path) -> Result<Stored> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name} cannot be read"))?;
    let is_headline = serde_json::from_str::<serde_json::Value>(&text)
        .is_ok_and(|value| value.get("figures").is_some());
    if !is_headline {
        return Ok(Stored::Session(Box::new(saved::read(path)?)));
    }
    let headline = serde_json::from_str(&text)
        .with_context(|| format!("{name} was not written by --headline of this version"))?;
    Ok(Stored::Headline(headline))
}

/// The files to write. They are opened before the runs, which may take hours.
pub(crate) struct Outputs {
    files: Vec<(PathBuf, OutputForm)>,
}

#[derive(Clone, Copy)]
enum OutputForm {
    Json,
    Headline,
    Markdown,
    Page,
    Picture,
}

impl Outputs {
    /// A file that cannot be written is added to `problems`.
    pub(crate) fn open(options: &LabOptions, problems: &mut Vec<String>) -> Outputs {
        let mut files = Vec::new();
        let wanted = [
            (&options.json, OutputForm::Json),
            (&options.headline, OutputForm::Headline),
            (&options.markdown, OutputForm::Markdown),
            (&options.report, OutputForm::Page),
            (&options.picture, OutputForm::Picture),
        ];
        for (path, form) in wanted {
            let Some(path) = path else { continue };
            // Opened for appending: an existing file keeps its content until there is new content.
            match File::options().create(true).append(true).open(path) {
                Ok(_) => files.push((path.clone(), form)),
                Err(error) => {
                    problems.push(format!("{} cannot be written: {error}", path.display()))
                }
            }
        }
        Outputs { files }
    }

    /// Returns whether all of them were written.
    pub(crate) fn write(&self, stored: &Stored) -> bool {
        let mut done = true;
        for (path, form) in &self.files {
            let written = form.text(stored).and_then(|text| {
                fs::write(path, text)
                    .with_context(|| format!("{} cannot be written", path.display()))
            });
            match written {
                Ok(()) => say(&format!("Written: {}", absolute(path))),
                Err(error) => {
                    eprintln!("ferl lab: {error:#}");
                    done = false;
                }
            }
        }
        done
    }
}

impl OutputForm {
    fn text(self, stored: &Stored) -> Result<String> {
        match (self, stored) {
            (OutputForm::Json, Stored::Session(session)) => {
                Ok(serde_json::to_string_pretty(session)?)
            }
            (OutputForm::Markdown, Stored::Session(session)) => {
                summary::summary(&view::view(session))
            }
            (OutputForm::Page, Stored::Session(session)) => report::page(session),
            (OutputForm::Headline, _) => {
                let text = serde_json::to_string_pretty(&*stored.headline()?)?;
                Ok(format!("{text}\n"))
            }
            (OutputForm::Picture, _) => headline::picture(&*stored.headline()?),
            (_, Stored::Headline(_)) => bail!("this needs a file that --json has written"),
        }
    }
}

impl Stored {
    fn headline(&self) -> Result<Cow<'_, Headline>> {
        Ok(match self {
            Stored::Session(session) => Cow::Owned(Headline::of(session)?),
            Stored::Headline(headline) => Cow::Borrowed(headline),
        })
    }
}

/// Keeps a session in the checkout that the working directory lies in.
pub(crate) fn save(session: &Session) -> Result<()> {
    let folder = Checkout::here()?.results();
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let path = saved::file_of(&folder, session);
    fs::write(&path, saved::text(session)?)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    say(&format!("Written: {}", absolute(&path)));
    say(
        "`ferl lab results` draws docs/results.md and the picture of the README from what is kept.",
    );
    Ok(())
}

fn absolute(path: &Path) -> String {
    let absolute = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
    absolute.display().to_string()
}
