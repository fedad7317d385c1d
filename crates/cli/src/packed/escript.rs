//! A packed escript: started as OTP's program `escript` starts one. All words are the script's own.

use super::carried::Carried;
use crate::words::{Word, at_spaces};

/// The words of `erl` for a script with these arguments.
pub(super) fn start(carried: &Carried, typed: &[Word]) -> Vec<Word> {
    let mut words = vec![b"+B".to_vec(), b"-boot".to_vec()];
    words.push(carried.path("bin/no_dot_erlang"));
    words.push(b"-noshell".to_vec());
    words.extend(at_spaces(carried.image.fact("flags").as_bytes()));
    words.extend(["-run", "escript", "start", "-extra"].map(|word| word.as_bytes().to_vec()));
    words.push(carried.path(&format!("bin/{}", carried.image.fact("name"))));
    words.extend(typed.iter().cloned());
    words
}
