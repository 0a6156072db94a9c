// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Reports for people; see nx_dump.h. */
#include "nx_dump.h"

#include <string.h>

#include "nic_states.h"
#include "nx_internal.h"
#include "sync_register_map.h"

int nx_config_dump(const struct nx_platform *platform, int device, const char *text, FILE *file)
{
    uint32_t words[64];
    for (int i = 0; i < 64; i++)
        if (platform->config_read(platform->self, device, 4 * i, 4, &words[i]) < 0) return NX_ERROR_BUS;
    if ((words[0] & 0xffff) == 0xffff) return NX_ERROR_BUS;
    fprintf(file, "00:%02x.0 %s\n", (unsigned)device, text && *text ? text : "device");
    for (unsigned i = 0; i < 256; i++) {
        if (i % 16 == 0) fprintf(file, "%02x:", i);
        fprintf(file, " %02x%s", (unsigned)(words[i / 4] >> i % 4 * 8 & 0xff), i % 16 == 15 ? "\n" : "");
    }
    fprintf(file, "\n");
    return ferror(file) ? NX_ERROR_DEVICE : NX_OK;
}

/* As the ends of dma_engine.v, pcix_core.v, link_port.v and voq.v pack them. Without states: a number. */
static const struct fsm {
    unsigned offset, lsb, width;
    const char *name, *states[9];
} fsms[] = {
    {NIC_DMA_STATES, 4, 4, "outgoing", {DMA_OUTGOING_IDLE}},
    {NIC_DMA_STATES, 0, 4, "writer", {DMA_VOQ_WRITER_IDLE}},
    {NIC_DMA_STATES, 8, 4, "incoming", {DMA_INCOMING_IDLE}},
    {NIC_DMA_STATES, 12, 4, "software_reset", {DMA_RESET_IDLE}},
    {NIC_BUS_STATES, 0, 4, "target", {PCIX_TARGET_IDLE}},
    {NIC_BUS_STATES, 4, 4, "initiator", {PCIX_INITIATOR_IDLE}},
    {NIC_BUS_STATES, 8, 2, "window", {PCIX_WINDOW_PORT_IDLE}},
    {NIC_BUS_STATES, 10, 2, "window_read", {PCIX_WINDOW_READ_NONE}},
    {NIC_LINK_STATES, 0, 4, "sender", {LINK_TX_READY}},
    {NIC_LINK_STATES, 14, 1, "credit", {"none", "waits"}},
    {NIC_LINK_STATES, 15, 1, "check_record", {"none", "waits"}},
    {NIC_LINK_STATES, 16, 1, "held_for_a_record", {"no", "yes"}},
    {NIC_LINK_STATES, 4, 4, "receiver", {LINK_RX_FRAME_HUNT}},
    {NIC_LINK_STATES, 8, 2, "store", {LINK_RX_STORE_IDLE}},
    {NIC_LINK_STATES, 12, 2, "receive_buffer", {0}},
    {NIC_VOQ_STATES, 0, 1, "head_is_read", {"no", "yes"}},
    {NIC_VOQ_STATES, 1, 1, "head_uncounted", {"no", "yes"}},
    {NIC_VOQ_STATES, 2, 1, "head_is_loaded", {"no", "yes"}},
    {NIC_VOQ_STATES, 8, 2, "body", {VOQ_TURNS_IDLE}},
    {NIC_VOQ_STATES, 10, 1, "body_has_come_back", {"no", "yes"}},
    {NIC_VOQ_STATES, 11, 1, "body_waits_for_a_turn", {"no", "yes"}},
    {NIC_VOQ_STATES, 4, 4, "software_reset", {VOQ_FLUSH_RUN}},
    {NIC_VOQ_STATES, 16, 16, "queues_without_credit", {0}},
};

/* Masks of paths in use, of eight nodes each: "0,2" or "none". */
static int path_mask(unsigned offset, unsigned n, uint32_t value, const char **name, char *text, size_t size)
{
    static const char *const nodes[] = {"node0", "node1", "node2",  "node3",  "node4",  "node5",  "node6",  "node7",
                                        "node8", "node9", "node10", "node11", "node12", "node13", "node14", "node15"};
    unsigned high = offset == NIC_SEND_PATHS_HIGH || offset == NIC_RECEIVE_PATHS_HIGH,
             links = value >> 4 * (n & 7) & 15, used = 0;
    char list[8] = "none";
    if ((!high && offset != NIC_SEND_PATHS_LOW && offset != NIC_RECEIVE_PATHS_LOW) || n > 7) return 0;
    for (unsigned l = 0; l < 4; l++)
        if (links >> l & 1) {
            if (used) list[used++] = ',';
            list[used++] = (char)('0' + l);
            list[used] = 0;
        }
    *name = nodes[8 * high + n];
    snprintf(text, size, "%s", list);
    return 1;
}

