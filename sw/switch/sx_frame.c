#include "sx_frame.h"

#include "sx_trace.h"

unsigned sx_entry_kind(const nx_trace_entry *e)
{
    return e->flags & (NX_TRACE_VALID | NX_TRACE_STALL) ? 0 : e->flags >> 4;
}

/* CRC-16/IBM-3740. */
static uint32_t header_crc(uint32_t high, uint32_t low)
{
    uint64_t header = (uint64_t)high << 32 | low;
    uint32_t crc = 0xffff;
    for (int bit = 63; bit >= 0; bit--)
        crc = ((crc << 1) ^ ((crc >> 15 ^ (uint32_t)(header >> bit)) & 1 ? 0x1021 : 0)) & 0xffff;
    return crc;
}

uint32_t sx_body_crc(const uint32_t *word, unsigned count, unsigned from, unsigned left_out)
{
    uint32_t crc = 0xffffffff;
    for (unsigned i = 0; i < count; i++)
        for (int bit = 31; bit >= 0 && (i < from || i >= from + left_out); bit--)
            crc = crc << 1 ^ ((crc >> 31 ^ word[i] >> bit) & 1 ? 0x04c11db7 : 0);
    return crc;
}

int sx_body_good(const sx_frame *f)
{
    const uint32_t *body = f->word + f->header_at + 3;
    return f->body && sx_body_crc(body, f->body - 1, 0, 0) == body[f->body - 1];
}

static void put(sx_frame *f, const nx_trace_entry *e, unsigned at)
{
    unsigned words = e->flags & SX_TRACE_HALF ? 1 : 2;
    for (unsigned i = 0; i < words; i++) {
        f->entry[f->count] = (uint16_t)at;
        f->word[f->count++] = (uint32_t)(e->data >> (i ? 0 : 32));
    }
    f->end = at;
    f->ended = (e->flags & NX_TRACE_EOP) != 0;
    f->stalls += (e->flags & NX_TRACE_STALL) != 0;
    if (e->flags & SX_TRACE_ERROR && f->error < 0) f->error = (int)at;
}

static void read_frame(sx_frame *f)
{
    f->credits = f->word[0] >> 31 != 0;
    unsigned at = f->header_at = (unsigned)f->credits, left = f->count - at;
    f->kind = left ? SX_BROKEN : SX_CREDITS;
    if (left < 2) return;
    const uint32_t *w = f->word + at;
    f->header = (uint64_t)w[0] << 32 | w[1];
    f->header_crc = header_crc(w[0], w[1]);
    if (left < 3) return;
    unsigned length = (unsigned)(f->header >> 32) & 0x3ff;
    f->kind = w[2] != f->header_crc ? SX_BAD_HEADER : length ? SX_PACKET : SX_RECORD;
    f->body = left - 3;
    f->due = length ? 2 * length + 1 : 0;
    if (f->kind == SX_BAD_HEADER && left > 3 && w[2] == w[1] && w[3] == f->header_crc) f->doubled = at + 2;
    if (f->kind == SX_BAD_HEADER && left > 3 && w[1] == w[0] && w[3] == header_crc(w[0], w[2])) f->doubled = at + 1;
}

int sx_frame_next(const nx_trace *t, unsigned point, unsigned *at, sx_frame *f)
{
    f->count = f->stalls = f->body = f->due = f->doubled = 0;
    f->error = -1;
    f->header = 0;
    for (; *at < t->entries[point]; ++*at) {
        const nx_trace_entry *e = &t->entry[point][*at];
        if (sx_entry_kind(e) || !(e->flags & NX_TRACE_VALID)) continue;
        if (f->count && e->flags & NX_TRACE_SOP) break;
        if (!f->count) {
            f->at = *at;
            f->sop = e->flags & NX_TRACE_SOP;
        }
        put(f, e, *at);
        if (!f->ended) continue;
        ++*at;
        break;
    }
    if (!f->count) return 0;
    f->cut = *at == t->entries[point] && !f->ended;
    read_frame(f);
    return 1;
}
