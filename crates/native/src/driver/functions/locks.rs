//! Locks and threads: those of NIFs by other names (`c/driver_locks.c`).

macro_rules! written_in_c {
    ($($name:ident)*) => {
        // Only their addresses are used here, so their types do not matter.
        unsafe extern "C" {
            $(pub(crate) fn $name();)*
        }
    };
}

written_in_c! {
    erl_drv_cond_broadcast erl_drv_cond_create erl_drv_cond_destroy erl_drv_cond_name erl_drv_cond_signal erl_drv_cond_wait
    erl_drv_equal_tids erl_drv_mutex_create erl_drv_mutex_destroy erl_drv_mutex_lock erl_drv_mutex_name erl_drv_mutex_trylock
    erl_drv_mutex_unlock erl_drv_rwlock_create erl_drv_rwlock_destroy erl_drv_rwlock_name erl_drv_rwlock_rlock
    erl_drv_rwlock_runlock erl_drv_rwlock_rwlock erl_drv_rwlock_rwunlock erl_drv_rwlock_tryrlock erl_drv_rwlock_tryrwlock
    erl_drv_thread_create erl_drv_thread_exit erl_drv_thread_join erl_drv_thread_name erl_drv_thread_opts_create
    erl_drv_thread_opts_destroy erl_drv_thread_self erl_drv_tsd_get erl_drv_tsd_key_create erl_drv_tsd_key_destroy erl_drv_tsd_set
}
