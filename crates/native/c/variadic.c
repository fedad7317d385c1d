/* The variadic functions of erl_nif.h, which stable Rust cannot define. They collect their arguments and call the
 * functions that take arrays. Formats are those of printf and, for a term, %T. */

#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Env Env;
typedef uint64_t Term;

extern Term enif_make_tuple_from_array(Env *env, const Term *elements, unsigned count);
extern Term enif_make_list_from_array(Env *env, const Term *elements, unsigned count);

/* The text of a term, of at most `limit` bytes; *size is its length. Freed by free(). */
extern char *ferl_native_term_text(Term term, size_t *size);

enum { FEW = 32 };

typedef Term Maker(Env *env, const Term *elements, unsigned count);

static Term collect(Env *env, unsigned count, va_list arguments, Maker *make)
{
    Term few[FEW] = {0};
    Term *elements = count <= FEW ? few : malloc(count * sizeof(Term));
    if (elements == NULL)
        abort();
    for (unsigned i = 0; i < count; i++)
        elements[i] = va_arg(arguments, Term);
    Term made = make(env, elements, count);
    if (elements != few)
        free(elements);
    return made;
}

Term enif_make_tuple(Env *env, unsigned count, ...)
{
    va_list arguments;
    va_start(arguments, count);
    Term tuple = collect(env, count, arguments, enif_make_tuple_from_array);
    va_end(arguments);
    return tuple;
}

Term enif_make_list(Env *env, unsigned count, ...)
{
    va_list arguments;
    va_start(arguments, count);
    Term list = collect(env, count, arguments, enif_make_list_from_array);
    va_end(arguments);
    return list;
}

/* Options of a library. All but the first have a function as their value. */
enum { DELAY_HALT = 1 };

typedef void Callback(void *data);

extern int ferl_native_set_option(Env *env, int option, Callback *callback);

int enif_set_option(Env *env, int option, ...)
{
    Callback *callback = NULL;
    if (option != DELAY_HALT) {
        va_list arguments;
        va_start(arguments, option);
        callback = va_arg(arguments, Callback *);
        va_end(arguments);
    }
    return ferl_native_set_option(env, option, callback);
}

/* Where formatted text goes: a file, or a buffer of `room` bytes, of which the last is for the terminating zero. */
typedef struct {
    FILE *file;
    char *buffer;
    size_t room;
    size_t written;
} Output;

static void put(Output *out, const char *text, size_t size)
{
    if (out->file != NULL) {
        fwrite(text, 1, size, out->file);
    } else if (out->written + 1 < out->room) {
        size_t left = out->room - 1 - out->written;
        memcpy(out->buffer + out->written, text, size < left ? size : left);
    }
    out->written += size;
}

static void pad(Output *out, char with, long count)
{
    while (count-- > 0)
        put(out, &with, 1);
}

/* Formats one value by a format of one conversion. */
#define PUT_VALUE(out, format, value)                                   \
    do {                                                                \
        char small_[128];                                               \
        int size_ = snprintf(small_, sizeof small_, format, value);     \
        if (size_ < 0)                                                  \
            break;                                                      \
        if ((size_t)size_ < sizeof small_) {                            \
            put(out, small_, (size_t)size_);                            \
        } else {                                                        \
            char *large_ = malloc((size_t)size_ + 1);                   \
            if (large_ == NULL)                                         \
                abort();                                                \
            snprintf(large_, (size_t)size_ + 1, format, value);         \
            put(out, large_, (size_t)size_);                            \
            free(large_);                                               \
        }                                                               \
    } while (0)

static void put_padded(Output *out, const char *text, size_t size, int left, long width, long precision)
{
    if (precision >= 0 && (size_t)precision < size)
        size = (size_t)precision;
    long padding = width - (long)size;
    if (!left)
        pad(out, ' ', padding);
    put(out, text, size);
    if (left)
        pad(out, ' ', padding);
}

