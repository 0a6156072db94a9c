// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Looks at all registers: access, files, words; see nx_stat.h. */
#include "nx_stat.h"

#include <inttypes.h>
#include <string.h>

#include "nx_dump.h"
#include "nx_internal.h"
#include "nx_number.h"
#include "sync_register_map.h"

enum { VERSION = 1, CROSSING_NS = 1000 /* of a lane's number to the network clock and of its counts back */ };

/* A device that is built so has it. */
static int there(const nx_map_register *r, uint32_t build, int sync)
{
    enum { SHOWN = 64 /* of an array of rtl/sync */ };
    return r->nic ? nx_register_there(r->nic, build) : sync && r->count <= SHOWN;
}

/* ---- access */

int nx_stat_take(nx_device *dev, nx_stat *s)
{
    const struct nx_platform *p = dev->platform;
    unsigned count;
    const nx_map_register *r = nx_map_registers(&count);
    uint32_t sync;
    int error = 0;
    memset(s, 0, sizeof *s);
    s->node = dev->params.node_id;
    s->from_ns = p->now(p->self);
    if ((error = nx_register_read(dev, SYNC_BUILD, &sync))) return error;
    s->sync = (sync & SYNC_BUILD_SYNC_MASK) != 0;
    for (; count--; r++)
        for (unsigned i = 0; i < r->count && there(r, dev->build, s->sync); i++)
            if ((error = nx_register_read(dev, r->offset + r->stride * i, &s->value[(r->offset + r->stride * i) / 4])))
                return error;
    s->lanes = s->value[NIC_CONTROL / 4] & NIC_CONTROL_DIRECT_MASK ? 1 : dev->queues;
    for (unsigned lane = 0; !error && lane < s->lanes; lane++) {
        uint64_t start = p->now(p->self);
        error = nx_register_write(dev, NIC_VIEW_FLOW, lane);
        while (!error && p->now(p->self) - start < CROSSING_NS) p->wait(p->self);
        if (!error) error = nx_register_read(dev, NIC_TX_SPACE, &s->tx_space[lane]);
    }
    s->to_ns = p->now(p->self);
    return error ? error : nx_register_write(dev, NIC_VIEW_FLOW, s->value[NIC_VIEW_FLOW / 4]);
}

/* ---- the values, one after the other: those of the map in its order, then TX_SPACE by lane */

struct item {
    const nx_map_register *r;
    const uint32_t *value; /* in the look */
    char name[48];         /* VOQ_LEVEL[3], TX_SPACE.lane3 */
};

struct walk {
    const nx_stat *stat;
    unsigned reg, index, lane; /* where the next one is; lane 0: behind a register of the map */
};

/* 0: there are no more. */
static int next(struct walk *w, struct item *item)
{
    unsigned count;
    const nx_map_register *map = nx_map_registers(&count);
    while (w->reg < count && !there(&map[w->reg], w->stat->value[NIC_BUILD / 4], w->stat->sync)) w->reg++;
    if (w->reg < count) {
        const nx_map_register *r = item->r = &map[w->reg];
        item->value = &w->stat->value[(r->offset + r->stride * w->index) / 4];
        if (r->count > 1) snprintf(item->name, sizeof item->name, "%s[%u]", r->name, w->index);
        else snprintf(item->name, sizeof item->name, "%s", r->name);
        if (++w->index == r->count) w->reg++, w->index = 0;
        return 1;
    }
    if (w->lane == w->stat->lanes) return 0;
    for (item->r = map; item->r->offset != NIC_TX_SPACE;) item->r++;
    item->value = &w->stat->tx_space[w->lane];
    snprintf(item->name, sizeof item->name, "%s.lane%u", item->r->name, w->lane++);
    return 1;
}

/* ---- files */

