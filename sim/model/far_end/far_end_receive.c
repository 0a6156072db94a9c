/* The receiver: characters become words of frames, frames become packets, credits and check records.
 *
 * It works on characters, [31:24] first, because words come in any byte lane. A K character ends a frame, and K27.7
 * begins one. A character that is not in the table counts as data of unknown value. */
#include "sim/model/far_end/far_end_private.h"

/* The frame under way is over, at a K character or with the loss of synchronisation. */
static void frame_ends(far_end *f, int lost)
{
    receiver *r = &f->r;
    frame_part due = r->frame.due;
    int error = r->code_error || lost;
    int early = due == FRAME_PAYLOAD || due == FRAME_BODY_CHECK;
    if (due == FRAME_FIRST || due == FRAME_HEADER_LOW || due == FRAME_HEADER_CHECK || (due == FRAME_SECOND && r->bytes))
        far_end_count(f, &f->stats.empty, "a frame ends within its first words");
    if (early) {
        far_end_count(f, &f->stats.cut_short, "a packet to destination %u ends early",
                      frame_header_read(r->frame.header).flow);
        if (r->packet) far_end_lane_body(f, r->to, r->packet, 1);
    } else if (due == FRAME_ENDED && r->bytes) {
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
    r->frame.due = FRAME_OUTSIDE;
}

/* Words up to the next K character belong to a dropped frame. */
static void give_up(receiver *r)
{
    r->frame.due = FRAME_OUTSIDE;
    r->excused = 1;
}

static void header_complete(far_end *f)
{
    receiver *r = &f->r;
    uint64_t header = r->frame.header;
    if (!r->frame.header_ok) {
        far_end_count(f, &f->stats.header_crc, "header %016llx with CRC %08x, expected %08x",
                      (unsigned long long)header, r->frame.header_check, frame_header_crc(header));
        give_up(r);
    } else if (r->frame.due == FRAME_ENDED) {
        far_end_lane_record(f, header);
    } else {
        r->packet = far_end_lane_header(f, header, &r->to);
    }
}

static void payload_word(receiver *r, uint32_t word)
{
    if (!r->packet) return;
    unsigned left = r->frame.left, i = r->packet->p.words - left / 2 - 1;
    r->packet->payload[i] = left & 1 ? (uint64_t)word << 32 : r->packet->payload[i] | word;
}

static void frame_word(far_end *f, uint32_t word)
{
    receiver *r = &f->r;
    switch (frame_reader_word(&r->frame, word)) {
    case FRAME_FIRST:
        r->has_credit = 1;
        r->credit = word;
        break;
    case FRAME_SECOND:
        if (!frame_is_credit(word)) break;
        far_end_count(f, &f->stats.malformed_credits, "a second credit word");
        give_up(r);
        break;
    case FRAME_HEADER_LOW:
        break;
    case FRAME_HEADER_CHECK:
        header_complete(f);
        break;
    case FRAME_PAYLOAD:
        payload_word(r, word);
        break;
    case FRAME_BODY_CHECK:
        if (!r->frame.body_ok)
            far_end_count(f, &f->stats.body_crc, "body CRC %08x, expected %08x", word, r->frame.body_crc);
        if (r->packet) far_end_lane_body(f, r->to, r->packet, !r->frame.body_ok);
        r->packet = NULL;
        break;
    case FRAME_ENDED:
        r->excused = 0;
        /* fall through */
    case FRAME_OUTSIDE:
    case FRAME_UNTRUSTED:
        if (!r->excused) far_end_count(f, &f->stats.stray, "a word %08x outside of frames", word);
        give_up(r);
        break;
    }
}

static void character(far_end *f, unsigned byte, int k, int error)
{
    receiver *r = &f->r;
    if (k) {
        if (r->in_sop) far_end_count(f, &f->stats.bad_sop, "a K character within SOP");
        else if (r->frame.due != FRAME_OUTSIDE) frame_ends(f, 0);
        r->frame.due = FRAME_OUTSIDE;
        r->in_sop = byte == FRAME_SOP_CHARACTER;
        r->code_error = error;
        r->word = byte;
        r->bytes = r->in_sop;
        if (byte == FRAME_IDLE_CHARACTER) r->excused = 0;
        return;
    }
    if (error) r->code_error = 1;
    r->word = r->word << 8 | byte;
    if (++r->bytes < 4) return;
    r->bytes = 0;
    if (r->in_sop) {
        r->in_sop = 0;
        r->excused = 1;
        if (r->word == FRAME_SOP_DATA) frame_reader_begin(&r->frame);
        else far_end_count(f, &f->stats.bad_sop, "SOP is %08x", r->word);
        return;
    }
    frame_word(f, r->word);
}

void far_end_receive(far_end *f, const far_end_input *in)
{
    receiver *r = &f->r;
    if (in->loss_of_sync || in->buffer_error) {
        if (r->frame.due != FRAME_OUTSIDE) frame_ends(f, 1);
        if (f->t.up) far_end_count(f, &f->stats.sync_losses, "synchronisation lost");
        r->in_sop = 0;
        r->frame.due = FRAME_OUTSIDE;
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
        far_end_count(f, &f->stats.code_errors, "code error: not in table %x, disparity %x", in->not_in_table,
                      in->disparity);
    for (int i = 3; i >= 0; i--) {
        int broken = in->not_in_table >> i & 1;
        character(f, in->data >> 8 * i & 0xff, !broken && in->k >> i & 1, broken || in->disparity >> i & 1);
    }
}
