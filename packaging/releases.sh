#!/bin/bash
# Releases that ferl runs, beside the same releases on stock:
#
#     packaging/releases.sh FERL
#
# `mix release` and rebar3 (relx) of this system make a release with stock's emulator, one with the folder that `ferl
# erts` writes, and one of stock's into which `ferl erts --replace` puts ferl; so does OTP's own systools. Each is
# started, asked, upgraded and stopped by the commands that it brings; what they say is compared. Where mix or rebar3 is
# missing, that part is left out with a line. Exit status 1 if something differs.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
ferl=$(realpath "${1:-$here/../target/release/ferl}")
place=$(mktemp -d)
export HOME=$place ERL_EPMD_PORT=14398 LC_ALL=C.UTF-8 TERM=dumb
unset ERL_LIBS ERL_FLAGS ERL_AFLAGS ERL_ZFLAGS ROOTDIR BINDIR FERL_OTP
finish() {
    tmux -L "releases$shells" kill-server > /dev/null 2>&1
    epmd -kill > /dev/null 2>&1
    rm -rf "$place"
}
trap finish EXIT
failed=0 shells=0
# The folders of one release are `stock`, `taken` (the folder that ferl wrote) and `given` (by --replace): names of one
# length, because lines that are printed break by their length.

# A command of a release, what it prints and how it ends, without what differs from run to run.
say() {
    echo "## ${*##*/}"
    case $(type -t "$1") in
        function) timeout -k 5 90 bash -c '"$@"' say "$@" ;;
        *) timeout -k 5 90 "$@" ;;
    esac 2>&1 < /dev/null |
        sed -E -e "s#/?${place#/}/[a-z]{5}#PLACE#g" -e 's/<[0-9]+\.[0-9]+\.[0-9]+>/PID/g' -e 's/^[0-9]+$/NUMBER/' \
            -e '/^Exec: /d' -e 's/at port [0-9]+$/at port NUMBER/' -e 's/[^ ]*@[^ ]*:\//NODE:\//'
    echo "status ${PIPESTATUS[0]}"
}

# Repeats a command until it succeeds, for half a minute or longer.
await() {
    for _ in $(seq 300); do
        "$@" > /dev/null 2>&1 && return
        sleep 0.1
    done
    echo "not after 30 s: ${*##*/}"
}
gone() { ! kill -0 "$1" 2> /dev/null; }

# What a shell on the running service shows after a call: by a terminal of tmux. The first lines name the machine.
say_in_shell() {
    local command=$1 call=$2
    command -v tmux > /dev/null || return
    echo "## ${command##*/}"
    # A server of its own for each, because one that was told to end takes no new terminal.
    shells=$((shells + 1))
    tmux -L "releases$shells" -f /dev/null new-session -d -x 120 -y 30 "$command"
    await shows '1> *$'
    tmux -L "releases$shells" send-keys "$call" Enter
    await shows '2> *$'
    tmux -L "releases$shells" capture-pane -p | sed -e '/^Erlang\/OTP/d' -e '/^Eshell/d' -e '/^ *$/d' | sed -n '/1>/,$p'
    tmux -L "releases$shells" kill-server
}
shows() { tmux -L "releases$shells" capture-pane -p | grep -q "$1"; }

service_of_mix() {
    local bin=$1/bin/svc pid
    export RELEASE_COOKIE=svc RELEASE_TMP=$1/tmp PORT=4711
    say "$bin" version
    say "$bin" eval 'IO.inspect Svc.Counter.machine()'
    say "$bin" eval 'System.halt(7)'
    say "$bin" rpc 'IO.puts 1'
    say "$bin" daemon
    await "$bin" rpc 1
    say "$bin" rpc 'IO.inspect {:count, Svc.Counter.next()}'
    say "$bin" rpc 'IO.inspect {:count, Svc.Counter.next()}'
    say "$bin" rpc 'IO.inspect Svc.Counter.machine()'
    say "$bin" rpc 'raise "no"'
    say_in_shell "$bin remote" '{:in_shell, Svc.Counter.next()}'
    pid=$("$bin" pid)
    say "$bin" pid
    echo "runs $(cat "/proc/$pid/comm")"
    say "$bin" restart
    sleep 1
    await "$bin" rpc 'true = Svc.Counter.next() == 0'
    say "$bin" pid
    say "$bin" stop
    await gone "$pid"
    # `heart` starts the service anew when it is killed, and not when it is told to stop.
    # The variables are those of the service alone: what asks it is a node, too.
    (export HEART_COMMAND="$bin daemon" ELIXIR_ERL_OPTIONS=-heart && say "$bin" daemon)
    await "$bin" rpc 1
    pid=$("$bin" pid)
    kill -KILL "$pid"
    await gone "$pid"
    await "$bin" rpc 1
    [ "$("$bin" pid)" != "$pid" ] && echo "heart has started another"
    pid=$("$bin" pid)
    say "$bin" stop
    await gone "$pid"
    sleep 2
    say "$bin" rpc 'IO.puts 1'
    "$bin" start > "$1/foreground" 2>&1 &
    pid=$!
    await "$bin" rpc 'true = is_pid(Process.whereis(Svc.Counter))'
    say "$bin" rpc 'IO.puts Svc.Counter.vm()'
    kill -TERM "$pid"
    wait "$pid"
    echo "ended by TERM: status $?"
    sed -e 's/^[0-9:.]* //' "$1/foreground"
}