int nx_stat_save(const nx_stat *s, FILE *file)
{
    struct item item;
    fprintf(file, "nxstat %d map %u node %u from_ns %" PRIu64 " to_ns %" PRIu64 " lanes %u%s\n", VERSION,
            NIC_VERSION_RESET, s->node, s->from_ns, s->to_ns, s->lanes, s->sync ? " sync" : "");
    for (struct walk w = {.stat = s}; next(&w, &item);) fprintf(file, "%s 0x%08" PRIx32 "\n", item.name, *item.value);
    fprintf(file, "end\n");
    return fflush(file) || ferror(file) ? -1 : 0;
}

int nx_stat_load(nx_stat *s, FILE *file, char *why, size_t size)
{
    char line[160] = "";
    const char *at = line;
    unsigned n = 2;
    struct item item;
    memset(s, 0, sizeof *s);
    int whole = nx_line(file, line, sizeof line);
    unsigned version = (unsigned)nx_number_behind(&at, "nxstat ", 10, UINT32_MAX);
    if (!at) return snprintf(why, size, "line 1: no look at a NIC, expected 'nxstat %d' at its start", VERSION), -1;
    if (version != VERSION)
        return snprintf(why, size, "line 1: a look of version %u, expected version %d", version, VERSION), -1;
    unsigned map = (unsigned)nx_number_behind(&at, " map ", 10, UINT32_MAX);
    s->node = (unsigned)nx_number_behind(&at, " node ", 10, UINT32_MAX);
    s->from_ns = nx_number_behind(&at, " from_ns ", 10, UINT64_MAX);
    s->to_ns = nx_number_behind(&at, " to_ns ", 10, UINT64_MAX);
    s->lanes = (unsigned)nx_number_behind(&at, " lanes ", 10, NX_STAT_LANES);
    s->sync = at && !strcmp(at, " sync");
    if (!whole || !at || (*at && !s->sync))
        return snprintf(why, size, "line 1: '%.100s', expected map, node, from_ns, to_ns and at most %d lanes", line,
                        NX_STAT_LANES),
               -1;
    if (map != NIC_VERSION_RESET)
        return snprintf(why, size, "line 1: of a NIC with register map %u, expected map %u", map, NIC_VERSION_RESET),
               -1;
    for (struct walk w = {.stat = s}; next(&w, &item); n++) {
        if (!nx_line(file, line, sizeof line))
            return snprintf(why, size, "line %u: cut off, expected %s", n, item.name), -1;
        at = line + (strncmp(line, item.name, strlen(item.name)) ? 0 : strlen(item.name));
        uint32_t value = (uint32_t)nx_number_behind(&at, " 0x", 16, UINT32_MAX);
        if (!at || *at)
            return snprintf(why, size, "line %u: '%.100s', expected %s and its value", n, line, item.name), -1;
        if (w.lane) s->tx_space[w.lane - 1] = value;
        else s->value[item.value - s->value] = value;
    }
    if (!nx_line(file, line, sizeof line) || strcmp(line, "end"))
        return snprintf(why, size, "line %u: cut off or damaged, expected end", n), -1;
    return 0;
}

/* ---- words */

static int is_counter(const char *access) { return !strcmp(access, "rc") || !strcmp(access, "nc"); }

/* Numbers that count or measure are decimal; registers that are writable or made of fields are hexadecimal. */
static const char *number(char text[16], const char *access, uint32_t value)
{
    int decimal = is_counter(access) || !strcmp(access, "ro") || !strcmp(access, "field");
    snprintf(text, 16, decimal ? "%" PRIu32 : "0x%08" PRIx32, value);
    return text;
}

void nx_value_print(const char *name, const char *access, uint32_t value, const char *text, FILE *file)
{
    char a[16];
    int indent = !strcmp(access, "field") ? 4 : 0;
    fprintf(file, "%*s%-*s %10s  %s\n", indent, "", 26 - indent, name, number(a, access, value), text);
}

