//! The BIFs: each row gives module, function, arity, the path of the Rust body, and properties.
//!
//! A BIF's number is the position of its row, and everything else is derived from the rows: [`BIFS`] here, the array
//! of bodies in the crate `bifs` (`bifs::ENTRIES`). If a row's body is missing, that crate does not compile. Constant
//! data; any thread may read it.
//!
//! A row counts in all releases, unless its properties say since or until when.
//!
//! To add a BIF, append its row to the section of its module and write the body. Rows within a section are in no
//! particular order; a test fails if a function has two rows.

use crate::atoms;
use crate::release::Release;

/// Expands `$callback! { ("module", "name", arity, path::of_body, PROPERTY | PROPERTY...), ... }`, one row for each
/// BIF.
///
/// The path is relative to the crate `bifs`, and the properties are constants of
/// [`crate::bifs::Properties`]. A callback matches the rows with
///
/// ```
/// macro_rules! callback {
///     ($(($module:literal, $name:literal, $arity:literal, $($body:ident)::+, $($property:ident)|+),)*) => {
///         // for example: [$(bif::$($body)::+,)*]
///     };
/// }
/// spec::for_each_bif!(callback);
/// ```
///
/// Operators have their text as their name, and a word in the name of the body:
/// `("erlang", "+", 2, erlang::plus_2, GUARD)`.
#[macro_export]
macro_rules! for_each_bif {
    ($callback:ident) => {
        $callback! {
            // atomics
            ("atomics", "put", 3, atomics::put_3, NONE),
            ("atomics", "get", 2, atomics::get_2, NONE),
            ("atomics", "add", 3, atomics::add_3, NONE),
            ("atomics", "add_get", 3, atomics::add_get_3, NONE),
            ("atomics", "exchange", 3, atomics::exchange_3, NONE),
            ("atomics", "compare_exchange", 4, atomics::compare_exchange_4, NONE),
            ("atomics", "info", 1, atomics::info_1, NONE),

            // binary
            ("binary", "at", 2, binary::at_2, NONE),
            ("binary", "first", 1, binary::first_1, NONE),
            ("binary", "last", 1, binary::last_1, NONE),
            ("binary", "part", 2, binary::part_2, NONE),
            ("binary", "part", 3, binary::part_3, NONE),
            ("binary", "list_to_bin", 1, binary::list_to_bin_1, TRAPS),
            ("binary", "copy", 1, binary::copy_1, DIRTY_CPU | TRIED_FIRST),
            ("binary", "copy", 2, binary::copy_2, DIRTY_CPU | TRIED_FIRST),
            ("binary", "referenced_byte_size", 1, binary::referenced_byte_size_1, NONE),
            ("binary", "encode_unsigned", 1, binary::encode_unsigned_1, NONE),
            ("binary", "encode_unsigned", 2, binary::encode_unsigned_2, NONE),
            ("binary", "decode_unsigned", 1, binary::decode_unsigned_1, NONE),
            ("binary", "decode_unsigned", 2, binary::decode_unsigned_2, NONE),
            ("binary", "longest_common_prefix", 1, binary::longest_common_prefix_1, DIRTY_CPU | TRIED_FIRST),
            ("binary", "longest_common_suffix", 1, binary::longest_common_suffix_1, DIRTY_CPU | TRIED_FIRST),
            ("binary", "compile_pattern", 1, binary::compile_pattern_1, NONE),
            ("binary", "match", 2, binary::match_2, TRAPS),
            ("binary", "match", 3, binary::match_3, TRAPS),
            ("binary", "matches", 2, binary::matches_2, TRAPS | DIRTY_CPU | TRIED_FIRST),
            ("binary", "matches", 3, binary::matches_3, TRAPS | DIRTY_CPU | TRIED_FIRST),
            ("binary", "split", 2, binary::split_2, TRAPS | DIRTY_CPU | TRIED_FIRST),
            ("binary", "split", 3, binary::split_3, TRAPS | DIRTY_CPU | TRIED_FIRST),

            // code
            ("code", "coverage_support", 0, erlang::coverage_support_0, SINCE_27),
            ("code", "get_coverage_mode", 0, erlang::get_coverage_mode_0, SINCE_27),
            ("code", "get_coverage_mode", 1, erlang::get_coverage_mode_1, SINCE_27),
            ("code", "set_coverage_mode", 1, erlang::set_coverage_mode_1, SINCE_27),
            ("code", "get_coverage", 2, erlang::get_coverage_2, SINCE_27),
            ("code", "reset_coverage", 1, erlang::reset_coverage_1, SINCE_27),
            ("code", "get_debug_info", 1, erl_debugger::get_debug_info_1, SINCE_28),

            // counters

            // erl_debugger
            ("erl_debugger", "supported", 0, erl_debugger::supported_0, SINCE_28),
            ("erl_debugger", "instrumentations", 0, erl_debugger::instrumentations_0, SINCE_28),
            ("erl_debugger", "toggle_instrumentations", 1, erl_debugger::toggle_instrumentations_1, SINCE_28),
            ("erl_debugger", "register", 1, erl_debugger::register_1, SINCE_28),
            ("erl_debugger", "unregister", 2, erl_debugger::unregister_2, SINCE_28),
            ("erl_debugger", "whereis", 0, erl_debugger::whereis_0, SINCE_28),
            ("erl_debugger", "breakpoint", 3, erl_debugger::breakpoint_3, SINCE_28),
            ("erl_debugger", "breakpoints", 1, erl_debugger::breakpoints_1, SINCE_28),
            ("erl_debugger", "breakpoints", 3, erl_debugger::breakpoints_3, SINCE_28),
            ("erl_debugger", "stack_frames", 2, erl_debugger::stack_frames_2, SINCE_28),
            ("erl_debugger", "peek_stack_frame_slot", 4, erl_debugger::peek_stack_frame_slot_4, SINCE_28),
            ("erl_debugger", "xregs_count", 1, erl_debugger::xregs_count_1, SINCE_28),
            ("erl_debugger", "peek_xreg", 3, erl_debugger::peek_xreg_3, SINCE_28),

            // erl_ddll
            ("erl_ddll", "try_load", 3, erl_ddll::try_load_3, NONE),
            ("erl_ddll", "try_unload", 2, erl_ddll::try_unload_2, NONE),
            ("erl_ddll", "loaded_drivers", 0, erl_ddll::loaded_drivers_0, NONE),
            ("erl_ddll", "info", 2, erl_ddll::info_2, NONE),
            ("erl_ddll", "format_error_int", 1, erl_ddll::format_error_int_1, NONE),
            ("erl_ddll", "monitor", 2, erl_ddll::monitor_2, NONE),
            ("erl_ddll", "demonitor", 1, erl_ddll::demonitor_1, NONE),

            // erl_tracer
            ("erl_tracer", "enabled", 3, erl_tracer::enabled_3, NONE),
            ("erl_tracer", "trace", 5, erl_tracer::trace_5, NONE),

            // erlang
            ("erlang", "yield", 0, erlang::yield_0, NONE),
            ("erlang", "match_spec_test", 3, ets::match_spec_test_3, NONE),
            ("erlang", "ports", 0, ports::ports_0, NONE),
            ("erlang", "port_set_data", 2, ports::port_set_data_2, NONE),
            ("erlang", "port_get_data", 1, ports::port_get_data_1, NONE),
            ("erlang", "max", 2, erlang::max_2, GUARD | SINCE_26),
            ("erlang", "min", 2, erlang::min_2, GUARD | SINCE_26),
            ("erlang", "is_integer", 3, erlang::is_integer_3, GUARD | SINCE_29),
            ("erlang", "is_record", 1, erlang::is_record_1, GUARD | SINCE_29),
            ("erlang", "hibernate", 0, erlang::hibernate_0, SINCE_28),
            ("erlang", "link", 2, erlang::link_2, SINCE_28),
            ("erlang", "exit", 3, erlang::exit_3, SINCE_28),
            ("erlang", "exit_signal", 3, erlang::exit_signal_3, SINCE_29),
            ("erlang", "display_string", 2, erlang::display_string_2, SINCE_26),
            ("erlang", "+", 2, erlang::plus_2, GUARD),
            ("erlang", "-", 2, erlang::minus_2, GUARD),
            ("erlang", "*", 2, erlang::times_2, GUARD),
            ("erlang", "/", 2, erlang::divide_2, GUARD),
            ("erlang", "div", 2, erlang::div_2, GUARD),
            ("erlang", "rem", 2, erlang::rem_2, GUARD),
            ("erlang", "band", 2, erlang::band_2, GUARD),
            ("erlang", "bor", 2, erlang::bor_2, GUARD),
            ("erlang", "bxor", 2, erlang::bxor_2, GUARD),
            ("erlang", "bsl", 2, erlang::bsl_2, GUARD),
            ("erlang", "bsr", 2, erlang::bsr_2, GUARD),
            ("erlang", "+", 1, erlang::plus_1, GUARD),
            ("erlang", "-", 1, erlang::minus_1, GUARD),
            ("erlang", "bnot", 1, erlang::bnot_1, GUARD),
            ("erlang", "not", 1, erlang::not_1, GUARD),
            ("erlang", "and", 2, erlang::and_2, GUARD),
            ("erlang", "or", 2, erlang::or_2, GUARD),
            ("erlang", "xor", 2, erlang::xor_2, GUARD),
            ("erlang", "==", 2, erlang::eq_2, GUARD),
            ("erlang", "/=", 2, erlang::ne_2, GUARD),
            ("erlang", "=:=", 2, erlang::eq_exact_2, GUARD),
            ("erlang", "=/=", 2, erlang::ne_exact_2, GUARD),
            ("erlang", "<", 2, erlang::lt_2, GUARD),
            ("erlang", "=<", 2, erlang::le_2, GUARD),
            ("erlang", ">", 2, erlang::gt_2, GUARD),
            ("erlang", ">=", 2, erlang::ge_2, GUARD),
            ("erlang", "++", 2, erlang::append_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "append", 2, erlang::append_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "--", 2, erlang::subtract_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "subtract", 2, erlang::subtract_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "is_atom", 1, erlang::is_atom_1, GUARD),
            ("erlang", "is_binary", 1, erlang::is_binary_1, GUARD),
            ("erlang", "is_bitstring", 1, erlang::is_bitstring_1, GUARD),
            ("erlang", "is_float", 1, erlang::is_float_1, GUARD),
            ("erlang", "is_function", 1, erlang::is_function_1, GUARD),
            ("erlang", "is_integer", 1, erlang::is_integer_1, GUARD),
            ("erlang", "is_list", 1, erlang::is_list_1, GUARD),
            ("erlang", "is_map", 1, erlang::is_map_1, GUARD),
            ("erlang", "is_number", 1, erlang::is_number_1, GUARD),
            ("erlang", "is_pid", 1, erlang::is_pid_1, GUARD),
            ("erlang", "is_port", 1, erlang::is_port_1, GUARD),
            ("erlang", "is_reference", 1, erlang::is_reference_1, GUARD),
            ("erlang", "is_tuple", 1, erlang::is_tuple_1, GUARD),
            ("erlang", "is_boolean", 1, erlang::is_boolean_1, GUARD),
            ("erlang", "hd", 1, erlang::hd_1, GUARD),
            ("erlang", "tl", 1, erlang::tl_1, GUARD),
            ("erlang", "length", 1, erlang::length_1, GUARD),
            ("erlang", "size", 1, erlang::size_1, GUARD),
            ("erlang", "map_size", 1, erlang::map_size_1, GUARD),
            ("erlang", "tuple_size", 1, erlang::tuple_size_1, GUARD),
            ("erlang", "is_function", 2, erlang::is_function_2, GUARD),
            ("erlang", "is_record", 2, erlang::is_record_2, GUARD),
            ("erlang", "map_get", 2, erlang::map_get_2, GUARD),
            ("erlang", "is_map_key", 2, erlang::is_map_key_2, GUARD),
            ("erlang", "element", 2, erlang::element_2, GUARD),
            ("erlang", "is_record", 3, erlang::is_record_3, GUARD),
            ("erlang", "setelement", 3, erlang::setelement_3, NONE),
            ("erlang", "tuple_to_list", 1, erlang::tuple_to_list_1, NONE),
            ("erlang", "list_to_tuple", 1, erlang::list_to_tuple_1, NONE),
            ("erlang", "make_tuple", 2, erlang::make_tuple_2, NONE),
            ("erlang", "make_tuple", 3, erlang::make_tuple_3, NONE),
            ("erlang", "append_element", 2, erlang::append_element_2, NONE),
            ("erlang", "insert_element", 3, erlang::insert_element_3, NONE),
            ("erlang", "delete_element", 2, erlang::delete_element_2, NONE),
            ("erlang", "system_info", 1, erlang::system_info_1, NONE),
            ("erlang", "memory", 0, erlang::memory_0, NONE),
            ("erlang", "memory", 1, erlang::memory_1, NONE),
            ("erlang", "statistics", 1, erlang::statistics_1, NONE),
            ("erlang", "system_flag", 2, erlang::system_flag_2, NONE),
            ("erlang", "display", 1, erlang::display_1, NONE),
            ("erlang", "display_string", 1, erlang::display_string_1, UNTIL_26),
            ("erlang", "display_nl", 0, erlang::display_nl_0, UNTIL_26),
            ("erlang", "has_prepared_code_on_load", 1, erlang::has_prepared_code_on_load_1, NONE),
            ("erlang", "finish_loading", 1, erlang::finish_loading_1, NONE),
            ("erlang", "call_on_load_function", 1, erlang::call_on_load_function_1, NONE),
            ("erlang", "finish_after_on_load", 2, erlang::finish_after_on_load_2, NONE),
            ("erlang", "loaded", 0, erlang::loaded_0, NONE),
            ("erlang", "pre_loaded", 0, erlang::pre_loaded_0, NONE),
            ("erlang", "module_loaded", 1, erlang::module_loaded_1, NONE),
            ("erlang", "check_old_code", 1, erlang::check_old_code_1, NONE),
            ("erlang", "delete_module", 1, erlang::delete_module_1, NONE),
            ("erlang", "function_exported", 3, erlang::function_exported_3, NONE),
            ("erlang", "is_builtin", 3, erlang::is_builtin_3, NONE),
            ("erlang", "get_module_info", 1, erlang::get_module_info_1, NONE),
            ("erlang", "get_module_info", 2, erlang::get_module_info_2, NONE),
            ("erlang", "load_nif", 2, erlang::load_nif_2, NONE),
            ("erlang", "make_fun", 3, erlang::make_fun_3, NONE),
            ("erlang", "fun_info", 2, erlang::fun_info_2, NONE),
            ("erlang", "fun_info_mfa", 1, erlang::fun_info_mfa_1, NONE),
            ("erlang", "fun_to_list", 1, erlang::fun_to_list_1, NONE),
            ("erlang", "halt", 2, erlang::halt_2, NONE),
            ("erlang", "atom_to_binary", 2, erlang::atom_to_binary_2, NONE),
            ("erlang", "atom_to_list", 1, erlang::atom_to_list_1, NONE),
            ("erlang", "binary_to_atom", 2, erlang::binary_to_atom_2, NONE),
            ("erlang", "binary_to_existing_atom", 2, erlang::binary_to_existing_atom_2, NONE),
            ("erlang", "list_to_atom", 1, erlang::list_to_atom_1, NONE),
            ("erlang", "list_to_existing_atom", 1, erlang::list_to_existing_atom_1, NONE),
            ("erlang", "integer_to_list", 1, erlang::integer_to_list_1, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "integer_to_list", 2, erlang::integer_to_list_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "integer_to_binary", 1, erlang::integer_to_binary_1, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "integer_to_binary", 2, erlang::integer_to_binary_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "list_to_integer", 1, erlang::list_to_integer_1, DIRTY_CPU | TRIED_FIRST | UNTIL_26),
            ("erlang", "list_to_integer", 2, erlang::list_to_integer_2, DIRTY_CPU | TRIED_FIRST | UNTIL_26),
            ("erlang", "binary_to_integer", 1, erlang::binary_to_integer_1, DIRTY_CPU | TRIED_FIRST | UNTIL_26),
            ("erlang", "binary_to_integer", 2, erlang::binary_to_integer_2, DIRTY_CPU | TRIED_FIRST | UNTIL_26),
            ("erlang", "float_to_list", 1, erlang::float_to_list_1, NONE),
            ("erlang", "float_to_list", 2, erlang::float_to_list_2, NONE),
            ("erlang", "float_to_binary", 1, erlang::float_to_binary_1, NONE),
            ("erlang", "float_to_binary", 2, erlang::float_to_binary_2, NONE),
            ("erlang", "list_to_float", 1, erlang::list_to_float_1, NONE),
            ("erlang", "binary_to_float", 1, erlang::binary_to_float_1, NONE),
            ("erlang", "list_to_binary", 1, erlang::list_to_binary_1, TRAPS),
            ("erlang", "iolist_to_binary", 1, erlang::iolist_to_binary_1, TRAPS),
            ("erlang", "iolist_size", 1, erlang::iolist_size_1, TRAPS),
            ("erlang", "iolist_to_iovec", 1, erlang::iolist_to_iovec_1, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "list_to_bitstring", 1, erlang::list_to_bitstring_1, TRAPS),
            ("erlang", "bitstring_to_list", 1, erlang::bitstring_to_list_1, TRAPS),
            ("erlang", "binary_to_list", 1, erlang::binary_to_list_1, TRAPS),
            ("erlang", "binary_to_list", 3, erlang::binary_to_list_3, TRAPS),
            ("erlang", "split_binary", 2, erlang::split_binary_2, NONE),
            ("erlang", "term_to_binary", 1, erlang::term_to_binary_1, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "term_to_binary", 2, erlang::term_to_binary_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "binary_to_term", 1, erlang::binary_to_term_1, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "binary_to_term", 2, erlang::binary_to_term_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "external_size", 1, erlang::external_size_1, NONE),
            ("erlang", "external_size", 2, erlang::external_size_2, NONE),
            ("erlang", "term_to_iovec", 1, erlang::term_to_iovec_1, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "term_to_iovec", 2, erlang::term_to_iovec_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "pid_to_list", 1, erlang::pid_to_list_1, NONE),
            ("erlang", "list_to_pid", 1, erlang::list_to_pid_1, NONE),
            ("erlang", "port_to_list", 1, erlang::port_to_list_1, NONE),
            ("erlang", "list_to_port", 1, erlang::list_to_port_1, NONE),
            ("erlang", "ref_to_list", 1, erlang::ref_to_list_1, NONE),
            ("erlang", "list_to_ref", 1, erlang::list_to_ref_1, NONE),
            ("erlang", "phash", 2, erlang::phash_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "phash2", 1, erlang::phash2_1, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "phash2", 2, erlang::phash2_2, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "md5", 1, erlang::md5_1, TRAPS),
            ("erlang", "md5_init", 0, erlang::md5_init_0, NONE),
            ("erlang", "md5_update", 2, erlang::md5_update_2, TRAPS),
            ("erlang", "md5_final", 1, erlang::md5_final_1, NONE),
            ("erlang", "crc32", 1, erlang::crc32_1, TRAPS),
            ("erlang", "crc32", 2, erlang::crc32_2, TRAPS),
            ("erlang", "crc32_combine", 3, erlang::crc32_combine_3, NONE),
            ("erlang", "adler32", 1, erlang::adler32_1, TRAPS),
            ("erlang", "adler32", 2, erlang::adler32_2, TRAPS),
            ("erlang", "adler32_combine", 3, erlang::adler32_combine_3, NONE),
            ("erlang", "binary_part", 2, erlang::binary_part_2, GUARD),
            ("erlang", "binary_part", 3, erlang::binary_part_3, GUARD),
            ("erlang", "bit_size", 1, erlang::bit_size_1, GUARD),
            ("erlang", "byte_size", 1, erlang::byte_size_1, GUARD),
            ("erlang", "float", 1, erlang::float_1, GUARD),
            ("erlang", "trunc", 1, erlang::trunc_1, GUARD),
            ("erlang", "round", 1, erlang::round_1, GUARD),
            ("erlang", "floor", 1, erlang::floor_1, GUARD),
            ("erlang", "ceil", 1, erlang::ceil_1, GUARD),
            ("erlang", "abs", 1, erlang::abs_1, GUARD),
            ("erlang", "error", 1, erlang::error_1, NONE),
            ("erlang", "error", 2, erlang::error_2, NONE),
            ("erlang", "error", 3, erlang::error_3, NONE),
            ("erlang", "exit", 1, erlang::exit_1, NONE),
            ("erlang", "throw", 1, erlang::throw_1, NONE),
            ("erlang", "nif_error", 1, erlang::nif_error_1, NONE),
            ("erlang", "nif_error", 2, erlang::nif_error_2, NONE),
            ("erlang", "raise", 3, erlang::raise_3, NONE),
            ("erlang", "spawn", 3, erlang::spawn_3, NONE),
            ("erlang", "spawn_link", 3, erlang::spawn_link_3, NONE),
            ("erlang", "spawn_opt", 4, erlang::spawn_opt_4, NONE),
            ("erlang", "spawn_request_abandon", 1, erlang::spawn_request_abandon_1, NONE),
            ("erlang", "self", 0, erlang::self_0, GUARD),
            ("erlang", "group_leader", 0, erlang::group_leader_0, NONE),
            ("erlang", "processes", 0, erlang::processes_0, DIRTY_CPU | TRIED_FIRST),
            ("erlang", "bump_reductions", 1, erlang::bump_reductions_1, NONE),
            ("erlang", "is_process_alive", 1, erlang::is_process_alive_1, TRAPS),
            ("erlang", "hibernate", 3, erlang::hibernate_3, NONE),
            ("erlang", "resume_process", 1, erlang::resume_process_1, NONE),
            ("erlang", "link", 1, erlang::link_1, TRAPS),
            ("erlang", "unlink", 1, erlang::unlink_1, TRAPS),
            ("erlang", "monitor", 2, erlang::monitor_2, TRAPS),
            ("erlang", "monitor", 3, erlang::monitor_3, TRAPS),
            ("erlang", "demonitor", 1, erlang::demonitor_1, TRAPS),
            ("erlang", "demonitor", 2, erlang::demonitor_2, TRAPS),
            ("erlang", "alias", 1, erlang::alias_1, NONE),
            ("erlang", "unalias", 1, erlang::unalias_1, NONE),
            ("erlang", "exit", 2, erlang::exit_2, TRAPS),
            ("erlang", "exit_signal", 2, erlang::exit_signal_2, NONE),
            ("erlang", "register", 2, erlang::register_2, NONE),
            ("erlang", "unregister", 1, erlang::unregister_1, NONE),
            ("erlang", "whereis", 1, erlang::whereis_1, NONE),
            ("erlang", "registered", 0, erlang::registered_0, NONE),
            ("erlang", "send", 2, erlang::send_2, TRAPS | DIRTY_CPU | TRIED_FIRST),
            ("erlang", "send", 3, erlang::send_3, TRAPS | DIRTY_CPU | TRIED_FIRST),
            ("erlang", "!", 2, erlang::bang_2, TRAPS | DIRTY_CPU | TRIED_FIRST),
            ("erlang", "bif_return_trap", 1, erlang::bif_return_trap_1, TRAPS),
            ("erlang", "put", 2, erlang::put_2, NONE),
            ("erlang", "get", 0, erlang::get_0, NONE),
            ("erlang", "get", 1, erlang::get_1, NONE),
            ("erlang", "erase", 0, erlang::erase_0, NONE),
            ("erlang", "erase", 1, erlang::erase_1, NONE),
            ("erlang", "get_keys", 0, erlang::get_keys_0, NONE),
            ("erlang", "get_keys", 1, erlang::get_keys_1, NONE),
            ("erlang", "process_flag", 2, erlang::process_flag_2, NONE),
            ("erlang", "make_ref", 0, erlang::make_ref_0, NONE),
            ("erlang", "unique_integer", 0, erlang::unique_integer_0, NONE),
            ("erlang", "unique_integer", 1, erlang::unique_integer_1, NONE),
            ("erlang", "start_timer", 3, erlang::start_timer_3, NONE),
            ("erlang", "start_timer", 4, erlang::start_timer_4, NONE),
            ("erlang", "send_after", 3, erlang::send_after_3, NONE),
            ("erlang", "send_after", 4, erlang::send_after_4, NONE),
            ("erlang", "cancel_timer", 1, erlang::cancel_timer_1, NONE),
            ("erlang", "cancel_timer", 2, erlang::cancel_timer_2, NONE),
            ("erlang", "read_timer", 1, erlang::read_timer_1, NONE),
            ("erlang", "read_timer", 2, erlang::read_timer_2, NONE),
            ("erlang", "monotonic_time", 0, erlang::monotonic_time_0, NONE),
            ("erlang", "monotonic_time", 1, erlang::monotonic_time_1, NONE),
            ("erlang", "system_time", 0, erlang::system_time_0, NONE),
            ("erlang", "system_time", 1, erlang::system_time_1, NONE),
            ("erlang", "time_offset", 0, erlang::time_offset_0, NONE),
            ("erlang", "time_offset", 1, erlang::time_offset_1, NONE),
            ("erlang", "timestamp", 0, erlang::timestamp_0, NONE),
            ("erlang", "now", 0, erlang::now_0, NONE),
            ("erlang", "date", 0, erlang::date_0, NONE),
            ("erlang", "time", 0, erlang::time_0, NONE),
            ("erlang", "localtime", 0, erlang::localtime_0, NONE),
            ("erlang", "universaltime", 0, erlang::universaltime_0, NONE),
            ("erlang", "localtime_to_universaltime", 2, erlang::localtime_to_universaltime_2, NONE),
            ("erlang", "universaltime_to_localtime", 1, erlang::universaltime_to_localtime_1, NONE),
            ("erlang", "universaltime_to_posixtime", 1, erlang::universaltime_to_posixtime_1, NONE),
            ("erlang", "posixtime_to_universaltime", 1, erlang::posixtime_to_universaltime_1, NONE),
            ("erlang", "node", 0, erlang::node_0, GUARD),
            ("erlang", "node", 1, erlang::node_1, GUARD),
            ("erlang", "nodes", 0, erlang::nodes_0, NONE),
            ("erlang", "nodes", 1, erlang::nodes_1, NONE),
            ("erlang", "nodes", 2, erlang::nodes_2, NONE),
            ("erlang", "monitor_node", 2, erlang::monitor_node_2, NONE),
            ("erlang", "monitor_node", 3, erlang::monitor_node_3, NONE),
            ("erlang", "setnode", 2, erlang::setnode_2, NONE),
            ("erlang", "dist_ctrl_get_data", 1, erlang::dist_ctrl_get_data_1, NONE),
            ("erlang", "dist_ctrl_get_data_notification", 1, erlang::dist_ctrl_get_data_notification_1, NONE),
            ("erlang", "dist_ctrl_get_opt", 2, erlang::dist_ctrl_get_opt_2, NONE),
            ("erlang", "dist_ctrl_input_handler", 2, erlang::dist_ctrl_input_handler_2, NONE),
            ("erlang", "dist_ctrl_put_data", 2, erlang::dist_ctrl_put_data_2, NONE),
            ("erlang", "dist_ctrl_set_opt", 3, erlang::dist_ctrl_set_opt_3, NONE),
            ("erlang", "dist_get_stat", 1, erlang::dist_get_stat_1, NONE),
            ("erlang", "decode_packet", 3, erlang::decode_packet_3, NONE),
            ("erlang", "process_info", 1, erlang::process_info_1, TRAPS),
            ("erlang", "process_info", 2, erlang::process_info_2, TRAPS),
            ("erlang", "system_monitor", 0, erlang::system_monitor_0, UNTIL_27),
            ("erlang", "system_monitor", 1, erlang::system_monitor_1, UNTIL_27),
            ("erlang", "system_monitor", 2, erlang::system_monitor_2, UNTIL_27),
            ("erlang", "system_profile", 0, erlang::system_profile_0, NONE),
            ("erlang", "system_profile", 2, erlang::system_profile_2, NONE),
            ("erlang", "seq_trace", 2, erlang::seq_trace_2, NONE),
            ("erlang", "seq_trace_info", 1, erlang::seq_trace_info_1, NONE),
            ("erlang", "seq_trace_print", 1, erlang::seq_trace_print_1, NONE),
            ("erlang", "seq_trace_print", 2, erlang::seq_trace_print_2, NONE),
            ("erlang", "trace_info", 2, erlang::trace_info_2, NONE),
            ("erlang", "trace_delivered", 1, erlang::trace_delivered_1, NONE),
            ("erlang", "dt_get_tag", 0, erlang::dt_get_tag_0, NONE),
            ("erlang", "dt_get_tag_data", 0, erlang::dt_get_tag_data_0, NONE),
            ("erlang", "dt_put_tag", 1, erlang::dt_put_tag_1, NONE),
            ("erlang", "dt_spread_tag", 1, erlang::dt_spread_tag_1, NONE),
            ("erlang", "dt_restore_tag", 1, erlang::dt_restore_tag_1, NONE),
            ("erlang", "dt_append_vm_tag_data", 1, erlang::dt_append_vm_tag_data_1, NONE),
            ("erlang", "dt_prepend_vm_tag_data", 1, erlang::dt_prepend_vm_tag_data_1, NONE),

            // error_logger
            ("error_logger", "warning_map", 0, os::warning_map_0, NONE),

            // erts_debug
            ("erts_debug", "same", 2, erts_debug::same_2, NONE),
            ("erts_debug", "flat_size", 1, erts_debug::flat_size_1, NONE),
            ("erts_debug", "size_shared", 1, erts_debug::size_shared_1, NONE),
            ("erts_debug", "copy_shared", 2, erts_debug::copy_shared_2, NONE),
            ("erts_debug", "unaligned_bitstring", 2, erts_debug::unaligned_bitstring_2, SINCE_28),
            ("erts_debug", "display", 1, erts_debug::display_1, UNTIL_26),
            ("erts_debug", "map_info", 1, erts_debug::map_info_1, NONE),
            ("erts_debug", "get_internal_state", 1, erts_debug::get_internal_state_1, TRAPS),
            ("erts_debug", "set_internal_state", 2, erts_debug::set_internal_state_2, TRAPS),
            ("erts_debug", "lcnt_clear", 0, erts_debug::lcnt_clear_0, NONE),
            ("erts_debug", "lcnt_collect", 0, erts_debug::lcnt_collect_0, NONE),
            ("erts_debug", "lcnt_control", 1, erts_debug::lcnt_control_1, NONE),
            ("erts_debug", "lcnt_control", 2, erts_debug::lcnt_control_2, NONE),
            ("erts_debug", "dist_ext_to_term", 2, erts_debug::dist_ext_to_term_2, NONE),
            ("erts_debug", "disassemble", 1, erts_debug::disassemble_1, NONE),
            ("erts_debug", "interpreter_size", 0, erts_debug::interpreter_size_0, NONE),
            ("erts_debug", "instructions", 0, erts_debug::instructions_0, NONE),
            ("erts_debug", "breakpoint", 2, erts_debug::breakpoint_2, NONE),
            ("erts_debug", "dirty", 3, erts_debug::dirty_3, TRAPS),
            ("erts_debug", "dirty_cpu", 2, erts_debug::dirty_cpu_2, TRAPS | DIRTY_CPU),
            ("erts_debug", "dirty_io", 2, erts_debug::dirty_io_2, TRAPS | DIRTY_IO),

            // erts_internal
            ("erts_internal", "binary_to_integer", 2, erlang::internal_binary_to_integer_2, SINCE_27),
            ("erts_internal", "list_to_integer", 2, erlang::internal_list_to_integer_2, SINCE_27),
            ("erts_internal", "term_to_string", 2, erlang::term_to_string_2, SINCE_27),
            ("erts_internal", "notify_breakpoint_hit", 3, erl_debugger::notify_breakpoint_hit_3, SINCE_28),
            ("erts_internal", "processes_next", 1, erlang::processes_next_1, SINCE_28),
            ("erts_internal", "system_monitor", 1, erlang::session_system_monitor_1, SINCE_28),
            ("erts_internal", "system_monitor", 3, erlang::session_system_monitor_3, SINCE_28),
            ("erts_internal", "open_port", 2, ports::open_port_2, NONE),
            ("erts_internal", "port_command", 3, ports::port_command_3, NONE),
            ("erts_internal", "port_connect", 2, ports::port_connect_2, NONE),
            ("erts_internal", "port_close", 1, ports::port_close_1, NONE),
            ("erts_internal", "port_control", 3, ports::port_control_3, NONE),
            ("erts_internal", "port_call", 3, ports::port_call_3, NONE),
            ("erts_internal", "port_info", 1, ports::port_info_1, NONE),
            ("erts_internal", "port_info", 2, ports::port_info_2, NONE),
            ("erts_internal", "ets_raw_first", 1, ets::ets_raw_first_1, NONE),
            ("erts_internal", "ets_raw_next", 2, ets::ets_raw_next_2, NONE),
            ("erts_internal", "ets_lookup_binary_info", 2, ets::ets_lookup_binary_info_2, NONE),
            ("erts_internal", "ets_super_user", 1, ets::ets_super_user_1, NONE),
            ("erts_internal", "erase_persistent_terms", 0, persistent_term::erase_persistent_terms_0, NONE),
            ("erts_internal", "atomics_new", 2, atomics::atomics_new_2, NONE),
            ("erts_internal", "counters_new", 1, atomics::counters_new_1, NONE),
            ("erts_internal", "counters_get", 2, atomics::counters_get_2, NONE),
            ("erts_internal", "counters_add", 3, atomics::counters_add_3, NONE),
            ("erts_internal", "counters_put", 3, atomics::counters_put_3, NONE),
            ("erts_internal", "counters_info", 1, atomics::counters_info_1, NONE),
            ("erts_internal", "prepare_loading", 2, erlang::prepare_loading_2, NONE),
            ("erts_internal", "purge_module", 2, erlang::purge_module_2, NONE),
            ("erts_internal", "beamfile_chunk", 2, erlang::beamfile_chunk_2, NONE),
            ("erts_internal", "beamfile_module_md5", 1, erlang::beamfile_module_md5_1, NONE),
            ("erts_internal", "cmp_term", 2, erts_internal::cmp_term_2, NONE),
            ("erts_internal", "term_type", 1, erts_internal::term_type_1, NONE),
            ("erts_internal", "map_to_tuple_keys", 1, erts_internal::map_to_tuple_keys_1, NONE),
            ("erts_internal", "map_hashmap_children", 1, erts_internal::map_hashmap_children_1, NONE),
            ("erts_internal", "map_next", 3, erts_internal::map_next_3, NONE),
            ("erts_internal", "spawn_request", 4, erlang::spawn_request_4, NONE),
            ("erts_internal", "time_unit", 0, erlang::time_unit_0, NONE),
            ("erts_internal", "perf_counter_unit", 0, erlang::perf_counter_unit_0, NONE),
            ("erts_internal", "is_process_alive", 2, erlang::is_process_alive_2, NONE),
            ("erts_internal", "group_leader", 2, erlang::group_leader_2, TRAPS),
            ("erts_internal", "group_leader", 3, erlang::group_leader_3, NONE),
            ("erts_internal", "suspend_process", 2, erlang::suspend_process_2, NONE),
            ("erts_internal", "process_flag", 3, erlang::process_flag_3, NONE),
            ("erts_internal", "garbage_collect", 1, erts_internal::garbage_collect_1, NONE),
            ("erts_internal", "check_process_code", 1, erts_internal::check_process_code_1, NONE),
            ("erts_internal", "request_system_task", 3, erts_internal::request_system_task_3, NONE),
            ("erts_internal", "request_system_task", 4, erts_internal::request_system_task_4, NONE),
            ("erts_internal", "is_system_process", 1, erts_internal::is_system_process_1, NONE),
            ("erts_internal", "is_process_executing_dirty", 1, erts_internal::is_process_executing_dirty_1, NONE),
            ("erts_internal", "dirty_process_handle_signals", 1, erts_internal::dirty_process_handle_signals_1, NONE),
            ("erts_internal", "check_dirty_process_code", 2, erts_internal::check_dirty_process_code_2, NONE),
            ("erts_internal", "spawn_system_process", 3, erts_internal::spawn_system_process_3, NONE),
            ("erts_internal", "get_creation", 0, erlang::get_creation_0, NONE),
            ("erts_internal", "new_connection", 1, erlang::new_connection_1, NONE),
            ("erts_internal", "abort_pending_connection", 2, erlang::abort_pending_connection_2, NONE),
            ("erts_internal", "get_dflags", 0, erlang::get_dflags_0, NONE),
            ("erts_internal", "create_dist_channel", 3, erlang::create_dist_channel_3, NONE),
            ("erts_internal", "dist_spawn_request", 4, erlang::dist_spawn_request_4, TRAPS),
            ("erts_internal", "process_display", 2, erlang::process_display_2, NONE),
            ("erts_internal", "trace", 3, erlang::trace_3, NONE),
            ("erts_internal", "trace_pattern", 3, erlang::trace_pattern_3, NONE),
            ("erts_internal", "trace", 4, erlang::trace_4, SINCE_27),
            ("erts_internal", "trace_pattern", 4, erlang::trace_pattern_4, SINCE_27),
            ("erts_internal", "trace_info", 3, erlang::trace_info_3, SINCE_27),
            ("erts_internal", "trace_session_create", 3, erlang::trace_session_create_3, SINCE_27),
            ("erts_internal", "trace_session_destroy", 1, erlang::trace_session_destroy_1, SINCE_27),
            ("erts_internal", "scheduler_wall_time", 1, erts_internal::scheduler_wall_time_1, NONE),
            ("erts_internal", "no_aux_work_threads", 0, erts_internal::no_aux_work_threads_0, NONE),
            ("erts_internal", "system_check", 1, erts_internal::system_check_1, NONE),
            ("erts_internal", "gather_alloc_histograms", 1, erts_internal::gather_alloc_histograms_1, NONE),
            ("erts_internal", "gather_carrier_info", 1, erts_internal::gather_carrier_info_1, NONE),

            // erts_trace_cleaner
            ("erts_trace_cleaner", "check", 0, erlang::trace_cleaner_check_0, SINCE_27),
            ("erts_trace_cleaner", "send_trace_clean_signal", 1, erlang::send_trace_clean_signal_1, SINCE_27),
            // erts_literal_area_collector
            ("erts_literal_area_collector", "release_area_switch", 0, erlang::release_area_switch_0, NONE),
            ("erts_literal_area_collector", "send_copy_request", 3, erlang::send_copy_request_3, NONE),

            // ets
            ("ets", "delete", 1, ets::delete_1, NONE),
            ("ets", "delete", 2, ets::delete_2, NONE),
            ("ets", "delete_object", 2, ets::delete_object_2, NONE),
            ("ets", "first", 1, ets::first_1, NONE),
            ("ets", "give_away", 3, ets::give_away_3, NONE),
            ("ets", "info", 1, ets::info_1, NONE),
            ("ets", "info", 2, ets::info_2, TRAPS),
            ("ets", "insert", 2, ets::insert_2, DIRTY_CPU | TRIED_FIRST),
            ("ets", "insert_new", 2, ets::insert_new_2, DIRTY_CPU | TRIED_FIRST),
            ("ets", "internal_delete_all", 2, ets::internal_delete_all_2, NONE),
            ("ets", "internal_request_all", 0, ets::internal_request_all_0, NONE),
            ("ets", "internal_select_delete", 2, ets::internal_select_delete_2, TRAPS),
            ("ets", "is_compiled_ms", 1, ets::is_compiled_ms_1, NONE),
            ("ets", "last", 1, ets::last_1, NONE),
            ("ets", "lookup", 2, ets::lookup_2, NONE),
            ("ets", "lookup_element", 4, ets::lookup_element_4, SINCE_26),
            ("ets", "first_lookup", 1, ets::first_lookup_1, SINCE_27),
            ("ets", "last_lookup", 1, ets::last_lookup_1, SINCE_27),
            ("ets", "next_lookup", 2, ets::next_lookup_2, SINCE_27),
            ("ets", "prev_lookup", 2, ets::prev_lookup_2, SINCE_27),
            ("ets", "update_element", 4, ets::update_element_4, SINCE_27),
            ("ets", "lookup_element", 3, ets::lookup_element_3, NONE),
            ("ets", "match", 1, ets::match_1, TRAPS),
            ("ets", "match", 2, ets::match_2, TRAPS),
            ("ets", "match", 3, ets::match_3, TRAPS),
            ("ets", "match_object", 1, ets::match_object_1, TRAPS),
            ("ets", "match_object", 2, ets::match_object_2, TRAPS),
            ("ets", "match_object", 3, ets::match_object_3, TRAPS),
            ("ets", "match_spec_compile", 1, ets::match_spec_compile_1, NONE),
            ("ets", "match_spec_run_r", 3, ets::match_spec_run_r_3, TRAPS),
            ("ets", "member", 2, ets::member_2, NONE),
            ("ets", "new", 2, ets::new_2, NONE),
            ("ets", "next", 2, ets::next_2, NONE),
            ("ets", "prev", 2, ets::prev_2, NONE),
            ("ets", "rename", 2, ets::rename_2, NONE),
            ("ets", "safe_fixtable", 2, ets::safe_fixtable_2, NONE),
            ("ets", "select", 1, ets::select_1, TRAPS),
            ("ets", "select", 2, ets::select_2, TRAPS),
            ("ets", "select", 3, ets::select_3, TRAPS),
            ("ets", "select_count", 2, ets::select_count_2, TRAPS),
            ("ets", "select_replace", 2, ets::select_replace_2, TRAPS),
            ("ets", "select_reverse", 1, ets::select_reverse_1, TRAPS),
            ("ets", "select_reverse", 2, ets::select_reverse_2, TRAPS),
            ("ets", "select_reverse", 3, ets::select_reverse_3, TRAPS),
            ("ets", "setopts", 2, ets::setopts_2, NONE),
            ("ets", "slot", 2, ets::slot_2, NONE),
            ("ets", "take", 2, ets::take_2, NONE),
            ("ets", "update_counter", 3, ets::update_counter_3, NONE),
            ("ets", "update_counter", 4, ets::update_counter_4, NONE),
            ("ets", "update_element", 3, ets::update_element_3, NONE),
            ("ets", "whereis", 1, ets::whereis_1, NONE),

            // file
            ("file", "native_name_encoding", 0, os::native_name_encoding_0, NONE),

            // io
            ("io", "printable_range", 0, os::printable_range_0, NONE),

            // lists
            ("lists", "member", 2, lists::member_2, TRAPS),
            ("lists", "reverse", 2, lists::reverse_2, TRAPS),
            ("lists", "keyfind", 3, lists::keyfind_3, TRAPS),
            ("lists", "keymember", 3, lists::keymember_3, TRAPS),
            ("lists", "keysearch", 3, lists::keysearch_3, TRAPS),

            // maps
            ("maps", "find", 2, maps::find_2, NONE),
            ("maps", "get", 2, maps::get_2, NONE),
            ("maps", "is_key", 2, maps::is_key_2, NONE),
            ("maps", "from_list", 1, maps::from_list_1, DIRTY_CPU | TRIED_FIRST),
            ("maps", "from_keys", 2, maps::from_keys_2, DIRTY_CPU | TRIED_FIRST),
            ("maps", "keys", 1, maps::keys_1, DIRTY_CPU | TRIED_FIRST),
            ("maps", "values", 1, maps::values_1, DIRTY_CPU | TRIED_FIRST),
            ("maps", "merge", 2, maps::merge_2, DIRTY_CPU | TRIED_FIRST),
            ("maps", "put", 3, maps::put_3, NONE),
            ("maps", "update", 3, maps::update_3, NONE),
            ("maps", "remove", 2, maps::remove_2, NONE),
            ("maps", "take", 2, maps::take_2, NONE),

            // math
            ("math", "acos", 1, math::acos_1, NONE),
            ("math", "acosh", 1, math::acosh_1, NONE),
            ("math", "asin", 1, math::asin_1, NONE),
            ("math", "asinh", 1, math::asinh_1, NONE),
            ("math", "atan", 1, math::atan_1, NONE),
            ("math", "atanh", 1, math::atanh_1, NONE),
            ("math", "ceil", 1, math::ceil_1, NONE),
            ("math", "cos", 1, math::cos_1, NONE),
            ("math", "cosh", 1, math::cosh_1, NONE),
            ("math", "erf", 1, math::erf_1, NONE),
            ("math", "erfc", 1, math::erfc_1, NONE),
            ("math", "exp", 1, math::exp_1, NONE),
            ("math", "floor", 1, math::floor_1, NONE),
            ("math", "log", 1, math::log_1, NONE),
            ("math", "log10", 1, math::log10_1, NONE),
            ("math", "log2", 1, math::log2_1, NONE),
            ("math", "sin", 1, math::sin_1, NONE),
            ("math", "sinh", 1, math::sinh_1, NONE),
            ("math", "sqrt", 1, math::sqrt_1, NONE),
            ("math", "tan", 1, math::tan_1, NONE),
            ("math", "tanh", 1, math::tanh_1, NONE),
            ("math", "atan2", 2, math::atan2_2, NONE),
            ("math", "fmod", 2, math::fmod_2, NONE),
            ("math", "pow", 2, math::pow_2, NONE),

            // net_kernel
            ("net_kernel", "dflag_unicode_io", 1, os::dflag_unicode_io_1, NONE),

            // os
            ("os", "env", 0, os::env_0, NONE),
            ("os", "getenv", 1, os::getenv_1, NONE),
            ("os", "putenv", 2, os::putenv_2, NONE),
            ("os", "unsetenv", 1, os::unsetenv_1, NONE),
            ("os", "getpid", 0, os::getpid_0, NONE),
            ("os", "set_signal", 2, os::set_signal_2, NONE),
            ("os", "system_time", 0, erlang::os_system_time_0, NONE),
            ("os", "system_time", 1, erlang::os_system_time_1, NONE),
            ("os", "timestamp", 0, erlang::os_timestamp_0, NONE),
            ("os", "perf_counter", 0, erlang::os_perf_counter_0, NONE),

            // persistent_term
            ("persistent_term", "put", 2, persistent_term::put_2, NONE),
            ("persistent_term", "put_new", 2, persistent_term::put_new_2, SINCE_28),
            ("persistent_term", "get", 1, persistent_term::get_1, NONE),
            ("persistent_term", "get", 2, persistent_term::get_2, NONE),
            ("persistent_term", "get", 0, persistent_term::get_0, NONE),
            ("persistent_term", "erase", 1, persistent_term::erase_1, NONE),
            ("persistent_term", "info", 0, persistent_term::info_0, NONE),

            // records
            ("records", "create", 4, records::create_4, SINCE_29),
            ("records", "get", 2, records::get_2, SINCE_29),
            ("records", "get_definition", 2, records::get_definition_2, SINCE_29),
            ("records", "get_field_names", 1, records::get_field_names_1, SINCE_29),
            ("records", "get_module", 1, records::get_module_1, SINCE_29),
            ("records", "get_name", 1, records::get_name_1, SINCE_29),
            ("records", "is_exported", 1, records::is_exported_1, SINCE_29),
            ("records", "update", 4, records::update_4, SINCE_29),

            // prim_buffer
            ("prim_buffer", "new", 0, prim_buffer::new_0, NONE),
            ("prim_buffer", "size", 1, prim_buffer::size_1, NONE),
            ("prim_buffer", "peek_head", 1, prim_buffer::peek_head_1, NONE),
            ("prim_buffer", "copying_read", 2, prim_buffer::copying_read_2, NONE),
            ("prim_buffer", "write", 2, prim_buffer::write_2, NONE),
            ("prim_buffer", "skip", 2, prim_buffer::skip_2, NONE),
            ("prim_buffer", "find_byte_index", 2, prim_buffer::find_byte_index_2, NONE),
            ("prim_buffer", "try_lock", 1, prim_buffer::try_lock_1, NONE),
            ("prim_buffer", "unlock", 1, prim_buffer::unlock_1, NONE),

            // prim_file
            ("prim_file", "internal_name2native", 1, prim_file::internal_name2native_1, NONE),
            ("prim_file", "internal_native2name", 1, prim_file::internal_native2name_1, NONE),
            ("prim_file", "internal_normalize_utf8", 1, prim_file::internal_normalize_utf8_1, NONE),
            ("prim_file", "is_translatable", 1, prim_file::is_translatable_1, NONE),
            ("prim_file", "open_nif", 2, prim_file::open_nif_2, DIRTY_IO),
            ("prim_file", "file_desc_to_ref_nif", 1, prim_file::file_desc_to_ref_nif_1, NONE),
            ("prim_file", "close_nif", 1, prim_file::close_nif_1, DIRTY_IO),
            ("prim_file", "delayed_close_nif", 1, prim_file::delayed_close_nif_1, NONE),
            ("prim_file", "read_nif", 2, prim_file::read_nif_2, DIRTY_IO | TRIED_FIRST),
            ("prim_file", "pread_nif", 3, prim_file::pread_nif_3, DIRTY_IO | TRIED_FIRST),
            ("prim_file", "write_nif", 2, prim_file::write_nif_2, DIRTY_IO),
            ("prim_file", "pwrite_nif", 3, prim_file::pwrite_nif_3, DIRTY_IO),
            ("prim_file", "seek_nif", 3, prim_file::seek_nif_3, NONE),
            ("prim_file", "sync_nif", 2, prim_file::sync_nif_2, DIRTY_IO),
            ("prim_file", "truncate_nif", 1, prim_file::truncate_nif_1, DIRTY_IO),
            ("prim_file", "allocate_nif", 3, prim_file::allocate_nif_3, DIRTY_IO),
            ("prim_file", "advise_nif", 4, prim_file::advise_nif_4, DIRTY_IO),
            ("prim_file", "ipread_s32bu_p32bu_nif", 3, prim_file::ipread_s32bu_p32bu_nif_3, DIRTY_IO),
            ("prim_file", "get_handle_nif", 1, prim_file::get_handle_nif_1, NONE),
            ("prim_file", "read_handle_info_nif", 1, prim_file::read_handle_info_nif_1, DIRTY_IO),
            ("prim_file", "read_file_nif", 1, prim_file::read_file_nif_1, DIRTY_IO),
            ("prim_file", "read_info_nif", 2, prim_file::read_info_nif_2, DIRTY_IO),
            ("prim_file", "set_permissions_nif", 2, prim_file::set_permissions_nif_2, DIRTY_IO),
            ("prim_file", "set_owner_nif", 3, prim_file::set_owner_nif_3, DIRTY_IO),
            ("prim_file", "set_time_nif", 4, prim_file::set_time_nif_4, DIRTY_IO),
            ("prim_file", "read_link_nif", 1, prim_file::read_link_nif_1, DIRTY_IO),
            ("prim_file", "list_dir_nif", 1, prim_file::list_dir_nif_1, DIRTY_IO),
            ("prim_file", "make_hard_link_nif", 2, prim_file::make_hard_link_nif_2, DIRTY_IO),
            ("prim_file", "make_soft_link_nif", 2, prim_file::make_soft_link_nif_2, DIRTY_IO),
            ("prim_file", "rename_nif", 2, prim_file::rename_nif_2, DIRTY_IO),
            ("prim_file", "make_dir_nif", 1, prim_file::make_dir_nif_1, DIRTY_IO),
            ("prim_file", "del_file_nif", 1, prim_file::del_file_nif_1, DIRTY_IO),
            ("prim_file", "del_dir_nif", 1, prim_file::del_dir_nif_1, DIRTY_IO),
            ("prim_file", "get_device_cwd_nif", 1, prim_file::get_device_cwd_nif_1, NONE),
            ("prim_file", "get_cwd_nif", 0, prim_file::get_cwd_nif_0, NONE),
            ("prim_file", "set_cwd_nif", 1, prim_file::set_cwd_nif_1, DIRTY_IO),
            ("prim_file", "altname_nif", 1, prim_file::altname_nif_1, NONE),

            // prim_net
            ("prim_net", "nif_info", 0, prim_net::nif_info_0, NONE),
            ("prim_net", "nif_command", 1, prim_net::nif_command_1, NONE),
            ("prim_net", "nif_gethostname", 0, prim_net::nif_gethostname_0, NONE),
            ("prim_net", "nif_getnameinfo", 2, prim_net::nif_getnameinfo_2, DIRTY_IO),
            ("prim_net", "nif_getaddrinfo", 3, prim_net::nif_getaddrinfo_3, DIRTY_IO),
            ("prim_net", "nif_getifaddrs", 1, prim_net::nif_getifaddrs_1, DIRTY_IO),
            ("prim_net", "nif_get_adapters_addresses", 1, prim_net::nif_get_adapters_addresses_1, NONE),
            ("prim_net", "nif_get_if_entry", 1, prim_net::nif_get_if_entry_1, NONE),
            ("prim_net", "nif_get_interface_info", 1, prim_net::nif_get_interface_info_1, NONE),
            ("prim_net", "nif_get_ip_address_table", 1, prim_net::nif_get_ip_address_table_1, NONE),
            ("prim_net", "nif_if_name2index", 1, prim_net::nif_if_name2index_1, NONE),
            ("prim_net", "nif_if_index2name", 1, prim_net::nif_if_index2name_1, NONE),
            ("prim_net", "nif_getservbyname", 2, prim_net::nif_getservbyname_2, DIRTY_IO | SINCE_27),
            ("prim_net", "nif_getservbyport", 2, prim_net::nif_getservbyport_2, DIRTY_IO | SINCE_27),
            ("prim_net", "nif_if_names", 0, prim_net::nif_if_names_0, NONE),

            // prim_socket
            ("prim_socket", "nif_info", 0, prim_socket::nif_info_0, NONE),
            ("prim_socket", "nif_info", 1, prim_socket::nif_info_1, NONE),
            ("prim_socket", "nif_supports", 0, prim_socket::nif_supports_0, NONE),
            ("prim_socket", "nif_supports", 1, prim_socket::nif_supports_1, NONE),
            ("prim_socket", "nif_command", 1, prim_socket::nif_command_1, NONE),
            ("prim_socket", "nif_open", 2, prim_socket::nif_open_2, NONE),
            ("prim_socket", "nif_open", 4, prim_socket::nif_open_4, NONE),
            ("prim_socket", "nif_bind", 2, prim_socket::nif_bind_2, NONE),
            ("prim_socket", "nif_connect", 1, prim_socket::nif_connect_1, NONE),
            ("prim_socket", "nif_connect", 3, prim_socket::nif_connect_3, NONE),
            ("prim_socket", "nif_listen", 2, prim_socket::nif_listen_2, NONE),
            ("prim_socket", "nif_accept", 2, prim_socket::nif_accept_2, NONE),
            ("prim_socket", "nif_send", 4, prim_socket::nif_send_4, NONE),
            ("prim_socket", "nif_sendto", 5, prim_socket::nif_sendto_5, NONE),
            ("prim_socket", "nif_sendmsg", 5, prim_socket::nif_sendmsg_5, NONE),
            ("prim_socket", "nif_sendv", 3, prim_socket::nif_sendv_3, SINCE_26),
            ("prim_socket", "nif_sendmmsg", 4, prim_socket::nif_sendmmsg_4, SINCE_29),
            ("prim_socket", "nif_sendfile", 5, prim_socket::nif_sendfile_5, DIRTY_IO),
            ("prim_socket", "nif_sendfile", 4, prim_socket::nif_sendfile_4, DIRTY_IO),
            ("prim_socket", "nif_sendfile", 1, prim_socket::nif_sendfile_1, DIRTY_IO),
            ("prim_socket", "nif_recv", 4, prim_socket::nif_recv_4, NONE),
            ("prim_socket", "nif_recvfrom", 4, prim_socket::nif_recvfrom_4, NONE),
            ("prim_socket", "nif_recvmsg", 5, prim_socket::nif_recvmsg_5, NONE),
            ("prim_socket", "nif_recvmmsg", 6, prim_socket::nif_recvmmsg_6, SINCE_29),
            ("prim_socket", "nif_close", 1, prim_socket::nif_close_1, NONE),
            ("prim_socket", "nif_shutdown", 2, prim_socket::nif_shutdown_2, NONE),
            ("prim_socket", "nif_setopt", 5, prim_socket::nif_setopt_5, NONE),
            ("prim_socket", "nif_getopt", 3, prim_socket::nif_getopt_3, NONE),
            ("prim_socket", "nif_getopt", 4, prim_socket::nif_getopt_4, UNTIL_28),
            ("prim_socket", "nif_getopt", 5, prim_socket::nif_getopt_5, SINCE_29),
            ("prim_socket", "nif_bind", 3, prim_socket::nif_bind_3, SINCE_29),
            ("prim_socket", "nif_peeloff", 2, prim_socket::nif_peeloff_2, SINCE_29),
            ("prim_socket", "nif_socknames", 2, prim_socket::nif_socknames_2, SINCE_29),
            ("prim_socket", "nif_peernames", 2, prim_socket::nif_peernames_2, SINCE_29),
            ("prim_socket", "nif_sockname", 1, prim_socket::nif_sockname_1, NONE),
            ("prim_socket", "nif_peername", 1, prim_socket::nif_peername_1, NONE),
            ("prim_socket", "nif_ioctl", 2, prim_socket::nif_ioctl_2, DIRTY_IO),
            ("prim_socket", "nif_ioctl", 3, prim_socket::nif_ioctl_3, DIRTY_IO),
            ("prim_socket", "nif_ioctl", 4, prim_socket::nif_ioctl_4, DIRTY_IO),
            ("prim_socket", "nif_cancel", 3, prim_socket::nif_cancel_3, NONE),
            ("prim_socket", "nif_finalize_close", 1, prim_socket::nif_finalize_close_1, DIRTY_IO),

            // re
            ("re", "version", 0, re::version_0, NONE),
            ("re", "compile", 1, re::compile_1, TRAPS),
            ("re", "compile", 2, re::compile_2, TRAPS),
            ("re", "run", 2, re::run_2, DIRTY_CPU | TRIED_FIRST),
            ("re", "run", 3, re::run_3, DIRTY_CPU | TRIED_FIRST),
            ("re", "internal_run", 4, re::internal_run_4, DIRTY_CPU | TRIED_FIRST),
            ("re", "inspect", 2, re::inspect_2, NONE),
            ("re", "import", 1, re::import_1, SINCE_28),

            // string
            ("string", "list_to_integer", 1, erlang::string_list_to_integer_1, DIRTY_CPU | TRIED_FIRST | UNTIL_26),
            ("string", "list_to_float", 1, erlang::string_list_to_float_1, NONE),

            // unicode
            ("unicode", "characters_to_binary", 2, unicode::characters_to_binary_2, TRAPS),
            ("unicode", "characters_to_list", 2, unicode::characters_to_list_2, TRAPS | DIRTY_CPU | TRIED_FIRST),
            ("unicode", "bin_is_7bit", 1, unicode::bin_is_7bit_1, NONE),

            // prim_tty
            ("prim_tty", "isatty", 1, prim_tty::isatty_1, SINCE_26),
            ("prim_tty", "tty_create", 0, prim_tty::tty_create_0, SINCE_26 | UNTIL_27),
            ("prim_tty", "tty_init", 3, prim_tty::tty_init_3, SINCE_26 | UNTIL_27),
            ("prim_tty", "tty_set", 1, prim_tty::tty_set_1, SINCE_26 | UNTIL_27),
            ("prim_tty", "setlocale", 1, prim_tty::setlocale_1, SINCE_26),
            ("prim_tty", "tty_select", 3, prim_tty::tty_select_3, SINCE_26 | UNTIL_27),
            ("prim_tty", "tty_window_size", 1, prim_tty::tty_window_size_1, SINCE_26),
            ("prim_tty", "tty_encoding", 1, prim_tty::tty_encoding_1, SINCE_26),
            ("prim_tty", "write_nif", 2, prim_tty::write_nif_2, DIRTY_IO | SINCE_26),
            ("prim_tty", "read_nif", 2, prim_tty::read_nif_2, DIRTY_IO | SINCE_26 | UNTIL_27),
            ("prim_tty", "isprint", 1, prim_tty::isprint_1, SINCE_26),
            ("prim_tty", "wcwidth", 1, prim_tty::wcwidth_1, SINCE_26),
            ("prim_tty", "wcswidth", 1, prim_tty::wcswidth_1, SINCE_26),
            ("prim_tty", "sizeof_wchar", 0, prim_tty::sizeof_wchar_0, SINCE_26),
            ("prim_tty", "tgetent_nif", 1, prim_tty::tgetent_nif_1, SINCE_26 | UNTIL_27),
            ("prim_tty", "tgetnum_nif", 1, prim_tty::tgetnum_nif_1, SINCE_26 | UNTIL_27),
            ("prim_tty", "tgetflag_nif", 1, prim_tty::tgetflag_nif_1, SINCE_26 | UNTIL_27),
            ("prim_tty", "tgetstr_nif", 1, prim_tty::tgetstr_nif_1, SINCE_26 | UNTIL_27),
            ("prim_tty", "tgoto_nif", 1, prim_tty::tgoto_nif_1, SINCE_26 | UNTIL_27),
            ("prim_tty", "tgoto_nif", 2, prim_tty::tgoto_nif_2, SINCE_26 | UNTIL_27),
            ("prim_tty", "tgoto_nif", 3, prim_tty::tgoto_nif_3, SINCE_26 | UNTIL_27),
            ("prim_tty", "tty_read_signal", 2, prim_tty::tty_read_signal_2, SINCE_26 | UNTIL_27),
            ("prim_tty", "tty_create", 1, prim_tty::tty_create_1, SINCE_28),
            ("prim_tty", "tty_init", 2, prim_tty::tty_init_2, SINCE_28),
            ("prim_tty", "tty_select", 2, prim_tty::tty_select_2, SINCE_28),
            ("prim_tty", "tty_is_open", 2, prim_tty::tty_is_open_2, SINCE_28),
            ("prim_tty", "read_nif", 3, prim_tty::read_nif_3, DIRTY_IO | SINCE_28),
            ("prim_tty", "setupterm_nif", 0, prim_tty::setupterm_nif_0, SINCE_28),
            ("prim_tty", "tigetnum_nif", 1, prim_tty::tigetnum_nif_1, SINCE_28),
            ("prim_tty", "tigetflag_nif", 1, prim_tty::tigetflag_nif_1, SINCE_28),
            ("prim_tty", "tigetstr_nif", 1, prim_tty::tigetstr_nif_1, SINCE_28),
            ("prim_tty", "tputs_nif", 2, prim_tty::tputs_nif_2, SINCE_28),
            ("prim_tty", "tinfo_nif", 0, prim_tty::tinfo_nif_0, SINCE_28),

            // zlib
            ("zlib", "open_nif", 0, zlib::open_nif_0, NONE),
            ("zlib", "close_nif", 1, zlib::close_nif_1, NONE),
            ("zlib", "set_controller_nif", 2, zlib::set_controller_nif_2, NONE),
            ("zlib", "deflateInit_nif", 6, zlib::deflate_init_nif_6, NONE),
            ("zlib", "inflateInit_nif", 3, zlib::inflate_init_nif_3, NONE),
            ("zlib", "deflateSetDictionary_nif", 2, zlib::deflate_set_dictionary_nif_2, NONE),
            ("zlib", "inflateSetDictionary_nif", 2, zlib::inflate_set_dictionary_nif_2, NONE),
            ("zlib", "inflateGetDictionary_nif", 1, zlib::inflate_get_dictionary_nif_1, NONE),
            ("zlib", "deflateReset_nif", 1, zlib::deflate_reset_nif_1, NONE),
            ("zlib", "inflateReset_nif", 1, zlib::inflate_reset_nif_1, NONE),
            ("zlib", "deflateEnd_nif", 1, zlib::deflate_end_nif_1, NONE),
            ("zlib", "inflateEnd_nif", 1, zlib::inflate_end_nif_1, NONE),
            ("zlib", "deflateParams_nif", 3, zlib::deflate_params_nif_3, NONE),
            ("zlib", "deflate_nif", 4, zlib::deflate_nif_4, NONE),
            ("zlib", "inflate_nif", 4, zlib::inflate_nif_4, NONE),
            ("zlib", "enqueue_nif", 2, zlib::enqueue_nif_2, NONE),
            ("zlib", "crc32_nif", 1, zlib::crc32_nif_1, UNTIL_26),
            ("zlib", "getStash_nif", 1, zlib::get_stash_nif_1, NONE),
            ("zlib", "clearStash_nif", 1, zlib::clear_stash_nif_1, NONE),
            ("zlib", "setStash_nif", 2, zlib::set_stash_nif_2, NONE),
            ("zlib", "getBufSize_nif", 1, zlib::get_buf_size_nif_1, UNTIL_26),
            ("zlib", "setBufSize_nif", 2, zlib::set_buf_size_nif_2, UNTIL_26),

            // zstd
            ("zstd", "init_compress_nif", 0, zstd::init_compress_nif_0, SINCE_28),
            ("zstd", "load_compress_dictionary_nif", 2, zstd::load_compress_dictionary_nif_2, DIRTY_CPU | SINCE_28),
            ("zstd", "ref_compress_dictionary_nif", 2, zstd::ref_compress_dictionary_nif_2, SINCE_28),
            ("zstd", "set_compress_parameter_nif", 3, zstd::set_compress_parameter_nif_3, SINCE_28),
            ("zstd", "get_compress_parameter_nif", 2, zstd::get_compress_parameter_nif_2, SINCE_28),
            ("zstd", "set_pledged_src_size_nif", 2, zstd::set_pledged_src_size_nif_2, SINCE_28),
            ("zstd", "compress_stream_nif", 3, zstd::compress_stream_nif_3, DIRTY_CPU | TRIED_FIRST | SINCE_28),
            ("zstd", "compress_reset_nif", 1, zstd::compress_reset_nif_1, SINCE_28),
            ("zstd", "compress_close_nif", 1, zstd::compress_close_nif_1, SINCE_28),
            ("zstd", "init_decompress_nif", 0, zstd::init_decompress_nif_0, SINCE_28),
            ("zstd", "load_decompress_dictionary_nif", 2, zstd::load_decompress_dictionary_nif_2, DIRTY_CPU | SINCE_28),
            ("zstd", "ref_decompress_dictionary_nif", 2, zstd::ref_decompress_dictionary_nif_2, SINCE_28),
            ("zstd", "set_decompress_parameter_nif", 3, zstd::set_decompress_parameter_nif_3, SINCE_28),
            ("zstd", "get_decompress_parameter_nif", 2, zstd::get_decompress_parameter_nif_2, SINCE_28),
            ("zstd", "decompress_stream_nif", 3, zstd::decompress_stream_nif_3, DIRTY_CPU | TRIED_FIRST | SINCE_28),
            ("zstd", "decompress_reset_nif", 1, zstd::decompress_reset_nif_1, SINCE_28),
            ("zstd", "decompress_close_nif", 1, zstd::decompress_close_nif_1, SINCE_28),
            ("zstd", "create_cdict_nif", 2, zstd::create_cdict_nif_2, DIRTY_CPU | SINCE_28),
            ("zstd", "create_ddict_nif", 1, zstd::create_ddict_nif_1, DIRTY_CPU | SINCE_28),
            ("zstd", "getDictId_fromCDict_nif", 1, zstd::dictionary_id_of_compressor_nif_1, SINCE_28),
            ("zstd", "getDictId_fromDDict_nif", 1, zstd::dictionary_id_of_decompressor_nif_1, SINCE_28),
            ("zstd", "getDictId_fromDict_nif", 1, zstd::dictionary_id_of_dictionary_nif_1, SINCE_28),
            ("zstd", "getDictId_fromFrame_nif", 1, zstd::dictionary_id_of_frame_nif_1, SINCE_28),
            ("zstd", "get_frame_header_nif", 1, zstd::get_frame_header_nif_1, SINCE_28),
        }
    };
}

