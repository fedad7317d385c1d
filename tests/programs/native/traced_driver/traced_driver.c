/* Answers control and call, and sends terms, at once or by a timer. */
#include <erl_driver.h>
#include <string.h>

static ErlDrvTermData remembered;

static ErlDrvData start(ErlDrvPort port, char *command)
{
    return (ErlDrvData)port;
}

static void tell(ErlDrvPort port, ErlDrvTermData to, char *what)
{
    ErlDrvTermData told = driver_mk_atom("told");
    ErlDrvTermData words[] = {ERL_DRV_ATOM, told, ERL_DRV_ATOM, driver_mk_atom(what), ERL_DRV_TUPLE, 2};
    int count = sizeof words / sizeof words[0];
    if (to == 0)
        erl_drv_output_term(driver_mk_port(port), words, count);
    else
        erl_drv_send_term(driver_mk_port(port), to, words, count);
}

static void output(ErlDrvData data, char *bytes, ErlDrvSizeT size)
{
    ErlDrvPort port = (ErlDrvPort)data;
    switch (size == 0 ? 0 : bytes[0]) {
    case 'o': tell(port, 0, "output"); break;
    case 's': tell(port, driver_caller(port), "sent"); break;
    case 'r': remembered = driver_caller(port); break;
    case 'd': tell(port, remembered, "to_dead"); break;
    case 't': driver_set_timer(port, 1); break;
    }
}

static void timeout(ErlDrvData data)
{
    tell((ErlDrvPort)data, 0, "timeout");
}

static ErlDrvSSizeT control(ErlDrvData data, unsigned operation, char *bytes, ErlDrvSizeT size, char **result, ErlDrvSizeT room)
{
    memcpy(*result, bytes, size < room ? size : room);
    return size < room ? size : room;
}

static ErlDrvSSizeT call(ErlDrvData data, unsigned operation, char *bytes, ErlDrvSizeT size, char **result, ErlDrvSizeT room, unsigned *flags)
{
    memcpy(*result, bytes, size < room ? size : room);
    return size < room ? size : room;
}

static ErlDrvEntry entry = {
    .start = start, .output = output, .timeout = timeout, .control = control, .call = call, .driver_name = "traced_driver",
    .extended_marker = ERL_DRV_EXTENDED_MARKER, .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(traced_driver)
{
    return &entry;
}
