//! Programs that end together with the process that started them, however that one ends.

use std::io::Error;
use std::os::unix::process::CommandExt;
use std::process::Command;

use rustix::process::{Signal, getpid, getppid, set_parent_process_death_signal};

/// Makes the kernel kill the program when the thread that started it ends, also when this process itself is killed.
/// Processes that the program starts are not killed.
pub fn bind(command: &mut Command) {
    let starter = getpid();
    let bind = move || {
        set_parent_process_death_signal(Some(Signal::KILL))?;
        // The process that started it may have ended before that, of which the kernel does not tell.
        if getppid() == Some(starter) {
            Ok(())
        } else {
            Err(Error::from_raw_os_error(libc::ESRCH))
        }
    };
    // SAFETY: runs in a forked child: two system calls, no allocation and no lock.
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