/// What the loader and the engine must know about a BIF before they call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Properties(u16);

impl Properties {
    /// Nothing special: it is called with its arguments, and returns or fails.
    pub const NONE: Properties = Properties(0);
    /// May be called by `bif` and `gc_bif` operations, also in guards; so it has no side effects.
    pub const GUARD: Properties = Properties(1);
    /// May return a trap: an export to call, with arguments, to continue later.
    pub const TRAPS: Properties = Properties(2);
    /// Runs on a dirty CPU scheduler.
    pub const DIRTY_CPU: Properties = Properties(4);
    /// Runs on a dirty I/O scheduler.
    pub const DIRTY_IO: Properties = Properties(8);
    /// Dirty, but first tried on the calling scheduler; the body reports if it must run on a dirty scheduler.
    pub const TRIED_FIRST: Properties = Properties(16);
    /// Counts from OTP 26 on.
    pub const SINCE_26: Properties = Properties(1 << 5);
    /// Counts from OTP 27 on.
    pub const SINCE_27: Properties = Properties(1 << 6);
    /// Counts from OTP 28 on.
    pub const SINCE_28: Properties = Properties(1 << 7);
    /// Counts from OTP 29 on.
    pub const SINCE_29: Properties = Properties(1 << 8);
    /// Counts up to OTP 26: later it is Erlang code, or gone.
    pub const UNTIL_26: Properties = Properties(1 << 9);
    /// Counts up to OTP 27.
    pub const UNTIL_27: Properties = Properties(1 << 10);
    /// Counts up to OTP 28.
    pub const UNTIL_28: Properties = Properties(1 << 11);

