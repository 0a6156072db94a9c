#define _GNU_SOURCE /* memfd_create */
#include "mock_nic.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "nic_register_map.h"
#include "sim/core/kernel/splitmix64.h"
#include "sync_register_map.h"
#include "test.h"

#define R(name) reg[(name) / 4]

/* ---- helpers */

uint64_t mock_random(mock_net *net) { return splitmix64(&net->random); }

uint64_t mock_get64(const mock_nic *nic, uint64_t address)
{
    uint64_t value = 0;
    if (address > MOCK_MEMORY - 8) return 0x5555555555555555u;
    for (int i = 7; i >= 0; i--) value = value << 8 | nic->memory[address + (unsigned)i];
    return value;
}

void mock_set64(mock_nic *nic, uint64_t address, uint64_t value)
{
    if (address > MOCK_MEMORY - 8) return;
    for (int i = 0; i < 8; i++) nic->memory[address + (unsigned)i] = (uint8_t)(value >> 8 * i);
}

void mock_allow(mock_nic *nic, uint64_t base, uint64_t size)
{
    if (nic->ranges == MOCK_RANGES) abort();
    nic->range[nic->ranges++] = (struct mock_range){base, size};
}

void mock_forbid(mock_nic *nic, uint64_t base)
{
    for (unsigned i = 0; i < nic->ranges; i++)
        if (nic->range[i].base == base) {
            nic->range[i] = nic->range[--nic->ranges];
            return;
        }
}

static void into_memory(mock_nic *nic, uint64_t address, uint64_t value)
{
    for (unsigned i = 0; i < nic->ranges; i++)
        if (address >= nic->range[i].base && address + 8 <= nic->range[i].base + nic->range[i].size) {
            if (nic->on_write) nic->on_write(nic, address, value);
            mock_set64(nic, address, value);
            return;
        }
    nic->wild++;
}

/* Writes that have been in the bridge long enough, or all of them, reach memory. */
static void deliver(mock_nic *nic, int all)
{
    while (nic->posted_out < nic->posted_in &&
           (all || nic->posted[nic->posted_out % MOCK_POSTED].due <= nic->net->now)) {
        into_memory(nic, nic->posted[nic->posted_out % MOCK_POSTED].address,
                    nic->posted[nic->posted_out % MOCK_POSTED].value);
        nic->posted_out++;
    }
}

void mock_device_writes(mock_nic *nic, uint64_t address, uint64_t value)
{
    if (nic->posted_in - nic->posted_out == MOCK_POSTED) deliver(nic, 1);
    nic->posted[nic->posted_in % MOCK_POSTED].address = address;
    nic->posted[nic->posted_in % MOCK_POSTED].value = value;
    nic->posted[nic->posted_in++ % MOCK_POSTED].due = nic->net->now + 100 * nic->write_delay;
    if (!nic->write_delay) deliver(nic, 1);
}

/* ---- configuration space */

static void put_config(mock_nic *nic, int reg, int size, uint32_t value)
{
    for (int i = 0; i < size; i++) nic->config[reg + i] = (uint8_t)(value >> 8 * i);
}

static void reset_config(mock_nic *nic)
{
    memset(nic->config, 0, sizeof nic->config);
    put_config(nic, 0x00, 4, 0x17df1600);
    put_config(nic, 0x04, 4, 0x04300000); /* capability list, 66 MHz, decode field 2 */
    put_config(nic, 0x08, 4, 0x02000017);
    put_config(nic, 0x0d, 1, 0x40);
    put_config(nic, 0x34, 1, 0x48);
    put_config(nic, 0x3d, 1, 1);
    put_config(nic, 0x48, 4, 0x00020007);
    put_config(nic, 0x4c, 4, 0x0863fff8);
    nic->bar_size[0] = 1 << 27;
    nic->bar_size[1] = 1 << 15;
}

uint32_t mock_config_read(mock_nic *nic, int reg, int size)
{
    uint32_t value = 0;
    put_config(nic, 0x40, 4,
               (uint32_t)nic->irq_enable | (uint32_t)nic->irq_flag << 4 | (uint32_t)nic->tail[0] << 16 |
                   (uint32_t)nic->head[0] << 24);
    for (int i = size - 1; i >= 0; i--) value = value << 8 | nic->config[reg + i];
    return value;
}

