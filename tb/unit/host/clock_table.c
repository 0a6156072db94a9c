/* See clock_table.h. */
#include "clock_table.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const row_names[ROWS] = {"FRAME#", "REQ64#", "IRDY#", "AD",    "C/BE#", "DEVSEL#", "ACK64#",
                                            "TRDY#",  "STOP#",  "PAR",   "PERR#", "SERR#", "GNT#",    "REQ#"};

static int row_of(const char *name)
{
    for (int i = 0; i < ROWS; i++)
        if (strcmp(name, row_names[i]) == 0) return i;
    return -1;
}

/* --- parsing --- */

static void parse(clock_table *t, const char *text)
{
    char line[512];
    memset(t, 0, sizeof *t);
    for (int layer = 0; layer < LAYERS; layer++)
        for (int row = 0; row < ROWS; row++)
            for (int c = 0; c < TABLE_COLUMNS; c++) strcpy(t->cell[layer][row][c], "z");
    while (*text != 0) {
        size_t n = strcspn(text, "\n");
        memcpy(line, text, n);
        line[n] = 0;
        text += n + (text[n] == '\n');
        char *name = strtok(line, " "), *word;
        int column = 0, row = row_of(name);
        for (column = 0; (word = strtok(NULL, " ")) != NULL; column++) {
            if (strcmp(name, "clock") == 0) {
                if (column == 0) t->first = atoi(word);
                t->last = atoi(word);
            } else if (row >= 0) {
                snprintf(t->cell[0][row][TABLE_BEFORE + t->first + column], TABLE_CELL, "%s", word);
            }
        }
    }
    for (int c = 0; c < TABLE_COLUMNS; c++) {
        t->wide |= t->cell[0][ROW_REQ64][c][0] == '0';
        t->acked |= t->cell[0][ROW_ACK64][c][0] == '0';
    }
}

static bool has(const clock_table *t, int row, const char *what)
{
    for (int c = 0; c < TABLE_COLUMNS; c++)
        if (strcmp(t->cell[0][row][c], what) == 0) return true;
    return false;
}

void clock_table_get(const char *name, clock_table *t, table_values *v)
{
    const struct clock_table_text *x = clock_tables;
    while (x->name != NULL && strcmp(x->name, name) != 0) x++;
    ck_assert_msg(x->name != NULL, "no clock table %s", name);
    parse(t, x->text);

    static const char commands[] = "67ABCEF";
    *v = (table_values){.address = 0x12340000, .attribute = 0x0000 << 8};
    for (const char *c = commands; *c != 0; c++)
        if (has(t, ROW_CBE, (char[]){*c, 0})) v->command = *c <= '9' ? *c - '0' : *c - 'A' + 10;
    t->read = pcix_is_read(v->command);
    unsigned count = 64;
    if (strcmp(name, "b_decode_a") == 0 || strcmp(name, "b_decode_c") == 0) count = 4096;
    else if (strcmp(name, "c_four") == 0 || strcmp(name, "l") == 0) count = 32;
    else if (strcmp(name, "c_three") == 0) count = 24;
    else if (strncmp(name, "f", 1) == 0) count = strcmp(name, "f_two") == 0 ? 16 : 4;
    else if (name[0] == 'g' || name[0] == 'i') count = 256;
    if (name[0] == 'g' || strcmp(name, "i_late") == 0 || strcmp(name, "i_first_far") == 0) v->address += 64; /* 64 bytes below an ADB */
    if (strcmp(name, "i_first_near") == 0) v->address += 112;
    if (has(t, ROW_AD, "A[63:32]")) v->address |= 0x56ull << 32;
    if (v->command == PCIX_SPLIT_COMPLETION) v->address = 0x0800; /* requester: device 1 of bus 0 */
    if (pcix_is_config(v->command)) v->address = 1u << 17 | 1 << 11 | 0x40;
    if (pcix_is_dword(v->command)) {
        v->attribute_cbe = 0;
    } else {
        v->attribute |= count & 0xff;
        v->attribute_cbe = count >> 8 & 15;
    }
    for (unsigned i = 0; i < 16; i++) v->data[i] = 0x0123456789abcdefull * (i + 1) ^ (uint64_t)i << 60;
    v->enables[0] = v->enables[1] = t->wide ? 0 : 0xf0;
}