void nx_moved_print(const char *name, const char *access, uint32_t before, uint32_t after, const char *text, FILE *file)
{
    char a[16], b[16];
    fprintf(file, "%-26s %s -> %s", name, number(a, access, before), number(b, access, after));
    if (is_counter(access) && after < before) fprintf(file, ", cleared or wrapped around");
    else if (is_counter(access) || !strcmp(access, "ro")) fprintf(file, ", %+" PRId64, (int64_t)after - before);
    fprintf(file, ": %s\n", text);
}

static uint32_t bits(const nx_map_field *f, uint32_t value)
{
    return value >> f->lsb & (0xffffffffu >> (31 - (f->msb - f->lsb)));
}

/* "" for a register that is made of fields or states, else its access. */
static const char *access_of(const nx_map_register *r)
{
    const char *name;
    char text[32];
    unsigned count;
    for (const nx_map_field *f = nx_map_fields(&count); count--; f++)
        if (f->offset == r->offset) return "";
    return nx_state(r->offset, 0, 0, &name, text, sizeof text) ? "" : r->access;
}

static void head(const nx_stat *s, FILE *file)
{
    unsigned errors = 0;
    struct item item;
    fprintf(file, "node %u, %.2f to %.2f us: link %s", s->node, s->from_ns / 1e3, s->to_ns / 1e3,
            s->value[NIC_LINK_STATUS / 4] & NIC_LINK_STATUS_UP_MASK ? "up" : "down");
    for (struct walk w = {.stat = s}; next(&w, &item);)
        if (item.r->error && *item.value) fprintf(file, "%s %s", errors++ ? "" : ", errors:", item.name);
    fprintf(file, "%s\n", errors ? "" : ", no errors");
}

void nx_stat_print(const nx_stat *s, int all, FILE *file)
{
    struct item item;
    const char *name;
    char text[32];
    head(s, file);
    for (struct walk w = {.stat = s}; next(&w, &item);) {
        if (!all && *item.value == item.r->reset) continue;
        nx_value_print(item.name, access_of(item.r), *item.value, item.r->text, file);
        unsigned count;
        for (const nx_map_field *f = nx_map_fields(&count); count--; f++)
            if (f->offset == item.r->offset && (all || bits(f, *item.value)))
                nx_value_print(f->name, "field", bits(f, *item.value), f->text, file);
        for (unsigned n = 0; nx_state(item.r->offset, n, *item.value, &name, text, sizeof text); n++)
            fprintf(file, "    %-22s %10s\n", name, text);
    }
}

/* A register made of fields or states: what of it moved. */
static unsigned moved_inside(const struct item *item, uint32_t before, FILE *file)
{
    uint32_t after = *item->value;
    unsigned count = 0, fields;
    const char *name;
    char full[80], text[32], old[32];
    for (const nx_map_field *f = nx_map_fields(&fields); fields--; f++) {
        if (f->offset != item->r->offset || bits(f, before) == bits(f, after)) continue;
        snprintf(full, sizeof full, "%s.%s", item->name, f->name);
        nx_moved_print(full, "field", bits(f, before), bits(f, after), f->text, file);
        count++;
    }
    for (unsigned n = 0; nx_state(item->r->offset, n, after, &name, text, sizeof text); n++) {
        nx_state(item->r->offset, n, before, &name, old, sizeof old);
        if (!strcmp(old, text)) continue;
        snprintf(full, sizeof full, "%s.%s", item->name, name);
        fprintf(file, "%-26s %s -> %s\n", full, old, text);
        count++;
    }
    return count;
}

unsigned nx_stat_moved(const nx_stat *before, const nx_stat *after, FILE *file)
{
    unsigned count = 0;
    struct item item;
    head(after, file);
    for (struct walk w = {.stat = after}; next(&w, &item);) {
        uint32_t old = w.lane ? before->tx_space[w.lane - 1] : before->value[item.value - after->value];
        if (old == *item.value) continue;
        if (*access_of(item.r))
            nx_moved_print(item.name, item.r->access, old, *item.value, item.r->text, file), count++;
        else count += moved_inside(&item, old, file);
    }
    return count;
}