# The commands of relx's script that `service_of_rebar` leaves out, and the hooks that the script calls.
hooks_of_rebar() {
    local root=$1 bin=$1/bin/counter pid
    say "$bin" start
    await "$bin" ping
    pid=$("$bin" pid)
    [ "$(cat "$root/pid")" = "$pid" ] && echo "a hook has written the pid"
    say "$bin" status
    for _ in 1 2; do say "$bin" count; done
    say "$bin" escript bin/tell.escript a 'b c'
    # What `run_erl` keeps for who comes later is the prompt.
    say_in_shell "$bin daemon_attach" '{in_shell, counter_server:next()}.'
    say "$bin" restart
    sleep 1
    await count_is 0 "$bin"
    [ "$("$bin" pid)" = "$pid" ] && echo "restarted in the same process"
    say "$bin" stop
    await gone "$pid"
    # With `heart`, `reboot` starts another one.
    (cat "$root"/releases/1/vm.args && echo -heart) > "$root/heart.args"
    VMARGS_PATH=$root/heart.args say "$bin" daemon
    await "$bin" ping
    pid=$("$bin" pid)
    say "$bin" reboot
    await gone "$pid"
    await "$bin" ping
    await count_is 0 "$bin"
    [ "$("$bin" pid)" != "$pid" ] && echo "heart has started another"
    pid=$("$bin" pid)
    await started 4 "$root"
    say "$bin" stop
    await gone "$pid"
    sleep 2
    say "$bin" ping
    echo "## hooks"
    cat "$root/hooks.log"
    say_in_shell "$bin console_clean" '[Name || {Name, _, _} <- application:which_applications()].'
    say_in_shell "$bin console_boot $root/releases/1/start" '{in_shell, counter_server:next()}.'
    say_in_shell "$bin console" '{in_shell, counter_server:next()}.'
}
started() { [ "$(grep -c post_start "$2/hooks.log")" -ge "$1" ]; }
count_is() { [ "$("$2" eval 'element(2, sys:get_state(counter_server)).')" = "$1" ]; }

service_of_rebar() {
    local root=$1 bin=$1/bin/counter pid
    say "$bin" eval 'counter_server:machine().'
    say "$bin" daemon
    await "$bin" ping
    say "$bin" ping
    say "$bin" pid
    pid=$("$bin" pid)
    echo "runs $(cat "/proc/$pid/comm")"
    for _ in 1 2; do say "$bin" eval '{count, counter_server:next()}.'; done
    say "$bin" rpc counter_server next '[]'
    say_in_shell "$bin remote_console" '{in_shell, counter_server:next()}.'
    say "$bin" eval 'counter_server:machine().'
    say "$bin" versions
    if [ -e "$root/releases/counter-2.tar.gz" ]; then
        say "$bin" upgrade 2
        for _ in 1 2; do say "$bin" eval '{count, counter_server:next()}.'; done
        say "$bin" versions
        say "$bin" downgrade 1
        for _ in 1 2; do say "$bin" eval '{count, counter_server:next()}.'; done
    fi
    say "$bin" eval 'counter_server:vm().'
    say "$bin" stop
    await gone "$pid"
    say "$bin" ping
    "$bin" foreground > "$root/foreground" 2>&1 &
    pid=$!
    # A node answers before it can handle signals.
    await count_is 0 "$bin"
    kill -TERM "$pid"
    wait "$pid"
    echo "ended by TERM: status $?"
    hooks_of_rebar "$root"
}

# Compares what a service said on ferl with what it said on stock. Which machine it was is compared with what was meant.
compare() {
    local kind=$1 name=$2
    if ! grep -q "^\"\?ferl" "$place/$name.$kind" || grep -q "^\"\?ferl" "$place/stock.$kind"; then
        echo "$kind, $name: did not run on ferl, or stock's did"
        failed=1
    fi
    if diff <(sed 's/^"*stock"*$/VM/' "$place/stock.$kind") <(sed 's/^"*ferl"*$/VM/' "$place/$name.$kind"); then
        echo "$kind, $name: $(grep -c '^## ' "$place/$name.$kind") commands, no difference"
    else
        failed=1
    fi
}

