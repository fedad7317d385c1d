/* Reads terms and makes them: each function calls one or a few functions of the interface and returns what they say. */
#include <erl_nif.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>

#define FUNCTION(name) static ERL_NIF_TERM name(ErlNifEnv *env, int argc, const ERL_NIF_TERM argv[])
#define YES_OR_NO(value) enif_make_atom(env, (value) ? "yes" : "no")

/* Which kind a term is, as each question answers it. */
FUNCTION(kind)
{
    static const char *const types[] = {"none", "atom", "bitstring", "float", "fun", "integer", "list", "map", "pid", "port",
                                        "reference", "tuple"};
    int (*const questions[])(ErlNifEnv *, ERL_NIF_TERM) = {
        enif_is_atom, enif_is_binary, enif_is_empty_list, enif_is_fun, enif_is_list, enif_is_map,
        enif_is_number, enif_is_pid, enif_is_port, enif_is_ref, enif_is_tuple, enif_is_exception};
    ERL_NIF_TERM answers = enif_make_list(env, 0);
    int type = enif_term_type(env, argv[0]);
    for (int i = sizeof questions / sizeof *questions - 1; i >= 0; i--)
        answers = enif_make_list_cell(env, enif_make_int(env, !!questions[i](env, argv[0])), answers);
    return enif_make_tuple2(env, enif_make_atom(env, types[type]), answers);
}

/* An integer or float through all functions that read and make numbers. */
FUNCTION(numbers)
{
    int i; unsigned u; long l; unsigned long ul; double d; ErlNifSInt64 s64; ErlNifUInt64 u64;
    ERL_NIF_TERM no = enif_make_atom(env, "no");
    return enif_make_tuple7(env,
        enif_get_int(env, argv[0], &i) ? enif_make_int(env, i) : no,
        enif_get_uint(env, argv[0], &u) ? enif_make_uint(env, u) : no,
        enif_get_long(env, argv[0], &l) ? enif_make_long(env, l) : no,
        enif_get_ulong(env, argv[0], &ul) ? enif_make_ulong(env, ul) : no,
        enif_get_int64(env, argv[0], &s64) ? enif_make_int64(env, s64) : no,
        enif_get_uint64(env, argv[0], &u64) ? enif_make_uint64(env, u64) : no,
        enif_get_double(env, argv[0], &d) ? enif_make_double(env, d) : no);
}

FUNCTION(limits)
{
    return enif_make_list(env, 10, enif_make_int(env, INT_MIN), enif_make_int(env, INT_MAX), enif_make_uint(env, UINT_MAX),
        enif_make_long(env, LONG_MIN), enif_make_long(env, LONG_MAX), enif_make_ulong(env, ULONG_MAX),
        enif_make_int64(env, INT64_MIN), enif_make_uint64(env, UINT64_MAX), enif_make_double(env, -0.5),
        enif_make_double(env, 1e308));
}

/* A float that is not finite is an exception. */
FUNCTION(not_finite)
{
    volatile double zero = 0.0;
    ERL_NIF_TERM made = enif_make_double(env, 1.0 / zero);
    if (!enif_is_exception(env, made) || !enif_has_pending_exception(env, NULL))
        return enif_make_atom(env, "no_exception");
    return made;
}

/* An atom's text, read with a buffer of some size; and atoms by length. */
FUNCTION(atom)
{
    char buffer[300];
    unsigned size, length;
    ERL_NIF_TERM known = enif_make_atom(env, "none");
    if (!enif_get_uint(env, argv[1], &size) || size > sizeof buffer) return enif_make_badarg(env);
    memset(buffer, '#', sizeof buffer);
    int written = enif_get_atom(env, argv[0], buffer, size, ERL_NIF_LATIN1);
    if (!enif_get_atom_length(env, argv[0], &length, ERL_NIF_LATIN1)) length = 9999;
    if (written > 0) enif_make_existing_atom(env, buffer, &known, ERL_NIF_LATIN1);
    return enif_make_tuple4(env, enif_make_int(env, written), enif_make_uint(env, length), known,
                            written > 0 ? enif_make_string(env, buffer, ERL_NIF_LATIN1) : enif_make_list(env, 0));
}

