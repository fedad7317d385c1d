//! The functions that are written in C (`c/variadic.c`, `c/threads.c`): variadic ones, and threads.

use std::ffi::c_char;
use std::ptr;

use layout::Term;
use term::print;

macro_rules! written_in_c {
    ($($name:ident)*) => {
        // Only their addresses are used here, so their types do not matter.
        unsafe extern "C" {
            $(pub(crate) fn $name();)*
        }
    };
}

written_in_c! {
    enif_make_tuple enif_make_list enif_set_option enif_fprintf enif_snprintf enif_vfprintf enif_vsnprintf
    enif_thread_opts_create enif_thread_opts_destroy enif_thread_create enif_thread_self enif_equal_tids
    enif_thread_exit enif_thread_join enif_thread_name
}

/// The text of a term for `%T`, to be freed by `free`.
#[unsafe(no_mangle)]
extern "C" fn ferl_native_term_text(term: Term, size: &mut usize) -> *mut c_char {
    let text = match term.is_none() {
        true => b"#NOVALUE".to_vec(),
        false => print::display_bytes(term),
    };
    // SAFETY: the size is not zero, and the memory has as many bytes as the text.
    unsafe {
        let memory = libc::malloc(text.len().max(1)).cast::<u8>();
        assert!(!memory.is_null(), "no memory for the text of a term");
        ptr::copy_nonoverlapping(text.as_ptr(), memory, text.len());
        *size = text.len();
        memory.cast()
    }
}