    const SINCE: &'static [(Properties, Release)] = &[
        (Properties::SINCE_26, Release::OTP_26),
        (Properties::SINCE_27, Release::OTP_27),
        (Properties::SINCE_28, Release::OTP_28),
        (Properties::SINCE_29, Release::OTP_29),
    ];
    /// With the release from which on the row no longer counts.
    const UNTIL: &'static [(Properties, Release)] = &[
        (Properties::UNTIL_26, Release::OTP_27),
        (Properties::UNTIL_27, Release::OTP_28),
        (Properties::UNTIL_28, Release::OTP_29),
    ];

    /// The union of both sets of properties.
    #[must_use]
    pub const fn with(self, other: Properties) -> Properties {
        Properties(self.0 | other.0)
    }

    /// Whether all properties of `other` are in this set.
    pub const fn has(self, other: Properties) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whether the row counts in this release.
    #[must_use]
    pub fn count_in(self, release: Release) -> bool {
        let of = |list: &[(Properties, Release)], holds: fn(Release, Release) -> bool| {
            list.iter()
                .all(|&(property, other)| !self.has(property) || holds(release, other))
        };
        of(Self::SINCE, |this, since| this.has(since))
            && of(Self::UNTIL, |this, end| !this.has(end))
    }
}

/// A row without its body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bif {
    pub module: &'static str,
    pub name: &'static str,
    pub arity: u8,
    pub properties: Properties,
}

