//! Processes, messages, links, monitors and timers, in shapes that have one outcome.

use super::{Type, Writer};

impl Writer {
    /// An expression of some type in which processes have a part; what it is worth can be anything.
    pub fn with_processes(&mut self, depth: u32) -> String {
        let of = self.any_type();
        let value = self.expression(of, depth);
        let (a, b, c) = (self.fresh(), self.fresh(), self.fresh());
        match self.random.u32(0..9) {
            // The mailbox out of order.
            0 => {
                let other = self.any_type();
                let other = self.expression(other, depth);
                format!(
                    "begin self() ! {{one, {value}}}, self() ! {{two, {other}}}, receive {{two, {a}}} -> receive {{one, {b}}} -> {{{a}, {b}}} end end end"
                )
            }
            // The end of a process, seen by a monitor.
            1 => {
                let end = self.one_of(&["exit", "throw", "error", "run:id", "erlang:exit"]);
                format!(
                    "begin {{{a}, {b}}} = spawn_monitor(fun() -> {end}({value}) end), receive {{'DOWN', {b}, process, {a}, {c}}} -> run:plain({c}) end end"
                )
            }
            // The end of a process, seen through a link.
            2 => format!(
                "begin {a} = process_flag(trap_exit, true), {b} = spawn_link(fun() -> exit({value}) end), receive {{'EXIT', {b}, {c}}} -> process_flag(trap_exit, {a}), run:plain({c}) end end"
            ),
            // A process that keeps something, asked by a reference.
            3 => {
                let step =
                    self.inside(vec![(c.clone(), of)], |writer| writer.expression(of, depth));
                format!(
                    "run:served(fun({c}) -> {step} end, {value}, {})",
                    self.random.u32(1..5)
                )
            }
            // Nothing comes in time.
            4 => format!(
                "receive {{none, {a}}} -> {a} after {} -> {value} end",
                self.random.u32(0..3)
            ),
            // A timer that goes off.
            5 => format!(
                "begin {a} = erlang:start_timer({}, self(), {value}), receive {{timeout, {a}, {b}}} -> {b} end end",
                self.random.u32(0..3)
            ),
            // A timer that is taken back.
            6 => format!(
                "begin {a} = erlang:send_after(60000, self(), never), {b} = {value}, {{is_integer(erlang:cancel_timer({a})), {b}}} end"
            ),
            // A registered process, which is gone when its monitor says so.
            7 => format!(
                "begin {{{a}, {b}}} = spawn_monitor(fun() -> receive {{go, {c}}} -> exit({{got, {c}}}) end end), register(some_name, {a}), some_name ! {{go, {value}}}, receive {{'DOWN', {b}, _, _, {c}x}} -> {{run:plain({c}x), whereis(some_name)}} end end"
            ),
            // Many at once: their answers are put in order.
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

    /// Puts a value through something that fails or may fail, and catches it.
    pub fn protected(&mut self, of: Type, depth: u32) -> String {
        let value = self.expression(of, depth);
        let instead = self.expression(of, depth.saturating_sub(1));
        let (a, b) = (self.fresh(), self.fresh());
        match self.random.u32(0..6) {
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
