/* The receiver: characters become words of frames, frames become packets, credits and check records.
 *
 * It works on characters, [31:24] first, because words come in any byte lane. A K character ends a frame, and K27.7 begins one. A character
 * that is not in the table counts as data of unknown value. */
#include "far_end_private.h"
#include "frame.h"

enum { SOP_CHARACTER = 0xfb, IDLE_CHARACTER = 0xbc };

/* The frame under way is over, at a K character or with the loss of synchronisation. */
static void frame_ends(far_end *f, int lost)
{
    receiver *r = &f->r;
    int error = r->code_error || lost;
    int early = (r->state == BODY || r->state == BODY_CHECK);
    if (r->state == FIRST || r->state == HEADER_LOW || r->state == HEADER_CHECK || (r->state == SECOND && r->bytes))
        far_end_count(f, &f->stats.empty, "a frame ends within its first words");
    if (early) {
        far_end_count(f, &f->stats.cut_short, "a packet to destination %u ends early", (unsigned)(r->header >> 56 & 0x7f));
        if (r->packet) far_end_lane_body(f, r->to, r->packet, 1);
    } else if (r->state == ENDED && r->bytes) {
        far_end_count(f, &f->stats.stray, "bytes behind the end of a frame");
    }
    if (r->has_credit) {
        f->stats.credit_words++;
        far_end_credit_received(f, r->credit >> 16, error);
        far_end_credit_received(f, r->credit & 0xffff, error);
    }
    r->has_credit = 0;
    r->packet = NULL;
    r->bytes = 0;
    r->excused = early;
    r->state = OUTSIDE;
}

static void header_complete(far_end *f, uint32_t check)
{
    receiver *r = &f->r;
    uint16_t crc = frame_crc16_word(frame_crc16_word(FRAME_HEADER_CRC_START, (uint32_t)(r->header >> 32)), (uint32_t)r->header);
    unsigned length = (unsigned)(r->header >> 32 & 0x3ff);
    r->state = OUTSIDE;
    r->excused = 1;
    if (check != crc) {
        far_end_count(f, &f->stats.header_crc, "header %016llx with CRC %08x, expected %08x", (unsigned long long)r->header, check, crc);
        return;
    }
    if (!length) {
        far_end_lane_record(f, r->header);
        r->state = ENDED;
        return;
    }
    r->packet = far_end_lane_header(f, r->header, &r->to);
    r->words = 2 * length;
    r->body_crc = FRAME_BODY_CRC_START;
    r->state = BODY;
}

static void body_word(far_end *f, uint32_t word)
{
    receiver *r = &f->r;
    r->body_crc = frame_crc32_word(r->body_crc, word);
    if (r->packet) {
        unsigned length = r->packet->p.words, i = length - (r->words + 1) / 2;
        r->packet->payload[i] = r->words & 1 ? r->packet->payload[i] | word : (uint64_t)word << 32;
    }
    if (!--r->words) r->state = BODY_CHECK;
}

static void frame_word(far_end *f, uint32_t word)
{
    receiver *r = &f->r;
    switch (r->state) {
    case FIRST:
    case SECOND:
        if (word >> 31 && r->state == SECOND) {
            far_end_count(f, &f->stats.malformed_credits, "a second credit word");
            r->state = OUTSIDE;
            r->excused = 1;
        } else if (word >> 31) {
            r->has_credit = 1;
            r->credit = word;
            r->state = SECOND;
        } else {
            r->header = (uint64_t)word << 32;
            r->state = HEADER_LOW;
        }
        break;
    case HEADER_LOW:
        r->header |= word;
        r->state = HEADER_CHECK;
        break;
    case HEADER_CHECK:
        header_complete(f, word);
        break;
    case BODY:
        body_word(f, word);
        break;
    case BODY_CHECK:
        if (word != r->body_crc) far_end_count(f, &f->stats.body_crc, "body CRC %08x, expected %08x", word, r->body_crc);
        if (r->packet) far_end_lane_body(f, r->to, r->packet, word != r->body_crc);
        r->packet = NULL;
        r->state = ENDED;
        break;
    case OUTSIDE:
    case ENDED:
        if (!r->excused || r->state == ENDED) far_end_count(f, &f->stats.stray, "a word %08x outside of frames", word);
        r->excused = 1;
        r->state = OUTSIDE;
        break;
    }
}

static void character(far_end *f, unsigned byte, int k, int error)
{
    receiver *r = &f->r;
    if (k) {
        if (r->in_sop) far_end_count(f, &f->stats.bad_sop, "a K character within SOP");
        else if (r->state != OUTSIDE) frame_ends(f, 0);
        r->state = OUTSIDE;
        r->in_sop = byte == SOP_CHARACTER;
        r->code_error = error;
        r->word = byte;
        r->bytes = r->in_sop;
        if (byte == IDLE_CHARACTER) r->excused = 0;
        return;
    }
    if (error) r->code_error = 1;
    r->word = r->word << 8 | byte;
    if (++r->bytes < 4) return;
    r->bytes = 0;
    if (r->in_sop) {
        r->in_sop = 0;
        r->excused = 1;
        if (r->word == FRAME_SOP_DATA) r->state = FIRST;
        else far_end_count(f, &f->stats.bad_sop, "SOP is %08x", r->word);
        return;
    }
    frame_word(f, r->word);
}

void far_end_receive(far_end *f, const far_end_input *in)
{
    receiver *r = &f->r;
    if (in->loss_of_sync || in->buffer_error) {
        if (r->state != OUTSIDE) frame_ends(f, 1);
        if (f->t.up) far_end_count(f, &f->stats.sync_losses, "synchronisation lost");
        r->in_sop = 0;
        r->state = OUTSIDE;
        r->excused = 1;
        f->t.up = 0;
        f->t.up_timer = 0;
        return;
    }
    if (!f->t.up && ++f->t.up_timer >= f->params.up_clocks) {
        f->t.up = 1;
        f->t.record_owed = 1;
    }
    if (f->t.up && (in->not_in_table || in->disparity))
        far_end_count(f, &f->stats.code_errors, "code error: not in table %x, disparity %x", in->not_in_table, in->disparity);
    for (int i = 3; i >= 0; i--) {
        int broken = in->not_in_table >> i & 1;
        character(f, in->data >> 8 * i & 0xff, !broken && in->k >> i & 1, broken || in->disparity >> i & 1);
    }
}