FUNCTION(existing)
{
    ERL_NIF_TERM found = enif_make_atom(env, "none"), by_length = found;
    int is_there = enif_make_existing_atom(env, "an atom that nothing has made", &found, ERL_NIF_LATIN1);
    int of_length = enif_make_existing_atom_len(env, "okay", 2, &by_length, ERL_NIF_LATIN1);
    return enif_make_tuple5(env, YES_OR_NO(is_there), YES_OR_NO(of_length), by_length, enif_make_atom_len(env, "a\0b", 3),
                            enif_make_atom(env, "\345\344\366"));
}

/* A name that is too long for an atom. */
FUNCTION(long_atom)
{
    char name[300];
    memset(name, 'a', sizeof name);
    return enif_make_atom_len(env, name, 256);
}

FUNCTION(string)
{
    char buffer[64];
    unsigned size;
    if (!enif_get_uint(env, argv[1], &size) || size > sizeof buffer) return enif_make_badarg(env);
    int written = enif_get_string(env, argv[0], buffer, size, ERL_NIF_LATIN1);
    unsigned length = 9999;
    int is_proper = enif_get_list_length(env, argv[0], &length);
    int shown = written > 0 ? written - 1 : written < 0 ? (int)size - 1 : 0;
    return enif_make_tuple4(env, enif_make_int(env, written), enif_make_string_len(env, buffer, shown, ERL_NIF_LATIN1),
                            YES_OR_NO(is_proper), enif_make_uint(env, length));
}

/* A list cell by cell, and in the other order. */
FUNCTION(lists)
{
    ERL_NIF_TERM head, tail = argv[0], reversed = enif_make_atom(env, "improper"), copy[100];
    unsigned count = 0;
    while (count < 100 && enif_get_list_cell(env, tail, &head, &tail)) copy[count++] = head;
    int is_reversed = enif_make_reverse_list(env, argv[0], &reversed);
    return enif_make_tuple4(env, enif_make_list_from_array(env, copy, count), tail, YES_OR_NO(is_reversed),
                            is_reversed ? reversed : enif_make_list(env, 0));
}

FUNCTION(tuples)
{
    int arity = -1;
    const ERL_NIF_TERM *elements = NULL;
    if (!enif_get_tuple(env, argv[0], &arity, &elements)) return enif_make_int(env, arity);
    return enif_make_tuple3(env, enif_make_int(env, arity), enif_make_list_from_array(env, elements, arity),
                            enif_make_tuple_from_array(env, elements, arity));
}

/* All maps calls on one map, with a key and a value. */
FUNCTION(maps)
{
    size_t size = 9999;
    ERL_NIF_TERM value = enif_make_atom(env, "none"), put = value, updated = value, removed = value;
    if (!enif_get_map_size(env, argv[0], &size)) return enif_make_tuple2(env, value, enif_make_ulong(env, size));
    int found = enif_get_map_value(env, argv[0], argv[1], &value);
    int is_put = enif_make_map_put(env, argv[0], argv[1], argv[2], &put);
    int is_updated = enif_make_map_update(env, argv[0], argv[1], argv[2], &updated);
    int is_removed = enif_make_map_remove(env, argv[0], argv[1], &removed);
    return enif_make_tuple9(env, enif_make_ulong(env, size), YES_OR_NO(found), value, YES_OR_NO(is_put), put,
        YES_OR_NO(is_updated), is_updated ? updated : enif_make_list(env, 0), YES_OR_NO(is_removed), removed);
}

FUNCTION(map_from)
{
    ERL_NIF_TERM keys[100], values[100], head, tail, map;
    unsigned count = 0, other = 0;
    for (tail = argv[0]; count < 100 && enif_get_list_cell(env, tail, &head, &tail);) keys[count++] = head;
    for (tail = argv[1]; other < 100 && enif_get_list_cell(env, tail, &head, &tail);) values[other++] = head;
    if (count != other || !enif_make_map_from_arrays(env, keys, values, count, &map)) return enif_make_atom(env, "not_made");
    return enif_make_tuple2(env, enif_make_new_map(env), map);
}