/* Writable bits of each byte. */
static uint8_t writable(mock_nic *nic, int reg)
{
    static const struct {
        uint8_t reg, mask;
    } rows[] = {{0x04, 0x46}, {0x05, 0x01}, {0x0c, 0xff}, {0x0d, 0xf8}, {0x3c, 0xff}, {0x4a, 0x7f}};
    if (reg >= 0x10 && reg < 0x28) {
        uint64_t size = nic->bar_size[(reg - 0x10) / 4];
        return size ? (uint8_t)(~(uint32_t)(size - 1) >> 8 * (reg % 4)) : 0;
    }
    for (int i = 0; i < COUNT(rows); i++)
        if (rows[i].reg == reg) return rows[i].mask;
    return 0;
}

void mock_config_write(mock_nic *nic, int reg, int size, uint32_t value)
{
    for (int i = 0; i < size; i++) {
        uint8_t mask = writable(nic, reg + i), byte = (uint8_t)(value >> 8 * i);
        nic->config[reg + i] = (uint8_t)((nic->config[reg + i] & ~mask) | (byte & mask));
        if (reg + i == 0x07) nic->config[7] &= (uint8_t) ~(byte & 0xf9);
        if (reg + i == 0x40) {
            nic->irq_enable = byte & 1;
            nic->irq_flag = 0;
        }
    }
    /* every configuration write leaves bus and device number in the PCI-X status */
    nic->config[0x4c] = (uint8_t)(nic->device << 3);
    nic->config[0x4d] = 0;
}

int mock_interrupt(const mock_nic *nic) { return nic->irq_enable && nic->irq_flag; }

/* ---- registers */

static void control_written(mock_nic *nic, uint32_t value)
{
    if (value & NIC_CONTROL_QUEUE_RESET_MASK) {
        memset(nic->written, 0, sizeof nic->written);
        memset(nic->head, 0, sizeof nic->head);
        memset(nic->tail, 0, sizeof nic->tail);
        nic->sweep_steps = 100; /* of 100 ns: 1024 clocks */
    }
    if (value & NIC_CONTROL_SOFT_RESET_MASK) {
        nic->reset_steps = 5;
        nic->wire_count = nic->wire_words = 0;
    }
    if ((value ^ nic->R(NIC_CONTROL)) & NIC_CONTROL_DIRECT_MASK && nic->hold_direct) {
        nic->hold_direct--;
        value ^= NIC_CONTROL_DIRECT_MASK;
        nic->R(NIC_STATUS) |= NIC_STATUS_DIRECT_REFUSED_MASK;
    }
    nic->R(NIC_CONTROL) = value & ~NIC_CONTROL_QUEUE_RESET_MASK;
}

static void queue_written(mock_nic *nic, unsigned offset, uint32_t value)
{
    unsigned slot = offset / 16, q = slot / MOCK_DEPTH, word = offset / 4 % 4, shift = word % 2 * 32;
    uint64_t *entry;
    slot %= MOCK_DEPTH;
    if (nic->written[q][slot] >> word & 1 || nic->sweep_steps) {
        nic->R(NIC_STATUS) |= NIC_STATUS_DESCRIPTOR_OVERWRITE_MASK;
        nic->R(NIC_DESCRIPTOR_OVERWRITES)++;
        return;
    }
    entry = &nic->entry[q][slot][word / 2];
    *entry = (*entry & ~((uint64_t)0xffffffffu << shift)) | (uint64_t)value << shift;
    nic->written[q][slot] |= (uint8_t)(1 << word);
    while (nic->written[q][nic->tail[q]] == 15 && (nic->tail[q] + 1) % MOCK_DEPTH != nic->head[q])
        nic->tail[q] = (nic->tail[q] + 1) % MOCK_DEPTH;
    if (word == 3 && value >> 27 & 1)
        for (unsigned i = nic->head[q]; i != (slot + 1) % MOCK_DEPTH; i = (i + 1) % MOCK_DEPTH)
            if (nic->written[q][i] != 15) {
                nic->early_starts++;
                break;
            }
}

static int hit(mock_nic *nic, uint64_t address, unsigned *offset)
{
    uint32_t bar1 = mock_config_read(nic, 0x14, 4) & ~0xfu;
    if (!(nic->config[4] & 2) || !bar1 || address < bar1 || address >= bar1 + 0x8000ull) return 0;
    *offset = (unsigned)(address - bar1);
    return 1;
}

