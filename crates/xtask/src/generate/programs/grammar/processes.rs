//! Expressions with processes, messages, links, monitors and timers that have one possible outcome.

use super::{Type, Writer};

impl Writer {
    /// An expression that uses processes. Its value can be of any type.
    pub(super) fn with_processes(&mut self, depth: u32) -> String {
        let of = self.any_type();
        let value = self.expression(of, depth);
        let (a, b, c) = (self.fresh(), self.fresh(), self.fresh());
        match self.choices.u32(0..9) {
            // Messages received in another order than they were sent.
            0 => {
                let other = self.any_type();
                let other = self.expression(other, depth);
                format!(
                    "begin self() ! {{one, {value}}}, self() ! {{two, {other}}}, receive {{two, {a}}} -> receive {{one, {b}}} -> {{{a}, {b}}} end end end"
                )
            }
            // The exit of a process, through a monitor.
            1 => {
                let end = self.one_of(&["exit", "throw", "error", "run:id", "erlang:exit"]);
                format!(
                    "begin {{{a}, {b}}} = spawn_monitor(fun() -> {end}({value}) end), receive {{'DOWN', {b}, process, {a}, {c}}} -> run:plain({c}) end end"
                )
            }
            // The exit of a process, through a link.
            2 => format!(
                "begin {a} = process_flag(trap_exit, true), {b} = spawn_link(fun() -> exit({value}) end), receive {{'EXIT', {b}, {c}}} -> process_flag(trap_exit, {a}), run:plain({c}) end end"
            ),
            // A process with a state, called with a reference.
            3 => {
                let step =
                    self.inside(vec![(c.clone(), of)], |writer| writer.expression(of, depth));
                format!(
                    "run:served(fun({c}) -> {step} end, {value}, {})",
                    self.choices.u32(1..5)
                )
            }
            // A timeout.
            4 => format!(
                "receive {{none, {a}}} -> {a} after {} -> {value} end",
                self.choices.u32(0..3)
            ),
            // A timer that expires.
            5 => format!(
                "begin {a} = erlang:start_timer({}, self(), {value}), receive {{timeout, {a}, {b}}} -> {b} end end",
                self.choices.u32(0..3)
            ),
            // A timer that is cancelled.
            6 => format!(
                "begin {a} = erlang:send_after(60000, self(), never), {b} = {value}, {{is_integer(erlang:cancel_timer({a})), {b}}} end"
            ),
            // A registered process, whose name is free once its monitor has fired.
            7 => format!(
                "begin {{{a}, {b}}} = spawn_monitor(fun() -> receive {{go, {c}}} -> exit({{got, {c}}}) end end), register(some_name, {a}), some_name ! {{go, {value}}}, receive {{'DOWN', {b}, _, _, {c}x}} -> {{run:plain({c}x), whereis(some_name)}} end end"
            ),
            // Several at once, whose answers are sorted.
            _ => format!(
                "run:together([fun() -> {value} end, fun() -> {} end, fun() -> {} end])",
                self.expression(of, depth),
                {
                    let other = self.any_type();
                    self.expression(other, depth)
                }
            ),
        }
    }

    /// An expression that fails or may fail, and catches that.
    pub(super) fn protected(&mut self, of: Type, depth: u32) -> String {
        let value = self.expression(of, depth);
        let instead = self.expression(of, depth.saturating_sub(1));
        let (a, b) = (self.fresh(), self.fresh());
        match self.choices.u32(0..6) {
            0 => format!("try {value} catch {a}:{b} -> run:caught({a}, {b}, {instead}) end"),
            1 => format!("try throw({value}) catch throw:{a} -> {a} end"),
            2 => {
                let class = self.one_of(&["error", "exit", "throw"]);
                let other = self.any_type();
                let reason = self.expression(other, depth);
                format!(
                    "try erlang:{class}({reason}) catch {class}:{a} -> run:caught({class}, {a}, {value}); _:_ -> {instead} end"
                )
            }
            3 => format!(
                "try {value} of {a} when is_atom({a}) -> {a}; {b} -> {b} catch error:_ -> {instead} after put(last, after_it) end"
            ),
            4 => format!(
                "case catch {value} of {{'EXIT', {{{a}, _}}}} -> run:caught(exit, {a}, {instead}); {b} -> {b} end"
            ),
            _ => format!(
                "try try {value} after put(inner, done) end catch error:{a}:{b} -> run:caught(length(run:frames({b})) > 0, {a}, {instead}); {a}:_ -> run:caught({a}, other, {instead}) end"
            ),
        }
    }
}
