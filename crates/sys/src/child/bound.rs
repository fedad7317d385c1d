//! Programs that end with the one that started them, however that comes about.

use std::io::Error;
use std::os::unix::process::CommandExt;
use std::process::{self, Command};

/// Has the program killed when the thread that started it ends: also when this process is killed, and cannot see to it
/// any more. What the program starts itself is not included.
pub fn bind(command: &mut Command) {
    let starter = process::id();
    let bind = move || {
        // SAFETY: two system calls with numbers; neither touches memory.
        let starter_now = unsafe {
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            libc::getppid()
        };
        // Whoever started it may be gone by now, and the kernel would not tell.
        if u32::try_from(starter_now) == Ok(starter) {
            Ok(())
        } else {
            Err(Error::from_raw_os_error(libc::ESRCH))
        }
    };
    // SAFETY: runs in a forked child: allocates nothing and takes no lock.
    unsafe { command.pre_exec(bind) };
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Stdio;
    use std::thread;

    #[test]
    fn a_bound_program_ends_with_the_thread_that_started_it() {
        let start = || {
            let mut command = Command::new("sleep");
            command.arg("100").stdout(Stdio::null());
            bind(&mut command);
            command.spawn().unwrap()
        };
        let mut child = thread::spawn(start).join().unwrap();
        assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
    }
}
