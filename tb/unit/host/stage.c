/* See stage.h. */
#include "stage.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

/* --- values --- */

/* Bytes of the sequence. */
static unsigned byte_count(const char *name)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } counts[] = {
        {"b_decode_a", 4096},  {"b_decode_c", 4096}, {"c_four", 32},  {"c_three", 24}, {"l", 32}, {"f", 4},
        {"f_dac", 4},          {"f_two", 16},        {"g", 256},      {"i_late", 256}, {"j", 64}, {"i_first_far", 256},
        {"i_first_near", 256}, {"f_two_block", 16},  {"one_block", 8}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        if (strcmp(counts[i].name, name) == 0) return counts[i].bytes;
    return 64;
}

static void values_of(const clock_table *t, table_values *v)
{
    static uint64_t data[STAGE_DATA];
    const char *name = t->name;
    for (unsigned i = 0; i < STAGE_DATA; i++) data[i] = 0x0123456789abcdefull * (i + 1) ^ (uint64_t)i << 60;
    *v = (table_values){.address = 0x12340000, .data = data};
    if (strcmp(name, "g") == 0 || strcmp(name, "i_late") == 0 || strcmp(name, "i_first_far") == 0)
        v->address += 64; /* 64 bytes below an ADB */
    if (strcmp(name, "i_first_near") == 0) v->address += 112;
    if (t->dual) v->address |= 0x56ull << 32;
    if (t->command == PCIX_SPLIT_COMPLETION) v->address = 0x0800; /* requester: device 1 of bus 0 */
    if (pcix_is_config(t->command)) v->address = 1u << 17 | 1 << 11 | 0x40;
    if (!pcix_is_dword(t->command)) {
        v->attribute |= byte_count(name) & 0xff;
        v->attribute_cbe = byte_count(name) >> 8 & 15;
    }
}

play *stage_add(stage *s, const char *name, uint64_t at_clock, int initiator, int target)
{
    ck_assert(s->count < STAGE_PLAYS);
    play *p = &s->plays[s->count++];
    clock_table_get(&p->table, name);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int row = 0; row < ROWS; row++)
            for (int c = 0; c < TABLE_COLUMNS; c++) strcpy(p->addition[layer][row][c], "z");
    values_of(&p->table, &p->values);
    p->enables[0] = p->enables[1] = p->table.wide ? 0 : 0xf0;
    p->values.enables = p->enables;
    p->at = at_clock;
    p->initiator = initiator;
    p->target = target;
    p->values.attribute |=
        initiator == 1 ? 0x0800u : 0; /* requester or completer: the initiator; device 1 or the bridge */
    if (p->table.command == PCIX_SPLIT_COMPLETION && target == 0) p->values.address = 0;
    return p;
}

/* Takes an edit of a value; false: it is none. */
static bool edit_value(play *p, const char *edit)
{
    char name[16], op;
    unsigned long long v;
    if (sscanf(edit, "%15s %c %llx", name, &op, &v) != 3 || strchr("=|&+", op) == NULL) return false;
    bool address = strcmp(name, "address") == 0, attribute = strcmp(name, "attribute") == 0;
    uint64_t was = address ? p->values.address : p->values.attribute;
    uint64_t now = op == '|' ? was | v : op == '&' ? was & v : op == '+' ? was + v : v;
    ck_assert_msg(address || attribute || strcmp(name, "enables") == 0, "edit '%s'", edit);
    if (address) p->values.address = now;
    else if (attribute) p->values.attribute = (uint32_t)now;
    else p->enables[0] = (uint8_t)v;
    return true;
}

void stage_edit(play *p, const char *edits)
{
    char copy[400];
    ck_assert(strlen(edits) < sizeof copy);
    strcpy(copy, edits);
    for (char *save, *e = strtok_r(copy, ";", &save); e != NULL; e = strtok_r(NULL, ";", &save)) {
        char name[16], value[TABLE_CELL];
        int column, to;
        table_cells *cells = &p->table.cell;
        while (*e == ' ') e++;
        if (edit_value(p, e)) continue;
        if (e[0] != 0 && e[1] == ':') {
            cells = &p->addition[e[0] == 'i' ? LAYER_INITIATOR : e[0] == 't' ? LAYER_TARGET : LAYER_INTRUDER];
            e += 2;
        }
        if (sscanf(e, "%15s %d..%d %19s", name, &column, &to, value) != 4) {
            ck_assert_msg(sscanf(e, "%15s %d %19s", name, &column, value) == 3, "edit '%s'", e);
            to = column;
        }
        int row = table_row_of(name);
        ck_assert_msg(row >= 0, "edit of row '%s'", name);
        for (; column <= to; column++) {
            ck_assert(column + TABLE_BEFORE >= 0 && column + TABLE_BEFORE < TABLE_COLUMNS);
            strcpy((*cells)[row][column + TABLE_BEFORE], value);
        }
    }
}

/* --- between tables and the bus --- */

static const int signal_of[TABLE_LINES] = {
    [ROW_FRAME] = PCIX_FRAME,
    [ROW_REQ64] = PCIX_REQ64,
    [ROW_IRDY] = PCIX_IRDY,
    [ROW_DEVSEL] = PCIX_DEVSEL,
    [ROW_ACK64] = PCIX_ACK64,
    [ROW_TRDY] = PCIX_TRDY,
    [ROW_STOP] = PCIX_STOP,
    [ROW_PAR] = PCIX_PAR,
    [ROW_PERR] = PCIX_PERR,
    [ROW_SERR] = PCIX_SERR,
    [LINE_PAR64] = PCIX_PAR64,
    [ROW_AD] = -1,
    [ROW_CBE] = -1,
    [ROW_GNT] = -1,
    [ROW_REQ] = -1,
};

