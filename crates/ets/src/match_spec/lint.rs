//! What is wrong with a match specification, in OTP's words: the complaints that `erlang:match_spec_test/3` returns.

use layout::Term;
use term::{list, print};

use super::{Invalid, Source};

/// Maximum bytes of a complaint.
const MAX_BYTES: usize = 99;

/// Collects complaints, or stops at the first fault.
pub(crate) struct Lint {
    complaints: Option<Vec<String>>,
}

impl Lint {
    /// The first fault ends the compilation.
    pub(crate) fn silent() -> Lint {
        Lint { complaints: None }
    }

    /// Faults are recorded, and compilation continues where that makes sense.
    pub(crate) fn aloud() -> Lint {
        Lint {
            complaints: Some(Vec::new()),
        }
    }

    /// Records a fault; returns an error if compilation has to stop.
    pub(crate) fn fault(&mut self, complaint: impl FnOnce() -> String) -> Result<(), Invalid> {
        let Some(complaints) = &mut self.complaints else {
            return Err(Invalid);
        };
        let mut text = complaint();
        while text.len() > MAX_BYTES {
            text.pop();
        }
        complaints.push(text);
        Ok(())
    }

    /// Records a fault after which compilation cannot continue.
    pub(crate) fn fatal(&mut self, complaint: &str) -> Invalid {
        let _ = self.fault(|| complaint.to_owned());
        Invalid
    }

    /// Returns an error if anything was recorded.
    pub(crate) fn is_clean(&self) -> Result<(), Invalid> {
        match &self.complaints {
            Some(complaints) if !complaints.is_empty() => Err(Invalid),
            _ => Ok(()),
        }
    }

    pub(crate) fn into_complaints(self) -> Vec<String> {
        self.complaints.unwrap_or_default()
    }
}

/// A term as it is shown in complaints.
pub(crate) fn show(term: Term) -> String {
    print::display_limited(term, MAX_BYTES).to_string()
}

/// The clauses of a specification.
pub(crate) fn sources(specification: Term, lint: &mut Lint) -> Result<Vec<Source>, Invalid> {
    if !specification.is_cons() {
        return Err(lint.fatal("Match programs are not in a list."));
    }
    let Some(clauses) = list::to_vec(specification) else {
        return Err(lint.fatal("Match programs are not in a proper list."));
    };
    let mut sources = Vec::new();
    for clause in clauses {
        let Some([head, guards, body]) = clause.as_tuple_of() else {
            return Err(lint.fatal("Match program part is not a tuple of arity 3."));
        };
        sources.push([head, guards, body]);
    }
    Ok(sources)
}