"$ferl" erts "$place/made" > /dev/null || exit 1
erts=$(echo "$place"/made/erts-*)

if command -v mix > /dev/null; then
    for name in stock taken; do
        cp -r "$here/releases/svc" "$place/project"
        [ $name = taken ] && export SVC_ERTS=$erts
        (cd "$place/project" && MIX_ENV=prod mix release --quiet --path "$place/$name/svc") || failed=1
        unset SVC_ERTS
        rm -rf "$place/project"
    done
    cp -r "$place/stock" "$place/given"
    "$ferl" erts --replace "$place/given/svc" > /dev/null || failed=1
    for name in stock taken given; do service_of_mix "$place/$name/svc" > "$place/$name.mix"; done
    for name in taken given; do compare mix $name; done
else
    echo "no mix here: its releases are left out"
fi

# A project of the counter in the folder `project`, whose code is of this version.
counter_of() {
    cp -r "$here/releases/counter/." "$place/project"
    sed -i "s/VERSION\"/$1\"/; s/STEP_OF_VERSION/$2/" "$place"/project/src/*
}

# Two versions of the counter as releases of this profile, the first of them unpacked in the folder NAME/PROFILE.
counter_release() {
    local name=$1 profile=$2 built=$place/project/_build/$2/rel/counter version
    mkdir -p "$place/project" "$place/$name/$profile"
    for version in 1 2; do
        counter_of $version $((version * version * 10 - 9 * version))
        (cd "$place/project" && export COUNTER_VERSION=$version && rebar3 as "$profile" release &&
            { [ $version = 1 ] || rebar3 as "$profile" relup --relname counter --relvsn 2 --upfrom 1; } &&
            rebar3 as "$profile" tar) > "$place/rebar.log" 2>&1 || { cat "$place/rebar.log"; failed=1; }
    done
    tar -xzf "$built/counter-1.tar.gz" -C "$place/$name/$profile"
    cp "$built/counter-2.tar.gz" "$place/$name/$profile/releases"
    rm -rf "$place/project"
}

# Two versions of the counter as releases of systools with the emulator of this root, the first of them unpacked.
systools_release() {
    local name=$1 root=$2 version to=$place/$1/systools
    mkdir -p "$place/project" "$place/tars" "$to/pipes" "$to/log" "$to/bin"
    for version in 1 2; do
        counter_of $version $((version * version * 10 - 9 * version))
        mkdir -p "$place/tars/counter-$version/ebin"
        erlc -o "$place/tars/counter-$version/ebin" "$place"/project/src/*.erl
        sed 's/{modules, \[\]}/{modules, [counter_app, counter_server]}/' "$place/project/src/counter.app.src" \
            > "$place/tars/counter-$version/ebin/counter.app"
        cp "$place/project/counter.appup" "$place/tars/counter-$version/ebin"
    done
    (cd "$place/tars" && erl -noshell -eval '
        [Root] = init:get_plain_arguments(),
        Erts = erlang:system_info(version),
        Vsn = fun(Name) -> application:load(Name), {ok, V} = application:get_key(Name, vsn), {Name, V} end,
        Path = [{path, ["counter-1/ebin", "counter-2/ebin"]}, silent],
        [ok = file:write_file("counter-" ++ V ++ ".rel", io_lib:format("~p.~n", [{release, {"counter", V}, {erts, Erts},
            [{counter, V} | [Vsn(Name) || Name <- [kernel, stdlib, sasl]]]}])) || V <- ["1", "2"]],
        [{ok, _, _} = systools:make_script("counter-" ++ V, Path) || V <- ["1", "2"]],
        Tar = fun(V) -> {ok, _, _} = systools:make_tar("counter-" ++ V, [{erts, Root} | Path]) end,
        % What is to be done for an upgrade belongs to version 2.
        Tar("1"),
        {ok, _, _, _} = systools:make_relup("counter-2", ["counter-1"], ["counter-1"], Path),
        Tar("2"),
        ok = file:write_file("start_erl.data", Erts ++ " 1\n"),
        halt().' -extra "$root") || failed=1
    tar -xzf "$place/tars/counter-1.tar.gz" -C "$to"
    cp "$place"/tars/{counter-2.tar.gz,start_erl.data} "$to/releases"
    # As OTP's own example of a target system does; `escript` boots by it.
    cp "$root/bin/no_dot_erlang.boot" "$to/bin"
    echo '[].' | tee "$to/releases/1/sys.config" > "$to/sys.config"
    erl -noshell -eval '[To] = init:get_plain_arguments(), Releases = To ++ "/releases",
        ok = release_handler:create_RELEASES(To, Releases, Releases ++ "/counter-1.rel", []), halt().' -extra "$to" ||
        failed=1
    rm -rf "$place/project" "$place/tars"
}

# The programs of OTP that such a release brings.
service_of_systools() {
    local root=$1 bin pid
    bin=$(echo "$root"/erts-*/bin)
    export -f on_node start_in_background
    start_in_background "$root"
    await counts "$bin"
    say "$bin/epmd" -names
    pid=$(on_node "$bin" os getpid | tr -d '"')
    echo "runs $(cat "/proc/$pid/comm")"
    say on_node "$bin" counter_server machine
    say on_node "$bin" counter_server vm
    for _ in 1 2; do say on_node "$bin" counter_server next; done
    say_in_shell "$bin/to_erl $root/pipes/" '{in_shell, counter_server:next()}.'
    say on_node "$bin" release_handler which_releases
    say on_node "$bin" release_handler unpack_release '["counter-2"]'
    cp "$root/sys.config" "$root/releases/2"
    say on_node "$bin" release_handler install_release '["2"]'
    for _ in 1 2; do say on_node "$bin" counter_server next; done
    say on_node "$bin" release_handler make_permanent '["2"]'
    say on_node "$bin" release_handler which_releases
    echo "starts next: $(cat "$root/releases/start_erl.data")"
    say on_node "$bin" release_handler install_release '["1"]'
    say on_node "$bin" counter_server next
    say "$bin/escript" "$here/releases/counter/tell.escript" a 'b c'
    say "$bin/erl_call" -name counter@127.0.0.1 -c c -q
    await gone "$pid"
    # Version 2 was made the permanent one.
    start_in_background "$root"
    await counts "$bin"
    for _ in 1 2; do say on_node "$bin" counter_server next; done
    pid=$(on_node "$bin" os getpid | tr -d '"')
    say on_node "$bin" init restart
    sleep 1
    await counts "$bin"
    [ "$(on_node "$bin" os getpid | tr -d '"')" = "$pid" ] && echo "restarted in the same process"
    say on_node "$bin" init stop
    await gone "$pid"
    say on_node "$bin" erlang node
}
# Without a name of its own `erl_call` takes one of three, which the call before may still have.
on_node() { "$1/erl_call" -h "call$RANDOM" -name counter@127.0.0.1 -c c -a "$2 $3 ${4-[]}" && echo; }
counts() { on_node "$1" sys get_state '[counter_server]' | grep -q '^{count,'; }
start_in_background() {
    local bin
    bin=$(echo "$1"/erts-*/bin)
    say "$bin/run_erl" -daemon "$1/pipes/" "$1/log" "exec $bin/start_erl $1 $1/releases $1/releases/start_erl.data \
        -name counter@127.0.0.1 -setcookie c"
}

