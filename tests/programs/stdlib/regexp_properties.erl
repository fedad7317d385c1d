%% Properties of Unicode: a script has only its own characters, letters of one case stay so where case does not matter,
%% and which names there are.
%% releases: 25 27
-module(regexp_properties).
-export([main/0]).

main() ->
    scripts(),
    cases(),
    names(),
    places(),
    long().

%% Characters that several scripts use, and some of one only.
scripts() ->
    Characters = [16#3001, 16#3005, 16#300c, 16#30fc, 16#650, 16#60c, 16#640, 16#627, 16#342, 16#301, 16#b7, 16#e9,
        16#4e00, 16#3b1, $a, $1],
    [see:value({script, Script, Form}, [Character || Character <- Characters, re:run([Character], [Begin, Script, End],
        [unicode, {capture, none} | Options]) =:= match])
     || Script <- ["Han", "Arabic", "Greek", "Latin", "Common", "Inherited", "Hiragana", "Cherokee"],
        {Begin, End} = Form <- [{"^\\p{", "}"}, {"^\\P{", "}"}, {"^\\p{^", "}"}, {"^[\\p{", "}1]"}, {"^[^\\p{", "}a]"},
            {"^[^\\P{", "}]"}],
        Options <- [[], [caseless]]].

cases() ->
    Subjects = ["aB1c", "Ab-", [16#1c5, $a, 16#1c4], [16#df, $Z, $z], "_^Z]", "ZZzz"],
    Patterns = ["\\p{Lu}", "\\p{Ll}+", "\\p{Lt}", "\\P{Lu}+", "\\p{^Ll}*?$", "\\p{Lu}{2}", "\\p{Lu}{1,2}+z",
        "\\p{Lu}{,2}", "[\\p{Lu}]", "[\\p{Lu}\\d]+", "[^\\p{Lu}]+",
                "[\\p{Lu}a]+", "[^\\p{Lu}a]+", "[b-d\\p{Ll}\\P{Lu}]*", "[\\p{Lu}^x]+", "[]\\p{Lu}_]+", "[\\p{Lu}-]+",
                "[\\p{Lu}-a]+", "[\\p{L&}]+", "\\p{L&}+",
                "(?<=\\p{Lu})z", "(?<=[\\p{Lu}b])1", "(\\p{Lu})\\1", "z(?-i)z\\p{Lu}|\\p{Lu}", "[[:upper:]\\p{Lt}]+",
                "[[:digit:]\\p{Lu}]{2,}", "(?:\\p{Lu}|b)+?1", "\\Q\\p{Lu}\\E|\\p{Ll}"],
    [see:value({'case', Pattern, Options}, [re:run(Subject, Pattern, [unicode | Options]) || Subject <- Subjects])
        || Pattern <- Patterns, Options <- [[], [caseless]]],
    [see:value({switched, Pattern}, [re:run(Subject, Pattern, [unicode]) || Subject <- Subjects])
     || Pattern <- ["(?i)\\p{Lu}+", "a(?i)[\\p{Lu}b]", "(?i:z\\p{Lu})\\p{Lu}", "(?i)(?-i)[\\p{Ll}B]+",
         "(?xi) \\p{Lu} + [\\p{Ll}b] # \\p{Lu}"]].

names() ->
    Names = ["Arabic", "^Arabic", "arabic", "Hani", "Hira", "Alphabetic", "L&", "L", "Lu", "LC", "Any", "any", "Xan",
        "Xwd", "Xuc", "Xsp", "Xps", "Nandinagari", "sc:Greek",
             "scx:Greek", "script=Greek", "Greek ", "^ Greek", "", "^", "Greek_", "OldItalic", "Old_Italic", "Zyyy",
             "Unknown", "bidiclass:L", "Assigned", "^^L", "l", "q",
             "Nko", "Phags_Pa", "Linear A", "Linear_A", "Imperial_Aramaic1", lists:duplicate(30, $a),
             lists:duplicate(31, $a), [$^ | lists:duplicate(30, $a)],
             [$^ | lists:duplicate(31, $a)], lists:duplicate(80, $L)],
    [see:value({name, Name}, [outcome(["a\\p{", Name, "}b"]), outcome(["[x\\P{", Name, "}]"]),
        outcome(["\\p{Han}\\p{", Name, "}+("])]) || Name <- Names],
    [see:value({letter, Letter}, [outcome(["a\\p", Letter]), outcome(["[\\P", Letter, "]"])])
        || Letter <- ["C", "L", "M", "N", "P", "S", "Z", "l", "K", "1", "", "&", "(", "]"]].

%% Where errors are found, behind properties that are named otherwise for PCRE2.
places() ->
    [see:value({place, Pattern}, [outcome(Pattern), outcome(Pattern, [caseless])])
     || Pattern <- ["\\p{Han}(", "\\p{Han}[a", "\\p{Han}\\p{Greek}*+*", "\\p{^Han}a{2,1}", "[\\p{Han}b-a]",
         "\\p{Lu}+a{2,1}", "[\\p{Lu}a]+a{2,1}", "\\p{Foo}\\p{Bar}", "(\\p{Foo}", "\\p{Foo}(",
                    "a{2,1}\\p{Foo}", "\\p{Foo}a{2,1}", "\\Q\\p{Foo}\\E", "(?#\\p{Foo})", "\\\\p{Foo}", "\\p{Han",
                    "\\p{", "\\p", "\\p{Foo", "(?x)a#\\p{Foo}", "(?x)a#\n\\p{Foo}"]].

long() ->
    Text = [lists:duplicate(20000, $A), lists:duplicate(20000, $b)],
    [see:value({long, Pattern}, re:run(Text, Pattern, [unicode, caseless])) || Pattern <- ["\\p{Lu}+", "[\\p{Lu}1]+",
        "[^\\p{Ll}1]+", "[\\p{Lu}b]+"]].

outcome(Pattern) ->
    outcome(Pattern, []).

outcome(Pattern, Options) ->
    case catch re:compile(Pattern, [unicode | Options]) of
        {ok, _} -> ok;
        Error -> Error
    end.