int mock_bar_read(mock_nic *nic, uint64_t address, uint32_t *value)
{
    unsigned offset;
    if (!hit(nic, address, &offset)) return -1;
    nic->register_reads++;
    if (!nic->reads_push_nothing) deliver(nic, 1);
    *value = 0;
    if (offset >= MOCK_SYNC_FROM && offset < MOCK_SYNC_TO) *value = mock_sync_read(nic, offset);
    if (offset >= MOCK_SYNC_FROM) return 0;
    *value = nic->reg[offset / 4];
    if (offset == NIC_TX_SPACE) *value = nic->tx_space[nic->R(NIC_VIEW_FLOW) % 16];
    if (offset == NIC_CONTROL && nic->sweep_steps) *value |= NIC_CONTROL_QUEUE_RESET_MASK;
    if (offset >= NIC_QUEUE_POINTERS && offset < NIC_QUEUE_POINTERS + 4 * MOCK_QUEUES) {
        unsigned q = (offset - NIC_QUEUE_POINTERS) / 4;
        *value = (uint32_t)nic->head[q] << 24 | (uint32_t)nic->tail[q] << 16;
    }
    return 0;
}

int mock_bar_write(mock_nic *nic, uint64_t address, uint32_t value)
{
    static const struct {
        unsigned offset;
        uint32_t mask;
    } settings[] = {
        {NIC_NODE_ID, 127},
        {NIC_PAYLOAD_LIMIT, 1023},
        {NIC_REMOTE_NOTIFY_LOW, UINT32_MAX},
        {NIC_REMOTE_NOTIFY_HIGH, UINT32_MAX},
        {NIC_LOCAL_NOTIFY_LOW, UINT32_MAX},
        {NIC_LOCAL_NOTIFY_HIGH, UINT32_MAX},
        {NIC_TX_CAPACITY, UINT32_MAX},
        {NIC_VIEW_FLOW, UINT32_MAX},
        {NIC_SEND_PATHS_LOW, UINT32_MAX},
        {NIC_SEND_PATHS_HIGH, UINT32_MAX},
        {NIC_RECEIVE_PATHS_LOW, UINT32_MAX},
        {NIC_RECEIVE_PATHS_HIGH, UINT32_MAX},
    };
    unsigned offset;
    if (!hit(nic, address, &offset)) return -1;
    if (offset >= 0x4000) {
        queue_written(nic, offset - 0x4000, value);
        return 0;
    }
    if (offset >= MOCK_SYNC_FROM && offset < MOCK_SYNC_TO) mock_sync_write(nic, offset, value);
    if (offset == NIC_CONTROL) control_written(nic, value);
    if (offset == NIC_STATUS) nic->R(NIC_STATUS) &= ~value;
    for (int i = 0; i < COUNT(settings); i++)
        if (settings[i].offset == offset) nic->reg[offset / 4] = value & settings[i].mask;
    return 0;
}

/* ---- sending */

/* A start flag at the slot or at a later one, with every slot between them complete. */
static int released(mock_nic *nic, unsigned q)
{
    if (nic->sync.releases[q]) {
        if (nic->written[q][nic->head[q]] == 15) return 1;
        nic->sync.releases[q] = 0; /* nothing is prepared */
    }
    for (unsigned i = 0, slot = nic->head[q]; i < MOCK_DEPTH; i++, slot = (slot + 1) % MOCK_DEPTH) {
        if (nic->written[q][slot] != 15 && !nic->trusting) return 0;
        if (nic->written[q][slot] & 8 && nic->entry[q][slot][1] >> 59 & 1) return 1;
    }
    return 0;
}

/* A descriptor of rtl/sync: what is illegal about it, as a bit of STATUS; 0: nothing. */
static uint32_t illegal(const mock_nic *nic, uint64_t word1)
{
    const unsigned words = (unsigned)(word1 >> 32 & 0x3ff), operation = (unsigned)(word1 >> 63),
                   immediate = word1 >> 51 & 1;
    if (!nic->sync.built) return word1 & 7 || operation || immediate ? NIC_STATUS_DESCRIPTOR_ADDRESS_MASK : 0;
    if ((immediate && words != 1) || (operation && (words > 62 || words > nic->reg[NIC_PAYLOAD_LIMIT / 4])))
        return NIC_STATUS_DESCRIPTOR_LENGTH_MASK;
    if (operation != (word1 & 1) || (!operation && word1 & 7) || (operation && word1 >> 62 & 1) || word1 >> 48 & 3)
        return NIC_STATUS_DESCRIPTOR_ADDRESS_MASK;
    return 0;
}

