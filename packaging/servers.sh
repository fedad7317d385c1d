#!/bin/bash
# RabbitMQ and ejabberd of this system, each in a folder of its own, on ferl and on stock:
#
#     packaging/servers.sh FERL
#
# The OTP that they run on is a folder that `ferl erts` has written, in front of PATH (RabbitMQ, laid out as its archive
# for any Unix is), or named by the start script (ejabberd). Each is started by its own scripts, asked, changed, started
# anew and stopped; what the commands say is compared. What is not installed is left out with a line. A folder that KEPT
# names gets all that was said. Exit status 1 if something differs.
set -uo pipefail
ferl=$(realpath "${1:?servers.sh FERL}")
place=$(mktemp -d)
export HOME=$place LC_ALL=C.UTF-8 TERM=dumb ERL_EPMD_PORT=14397
unset ERL_LIBS ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ROOTDIR BINDIR FERL_OTP
finish() {
    epmd -kill > /dev/null 2>&1
    rm -rf "$place"
}
trap finish EXIT
failed=0

# A command, what it prints and how it ends, without what differs from run to run.
say() {
    echo "## ${*##*/}"
    timeout -k 5 90 bash -c '"$@"' say "$@" 2>&1 < /dev/null |
        sed -E -e "s#$place/(ferl|stock)#PLACE#g" -e 's/<[0-9]+\.[0-9]+\.[0-9]+>/PID/g' -e 's/pid [0-9]+/pid NUMBER/'
    echo "status ${PIPESTATUS[0]}"
}
await() {
    for _ in $(seq 60); do
        timeout -k 5 90 bash -c '"$@"' await "$@" > /dev/null 2>&1 && return
        sleep 0.5
    done
    echo "not after a minute: ${*##*/}"
}
# Notes which process is the server, and says whose program it is.
runs() {
    running=$1
    # What does not end by itself is ended with the shell that started it.
    trap 'kill -KILL "$running" 2> /dev/null' EXIT
    case $(readlink "/proc/$1/exe") in
        "$place/made/"*) echo "runs ferl as $(cat "/proc/$1/comm")" ;;
        *) echo "runs stock as $(cat "/proc/$1/comm")" ;;
    esac
}
gone() {
    for _ in $(seq 300); do
        kill -0 "$1" 2> /dev/null || return
        sleep 0.1
    done
    echo "it has not ended"
}

# RabbitMQ as its archive has it, with all that it writes below the same folder.
rabbitmq() {
    local root=$1 sbin=$1/sbin
    mkdir -p "$root/etc" "$root/var"
    cp -rL "$rabbit"/{sbin,escript,plugins} "$root"
    echo '[rabbitmq_management].' > "$root/etc/enabled_plugins"
    printf '%s\n' 'listeners.tcp.1 = 127.0.0.1:14396' 'management.tcp.port = 14395' 'management.tcp.ip = 127.0.0.1' \
        > "$root/etc/rabbitmq.conf"
    export RABBITMQ_NODENAME=servers@localhost RABBITMQ_DIST_PORT=14394 RABBITMQ_HOME=$root \
        RABBITMQ_CONF_ENV_FILE=/dev/null RABBITMQ_CONFIG_FILE=$root/etc/rabbitmq.conf \
        RABBITMQ_ENABLED_PLUGINS_FILE=$root/etc/enabled_plugins RABBITMQ_MNESIA_BASE=$root/var \
        RABBITMQ_LOG_BASE=$root/log RABBITMQ_SYSTEMD_RUNTIME=false
    say "$sbin/rabbitmq-server" -detached
    await "$sbin/rabbitmqctl" await_startup
    runs "$("$sbin/rabbitmqctl" -q eval 'list_to_integer(os:getpid()).')"
    say "$sbin/rabbitmq-diagnostics" check_running
    say "$sbin/rabbitmq-diagnostics" check_local_alarms
    say "$sbin/rabbitmq-diagnostics" check_port_listener 14396
    say "$sbin/rabbitmq-diagnostics" listeners
    say "$sbin/rabbitmqctl" add_user someone secret
    say "$sbin/rabbitmqctl" set_user_tags someone management
    say "$sbin/rabbitmqctl" authenticate_user someone secret
    say "$sbin/rabbitmqctl" authenticate_user someone wrong
    say "$sbin/rabbitmqctl" add_vhost place
    say "$sbin/rabbitmqctl" set_permissions -p place someone '.*' '.*' '.*'
    say "$sbin/rabbitmqctl" list_permissions -p place
    say "$sbin/rabbitmqctl" set_policy -p place short '^q' '{"max-length":3}' --apply-to queues
    say "$sbin/rabbitmqctl" list_policies -p place
    # A queue and its messages, by the protocol of HTTP.
    say page someone PUT queues/place/q '{"durable":true}'
    for word in one two three four; do
        say page someone POST exchanges/place/amq.default/publish \
            '{"properties":{"delivery_mode":2},"routing_key":"q","payload":"'$word'","payload_encoding":"string"}'
    done
    say "$sbin/rabbitmqctl" list_queues -p place name messages durable policy
    say "$sbin/rabbitmqctl" stop_app
    say "$sbin/rabbitmqctl" list_queues -p place
    say "$sbin/rabbitmqctl" start_app
    say "$sbin/rabbitmqctl" list_queues -p place name messages durable
    say page someone POST queues/place/q/get '{"count":9,"ackmode":"ack_requeue_false","encoding":"auto"}'
    say "$sbin/rabbitmq-plugins" list -q -m -E
    say "$sbin/rabbitmq-plugins" disable rabbitmq_management
    say "$sbin/rabbitmqctl" stop
    gone "$running"
    say "$sbin/rabbitmqctl" ping
}
page() {
    curl -s -S -u "$1:secret" -X "$2" -H 'content-type: application/json' -d "$4" "http://127.0.0.1:14395/api/$3"
    echo
}
export -f page