void clock_table_edit(clock_table *t, const char *edits)
{
    char copy[400];
    ck_assert(strlen(edits) < sizeof copy);
    strcpy(copy, edits);
    for (char *save, *e = strtok_r(copy, ";", &save); e != NULL; e = strtok_r(NULL, ";", &save)) {
        char name[16], value[TABLE_CELL];
        int column, to, layer = LAYER_TABLE;
        while (*e == ' ') e++;
        if (e[0] != 0 && e[1] == ':') {
            layer = e[0] == 'i' ? LAYER_INITIATOR : e[0] == 't' ? LAYER_TARGET : LAYER_INTRUDER;
            e += 2;
        }
        if (sscanf(e, "%15s %d..%d %19s", name, &column, &to, value) != 4) {
            ck_assert_msg(sscanf(e, "%15s %d %19s", name, &column, value) == 3, "edit '%s'", e);
            to = column;
        }
        int row = row_of(name);
        ck_assert_msg(row >= 0, "edit of row '%s'", name);
        for (; column <= to; column++) {
            ck_assert(column + TABLE_BEFORE >= 0 && column + TABLE_BEFORE < TABLE_COLUMNS);
            strcpy(t->cell[layer][row][column + TABLE_BEFORE], value);
        }
    }
}

/* --- driving --- */

static uint64_t ad_value(const char *s, const table_values *v)
{
    uint64_t upper = v->address >> 32;
    if (s[0] == '=') return strtoull(s + 1, NULL, 16);
    if (strcmp(s, "A[31:0]") == 0) return (v->address & 0xffffffffu) | upper << 32;
    if (strcmp(s, "A[63:32]") == 0) return upper | upper << 32;
    if (strstr(s, "ATTR") != NULL) return v->attribute | 0xffffffffull << 32;
    if (s[0] == 'D') return v->data[atoi(s + 1)];
    if (strcmp(s, "ones") == 0) return ~0ull;
    if (strcmp(s, "x") == 0) return 0x5a5a5a5a00ff00ffull;
    return (v->address & 0xffffffffu) | 0xffffffffull << 32; /* ADDR, CFGAD, SCADR */
}

static uint8_t cbe_value(const clock_table *t, const char *s, const table_values *v)
{
    if (s[0] == '=') return (uint8_t)strtoul(s + 1, NULL, 16);
    if (strcmp(s, "FF") == 0) return 0xff;
    if (strcmp(s, "BC") == 0 || strcmp(s, "BE#") == 0) return 0xf0 | v->attribute_cbe;
    if (s[0] == 'B' && s[1] == 'E') return v->enables[atoi(s + 2)];
    unsigned upper = has(t, ROW_AD, "A[63:32]") ? (unsigned)v->command : 15;
    return (uint8_t)(upper << 4 | strtoul(s, NULL, 16));
}

static const char *at(const clock_table *t, int layer, int row, int column)
{
    int c = column + TABLE_BEFORE;
    return c >= 0 && c < TABLE_COLUMNS ? t->cell[layer][row][c] : "z";
}

/* Does the initiator drive AD in this column of the table? Else the target does, on reads. */
static bool initiators_ad(const clock_table *t, int column)
{
    int attribute = has(t, ROW_AD, "A[63:32]") ? 2 : 1;
    return !t->read || column <= attribute;
}

static void bit(const clock_table *t, int layer, int row, int signal, int column, pcix_drive *out)
{
    const char *s = at(t, layer, row, column);
    if (s[0] == '0' || s[0] == '1') pcix_put(out, PCIX_BIT(signal), s[0] == '1');
}

static void lines(const clock_table *t, const table_values *v, int layer, int column, bool address, bool upper, pcix_drive *out)
{
    const char *s = at(t, layer, address ? ROW_AD : ROW_CBE, column);
    if (s[0] == 'z') return;
    if (address) {
        out->ad = ad_value(s, v);
        out->oe = (uint16_t)(out->oe | PCIX_BIT(PCIX_AD) | (upper ? PCIX_BIT(PCIX_AD64) : 0));
    } else {
        out->cbe = cbe_value(t, s, v);
        out->oe = (uint16_t)(out->oe | PCIX_BIT(PCIX_CBE) | (upper ? PCIX_BIT(PCIX_CBE64) : 0));
    }
}

