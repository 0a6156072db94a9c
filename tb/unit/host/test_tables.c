/* The halves of C agents and the monitor against every clock table of pcix.md section 12. */
#include <stdio.h>
#include <string.h>

#include "sim/model/host/pcix_agent.h"
#include "sim/model/host/pcix_initiator.h"
#include "sim/model/host/pcix_monitor.h"
#include "sim/model/host/pcix_target.h"
#include "stage.h"
#include "test.h"

enum { START = 60 };

static int table_count(void)
{
    int n = 0;
    while (clock_tables[n].name != NULL) n++;
    return n;
}

static void complain(void *arg, const pcix_violation *v)
{
    ck_abort_msg("table %s: clock %lld: %s (%s)", (const char *)arg, (long long)v->clock - START, v->name, v->detail);
}

CLEANUP(pcix_monitor_free);

TEST(monitor_is_silent_on_the_legal_table, .to = table_count())
{
    stage s;
    const char *name = clock_tables[_i].name;
    stage_init(&s);
    pcix_monitor *m = pcix_monitor_new(s.bus);
    after_test(pcix_monitor_free_cleanup, m);
    pcix_monitor_on_violation(m, complain, (void *)name);
    pcix_monitor_set_bridge(m, 0, 0, false);
    stage_add(&s, name, START, 0, 1);
    pcix_monitor_enable(m, PCIX_RULE_COMPLETION_UNEXPECTED, false); /* the request is not part of the table */
    stage_run(&s, 80);
    ck_assert_int_eq(pcix_monitor_violations(m), 0);
}

/* --- initiator --- */

struct initiator {
    stage *stage;
    pcix_initiator x;
    pcix_parity_state parity;
    pcix_request q;
    uint64_t start;
    bool done;
};

static void initiator_step(void *self, const pcix_sample *now, pcix_drive *out)
{
    struct initiator *t = self;
    const pcix_sample *before = pcix_bus_at(t->stage->bus, now->clock - 1);
    pcix_initiator_see(&t->x, now);
    t->done |= pcix_initiator_done(&t->x);
    if (now->clock + 2 == t->start) {
        ck_assert(pcix_initiator_may_start(&t->x, now));
        pcix_initiator_start(&t->x, &t->q, now);
    }
    pcix_initiator_step(&t->x, now, before, out);
    pcix_drive_parity(&t->parity, out);
}

/* How each table ends, and how many bytes have moved, worked out by hand. */
static const struct outcome {
    const char *name;
    int end;
    unsigned bytes;
} outcomes[] = {
    {"a", PCIX_END_COUNT, 64},
    {"a_decode_a", PCIX_END_COUNT, 64},
    {"a_wait_pair", PCIX_END_COUNT, 64},
    {"a_dac", PCIX_END_COUNT, 64},
    {"b_decode_a", PCIX_END_SPLIT, 0},
    {"b_decode_c", PCIX_END_SPLIT, 0},
    {"c_four", PCIX_END_COUNT, 32},
    {"c_three", PCIX_END_COUNT, 24},
    {"d", PCIX_END_COUNT, 4},
    {"d_waits", PCIX_END_COUNT, 4},
    {"e_write", PCIX_END_COUNT, 4},
    {"e_read", PCIX_END_COUNT, 4},
    {"f", PCIX_END_COUNT, 4},
    {"f_dac", PCIX_END_COUNT, 4},
    {"f_two", PCIX_END_COUNT, 16},
    {"g", PCIX_END_INITIATOR, 64},
    {"h", PCIX_END_RETRY, 0},
    {"i_late", PCIX_END_TARGET, 64},
    {"i_first_far", PCIX_END_TARGET, 64},
    {"i_first_near", PCIX_END_TARGET, 16},
    {"j", PCIX_END_SINGLE, 8},
    {"k", PCIX_END_TARGET_ABORT, 0},
    {"l", PCIX_END_COUNT, 32},
    {"m", PCIX_END_MASTER_ABORT, 0},
    {"f_two_block", PCIX_END_COUNT, 16},
    {"one_block", PCIX_END_COUNT, 8},
};

