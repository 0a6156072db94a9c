/* Damage to chosen frames and words on a cable. The tap delays both directions by some words, so that it knows at the
 * SOP what kind of frame follows, and can take words out and put words in.
 *
 *     frame_tap *t = frame_tap_new(b->p->wire);
 *     frame_tap_arm(t, 0, FRAME_DATA, 2, 1, frame_lose, NULL);    the third data frame of end 0 from now on
 *
 * Links by byte are one: words are those of the frame, SOP and credit word count as one, and a word that is taken out
 * or put in stands for one on each link.
 */
#ifndef SIM_MODEL_CABLE_FRAME_TAP_H
#define SIM_MODEL_CABLE_FRAME_TAP_H

#include "sim/model/cable/cable.h"
#include "sim/model/cable/frame.h"

enum frame_kind { FRAME_DATA = 1, FRAME_CREDIT = 2 /* credit words alone */, FRAME_RECORD = 4, FRAME_ANY = 7 };

/* One word of a frame on its way. */
typedef struct frame_word {
    int from, kind;
    unsigned index;  /* in the frame; 0 = SOP */
    int has_credit;  /* word 1 is a credit word */
    unsigned header; /* index of the first header word */
    unsigned words;  /* of the whole frame; words with a higher index are the idle words behind it */
    uint32_t *data;
    uint8_t *k;
    uint64_t *flip; /* wrong bits of the code groups */
    /* set by the damage: this word is not sent, what follows comes one word earlier; or it is sent twice. Only where it
     * may. */
    int drop, repeat, may_drop, may_repeat;
} frame_word;

typedef void (*frame_damage)(void *arg, frame_word *w);
/* Whether a frame is to be damaged, at its SOP. */
typedef int (*frame_choice)(void *arg, const frame_word *w);

typedef struct frame_tap frame_tap;
/* Takes the place for faults of the cable. NULL: no memory. */
frame_tap *frame_tap_new(cable *wire);
void frame_tap_free(frame_tap *t);
/* Skips this many frames of these kinds from that end, on link 0, then damages the next `count`. Replaces the armed
 * damage of that direction.
 */
void frame_tap_arm(frame_tap *t, int from, int kinds, unsigned skip, unsigned count, frame_damage damage, void *arg);
/* Frames of that direction damaged so far, and whether all that was asked for has been done. */
unsigned frame_tap_done(const frame_tap *t, int from);
int frame_tap_finished(const frame_tap *t, int from);

/* Besides: asks at every frame of these kinds, and hands all words of the chosen ones to `damage`, up to the next SOP.
 * With no choice (NULL) every word of that direction is handed over, idle words between frames too; `words` is 0 before
 * the first frame. At most FRAME_TAP_ENTRIES for a direction of a link: -1 beyond. Of several that choose the same
 * frame the first one has it. */
enum { FRAME_TAP_ENTRIES = 32 };
int frame_tap_add(frame_tap *t, int from, unsigned link, int kinds, frame_choice choice, frame_damage damage,
                  void *arg);
/* Of links by byte: hands the words of that link alone to `damage`, all of them: 32 bits of each frame are a word here,
 * `header` is the first one behind the SOP, and `words` ends with those that are in the tap. Check records of four
 * links are taken for credit words. */
int frame_tap_add_lane(frame_tap *t, int from, unsigned link, frame_damage damage, void *arg);

/* Ready-made damage; `arg` points to an unsigned where one is named. */
void frame_lose(void *arg, frame_word *w); /* the whole frame becomes idle */
void frame_lose_sop(void *arg, frame_word *w);
void frame_lose_credit(void *arg, frame_word *w); /* the credit word only; a frame of its own goes as a whole */
void frame_bad_header_crc(void *arg, frame_word *w);
void frame_bad_header(void *arg, frame_word *w); /* one bit of the length is wrong */
void frame_bad_body_crc(void *arg, frame_word *w);
void frame_bad_body(void *arg, frame_word *w);      /* one bit of the payload is wrong */
void frame_truncate(void *arg, frame_word *w);      /* after arg payload words of 32 bits */
void frame_surplus(void *arg, frame_word *w);       /* arg words more than there should be */
void frame_credit_parity(void *arg, frame_word *w); /* bit 0: first, bit 1: second credit of the word */
void frame_code_error(void *arg, frame_word *w);    /* a wrong code bit in word arg of the frame */

#endif