static void format_into(Output *out, const char *format, va_list arguments)
{
    while (*format != '\0') {
        size_t plain = strcspn(format, "%");
        put(out, format, plain);
        format += plain;
        if (*format == '\0')
            return;
        const char *start = format++;
        /* The conversion again, for the C library: flags, width and precision as numbers, the size, the letter. */
        char one[64] = "%";
        size_t length = 1;
        int left = 0;
        while (*format != '\0' && strchr("-+ #0", *format) != NULL) {
            left |= *format == '-';
            if (length < 8)
                one[length++] = *format;
            format++;
        }
        long width = 0, precision = -1;
        if (*format == '*') {
            width = va_arg(arguments, int);
            format++;
            if (width < 0) {
                left = 1;
                one[length++] = '-';
                width = -width;
            }
        } else {
            while (*format >= '0' && *format <= '9')
                width = width * 10 + (*format++ - '0');
        }
        if (*format == '.') {
            format++;
            precision = 0;
            if (*format == '*') {
                precision = va_arg(arguments, int);
                format++;
            } else {
                while (*format >= '0' && *format <= '9')
                    precision = precision * 10 + (*format++ - '0');
            }
        }
        if (width > 0)
            length += (size_t)snprintf(one + length, 24, "%ld", width);
        if (precision >= 0)
            length += (size_t)snprintf(one + length, 24, ".%ld", precision);
        enum { PLAIN, CHAR, SHORT, LONG, LONG_LONG, LONG_DOUBLE } size = PLAIN;
        if (format[0] == 'h') {
            size = format[1] == 'h' ? CHAR : SHORT;
            format += size == CHAR ? 2 : 1;
        } else if (format[0] == 'l') {
            size = format[1] == 'l' ? LONG_LONG : LONG;
            format += size == LONG_LONG ? 2 : 1;
        } else if (format[0] == 'L') {
            size = LONG_DOUBLE;
            format++;
        } else if (format[0] == 'j' || format[0] == 'z' || format[0] == 't') {
            size = LONG;
            format++;
        } else if (format[0] == 'b') {
            /* OTP's own sizes: bp a pointer's, b followed by a number of bits. */
            format++;
            if (*format == 'p') {
                size = LONG;
                format++;
            } else {
                long bits = strtol(format, (char **)&format, 10);
                size = bits == 64 ? LONG_LONG : bits == 16 ? SHORT : bits == 8 ? CHAR : PLAIN;
            }
        }
        char letter = *format;
        if (letter == '\0') {
            put(out, start, (size_t)(format - start));
            return;
        }
        format++;
        switch (letter) {
        case '%':
            put(out, "%", 1);
            break;
        case 'd': case 'i': case 'o': case 'u': case 'x': case 'X': {
            int is_signed = letter == 'd' || letter == 'i';
            one[length++] = 'l';
            one[length++] = 'l';
            one[length++] = letter;
            one[length] = '\0';
            if (is_signed) {
                long long value = size == LONG ? va_arg(arguments, long)
                    : size == LONG_LONG ? va_arg(arguments, long long) : va_arg(arguments, int);
                if (size == SHORT)
                    value = (short)value;
                if (size == CHAR)
                    value = (signed char)value;
                PUT_VALUE(out, one, value);
            } else {
                unsigned long long value = size == LONG ? va_arg(arguments, unsigned long)
                    : size == LONG_LONG ? va_arg(arguments, unsigned long long) : va_arg(arguments, unsigned);
                if (size == SHORT)
                    value = (unsigned short)value;
                if (size == CHAR)
                    value = (unsigned char)value;
                PUT_VALUE(out, one, value);
            }
            break;
        }
        case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
            if (size == LONG_DOUBLE) {
                one[length++] = 'L';
                one[length++] = letter;
                one[length] = '\0';
                long double value = va_arg(arguments, long double);
                PUT_VALUE(out, one, value);
            } else {
                one[length++] = letter;
                one[length] = '\0';
                double value = va_arg(arguments, double);
                PUT_VALUE(out, one, value);
            }
            break;
        case 'c': {
            char character = (char)va_arg(arguments, int);
            put_padded(out, &character, 1, left, width, -1);
            break;
        }
        case 's': {
            const char *text = va_arg(arguments, const char *);
            if (text == NULL)
                text = "(null)";
            size_t bytes = precision >= 0 ? strnlen(text, (size_t)precision) : strlen(text);
            put_padded(out, text, bytes, left, width, precision);
            break;
        }
        case 'p': {
            one[length++] = 'p';
            one[length] = '\0';
            void *pointer = va_arg(arguments, void *);
            PUT_VALUE(out, one, pointer);
            break;
        }
        case 'n': {
            void *count = va_arg(arguments, void *);
            if (size == LONG)
                *(long *)count = (long)out->written;
            else if (size == LONG_LONG)
                *(long long *)count = (long long)out->written;
            else
                *(int *)count = (int)out->written;
            break;
        }
        case 'T': {
            /* With a precision, that many characters; stock counts them as it writes. */
            size_t bytes = 0;
            char *text = ferl_native_term_text(va_arg(arguments, Term), &bytes);
            put_padded(out, text, bytes, left, width, precision);
            free(text);
            break;
        }
        default:
            put(out, start, (size_t)(format - start));
        }
    }
}

static int result(const Output *out)
{
    return out->written > INT_MAX ? -1 : (int)out->written;
}

int enif_vfprintf(FILE *file, const char *format, va_list arguments)
{
    Output out = {file, NULL, 0, 0};
    va_list copy;
    va_copy(copy, arguments);
    format_into(&out, format, copy);
    va_end(copy);
    return result(&out);
}

int enif_vsnprintf(char *buffer, size_t room, const char *format, va_list arguments)
{
    Output out = {NULL, buffer, room, 0};
    va_list copy;
    va_copy(copy, arguments);
    format_into(&out, format, copy);
    va_end(copy);
    if (room > 0)
        buffer[out.written < room ? out.written : room - 1] = '\0';
    return result(&out);
}

int enif_fprintf(FILE *file, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = enif_vfprintf(file, format, arguments);
    va_end(arguments);
    return written;
}

int enif_snprintf(char *buffer, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int written = enif_vsnprintf(buffer, room, format, arguments);
    va_end(arguments);
    return written;
}
