%% Dates and times of the module calendar: converted, added up, written and read.
-module(compute_dates).
-export([run/0]).

run() -> loop(20000, 63_900_000_000, 0).

loop(0, _, Sum) -> Sum;
loop(N, Seconds, Sum) ->
    {{Year, Month, Day} = Date, Time} = calendar:gregorian_seconds_to_datetime(Seconds),
    Seconds = calendar:datetime_to_gregorian_seconds({Date, Time}),
    Weekday = calendar:day_of_the_week(Date),
    {_, Week} = calendar:iso_week_number(Date),
    Last = calendar:last_day_of_the_month(Year, Month),
    Text = calendar:system_time_to_rfc3339(Seconds - 62167219200, [{offset, "Z"}]),
    Read = calendar:rfc3339_to_system_time(Text),
    loop(N - 1, Seconds + 86_413 * (1 + N rem 5), (Sum + Weekday + Week + Last + Day + Read) rem 1_000_003).