static const struct outcome *outcome_of(const char *name)
{
    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++)
        if (strcmp(outcomes[i].name, name) == 0) return &outcomes[i];
    ck_abort_msg("no outcome for %s", name);
    return NULL;
}

/* Puts the initiator in place of the bridge, with the request of the table. */
static play *initiator_on_stage(stage *s, struct initiator *t, const char *name, uint8_t *read)
{
    *t = (struct initiator){.stage = s};
    stage_init(s);
    play *p = stage_add(s, name, START, 0, 1);
    t->q = (pcix_request){
        .command = p->table.command,
        .address = p->values.address,
        .attribute = p->values.attribute,
        .count = pcix_byte_count(p->values.attribute, p->values.attribute_cbe),
        .enables = 15,
        .wide = p->table.wide,
        .data = (const uint8_t *)p->values.data,
        .read = read,
        .cut = strcmp(name, "g") == 0 ? 64 : 0,
    };
    t->start = (uint64_t)(START + p->table.first);
    t->x.agent = 0;
    s->instead[0].step = initiator_step;
    s->instead[0].self = t;
    s->compare = true;
    return p;
}

TEST(initiator_drives_the_table, .to = table_count())
{
    stage s;
    const char *name = clock_tables[_i].name;
    const struct outcome *o = outcome_of(name);
    struct initiator t;
    uint8_t read[4096] = {0};
    play *p = initiator_on_stage(&s, &t, name, read);
    stage_run(&s, 80);
    ck_assert(t.done);
    ck_assert_int_eq(t.x.result.end, o->end);
    ck_assert_uint_eq(t.x.result.bytes, o->bytes);
    if (p->table.read && o->bytes != 0) ck_assert_mem_eq(read, p->values.data, o->bytes);
}

/* One cell of the table does not match the run on the stage: that cell must be named. */
static void run_bad_parity(stage *s, int row, int clock)
{
    char place[60];
    snprintf(place, sizeof place, "table %s, clock %d, %s:", s->plays[0].table.name, clock, table_row_names[row]);
    clock_table_bad_parity(&s->plays[0].table, row, clock);
    s->keep_difference = true;
    stage_run(s, 80);
    ck_assert_msg(strstr(s->difference, place) == s->difference, "%s '%s'", place, s->difference);
}

TEST_CASE("comparison");

TEST(stage_catches_every_wrong_cell_of_an_initiator)
{
    static const int rows[] = {ROW_FRAME, ROW_REQ64, ROW_IRDY, ROW_AD, ROW_CBE, ROW_PAR};
    for (int r = 0; r < 6; r++)
        for (int clock = 0; clock < 16; clock++) {
            stage s;
            struct initiator t;
            initiator_on_stage(&s, &t, "a", NULL);
            run_bad_parity(&s, rows[r], clock);
        }
}

/* --- target --- */

struct target {
    stage *stage;
    pcix_target x;
    pcix_parity_state parity;
    pcix_answer answer;
    const uint8_t *expect;
    unsigned decode, words, taken;
    bool ended;
    int end;
};

static bool claim(void *owner, const pcix_access *q, pcix_answer *a)
{
    struct target *t = owner;
    (void)q;
    *a = t->answer;
    return a->decode != 0;
}

static void answer(void *owner, const pcix_access *q, pcix_answer *a)
{
    struct target *t = owner;
    (void)q;
    *a = t->answer;
}

static void take(void *owner, const pcix_access *q, uint64_t address, uint64_t ad, unsigned lanes)
{
    struct target *t = owner;
    uint64_t word;
    (void)address;
    memcpy(&word, t->expect + 8 * t->words, 8);
    if (pcix_is_dword(q->command) || !q->req64) ck_assert_uint_eq((uint32_t)ad, (uint32_t)word);
    else ck_assert_uint_eq(ad, word);
    t->words++;
    t->taken += (unsigned)__builtin_popcount(lanes);
}