impl Bif {
    /// Whether OTP counts this function among its BIFs, as seen by tools (`erlang:is_builtin/3`,
    /// `system_info(snifs)`). Excluded are functions that are NIFs of modules in OTP, and `erlang:memory` and
    /// `erlang:hibernate/0`, which are Erlang code there.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        !self.is_nif()
            && !matches!(
                (self.module, self.name, self.arity),
                ("erlang", "memory", _) | ("erlang", "hibernate", 0)
            )
    }

    /// Whether this function is a NIF of its module in OTP.
    #[must_use]
    pub fn is_nif(&self) -> bool {
        match self.module {
            "prim_file" => self.name.ends_with("_nif"),
            module => NIF_MODULES.contains(&module),
        }
    }
}

/// The modules whose NIFs the VM brings along.
pub const NIF_MODULES: &[&str] = &[
    "erl_tracer",
    "prim_buffer",
    "prim_file",
    "prim_net",
    "prim_socket",
    "prim_tty",
    "zlib",
    "zstd",
];

macro_rules! define_bifs {
    ($(($module:literal, $name:literal, $arity:literal, $($body:ident)::+, $($property:ident)|+),)*) => {
        &[$(
            Bif {
                module: $module,
                name: $name,
                arity: $arity,
                properties: Properties::NONE$(.with(Properties::$property))+,
            },
        )*]
    };
}