static void to_bus(const table_drive *d, pcix_drive *out)
{
    for (int line = 0; line < TABLE_LINES; line++)
        if (d->on[line]) pcix_put(out, PCIX_BIT(signal_of[line]), d->level[line]);
    if (d->ad_halves) out->ad = d->ad;
    if (d->cbe_halves) out->cbe = d->cbe;
    out->oe = (uint16_t)(out->oe | d->ad_halves * PCIX_BIT(PCIX_AD) | d->cbe_halves * PCIX_BIT(PCIX_CBE));
}

static void from_bus(const pcix_drive *d, table_drive *out)
{
    *out = (table_drive){.ad = d->ad,
                         .cbe = d->cbe,
                         .ad_halves = d->oe / PCIX_BIT(PCIX_AD) & 3,
                         .cbe_halves = d->oe / PCIX_BIT(PCIX_CBE) & 3};
    for (int line = 0; line < TABLE_LINES; line++) {
        if (signal_of[line] < 0) continue;
        out->on[line] = (d->oe & PCIX_BIT(signal_of[line])) != 0;
        out->level[line] = (d->level & PCIX_BIT(signal_of[line])) != 0;
    }
}

/* Signals that an agent drives in a play, without GNT# and REQ#. */
static void drive(const play *p, int agent, int column, table_drive *out)
{
    const int who[LAYERS] = {p->initiator, p->target, 2};
    if (agent == p->initiator) clock_table_drive(&p->table, &p->values, TABLE_INITIATOR, column, out);
    if (agent == p->target) clock_table_drive(&p->table, &p->values, TABLE_TARGET, column, out);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int row = 0; row <= ROW_SERR && agent == who[layer]; row++)
            clock_table_put(&p->table, &p->values, row, table_cell(&p->addition[layer], row, column), 1, out);
}

/* GNT# from a play to the arbiter's output. */
static void grant(const play *p, int column, pcix_drive *out)
{
    bool granted = column >= -12 && column < p->table.last;
    const char *g = table_cell(&p->table.cell, ROW_GNT, column);
    if (g[0] == '0' || (granted && g[0] != '1')) out->gnt_n = (uint16_t)(out->gnt_n & ~(1u << p->initiator));
    const int whose[LAYERS] = {p->initiator, p->target, 2};
    for (int layer = 0; layer < LAYERS; layer++)
        if (table_cell(&p->addition[layer], ROW_GNT, column)[0] == '0')
            out->gnt_n = (uint16_t)(out->gnt_n & ~(1u << whose[layer]));
}

static void play_agent(const stage *s, int agent, uint64_t m, pcix_drive *out)
{
    for (int i = 0; i < s->count; i++) {
        const play *p = &s->plays[i];
        int column = (int)((int64_t)m - (int64_t)p->at);
        if (column < -TABLE_BEFORE || column >= TABLE_COLUMNS - TABLE_BEFORE) continue;
        table_drive d = {0};
        drive(p, agent, column, &d);
        to_bus(&d, out);
        if (agent == p->initiator && table_cell(&p->table.cell, ROW_REQ, column)[0] == '0') out->req_n = 0;
        if (agent == 2) grant(p, column, out);
    }
}

static void compare(stage *s, int agent, uint64_t m, const pcix_drive *out)
{
    const play *p = &s->plays[0];
    int column = (int)((int64_t)m - (int64_t)p->at);
    table_drive want = {0}, got;
    ck_assert_int_eq(s->count, 1);
    drive(p, agent, column, &want);
    from_bus(out, &got);
    if (s->difference[0] == 0) clock_table_differ(&p->table, column, &want, &got, s->difference, sizeof s->difference);
}

static void agent_step(stage *s, int agent, const pcix_sample *now, pcix_drive *out)
{
    uint64_t m = pcix_bus_clock(s->bus);
    if (agent < 2 && s->instead[agent].step != NULL) {
        s->instead[agent].step(s->instead[agent].self, now, out);
        if (s->compare) compare(s, agent, m, out);
    } else {
        play_agent(s, agent, m, out);
    }
}

static void step0(void *self, const pcix_sample *now, pcix_drive *out) { agent_step(self, 0, now, out); }
static void step1(void *self, const pcix_sample *now, pcix_drive *out) { agent_step(self, 1, now, out); }
static void step2(void *self, const pcix_sample *now, pcix_drive *out) { agent_step(self, 2, now, out); }

CLEANUP(pcix_bus_free);

void stage_init(stage *s)
{
    memset(s, 0, sizeof *s);
    s->bus = pcix_bus_new();
    after_test(pcix_bus_free_cleanup, s->bus);
    pcix_bus_add_agent(s->bus, "bridge", step0, s);
    pcix_bus_add_agent(s->bus, "device", step1, s);
    pcix_bus_add_agent(s->bus, "intruder", step2, s);
    stage_run(s, 10);
    pcix_bus_set_reset(s->bus, 1);
    stage_run(s, 20);
}

void stage_run(stage *s, unsigned clocks)
{
    while (clocks-- > 0) {
        pcix_bus_tick(s->bus);
        ck_assert_msg(s->difference[0] == 0 || s->keep_difference, "%s", s->difference);
    }
}