static void ended(void *owner, const pcix_access *q, int end, unsigned bytes, bool parity_error)
{
    struct target *t = owner;
    (void)q;
    t->ended = true;
    t->end = end;
    ck_assert(!parity_error);
    if (!pcix_is_read(q->command)) ck_assert_uint_eq(bytes, t->taken);
    t->taken = bytes;
}

static const pcix_target_calls calls = {claim, answer, take, ended};

static void target_step(void *self, const pcix_sample *now, pcix_drive *out)
{
    struct target *t = self;
    pcix_target_step(&t->x, now, pcix_bus_at(t->stage->bus, now->clock - 1), false, 1, out);
    pcix_drive_parity(&t->parity, out);
}

/* DEVSEL# and the first response of a table as offsets. */
static void read_answer(const clock_table *t, pcix_answer *a)
{
    int address = 0, d = -1, r = -1;
    for (int c = 0; c < 40; c++) {
        if (strcmp(table_cell(&t->cell, ROW_AD, c), "A[63:32]") == 0) address = c;
        bool devsel = table_cell(&t->cell, ROW_DEVSEL, c)[0] == '0';
        if (devsel && d < 0) d = c;
        bool quiet = table_cell(&t->cell, ROW_TRDY, c)[0] == '1' && table_cell(&t->cell, ROW_STOP, c)[0] == '1';
        if (d >= 0 && c > d && r < 0 && !(devsel && quiet)) r = c;
    }
    a->decode = d < 0 ? 0 : (unsigned)(d - address);
    a->waits = d < 0 ? 0 : (unsigned)(r - d - 1);
}

/* Puts the target in place of the device, with the answer of the table. */
static void target_on_stage(stage *s, struct target *t, const char *name)
{
    int end = outcome_of(name)->end;
    *t = (struct target){.stage = s};
    stage_init(s);
    play *p = stage_add(s, name, START, 0, 1);
    read_answer(&p->table, &t->answer);
    t->answer.wide = true;
    t->answer.end = end == PCIX_END_INITIATOR ? PCIX_END_COUNT : end;
    t->answer.at = strcmp(name, "i_late") == 0 ? 4 : 0;
    t->answer.read = (const uint8_t *)p->values.data;
    /* data of a waiting read are the target's own choice */
    stage_edit(p, strcmp(name, "d_waits") == 0 ? "AD 5..7 D0" : "");
    t->expect = (const uint8_t *)p->values.data;
    t->x.calls = &calls;
    t->x.owner = t;
    pcix_target_reset(&t->x);
    s->instead[1].step = target_step;
    s->instead[1].self = t;
    s->compare = true;
}

TEST_CASE("tables");

TEST(target_answers_with_the_table, .to = table_count())
{
    stage s;
    const char *name = clock_tables[_i].name;
    const struct outcome *o = outcome_of(name);
    struct target t;
    target_on_stage(&s, &t, name);
    stage_run(&s, 80);
    if (o->end != PCIX_END_MASTER_ABORT) {
        ck_assert(t.ended);
        ck_assert_int_eq(t.end, o->end);
        ck_assert_uint_eq(t.taken, o->bytes);
    }
}

TEST_CASE("comparison");

TEST(stage_catches_every_wrong_cell_of_a_target)
{
    static const int rows[] = {ROW_DEVSEL, ROW_ACK64, ROW_TRDY, ROW_STOP, ROW_AD, ROW_PAR};
    for (int r = 0; r < 6; r++)
        for (int clock = rows[r] == ROW_PAR  ? 3
                         : rows[r] == ROW_AD ? 2
                                             : 0;
             clock < 12; clock++) { /* AD is the initiator's before */
            stage s;
            struct target t;
            target_on_stage(&s, &t, "l");
            run_bad_parity(&s, rows[r], clock);
        }
}
