/* See core_host.h. Initiator side; the memory target is in core_target.c. */
#include "core_host.h"

#include <string.h>

#include "test.h"

static int is_dword(int command)
{
    return command == MEMORY_READ_DWORD || command == CONFIG_READ || command == CONFIG_WRITE;
}

static int gives_data(int command)
{
    return command == MEMORY_WRITE || command == ALIAS_WRITE || command == CONFIG_WRITE ||
           command == SPLIT_COMPLETION || command == MEMORY_WRITE_BLOCK;
}

/* A transaction while it runs. x = column relative to the last address phase. */
typedef struct {
    host_txn *t;
    int phases; /* to be moved, as known now */
    int total;  /* by byte count */
    int width;
    int ends; /* x at which IRDY# is high, once known */
    int stop_low;
} running;

static unsigned byte_count(const host_txn *t) { return is_dword(t->command) ? 4 : t->count; }

static void phases_of(running *r, int width)
{
    const host_txn *t = r->t;
    r->width = width;
    r->total = is_dword(t->command)
                   ? 1
                   : (int)(((t->address & (unsigned)(width - 1)) + t->count + (unsigned)width - 1) / (unsigned)width);
    r->phases = r->total;
    if (t->leave_after && (int)t->leave_after < r->phases) r->phases = (int)t->leave_after;
}

/* Data phases up to the first ADB that leaves at least `least` phases. */
static int to_boundary(const running *r, int least)
{
    int at = (int)(r->t->address % 128) / r->width, n = 128 / r->width - at;
    while (n < least) n += 128 / r->width;
    return n < r->phases ? n : r->phases;
}

/* AD and C/BE# in data phase i. */
static void item(const running *r, int i, uint64_t *ad, uint8_t *cbe)
{
    const host_txn *t = r->t;
    uint64_t base = (t->address & ~(uint64_t)(r->width - 1)) + (uint64_t)i * (unsigned)r->width;
    uint8_t bytes[8];
    uint8_t enables = 0xff;
    for (int lane = 0; lane < 8; lane++) {
        uint64_t a = base + (unsigned)lane;
        bytes[lane] = (uint8_t)(0xe0 + lane);
        if (is_dword(t->command)) {
            if (lane < 4) bytes[lane] = t->data ? t->data[lane] : 0;
        } else if (a >= t->address && a < t->address + t->count && lane < r->width) {
            bytes[lane] = t->data[a - t->address];
            if (!t->mask || t->mask[a - t->address]) enables &= (uint8_t) ~(1u << lane);
        }
    }
    memcpy(ad, bytes, 8);
    if (r->width == 8 && i == 0 && t->address & 4) {
        *ad = *ad >> 32 | (*ad & 0xffffffff00000000ull);
        enables = (uint8_t)((enables & 0xf0) | enables >> 4);
    }
    *cbe = t->command == MEMORY_WRITE ? enables : 0xff;
}

static void drive_control(bench *b, const running *r, int x)
{
    const host_txn *t = r->t;
    int first = t->dual ? -1 : 0;
    int frame = 0, irdy = 1;
    if (r->ends >= 0) {
        int rises = r->ends;
        if (t->result == MOVED) rises = t->response + (r->phases > 4 ? r->phases - 2 : 2);
        frame = x >= rises;
        if (frame && x > rises) frame = -1;
        irdy = x >= r->ends;
    } else if (x >= 3) irdy = 0;
    if (x < 3) irdy = 1;
    if (frame >= 0) {
        drive_line(&b->h, FRAME, frame);
        if (t->wide) drive_line(&b->h, REQ64, frame);
    }
    if (x > first) drive_line(&b->h, IRDY, irdy);
}