/* A map from its head to its tail and back. */
FUNCTION(iterate)
{
    ErlNifMapIterator iterator;
    ERL_NIF_TERM key, value, there = enif_make_list(env, 0), back = there;
    if (!enif_map_iterator_create(env, argv[0], &iterator, ERL_NIF_MAP_ITERATOR_FIRST)) return enif_make_badarg(env);
    int at_head_first = enif_map_iterator_is_head(env, &iterator), steps = 0;
    while (enif_map_iterator_get_pair(env, &iterator, &key, &value)) {
        there = enif_make_list_cell(env, enif_make_tuple2(env, key, value), there);
        enif_map_iterator_next(env, &iterator);
        steps++;
    }
    int at_tail = enif_map_iterator_is_tail(env, &iterator);
    while (enif_map_iterator_prev(env, &iterator) && enif_map_iterator_get_pair(env, &iterator, &key, &value))
        back = enif_make_list_cell(env, enif_make_tuple2(env, key, value), back);
    int at_head = enif_map_iterator_is_head(env, &iterator);
    enif_map_iterator_destroy(env, &iterator);
    int last = enif_map_iterator_create(env, argv[0], &iterator, ERL_NIF_MAP_ITERATOR_LAST)
        && enif_map_iterator_get_pair(env, &iterator, &key, &value);
    enif_map_iterator_destroy(env, &iterator);
    return enif_make_tuple7(env, enif_make_int(env, steps), YES_OR_NO(at_head_first), YES_OR_NO(at_tail), YES_OR_NO(at_head),
                            there, back, YES_OR_NO(last));
}

FUNCTION(compare)
{
    int order = enif_compare(argv[0], argv[1]);
    return enif_make_tuple2(env, enif_make_int(env, (order > 0) - (order < 0)), YES_OR_NO(enif_is_identical(argv[0], argv[1])));
}

FUNCTION(hash)
{
    return enif_make_tuple2(env, enif_make_uint64(env, enif_hash(ERL_NIF_PHASH2, argv[0], 0)),
                            YES_OR_NO(enif_hash(ERL_NIF_INTERNAL_HASH, argv[0], 7) == enif_hash(ERL_NIF_INTERNAL_HASH, argv[0], 7)));
}

/* To the external format and back. */
FUNCTION(external)
{
    ErlNifBinary binary;
    ERL_NIF_TERM back = enif_make_atom(env, "none");
    if (!enif_term_to_binary(env, argv[0], &binary)) return enif_make_atom(env, "not_made");
    size_t used = enif_binary_to_term(env, binary.data, binary.size, &back, 0);
    size_t damaged = enif_binary_to_term(env, binary.data, binary.size - 1, &back, ERL_NIF_BIN2TERM_SAFE);
    ERL_NIF_TERM bytes = enif_make_binary(env, &binary);
    return enif_make_tuple4(env, bytes, YES_OR_NO(used == binary.size), back, enif_make_ulong(env, damaged));
}

/* How a term is printed, into a buffer of some size. What stock returns as the length of a text that does not fit is no length. */
FUNCTION(print)
{
    char buffer[200];
    unsigned size;
    if (!enif_get_uint(env, argv[1], &size) || size > sizeof buffer) return enif_make_badarg(env);
    int length = enif_snprintf(buffer, size, "%T|%d|%s|%5.2f|%lu|%c|%%", argv[0], -7, "text", 3.14159, 12345678901UL, 'x');
    return enif_make_tuple2(env, length < (int)size ? enif_make_int(env, length) : enif_make_atom(env, "cut"),
                            enif_make_string(env, size ? buffer : "", ERL_NIF_LATIN1));
}

/* A term that outlives the call in an environment of its own. */
static ErlNifEnv *kept_env;
static ERL_NIF_TERM kept;

FUNCTION(keep)
{
    if (!kept_env) kept_env = enif_alloc_env();
    enif_clear_env(kept_env);
    kept = enif_make_copy(kept_env, argv[0]);
    return enif_make_atom(env, "ok");
}

FUNCTION(kept_one)
{
    return kept_env ? enif_make_copy(env, kept) : enif_make_badarg(env);
}

FUNCTION(raise)
{
    ERL_NIF_TERM reason = enif_make_atom(env, "none");
    ERL_NIF_TERM raised = enif_raise_exception(env, argv[0]);
    if (!enif_has_pending_exception(env, &reason) || enif_compare(reason, argv[0])) return enif_make_atom(env, "no_exception");
    return raised;
}