int nx_state(unsigned offset, unsigned n, uint32_t value, const char **name, char *text, size_t size)
{
    if (path_mask(offset, n, value, name, text, size)) return 1;
    for (const struct fsm *f = fsms; f < fsms + sizeof fsms / sizeof fsms[0]; f++) {
        unsigned state = value >> f->lsb & ((1u << f->width) - 1), count = 0;
        if (f->offset != offset || n--) continue;
        while (f->states[count]) count++;
        *name = f->name;
        if (state < count) snprintf(text, size, "%s", f->states[state]);
        else snprintf(text, size, "%s0x%x", count ? "unknown_" : "", state);
        return 1;
    }
    return 0;
}

void nx_states_format(unsigned offset, uint32_t value, char *text, size_t size)
{
    const char *name;
    char state[32];
    text[0] = 0;
    for (unsigned n = 0; nx_state(offset, n, value, &name, state, sizeof state); n++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s %s", n ? ", " : "", name, state);
    }
}

const nx_map_register *nx_map_registers(unsigned *count)
{
    enum { ALL = NIC_REGISTER_TABLE_COUNT + SYNC_REGISTER_TABLE_COUNT };
    static nx_map_register map[ALL];
    if (!map[ALL - 1].access) {
        nx_map_register *m = map;
        for (const struct nic_register *r = nic_registers; r < nic_registers + NIC_REGISTER_TABLE_COUNT; r++, m++) {
            *m = (nx_map_register){.access = r->access,
                                   .text = r->text,
                                   .offset = r->offset,
                                   .count = r->count,
                                   .stride = r->stride,
                                   .reset = r->reset,
                                   .error = r->error,
                                   .nic = r};
            snprintf(m->name, sizeof m->name, "%s", r->name);
        }
        for (const struct sync_register *r = sync_registers; m < map + ALL; r++, m++) {
            *m = (nx_map_register){.access = r->access,
                                   .text = r->text,
                                   .offset = r->offset,
                                   .count = r->count,
                                   .stride = r->stride,
                                   .reset = r->reset,
                                   .error = r->error,
                                   .sync = 1};
            snprintf(m->name, sizeof m->name, "SYNC_%s", r->name);
        }
    }
    *count = ALL;
    return map;
}

const nx_map_field *nx_map_fields(unsigned *count)
{
    enum { ALL = NIC_FIELD_TABLE_COUNT + SYNC_FIELD_TABLE_COUNT };
    static nx_map_field map[ALL];
    if (!map[ALL - 1].name) {
        nx_map_field *m = map;
        for (const struct nic_field *f = nic_fields; f < nic_fields + NIC_FIELD_TABLE_COUNT; f++, m++)
            *m = (nx_map_field){f->name, f->text, f->offset, f->msb, f->lsb};
        for (const struct sync_field *f = sync_fields; m < map + ALL; f++, m++)
            *m = (nx_map_field){f->name, f->text, f->offset, f->msb, f->lsb};
    }
    *count = ALL;
    return map;
}

static const nx_map_register *find(unsigned offset)
{
    unsigned count;
    const nx_map_register *r = nx_map_registers(&count);
    for (; count--; r++)
        if (offset >= r->offset && offset < r->offset + r->stride * r->count && (offset - r->offset) % r->stride == 0)
            return r;
    return NULL;
}

int nx_register_offset(const char *name)
{
    unsigned count;
    const nx_map_register *r = nx_map_registers(&count);
    for (; count--; r++)
        if (!strcmp(r->name, name)) return (int)r->offset;
    return NX_ERROR_ARGUMENT;
}

void nx_register_format(unsigned offset, uint32_t value, char *text, size_t size)
{
    const nx_map_register *r = find(offset);
    unsigned fields;
    const nx_map_field *f = nx_map_fields(&fields);
    size_t used;
    if (!r) snprintf(text, size, "0x%03x 0x%08x", offset, (unsigned)value);
    else if (r->count > 1)
        snprintf(text, size, "%s[%u] 0x%08x", r->name, (offset - r->offset) / r->stride, (unsigned)value);
    else snprintf(text, size, "%s 0x%08x", r->name, (unsigned)value);
    for (; r && fields--; f++) {
        if (f->offset != r->offset) continue;
        used = strlen(text);
        snprintf(text + used, size - used, "%s%s=%u", strchr(text, '=') ? " " : "  ", f->name,
                 (unsigned)(value >> f->lsb & (0xffffffffu >> (31 - (f->msb - f->lsb)))));
    }
    const char *name;
    char state[32];
    for (unsigned n = 0; r && nx_state(r->offset, n, value, &name, state, sizeof state); n++) {
        used = strlen(text);
        snprintf(text + used, size - used, "%s%s=%s", n ? " " : "  ", name, state);
    }
    used = strlen(text);
    snprintf(text + used, size - used, "\n");
}