static void skip(mock_nic *nic, unsigned q, uint32_t status, unsigned counter)
{
    nic->R(NIC_STATUS) |= status;
    nic->reg[counter / 4]++;
    nic->reg[NIC_QUEUE_SKIPPED / 4 + q]++;
}

static int is_direct(const mock_nic *nic) { return (nic->R(NIC_CONTROL) & NIC_CONTROL_DIRECT_MASK) != 0; }

static void send_packets(mock_nic *nic, unsigned q, uint64_t source, uint64_t word1)
{
    unsigned left = (unsigned)(word1 >> 32 & 0x3ff), limit = nic->R(NIC_PAYLOAD_LIMIT);
    unsigned lane = is_direct(nic) ? 0 : q, groups = nic->sync.reg[SYNC_CONTROL / 4] & 1;
    uint32_t destination = (uint32_t)word1;
    if (!limit || limit > 512) limit = 512;
    while (left) {
        unsigned words = left < limit ? left : limit;
        int last = words == left;
        struct mock_packet *p = &nic->wire[(nic->wire_first + nic->wire_count++) % MOCK_PACKETS];
        memset(p, 0, sizeof *p);
        p->header = (uint64_t)q << 56 |
                    (last ? (word1 >> 62 & 1) << 54 | (word1 >> 61 & 1) << 53 | (word1 >> 60 & 1) << 52 : 0) |
                    (uint64_t)1 << 51 | (uint64_t)words << 32 | destination |
                    (groups ? word1 & (uint64_t)63 << 42 : (uint64_t)(nic->sequence_out[lane]++ & 511) << 42);
        for (unsigned i = 0; i < words; i++) p->payload[i] = word1 >> 51 & 1 ? source : mock_get64(nic, source + 8 * i);
        p->wait = nic->latency;
        p->last = last;
        p->local = last && (word1 >> 61 & 1);
        p->queue = q;
        nic->wire_words += words;
        source += 8 * words;
        destination += 8 * words;
        left -= words;
    }
}

void mock_packet_send(mock_nic *nic, unsigned to, uint64_t header, uint64_t word, int lost)
{
    const unsigned lane = is_direct(nic) ? 0 : to, groups = nic->sync.reg[SYNC_CONTROL / 4] & 1;
    struct mock_packet *p = &nic->wire[(nic->wire_first + nic->wire_count++) % MOCK_PACKETS];
    memset(p, 0, sizeof *p);
    p->header = header | (uint64_t)to << 56 | (uint64_t)1 << 51 |
                (groups ? 0 : (uint64_t)(nic->sequence_out[lane]++ & 511) << 42);
    p->payload[0] = word;
    p->wait = nic->latency;
    p->queue = to;
    p->lost = lost;
    nic->wire_words++;
}

static void serve(mock_nic *nic)
{
    unsigned q = nic->next_queue, slot;
    uint64_t word0, word1;
    nic->next_queue = (q + 1) % MOCK_QUEUES;
    if (!(nic->R(NIC_CONTROL) & NIC_CONTROL_INITIATOR_ENABLE_MASK) || !(nic->config[4] & 4) || nic->stuck) return;
    if (nic->wire_words && nic->wire_words + 512 > MOCK_FIFO) return;
    if (!released(nic, q)) return;
    slot = nic->head[q];
    word0 = nic->entry[q][slot][0];
    word1 = nic->entry[q][slot][1];
    if (!mock_sync_may_ask(nic, q, word1)) return;
    nic->written[q][slot] = 0;
    if (nic->sync.releases[q] && word1 >> 50 & 1) nic->sync.releases[q]--;
    nic->head[q] = (slot + 1) % MOCK_DEPTH;
    nic->descriptors++;
    if ((word1 >> 32 & 0x3ff) == 0 || (word1 >> 32 & 0x3ff) > 512)
        skip(nic, q, NIC_STATUS_DESCRIPTOR_LENGTH_MASK, NIC_DESCRIPTOR_ERRORS);
    else if (illegal(nic, word1)) skip(nic, q, illegal(nic, word1), NIC_DESCRIPTOR_ERRORS);
    else if (word0 & 7 && !(word1 >> 51 & 1)) skip(nic, q, NIC_STATUS_DESCRIPTOR_ADDRESS_MASK, NIC_DESCRIPTOR_ERRORS);
    else if ((word1 >> 52 & 127) != q) skip(nic, q, NIC_STATUS_DESCRIPTOR_FLOW_MASK, NIC_DESCRIPTOR_ERRORS);
    else if (nic->fail_read_at && !--nic->fail_read_at) {
        skip(nic, q, NIC_STATUS_READ_ERROR_MASK, NIC_READ_ERRORS);
        nic->stuck = nic->die_with_read_error;
        nic->die_with_read_error = 0;
    } else {
        mock_sync_ask(nic, q, word1);
        send_packets(nic, q, word0, word1);
    }
}

