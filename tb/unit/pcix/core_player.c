/* See core_player.h. */
#include "core_player.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS 24
#define WORD 12

enum { ROW_FRAME, ROW_REQ64, ROW_IRDY, ROW_AD, ROW_CBE, ROW_DEVSEL, ROW_ACK64, ROW_TRDY, ROW_STOP, ROW_PAR, ROWS };
static const char *const row_names[ROWS] = {"FRAME#", "REQ64#", "IRDY#", "AD", "C/BE#", "DEVSEL#", "ACK64#", "TRDY#", "STOP#", "PAR"};
static const int row_line[ROWS] = {FRAME, REQ64, IRDY, -1, -1, DEVSEL, ACK64, TRDY, STOP, PAR};
static const int by_initiator[ROWS] = {1, 1, 1, 0, 1, 0, 0, 0, 0, 0};

typedef struct {
    char cell[ROWS][COLUMNS][WORD];
    char clock[COLUMNS][WORD];
    int columns;
} table;

enum { NOBODY_OWNS, HOST_OWNS, NIC_OWNS };

static int split(const char *line, char name[WORD], char cells[COLUMNS][WORD])
{
    int n = -1, at = 0;
    while (*line && *line != '\n') {
        int length = 0;
        at = (int)strspn(line, " ");
        line += at;
        length = (int)strcspn(line, " \n");
        if (!length) break;
        ck_assert_int_lt(length, WORD);
        ck_assert_int_lt(n, COLUMNS);
        char *to = n < 0 ? name : cells[n];
        memcpy(to, line, (size_t)length);
        to[length] = 0;
        line += length;
        n++;
    }
    return n;
}

static void read_table(const char *text, table *t)
{
    unsigned seen = 0;
    memset(t, 0, sizeof *t);
    for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
        char name[WORD], cells[COLUMNS][WORD];
        int n = split(line, name, cells);
        if (!strcmp(name, "clock")) {
            t->columns = n;
            memcpy(t->clock, cells, sizeof cells);
        }
        for (int r = 0; r < ROWS; r++)
            if (!strcmp(name, row_names[r])) {
                ck_assert_msg(n == t->columns, "row %s has %d cells for %d columns", name, n, t->columns);
                memcpy(t->cell[r], cells, sizeof cells);
                seen |= 1u << r;
            }
    }
    ck_assert_msg(seen == (1u << ROWS) - 1, "a row is missing: %x", seen);
}

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

/* Data and idle words of AD; all others belong to the initiator. */
static int is_data_word(const char *w)
{
    return (w[0] == 'D' && w[1] >= '0' && w[1] <= '9') || is(w, "ones") || is(w, "x");
}

static int is_read(unsigned command)
{
    return command == 0x6 || command == 0xa || command == 0xe;
}

static int owner(const player_scene *s, const table *t, int row, int column)
{
    if (column < 0 || is(t->cell[row][column], "z")) return NOBODY_OWNS;
    int initiator = by_initiator[row];
    if (row == ROW_AD) initiator = !(is_data_word(t->cell[ROW_AD][column]) && is_read(s->command));
    if (row == ROW_PAR) return owner(s, t, ROW_AD, column - 1);
    return initiator == s->nic_is_initiator ? NIC_OWNS : HOST_OWNS;
}

/* The bus is 64 bits wide in this table. */
static int is_wide(const table *t)
{
    for (int c = 0; c < t->columns; c++)
        if (is(t->cell[ROW_REQ64][c], "0")) return 1;
    return 0;
}

static uint64_t ad_value(const player_scene *s, const char *w)
{
    const uint64_t ones = 0xffffffff00000000ull;
    uint64_t high = s->address & ones;
    if (is(w, "ADDR") || is(w, "SCADR") || is(w, "CFGAD")) return ones | (s->address & 0xffffffff);
    if (is(w, "A[31:0]")) return s->address;
    if (is(w, "A[63:32]")) return high | high >> 32;
    if (is(w, "ATTR") || is(w, "CATTR")) return ones | s->attribute;
    if (is(w, "ones")) return ~0ull;
    if (is(w, "x")) return 0x5555aaaa3333ccccull;
    ck_assert_msg(w[0] == 'D', "word %s in row AD", w);
    return s->data[atoi(w + 1)];
}

static unsigned cbe_value(const player_scene *s, const table *t, const char *w, int column)
{
    if (is(w, "FF")) return 0xff;
    if (is(w, "BC") || is(w, "BE#")) return 0xf0 | s->attribute_cbe;
    if (w[0] == 'B' && w[1] == 'E') return s->enables[atoi(w + 2)];
    unsigned code = (unsigned)strtoul(w, NULL, 16);
    int dual = is(t->cell[ROW_AD][column], "A[31:0]") || is(t->cell[ROW_AD][column], "A[63:32]");
    return (dual ? s->command << 4 : 0xf0u) | code;
}

