//! The functions of the C interface of linked-in drivers (`erl_driver.h`). Each row gives the function's family and its
//! name.
//!
//! As with the functions of NIFs, what the executable exports and the array of functions in `native` are derived from
//! the rows. Constant data; any thread may read it.

/// Expands `$callback! { (family, name), ... }`. The family is the file of `native::driver::functions` that has the
/// function.
#[macro_export]
macro_rules! for_each_driver_function {
    ($callback:ident) => {
        $callback! {
            (binaries, driver_alloc_binary),
            (binaries, driver_binary_dec_refc),
            (binaries, driver_binary_get_refc),
            (binaries, driver_binary_inc_refc),
            (binaries, driver_free_binary),
            (binaries, driver_realloc_binary),

            (memory, driver_alloc),
            (memory, driver_free),
            (memory, driver_realloc),

            (output, driver_output),
            (output, driver_output2),
            (output, driver_output_binary),
            (output, driver_outputv),
            (output, driver_vec_to_buf),

            (queues, driver_deq),
            (queues, driver_enq),
            (queues, driver_enq_bin),
            (queues, driver_enqv),
            (queues, driver_peekq),
            (queues, driver_peekqv),
            (queues, driver_pushq),
            (queues, driver_pushq_bin),
            (queues, driver_pushqv),
            (queues, driver_sizeq),

            (events, driver_cancel_timer),
            (events, driver_read_timer),
            (events, driver_select),
            (events, driver_set_timer),

            (ports, driver_caller),
            (ports, driver_connected),
            (ports, driver_create_port),
            (ports, driver_exit),
            (ports, driver_failure),
            (ports, driver_failure_atom),
            (ports, driver_failure_eof),
            (ports, driver_failure_posix),
            (ports, driver_lock_driver),
            (ports, driver_mk_port),
            (ports, dtrace_drvport_str),
            (ports, erl_drv_busy_msgq_limits),
            (ports, erl_drv_consume_timeslice),
            (ports, erl_drv_init_ack),
            (ports, erl_drv_set_os_pid),
            (ports, get_port_flags),
            (ports, set_busy_port),
            (ports, set_port_control_flags),

            (processes, driver_compare_monitors),
            (processes, driver_demonitor_process),
            (processes, driver_get_monitored_process),
            (processes, driver_monitor_process),

            (terms, driver_mk_atom),
            (terms, driver_mk_term_nil),
            (terms, driver_output_term),
            (terms, driver_send_term),
            (terms, erl_drv_output_term),
            (terms, erl_drv_send_term),

            (threads, driver_async),
            (threads, driver_async_port_key),
            (threads, driver_pdl_create),
            (threads, driver_pdl_dec_refc),
            (threads, driver_pdl_get_refc),
            (threads, driver_pdl_inc_refc),
            (threads, driver_pdl_lock),
            (threads, driver_pdl_unlock),

            (locks, erl_drv_cond_broadcast),
            (locks, erl_drv_cond_create),
            (locks, erl_drv_cond_destroy),
            (locks, erl_drv_cond_name),
            (locks, erl_drv_cond_signal),
            (locks, erl_drv_cond_wait),
            (locks, erl_drv_equal_tids),
            (locks, erl_drv_mutex_create),
            (locks, erl_drv_mutex_destroy),
            (locks, erl_drv_mutex_lock),
            (locks, erl_drv_mutex_name),
            (locks, erl_drv_mutex_trylock),
            (locks, erl_drv_mutex_unlock),
            (locks, erl_drv_rwlock_create),
            (locks, erl_drv_rwlock_destroy),
            (locks, erl_drv_rwlock_name),
            (locks, erl_drv_rwlock_rlock),
            (locks, erl_drv_rwlock_runlock),
            (locks, erl_drv_rwlock_rwlock),
            (locks, erl_drv_rwlock_rwunlock),
            (locks, erl_drv_rwlock_tryrlock),
            (locks, erl_drv_rwlock_tryrwlock),
            (locks, erl_drv_thread_create),
            (locks, erl_drv_thread_exit),
            (locks, erl_drv_thread_join),
            (locks, erl_drv_thread_name),
            (locks, erl_drv_thread_opts_create),
            (locks, erl_drv_thread_opts_destroy),
            (locks, erl_drv_thread_self),
            (locks, erl_drv_tsd_get),
            (locks, erl_drv_tsd_key_create),
            (locks, erl_drv_tsd_key_destroy),
            (locks, erl_drv_tsd_set),

            (system, add_driver_entry),
            (system, driver_dl_close),
            (system, driver_dl_error),
            (system, driver_dl_open),
            (system, driver_dl_sym),
            (system, driver_get_now),
            (system, driver_system_info),
            (system, erl_drv_convert_time_unit),
            (system, erl_drv_getenv),
            (system, erl_drv_monotonic_time),
            (system, erl_drv_putenv),
            (system, erl_drv_time_offset),
            (system, erl_errno_id),
            (system, null_func),
            (system, remove_driver_entry),
        }
    };
}

macro_rules! names {
    ($(($family:ident, $name:ident),)*) => {
        /// The names of all functions, in the order of the table.
        pub const DRIVER_FUNCTIONS: &[&str] = &[$(stringify!($name)),*];
    };
}
for_each_driver_function!(names);
