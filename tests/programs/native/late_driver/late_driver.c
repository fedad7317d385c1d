/* A driver that says later whether it could start a port, and has work on other threads when it is unloaded. */
#include <erl_driver.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct {
    ErlDrvPort port;
    char command[64];
} Data;

/* What the library has seen when it is told to finish. */
static int jobs_done, jobs_freed;

static ErlDrvData start(ErlDrvPort port, char *command)
{
    Data *data = driver_alloc(sizeof *data);
    memset(data, 0, sizeof *data);
    data->port = port;
    strncpy(data->command, command, sizeof data->command - 1);
    /* Too early. */
    erl_drv_init_ack(port, ERL_DRV_ERROR_GENERAL);
    driver_set_timer(port, 20);
    return (ErlDrvData)data;
}

static void stop(ErlDrvData given)
{
    driver_free(given);
}

static void timeout(ErlDrvData given)
{
    Data *data = (Data *)given;
    ErlDrvPort port = data->port;
    if (strstr(data->command, "general")) {
        erl_drv_init_ack(port, ERL_DRV_ERROR_GENERAL);
    } else if (strstr(data->command, "badarg")) {
        erl_drv_init_ack(port, ERL_DRV_ERROR_BADARG);
    } else if (strstr(data->command, "errno")) {
        errno = ENOSPC;
        erl_drv_init_ack(port, ERL_DRV_ERROR_ERRNO);
    } else if (strstr(data->command, "failure")) {
        driver_failure_atom(port, "failed");
    } else {
        erl_drv_init_ack(port, given);
        /* Without effect. */
        erl_drv_init_ack(port, ERL_DRV_ERROR_GENERAL);
    }
}

/* The file that lets the work end when it is there. */
static char awaited[1024];

static void work(void *given)
{
    while (access(awaited, F_OK) != 0)
        usleep(1000);
    jobs_done++;
}

static void free_work(void *given)
{
    jobs_freed++;
}

static ErlDrvSSizeT control(ErlDrvData given, unsigned operation, char *bytes, ErlDrvSizeT size, char **result, ErlDrvSizeT room)
{
    Data *data = (Data *)given;
    if (operation == 1 && size < sizeof awaited) {
        memcpy(awaited, bytes, size);
        driver_async(data->port, NULL, work, NULL, free_work);
    }
    size_t length = strlen(data->command);
    memcpy(*result, data->command, length);
    return length;
}

static void finish(void)
{
    char text[32];
    snprintf(text, sizeof text, "%d done, %d freed", jobs_done, jobs_freed);
    erl_drv_putenv("LATE_DRIVER_FINISH", text);
}

static ErlDrvEntry entry = {
    .start = start, .stop = stop, .driver_name = "late_driver", .finish = finish, .control = control, .timeout = timeout,
    .extended_marker = ERL_DRV_EXTENDED_MARKER, .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION, .driver_flags = ERL_DRV_FLAG_USE_INIT_ACK,
};

DRIVER_INIT(late_driver)
{
    return &entry;
}
