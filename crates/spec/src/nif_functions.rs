//! The functions of the C interface of NIFs (`erl_nif.h`). Each row gives the function's family, its name, and the
//! minor version of interface 2 that added it (0: it is older; OTP 25 has 16, OTP 26 to 28 have 17, OTP 29 has 18). All
//! are there for a node of any release: a library that needs a newer interface than the node's is refused by the
//! version in its entry.
//!
//! What the executable exports, the array of functions in `native` and the report of what is missing are derived from
//! the rows: if a row has no function, `native` does not compile. Constant data; any thread may read it.

/// Expands `$callback! { (family, name, minor), ... }`. The family is the file of `native::functions` that has the
/// function.
#[macro_export]
macro_rules! for_each_nif_function {
    ($callback:ident) => {
        $callback! {
            (atoms, enif_get_atom, 0),
            (atoms, enif_get_atom_cache_index, 18),
            (atoms, enif_get_atom_length, 0),
            (atoms, enif_make_atom, 0),
            (atoms, enif_make_atom_len, 0),
            (atoms, enif_make_existing_atom, 0),
            (atoms, enif_make_existing_atom_len, 0),
            (atoms, enif_make_new_atom, 17),
            (atoms, enif_make_new_atom_len, 17),
            (atoms, enif_max_atom_cache_index, 18),

            (binaries, enif_alloc_binary, 0),
            (binaries, enif_inspect_binary, 0),
            (binaries, enif_inspect_iolist_as_binary, 0),
            (binaries, enif_make_binary, 0),
            (binaries, enif_make_new_binary, 0),
            (binaries, enif_make_resource_binary, 0),
            (binaries, enif_make_sub_binary, 0),
            (binaries, enif_realloc_binary, 0),
            (binaries, enif_release_binary, 0),

            (exceptions, enif_has_pending_exception, 8),
            (exceptions, enif_is_exception, 2),
            (exceptions, enif_make_badarg, 0),
            (exceptions, enif_raise_exception, 8),

            (external, enif_binary_to_term, 10),
            (external, enif_term_to_binary, 10),

            (io_queues, enif_free_iovec, 13),
            (io_queues, enif_inspect_iovec, 13),
            (io_queues, enif_ioq_create, 13),
            (io_queues, enif_ioq_deq, 13),
            (io_queues, enif_ioq_destroy, 13),
            (io_queues, enif_ioq_enq_binary, 13),
            (io_queues, enif_ioq_enqv, 13),
            (io_queues, enif_ioq_peek, 13),
            (io_queues, enif_ioq_peek_head, 14),
            (io_queues, enif_ioq_size, 13),

            (kinds, enif_compare, 0),
            (kinds, enif_hash, 12),
            (kinds, enif_is_atom, 0),
            (kinds, enif_is_binary, 0),
            (kinds, enif_is_empty_list, 0),
            (kinds, enif_is_fun, 0),
            (kinds, enif_is_identical, 0),
            (kinds, enif_is_list, 0),
            (kinds, enif_is_map, 6),
            (kinds, enif_is_number, 3),
            (kinds, enif_is_pid, 0),
            (kinds, enif_is_port, 0),
            (kinds, enif_is_ref, 0),
            (kinds, enif_is_tuple, 0),
            (kinds, enif_term_size, 18),
            (kinds, enif_term_type, 15),

            (lists, enif_get_list_cell, 0),
            (lists, enif_get_list_length, 0),
            (lists, enif_get_string, 0),
            (lists, enif_get_string_length, 17),
            (lists, enif_make_list_cell, 0),
            (lists, enif_make_list_from_array, 0),
            (lists, enif_make_reverse_list, 3),
            (lists, enif_make_string, 0),
            (lists, enif_make_string_len, 0),

            (locks, enif_cond_broadcast, 0),
            (locks, enif_cond_create, 0),
            (locks, enif_cond_destroy, 0),
            (locks, enif_cond_name, 14),
            (locks, enif_cond_signal, 0),
            (locks, enif_cond_wait, 0),
            (locks, enif_mutex_create, 0),
            (locks, enif_mutex_destroy, 0),
            (locks, enif_mutex_lock, 0),
            (locks, enif_mutex_name, 14),
            (locks, enif_mutex_trylock, 0),
            (locks, enif_mutex_unlock, 0),
            (locks, enif_rwlock_create, 0),
            (locks, enif_rwlock_destroy, 0),
            (locks, enif_rwlock_name, 14),
            (locks, enif_rwlock_rlock, 0),
            (locks, enif_rwlock_runlock, 0),
            (locks, enif_rwlock_rwlock, 0),
            (locks, enif_rwlock_rwunlock, 0),
            (locks, enif_rwlock_tryrlock, 0),
            (locks, enif_rwlock_tryrwlock, 0),
            (locks, enif_tsd_get, 0),
            (locks, enif_tsd_key_create, 0),
            (locks, enif_tsd_key_destroy, 0),
            (locks, enif_tsd_set, 0),

            (maps, enif_get_map_size, 6),
            (maps, enif_get_map_value, 6),
            (maps, enif_make_map_from_arrays, 14),
            (maps, enif_make_map_put, 6),
            (maps, enif_make_map_remove, 6),
            (maps, enif_make_map_update, 6),
            (maps, enif_make_new_map, 6),
            (maps, enif_map_iterator_create, 6),
            (maps, enif_map_iterator_destroy, 6),
            (maps, enif_map_iterator_get_pair, 6),
            (maps, enif_map_iterator_is_head, 6),
            (maps, enif_map_iterator_is_tail, 6),
            (maps, enif_map_iterator_next, 6),
            (maps, enif_map_iterator_prev, 6),

            (memory, enif_alloc, 0),
            (memory, enif_free, 0),
            (memory, enif_realloc, 0),

            (numbers, enif_get_double, 0),
            (numbers, enif_get_int, 0),
            (numbers, enif_get_long, 0),
            (numbers, enif_get_uint, 0),
            (numbers, enif_get_ulong, 0),
            (numbers, enif_make_double, 0),
            (numbers, enif_make_int, 0),
            (numbers, enif_make_long, 0),
            (numbers, enif_make_uint, 0),
            (numbers, enif_make_ulong, 0),

            (processes, enif_alloc_env, 0),
            (processes, enif_clear_env, 0),
            (processes, enif_consume_timeslice, 4),
            (processes, enif_free_env, 0),
            (processes, enif_get_local_pid, 0),
            (processes, enif_get_local_port, 10),
            (processes, enif_is_current_process_alive, 10),
            (processes, enif_is_pid_undefined, 15),
            (processes, enif_is_port_alive, 10),
            (processes, enif_is_process_alive, 10),
            (processes, enif_make_copy, 0),
            (processes, enif_make_ref, 0),
            (processes, enif_port_command, 10),
            (processes, enif_priv_data, 0),
            (processes, enif_schedule_nif, 7),
            (processes, enif_self, 0),
            (processes, enif_send, 0),
            (processes, enif_set_pid_undefined, 15),
            (processes, enif_whereis_pid, 12),
            (processes, enif_whereis_port, 12),

            (resources, enif_alloc_resource, 0),
            (resources, enif_compare_monitors, 12),
            (resources, enif_demonitor_process, 12),
            (resources, enif_dynamic_resource_call, 16),
            (resources, enif_get_resource, 0),
            (resources, enif_init_resource_type, 16),
            (resources, enif_keep_resource, 0),
            (resources, enif_make_monitor_term, 15),
            (resources, enif_make_resource, 0),
            (resources, enif_monitor_process, 12),
            (resources, enif_open_resource_type, 0),
            (resources, enif_open_resource_type_x, 12),
            (resources, enif_release_resource, 0),
            (resources, enif_sizeof_resource, 0),

            (select, enif_select, 12),
            (select, enif_select_x, 15),

            (system, enif_dlopen, 3),
            (system, enif_dlsym, 3),
            (system, enif_getenv, 9),
            (system, enif_system_info, 0),
            (system, enif_thread_type, 11),

            (time, enif_convert_time_unit, 10),
            (time, enif_cpu_time, 10),
            (time, enif_make_unique_integer, 10),
            (time, enif_monotonic_time, 10),
            (time, enif_now_time, 10),
            (time, enif_time_offset, 10),

            (tuples, enif_get_tuple, 0),
            (tuples, enif_make_tuple_from_array, 0),

            (variadic, enif_equal_tids, 0),
            (variadic, enif_fprintf, 0),
            (variadic, enif_make_list, 0),
            (variadic, enif_make_tuple, 0),
            (variadic, enif_set_option, 17),
            (variadic, enif_snprintf, 11),
            (variadic, enif_thread_create, 0),
            (variadic, enif_thread_exit, 0),
            (variadic, enif_thread_join, 0),
            (variadic, enif_thread_name, 14),
            (variadic, enif_thread_opts_create, 0),
            (variadic, enif_thread_opts_destroy, 0),
            (variadic, enif_thread_self, 0),
            (variadic, enif_vfprintf, 14),
            (variadic, enif_vsnprintf, 14),
        }
    };
}

/// A function of the interface.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NifFunction {
    pub name: &'static str,
    /// The minor version of interface 2 that added it; 0 if it is older.
    pub minor: u32,
}

macro_rules! functions {
    ($(($family:ident, $name:ident, $minor:literal),)*) => {
        /// Every function of the interface.
        pub const NIF_FUNCTIONS: &[NifFunction] = &[$(
            NifFunction {
                name: stringify!($name),
                minor: $minor,
            },
        )*];
    };
}
for_each_nif_function!(functions);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_function_has_two_rows() {
        let mut names: Vec<&str> = NIF_FUNCTIONS.iter().map(|row| row.name).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
