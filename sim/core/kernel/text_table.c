#define _GNU_SOURCE /* fopencookie */
#include "sim/core/kernel/text_table.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { GAP = 2 /* blanks between columns */ };

typedef struct column {
    int left;
    size_t width, upper, length; /* upper: of the upper line of the title with its newline */
    const char *title;
} column;

typedef struct table {
    FILE *out;
    int at_once;
    unsigned columns;
    column column[TEXT_TABLE_COLUMNS];
    size_t due, used; /* of the line that is printed: where its columns end, where its text does */
    char *rows;
    size_t size;
} table;

static void *there(void *memory)
{
    if (memory) return memory;
    fputs("a table is not printed: memory is exhausted\n", stderr);
    exit(1);
}

static void put(table *t, const column *c, const char *text, size_t length)
{
    size_t start = t->due ? t->due + GAP : 0;
    t->due = start + c->width;
    if (!c->left && length < c->width) start = t->due - length;
    if (strspn(text, " ") >= length) return;
    size_t gap = t->used ? GAP : 0, blanks = start > t->used + gap ? start - t->used : gap;
    t->used += blanks + length;
    fprintf(t->out, "%*s%.*s", (int)blanks, "", (int)length, text);
}

static void put_titles(table *t)
{
    for (int lower = 0; lower < 2; lower++) {
        for (const column *c = t->column; c < t->column + t->columns; c++)
            if (lower) put(t, c, c->title + c->upper, c->length - c->upper);
            else put(t, c, c->title, c->upper ? c->upper - 1 : 0);
        if (t->used) fputc('\n', t->out);
        t->due = t->used = 0;
    }
}

/* Prints the rows, or widens the columns for them. */
static void put_rows(table *t, int print)
{
    static const column remark = {.left = 1};
    for (const char *at = t->rows, *end; at && (end = strchr(at, '\n')); at = end + 1) {
        const int cells = memchr(at, '\t', (size_t)(end - at)) != NULL;
        for (column *c = t->column; cells && c < t->column + t->columns && at <= end; c++) {
            size_t length = strcspn(at, "\t\n"), sign = strspn(at, "+-");
            const int nothing = !length || (!strncmp(at + sign, "nan", 3) && !isalnum((unsigned char)at[sign + 3]));
            const char *cell = nothing ? "-" : at;
            at += length + 1;
            if (nothing) length = 1;
            if (print) put(t, c, cell, length);
            else if (c->width < length) c->width = length;
        }
        if (!print) continue;
        if (!cells) fwrite(at, 1, (size_t)(end - at), t->out);
        else if (at < end) put(t, &remark, at, (size_t)(end - at));
        fputc('\n', t->out);
        t->due = t->used = 0;
    }
}

static ssize_t add(void *self, const char *text, size_t size)
{
    table *t = self;
    t->rows = there(realloc(t->rows, t->size + size + 1));
    memcpy(t->rows + t->size, text, size);
    t->rows[t->size += size] = '\0';
    if (!t->at_once || text[size - 1] != '\n') return (ssize_t)size;
    put_rows(t, 1);
    t->size = 0;
    return (ssize_t)size * !fflush(t->out);
}

static int finish(void *self)
{
    table *t = self;
    if (!t->at_once) {
        put_rows(t, 0);
        put_titles(t);
        put_rows(t, 1);
    }
    free(t->rows);
    free(t);
    return 0;
}

FILE *text_table(FILE *out, int at_once, const char *columns)
{
    table *t = there(calloc(1, sizeof *t));
    FILE *f = there(fopencookie(t, "w", (cookie_io_functions_t){.write = add, .close = finish}));
    t->out = out;
    t->at_once = at_once;
    for (const char *at = columns; t->columns < TEXT_TABLE_COLUMNS; at++) {
        column *c = &t->column[t->columns++];
        c->left = *at == '<';
        if (*at == '<' || *at == '>') {
            size_t digits = strspn(++at, "0123456789");
            if (at[digits] == ' ') {
                c->width = strtoul(at, NULL, 10);
                at += digits + 1;
            }
        }
        c->title = at;
        c->length = strcspn(at, "\t");
        const char *newline = memchr(at, '\n', c->length);
        if (newline) c->upper = (size_t)(newline + 1 - at);
        if (c->width < c->length - c->upper) c->width = c->length - c->upper;
        if (!*(at += c->length)) break;
    }
    if (at_once) put_titles(t);
    setlinebuf(f);
    return f;
}