systools_release stock "$(erl -noshell -eval 'io:put_chars(code:root_dir()), halt().')"
systools_release taken "$place/made"
mkdir -p "$place/given"
cp -r "$place/stock/systools" "$place/given"
# The list of releases names their folder.
sed -i "s#$place/stock/#$place/given/#g" "$place/given/systools/releases/RELEASES"
"$ferl" erts --replace "$place/given/systools" > /dev/null || failed=1
for name in stock taken given; do service_of_systools "$place/$name/systools" > "$place/$name.systools"; done
for name in taken given; do compare systools $name; done

if command -v rebar3 > /dev/null; then
    # The folder is named in the configuration; it is the OTP that rebar3 runs on; the release runs on the `erl` in
    # PATH.
    for profile in named prod minimal; do
        counter_release stock $profile
        cp -r "$place/stock/$profile" "$place/begun"
        service_of_rebar "$place/stock/$profile" > "$place/stock.$profile"
        case $profile in
            named) COUNTER_ERTS=$place/made counter_release taken named ;;
            prod) PATH=$place/made/bin:$PATH counter_release taken prod ;;
            minimal) cp -r "$place/begun" "$place/taken/minimal" ;;
        esac
        case $profile in
            minimal) PATH=$place/made/bin:$PATH service_of_rebar "$place/taken/minimal" > "$place/taken.minimal" ;;
            *) service_of_rebar "$place/taken/$profile" > "$place/taken.$profile" ;;
        esac
        compare $profile taken
        if [ $profile = prod ]; then
            mkdir -p "$place/given"
            mv "$place/begun" "$place/given/prod"
            "$ferl" erts --replace "$place/given/prod" > /dev/null || failed=1
            service_of_rebar "$place/given/prod" > "$place/given.prod"
            compare prod given
        fi
        rm -rf "$place/begun"
    done
else
    echo "no rebar3 here: its releases are left out"
fi
exit $failed