/* ---- receiving */

static void notify(mock_nic *to, unsigned source, uint64_t header)
{
    uint64_t base = (uint64_t)to->R(NIC_REMOTE_NOTIFY_HIGH) << 32 | to->R(NIC_REMOTE_NOTIFY_LOW);
    if (header >> 54 & 1) {
        if (to->tainted[source]) {
            header |= (uint64_t)1 << 63;
            to->R(NIC_FLAGGED_NOTIFICATIONS)++;
        }
        to->tainted[source] = 0;
        to->R(NIC_REMOTE_NOTIFICATIONS)++;
        mock_device_writes(to, base + 8 * source, header);
    }
    if (header >> 52 & 1) to->irq_flag = 1;
}

/* Several links by packet: none of those in use to that node is up at both ends. */
static int no_path(const mock_nic *from, const mock_nic *to, unsigned queue)
{
    if (!(from->R(NIC_BUILD) & NIC_BUILD_BOND_MASK)) return 0;
    return !(from->R(NIC_SEND_PATHS_LOW) >> 4 * queue & from->R(NIC_PATH_STATUS) & to->R(NIC_PATH_STATUS) &
             NIC_PATH_STATUS_UP_MASK);
}

/* Departure of the oldest packet; then its words arrive over some steps; returns 1 when all have arrived. */
static int travel(mock_nic *from, mock_nic *to, struct mock_packet *p)
{
    unsigned words = (unsigned)(p->header >> 32 & 0x3ff), sequence = (unsigned)(p->header >> 42 & 511);
    unsigned source = is_direct(from) ? from->R(NIC_NODE_ID) : from->id, groups = to->sync.reg[SYNC_CONTROL / 4] & 1;
    if (p->wait) {
        p->wait--;
        return 0;
    }
    if (!p->arrived) {
        from->packets++;
        if (from->damage_packet_at && !--from->damage_packet_at) {
            p->payload[words / 2] ^= (uint64_t)1 << 17;
            p->bad = !from->damage_silently;
            from->damage_silently = 0;
        }
        if (p->lost || (from->drop_packet_at && !--from->drop_packet_at) ||
            (from->drop_bytes && from->drop_bytes == words * 8)) {
            if (from->drop_bytes == words * 8) from->drop_bytes = 0;
            return 1;
        }
        if (no_path(from, to, p->queue)) return 1;
        if (!groups && sequence != (to->sequence_in[source] & 511)) {
            to->tainted[source] = 1;
            mock_sync_loss(to, source);
            to->R(NIC_STATUS) |= NIC_STATUS_SEQUENCE_GAP_MASK;
            to->R(NIC_SEQUENCE_GAPS)++;
        }
        to->sequence_in[source] = sequence + 1;
    }
    for (unsigned i = 0; i < to->words_per_step && p->arrived < words; i++, p->arrived++)
        if (!(p->header & 1)) mock_device_writes(to, (uint32_t)p->header + 8ull * p->arrived, p->payload[p->arrived]);
    if (p->arrived < words) return 0;
    if (p->bad) {
        to->tainted[source] = 1;
        mock_sync_loss(to, source);
        to->R(NIC_STATUS) |= NIC_STATUS_BODY_CRC_MASK;
        to->R(NIC_BODY_CRC_ERRORS)++;
    }
    if (p->header & 1 && to->sync.built && !p->bad) mock_sync_operation(to, source, p->header, p->payload);
    else if (groups && !(p->header & 1) && sequence % 64) mock_sync_group(to, source, sequence % 64, words, p->bad);
    notify(to, source, (p->header & ~((uint64_t)127 << 56)) | (uint64_t)source << 56);
    return 1;
}

