// A driver that does nothing, of which there are many ports.

#include <erl_driver.h>

static ErlDrvData start(ErlDrvPort port, char *command) {
    (void)command;
    return (ErlDrvData)port;
}

static ErlDrvEntry entry = {
    .start = start,
    .driver_name = "killed_ports",
    .extended_marker = ERL_DRV_EXTENDED_MARKER,
    .major_version = ERL_DRV_EXTENDED_MAJOR_VERSION,
    .minor_version = ERL_DRV_EXTENDED_MINOR_VERSION,
};

DRIVER_INIT(killed_ports) { return &entry; }
