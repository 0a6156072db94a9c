/* See clock_table.h. */
#include "clock_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

const char *const table_row_names[ROWS] = {"FRAME#", "REQ64#", "IRDY#", "AD",    "C/BE#", "DEVSEL#", "ACK64#",
                                           "TRDY#",  "STOP#",  "PAR",   "PERR#", "SERR#", "GNT#",    "REQ#"};
enum { ROWS_OF_THE_SHEET = ROW_PAR + 1 };

int table_row_of(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(name, table_row_names[i]) == 0) return i;
    return -1;
}

const char *table_cell(const table_cells *cells, int row, int clock)
{
    int column = clock + TABLE_BEFORE;
    return column >= 0 && column < TABLE_COLUMNS ? (*cells)[row][column] : "z";
}

static const char *cell(const clock_table *t, int row, int clock) { return table_cell(&t->cell, row, clock); }

static bool is(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* --- reading --- */

/* The words after the name of a row; returns how many. Row -1 is `clock`. */
static int read_row(clock_table *t, int row, char **rest)
{
    int n = 0;
    for (char *word; (word = strtok_r(NULL, " ", rest)) != NULL; n++) {
        if (row < 0) {
            t->last = atoi(word);
            if (n == 0) t->first = t->last;
            ck_assert_msg(t->last == t->first + n, "table %s: clock %s out of order", t->name, word);
            continue;
        }
        int column = TABLE_BEFORE + t->first + n;
        ck_assert_msg(column >= 0 && column < TABLE_COLUMNS && strlen(word) < TABLE_CELL, "table %s: %s does not fit",
                      t->name, word);
        strcpy(t->cell[row][column], word);
    }
    return n;
}

static void check_parity_cells(const clock_table *t)
{
    for (int c = t->first; c <= t->last; c++) {
        char wanted[TABLE_CELL] = "z";
        if (!is(cell(t, ROW_AD, c - 1), "z")) snprintf(wanted, sizeof wanted, "p%d", c - 1);
        ck_assert_msg(is(cell(t, ROW_PAR, c), wanted), "table %s, clock %d, PAR: %s, not %s", t->name, c,
                      cell(t, ROW_PAR, c), wanted);
    }
}

void clock_table_read(clock_table *t, const char *name, const char *text)
{
    unsigned seen = 0;
    *t = (clock_table){.name = name, .last = -1};
    for (int row = 0; row < ROWS; row++)
        for (int c = 0; c < TABLE_COLUMNS; c++) strcpy(t->cell[row][c], "z");
    while (*text != 0) {
        char line[512], *rest;
        size_t n = strcspn(text, "\n");
        ck_assert(n < sizeof line);
        memcpy(line, text, n);
        line[n] = 0;
        text += n + (text[n] == '\n');
        const char *first = strtok_r(line, " ", &rest);
        if (first == NULL || is(first, "phase")) continue;
        int row = table_row_of(first);
        ck_assert_msg(row >= 0 || is(first, "clock"), "table %s: row %s", name, first);
        int cells = read_row(t, row, &rest), columns = t->last - t->first + 1;
        ck_assert_msg(cells == columns, "table %s: row %s has %d cells for %d columns", name, first, cells, columns);
        if (row >= 0) seen |= 1u << row;
    }
    ck_assert_msg(seen == (1u << ROWS_OF_THE_SHEET) - 1, "table %s: a row is missing or new: %x", name, seen);
    check_parity_cells(t);
    t->dual = is(cell(t, ROW_AD, 1), "A[63:32]");
    t->command = (int)strtol(cell(t, ROW_CBE, t->dual), NULL, 16);
    t->read = t->command == 0x6 || t->command == 0xa || t->command == 0xe;
    for (int c = t->first; c <= t->last; c++) {
        t->wide |= is(cell(t, ROW_REQ64, c), "0");
        t->acked |= is(cell(t, ROW_ACK64, c), "0");
    }
}

void clock_table_get(clock_table *t, const char *name)
{
    const struct clock_table_text *x = clock_tables;
    while (x->name != NULL && !is(x->name, name)) x++;
    ck_assert_msg(x->name != NULL, "no clock table %s", name);
    clock_table_read(t, x->name, x->text);
}

/* --- values --- */

static uint64_t ad_value(const char *s, const table_values *v)
{
    const uint64_t upper_ones = 0xffffffff00000000ull;
    uint64_t upper = v->address >> 32;
    if (s[0] == '=') return strtoull(s + 1, NULL, 16);
    if (is(s, "ADDR") || is(s, "SCADR") || is(s, "CFGAD")) return upper_ones | (v->address & 0xffffffff);
    if (is(s, "A[31:0]")) return v->address;
    if (is(s, "A[63:32]")) return upper | upper << 32;
    if (is(s, "ATTR") || is(s, "CATTR")) return upper_ones | v->attribute;
    if (is(s, "ones")) return ~0ull;
    if (is(s, "x")) return 0x5a5a5a5a00ff00ffull;
    ck_assert_msg(s[0] == 'D', "word %s in row AD", s);
    return v->data[atoi(s + 1)];
}

static uint8_t cbe_value(const clock_table *t, const char *s, const table_values *v)
{
    if (s[0] == '=') return (uint8_t)strtoul(s + 1, NULL, 16);
    if (is(s, "FF")) return 0xff;
    if (is(s, "BC") || is(s, "BE#")) return 0xf0 | v->attribute_cbe;
    if (s[0] == 'B' && s[1] == 'E') return v->enables[atoi(s + 2)];
    ck_assert_msg(strlen(s) == 1 && strspn(s, "0123456789ABCDEF") == 1, "word %s in row C/BE#", s);
    return (uint8_t)((t->dual ? t->command : 15) << 4 | strtol(s, NULL, 16));
}

static enum table_side side_of_ad(const clock_table *t, int clock)
{
    int attribute = t->dual ? 2 : 1;
    return !t->read || clock <= attribute ? TABLE_INITIATOR : TABLE_TARGET;
}

static enum table_side side_of(const clock_table *t, int row, int clock)
{
    const char *s = cell(t, row, clock);
    if (is(s, "z")) return TABLE_NOBODY;
    switch (row) {
    case ROW_FRAME:
    case ROW_REQ64:
    case ROW_IRDY:
    case ROW_CBE:
        return TABLE_INITIATOR;
    case ROW_AD:
        return side_of_ad(t, clock);
    case ROW_PAR:
        return side_of_ad(t, strchr(s, 'p') != NULL ? atoi(strchr(s, 'p') + 1) : clock - 1);
    case ROW_GNT:
    case ROW_REQ:
        return TABLE_NOBODY;
    default:
        return TABLE_TARGET;
    }
}

static void put_line(table_drive *out, int line, int level)
{
    out->on[line] = 1;
    out->level[line] = (uint8_t)level;
}

/* Even parity over 32 lines of AD and 4 of C/BE#, of each half that is driven (10). */
static void put_parity(const clock_table *t, const table_values *v, const char *s, table_drive *out)
{
    bool invert = s[0] == '!', low_only = strchr(s, 'L') != NULL, high_only = strchr(s, 'H') != NULL;
    ck_assert_msg(s[invert] == 'p', "word %s in row PAR", s);
    int of = atoi(s + 1 + invert);
    const char *a = cell(t, ROW_AD, of), *c = cell(t, ROW_CBE, of);
    uint64_t ad = is(a, "z") ? ~0ull : ad_value(a, v);
    unsigned cbe = is(c, "z") ? 0xff : cbe_value(t, c, v);
    bool upper = side_of_ad(t, of) == TABLE_INITIATOR ? t->wide : t->acked;
    out->any_parity |= is(a, "x");
    put_line(out, ROW_PAR, __builtin_parityll(ad & 0xffffffff) ^ __builtin_parity(cbe & 15) ^ (invert && !high_only));
    if (upper)
        put_line(out, LINE_PAR64, __builtin_parityll(ad >> 32) ^ __builtin_parity(cbe >> 4) ^ (invert && !low_only));
}

void clock_table_put(const clock_table *t, const table_values *v, int row, const char *word, int halves,
                     table_drive *out)
{
    if (is(word, "z")) return;
    if (row == ROW_AD) {
        out->ad = ad_value(word, v);
        out->ad_halves |= (uint8_t)halves;
        out->any_ad |= is(word, "x");
    } else if (row == ROW_CBE) {
        out->cbe = cbe_value(t, word, v);
        out->cbe_halves |= (uint8_t)halves;
    } else if (row == ROW_PAR && !is(word, "0") && !is(word, "1")) {
        put_parity(t, v, word, out);
    } else {
        ck_assert_msg(is(word, "0") || is(word, "1"), "word %s in row %s", word, table_row_names[row]);
        put_line(out, row, word[0] == '1');
    }
}

void clock_table_drive(const clock_table *t, const table_values *v, enum table_side side, int clock, table_drive *out)
{
    int halves = (side == TABLE_INITIATOR ? t->wide : t->acked) ? 3 : 1;
    for (int row = 0; row < ROWS; row++)
        if (side_of(t, row, clock) == side) clock_table_put(t, v, row, cell(t, row, clock), halves, out);
}

/* --- comparing --- */

static int differ_wide(uint64_t want, int want_halves, uint64_t got, int got_halves, bool any, uint64_t lower,
                       char *what, size_t size)
{
    uint64_t mask = (want_halves & 1 ? lower : 0) | (want_halves & 2 ? ~lower : 0);
    if (want_halves == got_halves && (any || ((want ^ got) & mask) == 0)) return 0;
    snprintf(what, size, "%llx on halves %d, driven is %llx on halves %d", (unsigned long long)(want & mask),
             want_halves, (unsigned long long)got, got_halves);
    return -1;
}

static int differ_line(const table_drive *want, const table_drive *got, int line, char *what, size_t size)
{
    static const char *const states[] = {"nothing", "0", "1"};
    bool any = want->any_parity && (line == ROW_PAR || line == LINE_PAR64);
    int w = want->on[line] ? 1 + (want->level[line] != 0) : 0, g = got->on[line] ? 1 + (got->level[line] != 0) : 0;
    if (w == g || (any && w != 0 && g != 0)) return 0;
    snprintf(what, size, "%s, driven is %s", states[w], states[g]);
    return -1;
}

int clock_table_differ(const clock_table *t, int clock, const table_drive *want, const table_drive *got, char *why,
                       unsigned size)
{
    char what[120];
    for (int line = 0; line < TABLE_LINES; line++) {
        int result = 0, row = line == LINE_PAR64 ? ROW_PAR : line;
        if (line == ROW_GNT || line == ROW_REQ) continue;
        if (line == ROW_AD)
            result = differ_wide(want->ad, want->ad_halves, got->ad, got->ad_halves, want->any_ad, 0xffffffff, what,
                                 sizeof what);
        else if (line == ROW_CBE)
            result = differ_wide(want->cbe, want->cbe_halves, got->cbe & 0xff, got->cbe_halves, false, 0x0f, what,
                                 sizeof what);
        else result = differ_line(want, got, line, what, sizeof what);
        if (result == 0) continue;
        snprintf(why, size, "table %s, clock %d, %s%s: the cell is %s, wanted is %s", t->name, clock,
                 table_row_names[row], line == LINE_PAR64 ? " (PAR64)" : "", cell(t, row, clock), what);
        return -1;
    }
    return 0;
}

void clock_table_bad_parity(clock_table *t, int row, int clock)
{
    char *c = t->cell[row][clock + TABLE_BEFORE], was[TABLE_CELL];
    bool nothing = is(c, "z");
    strcpy(was, c);
    if (row == ROW_AD) strcpy(c, nothing ? "ones" : "=5a");
    else if (row == ROW_CBE) strcpy(c, nothing ? "FF" : "=5a");
    else if (row == ROW_PAR && !nothing) snprintf(c, TABLE_CELL, "!%.10s", was);
    else strcpy(c, nothing ? "0" : is(c, "0") ? "1" : "z");
}