static void transmit(mock_nic *nic)
{
    mock_net *net = nic->net;
    struct mock_packet *p = &nic->wire[nic->wire_first % MOCK_PACKETS];
    unsigned target;
    if (!nic->wire_count || nic->stuck) return;
    target = nic->R(NIC_CONTROL) & NIC_CONTROL_DIRECT_MASK ? nic->id ^ 1u : p->queue;
    if (target >= net->nodes) target = nic->id;
    if (!travel(nic, &net->node[target], p)) return;
    if (p->last) {
        uint32_t count = ++nic->reg[NIC_QUEUE_DEPARTED / 4 + p->queue];
        uint64_t base = (uint64_t)nic->R(NIC_LOCAL_NOTIFY_HIGH) << 32 | nic->R(NIC_LOCAL_NOTIFY_LOW);
        if (p->local) {
            nic->R(NIC_LOCAL_NOTIFICATIONS)++;
            mock_device_writes(nic, base + 8 * p->queue, count);
        }
    }
    nic->wire_words -= (unsigned)(p->header >> 32 & 0x3ff);
    nic->wire_first++;
    nic->wire_count--;
}

void mock_step(mock_net *net)
{
    net->now += 100;
    for (unsigned i = 0; i < net->nodes; i++) {
        mock_nic *nic = &net->node[i];
        deliver(nic, 0);
        if (nic->reset_steps && !nic->reset_hangs && !--nic->reset_steps)
            nic->R(NIC_CONTROL) &= ~NIC_CONTROL_SOFT_RESET_MASK;
        if (nic->sweep_steps) nic->sweep_steps--;
        if (nic->R(NIC_CONTROL) & NIC_CONTROL_SOFT_RESET_MASK) continue;
        for (unsigned q = 0; q < MOCK_QUEUES; q++) serve(nic);
        if (nic->wire_count < MOCK_PACKETS - 2) mock_sync_answer(nic);
        transmit(nic);
    }
}

static void unmap(void *memory) { munmap(memory, MOCK_MEMORY); }

/* 0xa5 in the heap, whose content is undefined: copies of one part, made page by page when they are written. */
static uint8_t *host_memory_new(void)
{
    enum { CHUNK = 1 << 20 };
    static int chunk = -1;
    if (chunk < 0) {
        uint8_t fill[4096];
        memset(fill, 0xa5, sizeof fill);
        chunk = memfd_create("undefined", MFD_CLOEXEC);
        for (int at = 0; at < CHUNK; at += (int)sizeof fill)
            ck_assert_int_eq(write(chunk, fill, sizeof fill), sizeof fill);
    }
    uint8_t *memory =
        mmap(NULL, MOCK_MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    ck_assert_ptr_ne(memory, MAP_FAILED);
    for (size_t at = MOCK_HEAP; at < MOCK_MEMORY; at += CHUNK)
        ck_assert_ptr_ne(mmap(memory + at, CHUNK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_FIXED, chunk, 0),
                         MAP_FAILED);
    after_test(unmap, memory);
    return memory;
}

void mock_net_init(mock_net *net, unsigned nodes, uint64_t seed)
{
    memset(net, 0, sizeof *net);
    net->nodes = nodes;
    net->random = seed;
    for (unsigned i = 0; i < nodes; i++) {
        mock_nic *nic = &net->node[i];
        nic->net = net;
        nic->id = i;
        nic->device = 1 + (int)i;
        nic->memory = host_memory_new();
        nic->wire = test_memory(MOCK_PACKETS * sizeof *nic->wire);
        nic->posted = test_memory(MOCK_POSTED * sizeof *nic->posted);
        nic->latency = 2;
        nic->words_per_step = 64;
        reset_config(nic);
        nic->R(NIC_VERSION) = 1;
        nic->R(NIC_BUILD) = 0x803ff128;
        nic->R(NIC_PAYLOAD_LIMIT) = 62;
        nic->R(NIC_TX_CAPACITY) = 2046;
        nic->R(NIC_CUT_THROUGH) = 0x60;
        nic->R(NIC_LINK_STATUS) = 3;
    }
}