ejabberd() {
    local root=$1 otp=$2
    mkdir -p "$root"/{etc,log,spool}
    echo '{lookup, [file, native]}.' > "$root/etc/inetrc"
    # Who starts it is who runs it, and nothing of it is elsewhere.
    sed -E -e "s#^ERL=.*#ERL=$otp/bin/erl#" -e 's/^INSTALLUSER=.*/INSTALLUSER=/' "$(command -v ejabberdctl)" \
        > "$root/ejabberdctl"
    chmod +x "$root/ejabberdctl"
    printf '%s\n' 'hosts: [localhost]' 'loglevel: warning' 'auth_method: internal' 'listen:' '  -' '    port: 14396' \
        '    ip: "127.0.0.1"' '    module: ejabberd_c2s' 'modules:' '  mod_admin_extra: {}' '  mod_roster: {}' \
        '  mod_last: {}' > "$root/etc/ejabberd.yml"
    export root EJABBERD_PID_PATH=$root/pid
    say ctl start
    await ctl started
    runs "$(cat "$root/pid")"
    say ctl status
    say ctl register someone localhost secret
    say ctl register someone localhost secret
    say ctl registered_users localhost
    say ctl check_password someone localhost secret
    say ctl check_password someone localhost wrong
    say ctl connected_users_number
    say ctl add_rosteritem someone localhost other localhost Other Friends both
    say ctl get_roster someone localhost
    say ctl get_loglevel
    say ctl modules_installed
    say ctl backup "$root/spool/kept"
    say ctl unregister someone localhost
    say ctl registered_users localhost
    say ctl restore "$root/spool/kept"
    say ctl registered_users localhost
    say ctl restart
    sleep 1
    await ctl started
    say ctl registered_users localhost
    say ctl stop
    say ctl stopped
    gone "$running"
    say ctl status
}
ctl() { "$root/ejabberdctl" -d "$root/etc" -l "$root/log" -s "$root/spool" -n servers@localhost "$@"; }
export -f ctl

compare() {
    local name=$1
    if ! grep -q '^runs ferl' "$place/ferl.$name" || ! grep -q '^runs stock' "$place/stock.$name"; then
        echo "$name: did not run on ferl, or not on stock"
        failed=1
    fi
    if diff <(sed 's/^runs stock/runs/' "$place/stock.$name") <(sed 's/^runs ferl/runs/' "$place/ferl.$name"); then
        echo "$name: $(grep -c '^## ' "$place/ferl.$name") commands, no difference"
    else
        failed=1
    fi
}

"$ferl" erts "$place/made" > /dev/null || exit 1
stock=$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().')
rabbit=$(ls -d /usr/lib/rabbitmq/lib/rabbitmq_server-* 2> /dev/null | head -n 1)
if [ -n "$rabbit" ] && command -v curl > /dev/null; then
    (rabbitmq "$place/stock/rabbitmq") > "$place/stock.rabbitmq"
    (PATH=$place/made/bin:$PATH && rabbitmq "$place/ferl/rabbitmq") > "$place/ferl.rabbitmq"
    compare rabbitmq
else
    echo "no rabbitmq-server or no curl here: RabbitMQ is left out"
fi
if command -v ejabberdctl > /dev/null; then
    (ejabberd "$place/stock/ejabberd" "$stock") > "$place/stock.ejabberd"
    (ejabberd "$place/ferl/ejabberd" "$place/made") > "$place/ferl.ejabberd"
    compare ejabberd
else
    echo "no ejabberd here: it is left out"
fi
[ -z "${KEPT-}" ] || cp "$place"/{stock,ferl}.* "$KEPT"
exit $failed