static void parity(const clock_table *t, const table_values *v, int layer, int column, bool initiator, pcix_drive *out)
{
    const char *s = at(t, layer, ROW_PAR, column);
    bool invert = s[0] == '!';
    if (s[0] == 'z') return;
    if (s[0] == '0' || s[0] == '1') {
        pcix_put(out, PCIX_BIT(PCIX_PAR), s[0] == '1');
        return;
    }
    int of = atoi(s + 1 + invert);
    if (layer == LAYER_TABLE && initiators_ad(t, of) != initiator) return;
    bool low_only = strchr(s, 'L') != NULL, high_only = strchr(s, 'H') != NULL; /* which half an inversion is meant for */
    const char *a = at(t, LAYER_TABLE, ROW_AD, of), *c = at(t, LAYER_TABLE, ROW_CBE, of);
    uint64_t ad = a[0] == 'z' ? ~0ull : ad_value(a, v);
    uint8_t cbe = c[0] == 'z' ? 0xff : cbe_value(t, c, v);
    bool upper = initiators_ad(t, of) ? t->wide : t->acked;
    pcix_put(out, PCIX_BIT(PCIX_PAR), pcix_parity((uint32_t)ad, cbe) ^ (invert && !high_only));
    if (upper) pcix_put(out, PCIX_BIT(PCIX_PAR64), pcix_parity((uint32_t)(ad >> 32), cbe >> 4) ^ (invert && !low_only));
}

void clock_table_drive(const clock_table *t, const table_values *v, int column, int layer, pcix_drive *out)
{
    static const int initiators[][2] = {{ROW_FRAME, PCIX_FRAME}, {ROW_REQ64, PCIX_REQ64}, {ROW_IRDY, PCIX_IRDY}};
    static const int targets[][2] = {{ROW_DEVSEL, PCIX_DEVSEL}, {ROW_ACK64, PCIX_ACK64}, {ROW_TRDY, PCIX_TRDY}, {ROW_STOP, PCIX_STOP}};
    static const int errors[][2] = {{ROW_PERR, PCIX_PERR}, {ROW_SERR, PCIX_SERR}};
    bool initiator = layer == LAYER_INITIATOR, target = layer == LAYER_TARGET;
    for (int i = 0; i < 3 && initiator; i++) bit(t, LAYER_TABLE, initiators[i][0], initiators[i][1], column, out);
    for (int i = 0; i < 4 && target; i++) bit(t, LAYER_TABLE, targets[i][0], targets[i][1], column, out);
    for (int i = 0; i < 2 && target; i++) bit(t, LAYER_TABLE, errors[i][0], errors[i][1], column, out);
    if (initiator) lines(t, v, LAYER_TABLE, column, false, t->wide, out);
    if ((initiator && initiators_ad(t, column)) || (target && !initiators_ad(t, column)))
        lines(t, v, LAYER_TABLE, column, true, initiator ? t->wide : t->acked, out);
    if (initiator || target) parity(t, v, LAYER_TABLE, column, initiator, out);
    /* what edits let this one drive in addition */
    for (int i = 0; i < 3; i++) bit(t, layer, initiators[i][0], initiators[i][1], column, out);
    for (int i = 0; i < 4; i++) bit(t, layer, targets[i][0], targets[i][1], column, out);
    for (int i = 0; i < 2; i++) bit(t, layer, errors[i][0], errors[i][1], column, out);
    lines(t, v, layer, column, true, false, out);
    lines(t, v, layer, column, false, false, out);
    parity(t, v, layer, column, initiator, out);
}

/* --- the stage --- */

static void play_agent(stage *s, int agent, uint64_t m, pcix_drive *out)
{
    for (int i = 0; i < s->count; i++) {
        const play *p = &s->plays[i];
        int column = (int)((int64_t)m - (int64_t)p->at);
        if (column < -TABLE_BEFORE || column >= TABLE_COLUMNS - TABLE_BEFORE) continue;
        if (agent == p->initiator) clock_table_drive(&p->table, &p->values, column, LAYER_INITIATOR, out);
        if (agent == p->target) clock_table_drive(&p->table, &p->values, column, LAYER_TARGET, out);
        if (agent == 2) clock_table_drive(&p->table, &p->values, column, LAYER_INTRUDER, out);
        if (agent == p->initiator && at(&p->table, LAYER_TABLE, ROW_REQ, column)[0] == '0') out->req_n = 0;
        for (int layer = 0; layer < LAYERS && agent == 2; layer++) { /* the intruder is the arbiter too */
            const char *g = at(&p->table, layer, ROW_GNT, column);
            int whose = layer == LAYER_INTRUDER ? 2 : layer == LAYER_TARGET ? p->target : p->initiator;
            bool granted = layer == LAYER_TABLE && p->grant && column >= -12 && column < p->table.last;
            if (g[0] == '0' || (granted && g[0] != '1')) out->gnt_n = (uint16_t)(out->gnt_n & ~(1u << whose));
        }
    }
}