static void drive_data(bench *b, const running *r, int x)
{
    host_txn *t = r->t;
    int halves = t->wide ? 3 : 1;
    uint64_t ad;
    uint8_t cbe;
    if (r->ends >= 0 && x >= r->ends) return;
    int i = 0;
    if (t->response >= 0 && x >= t->response + 2) i = x - t->response;
    else if (t->devsel >= 0 && x >= t->devsel + 2) i = (x - t->devsel) % 2 == 0;
    if (i >= r->total || r->total == 1) i = 0;
    item(r, i, &ad, &cbe);
    drive_cbe(&b->h, cbe, halves);
    if (!gives_data(t->command)) return;
    drive_ad(&b->h, ad, halves);
    if (t->bad_parity_phase && i == t->bad_parity_phase - 1) b->bad_parity = t->bad_parity_upper ? 2 : 1;
}

static void drive_address(bench *b, const host_txn *t, int x)
{
    uint32_t low = (uint32_t)t->address, high = (uint32_t)(t->address >> 32);
    int halves = t->wide ? 3 : 1;
    unsigned command = (unsigned)t->command;
    if (t->dual) {
        drive_ad(&b->h, (uint64_t)high << 32 | (x < 0 ? low : high), halves);
        drive_cbe(&b->h, command << 4 | (x < 0 ? (unsigned)DUAL_ADDRESS : command), halves);
    } else {
        drive_ad(&b->h, 0xffffffff00000000ull | low, halves);
        drive_cbe(&b->h, 0xf0 | command, halves);
    }
    if (t->bad_parity_address) b->bad_parity = 1;
    b->idsel = t->command == CONFIG_READ || t->command == CONFIG_WRITE ? (uint8_t)(low >> (16 + HOST_DEVICE) & 1) : 0;
}

static void drive_attribute(bench *b, const host_txn *t)
{
    unsigned count = t->count & 0xfff;
    int halves = t->wide ? 3 : 1;
    if (is_dword(t->command)) {
        drive_ad(&b->h, 0xffffffff00000000ull | t->attribute, halves);
        drive_cbe(&b->h, 0xf0 | (~t->enables & 0xfu), halves);
    } else {
        drive_ad(&b->h, 0xffffffff00000000ull | t->attribute | (count & 0xff), halves);
        drive_cbe(&b->h, 0xf0 | count >> 8, halves);
    }
    if (t->bad_parity_attribute) b->bad_parity = 1;
}

/* Looks at column x - 2, the newest one the values for x may depend on. */
static void learn(const bench *b, running *r, int x)
{
    host_txn *t = r->t;
    if (x - 2 < 2 || r->ends >= 0)
        if (!(r->ends >= 0 && t->result == MOVED && x < r->ends)) return;
    int at = x - 2;
    const bus_column *c = bench_at(b, t->start + (uint64_t)at);
    int devsel = c->level[DEVSEL], stop = c->level[STOP], trdy = c->level[TRDY];
    if (t->response >= 0) {
        if (at < t->response + r->phases && devsel && trdy && !stop) {
            t->result = ABORTED;
            r->phases = at - t->response;
            r->ends = x;
        } else if (at < t->response + r->phases && !stop && !r->stop_low) {
            r->stop_low = 1;
            t->stopped = at - t->response;
            r->phases = to_boundary(r, at - t->response + 4);
            int e = t->response + r->phases;
            r->ends = e > t->response + 2 ? e : t->response + 2;
        }
        return;
    }
    if (t->devsel < 0) {
        if (!devsel) {
            t->devsel = at;
            t->acked64 = !c->level[ACK64];
            phases_of(r, t->wide && t->acked64 ? 8 : 4);
        } else if (at == 6) {
            t->result = NOBODY;
            r->phases = 0;
            r->ends = x;
        }
        return;
    }
    if (trdy && stop) return;
    t->response = at;
    r->phases = !trdy && !devsel ? r->phases : !trdy && !stop ? 1 : 0;
    t->result = trdy ? (devsel ? ABORTED : RETRIED) : devsel ? (stop ? SPLIT : SINGLE) : MOVED;
    if (t->result == MOVED && !stop) {
        r->stop_low = 1;
        t->stopped = 0;
        r->phases = to_boundary(r, 1);
    }
    r->ends = t->response + (t->result == MOVED && r->phases > 2 ? r->phases : 2);
}