static int differ(char *why, unsigned size, const table *t, int row, int column, const char *what)
{
    snprintf(why, size, "clock %s, %s: the sheet says %s, the NIC %s", t->clock[column], row_names[row], t->cell[row][column], what);
    return -1;
}

static int ad_column(bench *b, const player_scene *s, const table *t, int column, int row, const bus_drive *nic, char *why, unsigned size)
{
    const char *w = t->cell[row][column];
    int who = owner(s, t, row, column), halves = is_wide(t) ? 3 : 1;
    uint64_t mask = row == ROW_CBE ? (halves == 3 ? 0xff : 0xf) : (halves == 3 ? ~0ull : 0xffffffffull);
    uint64_t shows = row == ROW_AD ? nic->ad : nic->cbe;
    int drives = row == ROW_AD ? nic->ad_on : nic->cbe_on;
    char what[60];
    if (who != NIC_OWNS) {
        if (drives) return differ(why, size, t, row, column, "drives it");
        if (who == HOST_OWNS && row == ROW_AD) drive_ad(&b->h, ad_value(s, w), halves);
        else if (who == HOST_OWNS) drive_cbe(&b->h, cbe_value(s, t, w, column), halves);
        return 0;
    }
    uint64_t wanted = row == ROW_AD ? ad_value(s, w) : cbe_value(s, t, w, column);
    snprintf(what, sizeof what, "has %016lx on halves %d, not %016lx", (unsigned long)shows, drives, (unsigned long)wanted);
    if (drives != halves || (!is(w, "x") && (shows & mask) != (wanted & mask))) return differ(why, size, t, row, column, what);
    return 0;
}

static int line_column(bench *b, const player_scene *s, const table *t, int column, int row, const bus_drive *nic, char *why, unsigned size)
{
    int line = row_line[row], who = owner(s, t, row, column);
    if (who != NIC_OWNS) {
        if (nic->on[line]) return differ(why, size, t, row, column, "drives it");
        if (who == HOST_OWNS && row != ROW_PAR) /* the bench itself drives the parity of the host */
            drive_line(&b->h, line, t->cell[row][column][0] == '1');
        return 0;
    }
    if (!nic->on[line]) return differ(why, size, t, row, column, "has released it");
    if (row != ROW_PAR && nic->level[line] != (t->cell[row][column][0] == '1')) /* the bench checks parity */
        return differ(why, size, t, row, column, nic->level[line] ? "drives 1" : "drives 0");
    return 0;
}

/* What the NIC drives in the coming column. */
static void nic_now(const bench *b, bus_drive *n)
{
    const core_pins *p = &b->p;
    n->ad = *p->ad_o, n->ad_on = *p->ad_oe, n->cbe = *p->cbe_n_o, n->cbe_on = *p->cbe_n_oe;
    n->level[FRAME] = *p->frame_n_o, n->on[FRAME] = *p->frame_n_oe;
    n->level[IRDY] = *p->irdy_n_o, n->on[IRDY] = *p->irdy_n_oe;
    n->level[TRDY] = *p->trdy_n_o, n->on[TRDY] = *p->trdy_n_oe;
    n->level[DEVSEL] = *p->devsel_n_o, n->on[DEVSEL] = *p->devsel_n_oe;
    n->level[STOP] = *p->stop_n_o, n->on[STOP] = *p->stop_n_oe;
    n->level[REQ64] = *p->req64_n_o, n->on[REQ64] = *p->req64_n_oe;
    n->level[ACK64] = *p->ack64_n_o, n->on[ACK64] = *p->ack64_n_oe;
    n->level[PAR] = *p->par_o, n->on[PAR] = *p->par_oe;
}

int player_run(bench *b, const player_scene *scene, char *why, unsigned size)
{
    table t;
    read_table(scene->table, &t);
    for (int wait = 0; scene->nic_is_initiator && !*b->p.frame_n_oe; wait++) {
        if (wait == 40) {
            snprintf(why, size, "the NIC does not start");
            return -1;
        }
        bench_clock(b);
    }
    for (int column = 0; column < t.columns; column++) {
        bus_drive nic = {0};
        nic_now(b, &nic);
        for (int row = 0; row < ROWS; row++)
            if ((row_line[row] < 0 ? ad_column : line_column)(b, scene, &t, column, row, &nic, why, size)) return -1;
        b->h.idsel = is(t.cell[ROW_AD][column], "CFGAD") && is(t.cell[ROW_FRAME][column], "0");
        bench_clock(b);
        if (b->problem[0]) {
            snprintf(why, size, "clock %s: %s", t.clock[column], b->problem);
            return -1;
        }
    }
    return 0;
}