FUNCTION(badarg)
{
    return enif_make_badarg(env);
}

/* Many terms, so that the environment grows over and over. */
FUNCTION(many)
{
    unsigned count;
    ERL_NIF_TERM list = enif_make_list(env, 0);
    if (!enif_get_uint(env, argv[0], &count)) return enif_make_badarg(env);
    for (unsigned i = count; i > 0; i--) {
        ERL_NIF_TERM bytes;
        unsigned char *data = enif_make_new_binary(env, i % 100, &bytes);
        memset(data, i, i % 100);
        list = enif_make_list_cell(env, enif_make_tuple3(env, enif_make_uint(env, i), enif_make_double(env, i / 2.0), bytes), list);
    }
    return list;
}

FUNCTION(inspect)
{
    ErlNifBinary binary;
    int is_binary = enif_inspect_binary(env, argv[0], &binary);
    ERL_NIF_TERM bytes = is_binary ? enif_make_ulong(env, binary.size) : enif_make_atom(env, "none");
    int is_iolist = enif_inspect_iolist_as_binary(env, argv[0], &binary);
    if (!is_iolist) return enif_make_tuple2(env, bytes, enif_make_atom(env, "none"));
    unsigned sum = 0;
    for (size_t i = 0; i < binary.size; i++) sum += binary.data[i];
    return enif_make_tuple3(env, bytes, enif_make_ulong(env, binary.size), enif_make_uint(env, sum));
}

/* A binary that grows and shrinks before it becomes a term, and is used on after that. */
FUNCTION(grow)
{
    ErlNifBinary binary;
    unsigned sizes[3];
    for (int i = 0; i < 3; i++)
        if (!enif_get_uint(env, argv[i], &sizes[i])) return enif_make_badarg(env);
    if (!enif_alloc_binary(sizes[0], &binary)) return enif_make_badarg(env);
    memset(binary.data, 'a', binary.size);
    if (!enif_realloc_binary(&binary, sizes[1])) return enif_make_badarg(env);
    if (sizes[1] > sizes[0]) memset(binary.data + sizes[0], 'b', sizes[1] - sizes[0]);
    ERL_NIF_TERM made = enif_make_binary(env, &binary), again = enif_make_binary(env, &binary);
    enif_realloc_binary(&binary, sizes[2]);
    if (binary.size) binary.data[0] = 'c';
    ERL_NIF_TERM changed = enif_make_ulong(env, binary.size);
    enif_release_binary(&binary);
    return enif_make_tuple3(env, made, again, changed);
}

FUNCTION(part)
{
    unsigned from, count;
    if (!enif_get_uint(env, argv[1], &from) || !enif_get_uint(env, argv[2], &count)) return enif_make_badarg(env);
    ERL_NIF_TERM first = enif_make_sub_binary(env, argv[0], from, count);
    return enif_make_tuple2(env, first, enif_make_sub_binary(env, first, count / 2, count - count / 2));
}

FUNCTION(release)
{
    ErlNifBinary binary;
    if (!enif_alloc_binary(100, &binary)) return enif_make_badarg(env);
    enif_release_binary(&binary);
    return enif_make_atom(env, "released");
}

static ErlNifFunc functions[] = {
    {"kind", 1, kind}, {"numbers", 1, numbers}, {"limits", 0, limits}, {"not_finite", 0, not_finite}, {"atom", 2, atom},
    {"existing", 0, existing}, {"long_atom", 0, long_atom}, {"string", 2, string}, {"lists", 1, lists}, {"tuples", 1, tuples},
    {"maps", 3, maps}, {"map_from", 2, map_from}, {"iterate", 1, iterate}, {"compare", 2, compare}, {"hash", 1, hash},
    {"external", 1, external}, {"print", 2, print}, {"keep", 1, keep}, {"kept_one", 0, kept_one}, {"raise", 1, raise},
    {"badarg", 1, badarg}, {"many", 1, many}, {"inspect", 1, inspect}, {"grow", 3, grow}, {"part", 3, part},
    {"release", 0, release},
};

ERL_NIF_INIT(terms, functions, NULL, NULL, NULL, NULL)