static void collect(bench *b, running *r)
{
    host_txn *t = r->t;
    t->phases = (unsigned)r->phases;
    t->last = t->phases ? t->response + r->phases - 1 : -1;
    uint64_t start = t->address, end = start + byte_count(t);
    uint64_t base = is_dword(t->command) ? start : start & ~(uint64_t)(r->width - 1);
    uint64_t stop = base + t->phases * (unsigned)r->width;
    t->moved = stop <= start ? 0 : (unsigned)((stop < end ? stop : end) - start);
    for (unsigned i = 0; i < t->phases; i++) {
        const bus_column *c = bench_at(b, t->start + (unsigned)t->response + i);
        if (c->level[TRDY]) bench_problem(b, "TRDY# is high in data phase %u of %u", i, t->phases);
        if (gives_data(t->command) || !t->data) continue;
        for (int lane = 0; lane < r->width; lane++) {
            uint64_t a = base + i * (unsigned)r->width + (unsigned)lane;
            if (a >= start && a < end) t->data[a - start] = (uint8_t)(c->ad >> 8 * lane);
        }
    }
}

void host_run(bench *b, host_txn *t)
{
    running r = {.t = t, .ends = -1};
    t->start = b->now + (t->dual ? 1 : 0);
    t->devsel = t->response = t->last = -1;
    t->stopped = -1;
    t->result = NOBODY;
    phases_of(&r, t->wide ? 8 : 4);
    for (int x = t->dual ? -1 : 0; x < 3000; x++) {
        learn(b, &r, x);
        drive_control(b, &r, x);
        if (x <= 0) drive_address(b, t, x);
        else if (x == 1) drive_attribute(b, t);
        else drive_data(b, &r, x);
        bench_clock(b);
        if (r.ends >= 0 && x == r.ends) {
            collect(b, &r);
            return;
        }
    }
    ck_abort_msg("transaction with command %x never ends", t->command);
}

host_txn host_move(bench *b, int command, uint64_t address, void *data, unsigned count, int wide)
{
    host_txn t = {.command = command, .address = address, .count = count, .wide = wide, .data = data};
    host_run(b, &t);
    ck_assert_int_eq(t.result, MOVED);
    return t;
}

void host_take(bench *b)
{
    /* one agent at a time has GNT#; an unfinished transaction of the NIC is waited for */
    b->h = (table_drive){0};
    if (b->gnt_mode >= 0) b->gnt_mode = -1 - b->gnt_mode;
    for (int idle = 0, n = 0; idle < 5; n++) {
        const bus_column *c = bench_at(b, b->now - 1);
        idle = c->level[FRAME] && c->level[IRDY] ? idle + 1 : 0;
        ck_assert_msg(n < 4000, "the bus does not become idle");
        bench_clock(b);
    }
}

void host_release(bench *b)
{
    bench_clocks(b, 2);
    if (b->gnt_mode < 0) b->gnt_mode = -1 - b->gnt_mode;
}

void host_once(bench *b, host_txn *t)
{
    host_take(b);
    host_run(b, t);
    host_release(b);
}

unsigned host_perr(const bench *b, const host_txn *t)
{
    unsigned n = 0;
    for (uint64_t c = t->start; c < b->now; c++) n += bench_at(b, c)->level[PERR] == 0;
    return n;
}

static int run_until_taken(bench *b, host_txn *t)
{
    host_take(b);
    for (int i = 0; i < 200; i++) {
        host_run(b, t);
        bench_clocks(b, 2);
        if (t->result != RETRIED) break;
    }
    host_release(b);
    return t->result;
}

static int config(bench *b, int command, unsigned reg, uint32_t *value, unsigned enables)
{
    host_txn t = {.command = command,
                  .address = 1u << (16 + HOST_DEVICE) | HOST_DEVICE << 11 | (reg & 0xfc),
                  .attribute = HOST_BUS,
                  .enables = (uint8_t)enables,
                  .data = (uint8_t *)value};
    return run_until_taken(b, &t);
}

