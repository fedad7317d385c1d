/* Locks and threads of drivers: those of NIFs by other names. The types are the same behind the pointers. */

#define SAME_VALUE(result, name, parameters, arguments) \
    result enif_##name parameters;                      \
    result erl_drv_##name parameters                    \
    {                                                   \
        return enif_##name arguments;                   \
    }

#define SAME(name)                     \
    void enif_##name(void *object);    \
    void erl_drv_##name(void *object)  \
    {                                  \
        enif_##name(object);           \
    }

SAME_VALUE(void *, mutex_create, (char *name), (name))
SAME(mutex_destroy)
SAME_VALUE(char *, mutex_name, (void *mutex), (mutex))
SAME_VALUE(int, mutex_trylock, (void *mutex), (mutex))
SAME(mutex_lock)
SAME(mutex_unlock)

SAME_VALUE(void *, cond_create, (char *name), (name))
SAME(cond_destroy)
SAME_VALUE(char *, cond_name, (void *condition), (condition))
SAME(cond_signal)
SAME(cond_broadcast)

void enif_cond_wait(void *condition, void *mutex);
void erl_drv_cond_wait(void *condition, void *mutex)
{
    enif_cond_wait(condition, mutex);
}

SAME_VALUE(void *, rwlock_create, (char *name), (name))
SAME(rwlock_destroy)
SAME_VALUE(char *, rwlock_name, (void *lock), (lock))
SAME_VALUE(int, rwlock_tryrlock, (void *lock), (lock))
SAME(rwlock_rlock)
SAME(rwlock_runlock)
SAME_VALUE(int, rwlock_tryrwlock, (void *lock), (lock))
SAME(rwlock_rwlock)
SAME(rwlock_rwunlock)

SAME_VALUE(int, tsd_key_create, (char *name, int *key), (name, key))
void enif_tsd_key_destroy(int key);
void erl_drv_tsd_key_destroy(int key)
{
    enif_tsd_key_destroy(key);
}
void enif_tsd_set(int key, void *data);
void erl_drv_tsd_set(int key, void *data)
{
    enif_tsd_set(key, data);
}
SAME_VALUE(void *, tsd_get, (int key), (key))

SAME_VALUE(void *, thread_opts_create, (char *name), (name))
SAME(thread_opts_destroy)
SAME_VALUE(int, thread_create, (char *name, void **id, void *(*function)(void *), void *argument, void *options),
           (name, id, function, argument, options))
SAME_VALUE(void *, thread_self, (void), ())
SAME_VALUE(int, equal_tids, (void *one, void *other), (one, other))
SAME(thread_exit)
SAME_VALUE(int, thread_join, (void *thread, void **result), (thread, result))
SAME_VALUE(char *, thread_name, (void *thread), (thread))