static void compare(const stage *s, uint64_t m, const pcix_drive *got, const pcix_drive *want)
{
    int64_t column = (int64_t)m - (int64_t)s->plays[0].at;
    ck_assert_msg(got->oe == want->oe, "clock %lld: drives signals %04x, the table says %04x", (long long)column, got->oe, want->oe);
    unsigned bits = want->oe & ((1u << PCIX_AD) - 1);
    ck_assert_msg(((got->level ^ want->level) & bits) == 0, "clock %lld: levels %04x, the table says %04x", (long long)column,
                  got->level & bits, want->level & bits);
    uint64_t ad = (want->oe & PCIX_BIT(PCIX_AD) ? 0xffffffffull : 0) | (want->oe & PCIX_BIT(PCIX_AD64) ? ~0xffffffffull : 0);
    unsigned cbe = (want->oe & PCIX_BIT(PCIX_CBE) ? 0x0fu : 0) | (want->oe & PCIX_BIT(PCIX_CBE64) ? 0xf0u : 0);
    ck_assert_msg(((got->ad ^ want->ad) & ad) == 0, "clock %lld: AD %016llx, the table says %016llx", (long long)column,
                  (unsigned long long)(got->ad & ad), (unsigned long long)(want->ad & ad));
    ck_assert_msg(((unsigned)(got->cbe ^ want->cbe) & cbe) == 0, "clock %lld: C/BE# %02x, the table says %02x", (long long)column,
                  got->cbe & cbe, want->cbe & cbe);
}

static void agent_step(stage *s, int agent, const pcix_sample *now, pcix_drive *out)
{
    uint64_t m = pcix_bus_clock(s->bus);
    if (agent < 2 && s->instead[agent].step != NULL) {
        pcix_drive want = {.gnt_n = 0xffff, .req_n = 1};
        play_agent(s, agent, m, &want);
        s->instead[agent].step(s->instead[agent].self, now, out);
        if (s->compare) compare(s, m, out, &want);
    } else {
        play_agent(s, agent, m, out);
    }
    if (agent == 2 && s->ignore_grant) out->gnt_n = 0xffff;
}

static void step0(void *self, const pcix_sample *now, pcix_drive *out)
{
    agent_step(self, 0, now, out);
}
static void step1(void *self, const pcix_sample *now, pcix_drive *out)
{
    agent_step(self, 1, now, out);
}
static void step2(void *self, const pcix_sample *now, pcix_drive *out)
{
    agent_step(self, 2, now, out);
}

void stage_init(stage *s)
{
    memset(s, 0, sizeof *s);
    s->bus = pcix_bus_new();
    ck_assert_ptr_nonnull(s->bus);
    pcix_bus_add_agent(s->bus, "bridge", step0, s);
    pcix_bus_add_agent(s->bus, "device", step1, s);
    pcix_bus_add_agent(s->bus, "intruder", step2, s);
    stage_run(s, 10);
    pcix_bus_set_reset(s->bus, 1);
    stage_run(s, 20);
}

void stage_free(stage *s)
{
    pcix_bus_free(s->bus);
}

play *stage_add(stage *s, const char *name, uint64_t at_clock, int initiator, int target)
{
    ck_assert(s->count < STAGE_PLAYS);
    play *p = &s->plays[s->count++];
    clock_table_get(name, &p->table, &p->values);
    p->at = at_clock;
    p->initiator = initiator;
    p->target = target;
    p->grant = true;
    if (p->values.command != PCIX_SPLIT_COMPLETION) /* requester: the initiator; device 1 or the bridge */
        p->values.attribute |= initiator == 1 ? 0x0800u : 0;
    else p->values.attribute |= initiator == 1 ? 0x0800u : 0;
    if (p->values.command == PCIX_SPLIT_COMPLETION && target == 0) p->values.address = 0;
    return p;
}

void stage_run(stage *s, unsigned clocks)
{
    while (clocks-- > 0) pcix_bus_tick(s->bus);
}