int host_config_read(bench *b, unsigned reg, uint32_t *value) { return config(b, CONFIG_READ, reg, value, 0xf); }

uint32_t host_config_get(bench *b, unsigned reg)
{
    uint32_t value;
    ck_assert_int_eq(host_config_read(b, reg, &value), MOVED);
    return value;
}

void host_config_write(bench *b, unsigned reg, uint32_t value, unsigned enables)
{
    ck_assert_int_eq(config(b, CONFIG_WRITE, reg, &value, enables), MOVED);
}

unsigned host_status(bench *b)
{
    uint32_t value = host_config_get(b, 0x04);
    host_config_write(b, 0x04, 0xffff0000, 0xc);
    return value >> 16 & 0xf900;
}

static int bytes(bench *b, int command, uint64_t address, void *data, unsigned count, int wide)
{
    uint8_t *at = data;
    int result = MOVED;
    while (count) {
        host_txn t = {.command = command,
                      .address = address,
                      .count = count,
                      .wide = wide,
                      .attribute = NIC_ID ^ 0x800,
                      .data = at};
        result = run_until_taken(b, &t);
        if (result != MOVED && result != SINGLE) break;
        address += t.moved;
        at += t.moved;
        count -= t.moved;
    }
    return result;
}

int host_write_bytes(bench *b, uint64_t address, const void *data, unsigned count, int wide)
{
    uint8_t copy[4096];
    memcpy(copy, data, count);
    return bytes(b, MEMORY_WRITE, address, copy, count, wide);
}

int host_read_bytes(bench *b, uint64_t address, void *data, unsigned count, int wide)
{
    return bytes(b, MEMORY_READ_BLOCK, address, data, count, wide);
}

void host_setup(bench *b)
{
    host_config_write(b, 0x10, HOST_BAR0, 0xf);
    host_config_write(b, 0x14, HOST_BAR1, 0xf);
    host_config_write(b, 0x48, 0x003e0000, 0xc);
    host_config_write(b, 0x04, 0x0146, 0x3);
}

bench *bench_with_host(int decode, int splits)
{
    bench *b = bench_new(decode, splits);
    host_setup(b);
    host_target_on(b);
    return b;
}

host_txn host_completion(unsigned tag, uint64_t address, unsigned count, int wide, uint8_t *data)
{
    return (host_txn){.command = SPLIT_COMPLETION,
                      .address = tag << 24 | NIC_ID | (address & 0x7f),
                      .count = count,
                      .wide = wide,
                      .attribute = HOST_BUS << 16,
                      .data = data};
}

static unsigned complete(bench *b, unsigned tag, uint64_t address, unsigned count, unsigned leave_after, int wide,
                         int bcm)
{
    static uint8_t data[4096];
    for (unsigned i = 0; i < count; i++)
        data[i] = (uint8_t)(host_memory_word(b, address + i) >> 8 * ((address + i) % 8));
    host_txn t = host_completion(tag, address, count, wide, data);
    t.leave_after = leave_after;
    t.attribute |= (uint32_t)bcm << 31;
    host_once(b, &t);
    ck_assert_int_eq(t.result, MOVED);
    return t.moved;
}

unsigned host_complete(bench *b, unsigned tag, uint64_t address, unsigned remaining, unsigned leave_after, int wide)
{
    return complete(b, tag, address, remaining, leave_after, wide, 0);
}

unsigned host_complete_part(bench *b, unsigned tag, uint64_t address, unsigned count, int wide)
{
    return complete(b, tag, address, count, 0, wide, 1);
}

void host_message(bench *b, unsigned tag, unsigned flags, uint32_t message)
{
    host_txn t = host_completion(tag, 0, 4, 0, (uint8_t *)&message);
    t.attribute |= flags << 29;
    host_once(b, &t);
    ck_assert_int_eq(t.result, MOVED);
}