/// Every BIF; its index is its number.
pub const BIFS: &[Bif] = for_each_bif!(define_bifs);

/// The module whose `format_error/2` explains errors of BIFs in `module`, for `error_info`.
///
/// `None` for modules whose BIFs fail without an explanation, such as `prim_file` or `erl_ddll`.
pub fn error_module(module: &str) -> Option<u32> {
    match module {
        "atomics" | "counters" | "erlang" | "erts_internal" | "persistent_term" => {
            Some(atoms::ERL_ERTS_ERRORS)
        }
        "os" | "code" => Some(atoms::ERL_KERNEL_ERRORS),
        "binary" | "ets" | "lists" | "maps" | "math" | "re" | "unicode" => {
            Some(atoms::ERL_STDLIB_ERRORS)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_function_has_two_rows() {
        let mut seen = HashSet::new();
        for bif in BIFS {
            assert!(seen.insert((bif.module, bif.name, bif.arity)), "{bif:?}");
        }
    }

    #[test]
    fn rows_count_from_their_first_release_to_their_last() {
        let both = Properties::SINCE_26.with(Properties::UNTIL_27);
        let counts = [25, 26, 27, 28].map(|number| both.count_in(Release::of(number)));
        assert_eq!(counts, [false, true, true, false]);
        assert!(Properties::GUARD.count_in(Release::OTP_29));
    }

    #[test]
    fn guards_stay_on_their_scheduler() {
        for bif in BIFS
            .iter()
            .filter(|bif| bif.properties.has(Properties::GUARD))
        {
            for other in [
                Properties::TRAPS,
                Properties::DIRTY_CPU,
                Properties::DIRTY_IO,
            ] {
                assert!(!bif.properties.has(other), "{bif:?}");
            }
        }
    }

    #[test]
    fn what_is_tried_first_is_dirty() {
        for bif in BIFS
            .iter()
            .filter(|bif| bif.properties.has(Properties::TRIED_FIRST))
        {
            assert!(
                bif.properties.has(Properties::DIRTY_CPU)
                    || bif.properties.has(Properties::DIRTY_IO),
                "{bif:?}"
            );
        }
    }

    #[test]
    fn rows_keep_name_arity_and_all_properties() {
        let rows: &[Bif] = define_bifs! {
            ("erlang", "+", 2, erlang::plus_2, GUARD),
            ("re", "run", 3, re::run_3, TRAPS | DIRTY_CPU),
            ("erlang", "self", 0, erlang::process::self_0, NONE),
        };
        assert_eq!(
            (rows[0].module, rows[0].name, rows[0].arity),
            ("erlang", "+", 2)
        );
        assert!(
            rows[0].properties.has(Properties::GUARD) && !rows[0].properties.has(Properties::TRAPS)
        );
        assert!(
            rows[1]
                .properties
                .has(Properties::TRAPS.with(Properties::DIRTY_CPU))
        );
        assert_eq!(rows[2].properties, Properties::NONE);
    }

    #[test]
    fn a_callback_of_another_crate_counts_the_rows() {
        macro_rules! count {
            ($(($module:literal, $name:literal, $arity:literal, $($body:ident)::+, $($property:ident)|+),)*) => {
                [$($name,)*] as [&str; BIFS.len()]
            };
        }
        let names = for_each_bif!(count);
        assert!(names.iter().zip(BIFS).all(|(name, bif)| *name == bif.name));
    }

    #[test]
    fn error_modules_are_those_of_otp() {
        assert_eq!(error_module("ets"), Some(atoms::ERL_STDLIB_ERRORS));
        assert_eq!(error_module("os"), Some(atoms::ERL_KERNEL_ERRORS));
        assert_eq!(
            error_module("persistent_term"),
            Some(atoms::ERL_ERTS_ERRORS)
        );
        assert_eq!(error_module("prim_file"), None);
    }
}
