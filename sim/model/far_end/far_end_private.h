/* Between the parts of the link partner: receiver of frames, destinations and their accounts, transmitter. */
#ifndef SIM_MODEL_FAR_END_FAR_END_PRIVATE_H
#define SIM_MODEL_FAR_END_FAR_END_PRIVATE_H

#include "sim/model/cable/frame.h"
#include "sim/model/far_end/far_end.h"

enum { MASK = 0xfff };

/* A packet in the buffer of a destination, or one that waits to be sent. */
typedef struct stored {
    struct stored *next;
    far_end_packet p;
    int complete; /* received: its body is here, well or not */
    enum far_end_fault fault;
    uint64_t payload[];
} stored;

typedef struct list {
    stored *first, *last;
    unsigned count;
} list;
void far_end_list_add(list *l, stored *s);
stored *far_end_list_take(list *l);

typedef struct lane {
    list buffer;
    unsigned received, occupied; /* [link words] */
    int stopped;
    unsigned rate;
    int sending;   /* the first packet of the buffer is on its way out */
    int64_t left;  /* of its transmission [1/256 link words] */
    unsigned next; /* sequence number that is due */
    uint64_t packets, delivered, words;
    /* credits */
    unsigned credit_sent; /* counter bits [11:5] that were sent last */
    int forced, due;
} lane;

typedef struct receiver {
    frame_reader frame;
    uint32_t word;  /* bytes gathered */
    unsigned bytes; /* how many */
    int in_sop;     /* they belong to the SOP word */
    int code_error; /* in this frame */
    int excused;    /* outside of frames: the next words are the rest of a bad frame */
    int has_credit;
    uint32_t credit;
    stored *packet; /* being stored; NULL: dropped */
    lane *to;
} receiver;

typedef struct transmitter {
    list queue;
    uint32_t word[FRAME_WORDS_MAX]; /* the frame going out */
    unsigned at, count;
    unsigned since_idle;
    unsigned transmitted, credit;
    int seen, recorded, record_owed;
    unsigned hold, record_timer, refresh_timer, up_timer;
    int up;
    unsigned last_lane; /* that was credited last */
    unsigned sequence[FAR_END_SOURCES];
    unsigned repeat; /* the packet at the head goes once more */
} transmitter;

struct far_end {
    far_end_params params;
    far_end_deliver deliver;
    void *self;
    uint64_t clock;
    lane lane[FAR_END_DESTINATIONS];
    receiver r;
    transmitter t;
    unsigned one_next;
    far_end_stats stats;
    char first_wrong[160];
    /* in a simulation */
    sim *s;
    sim_clock *on;
    struct {
        uint32_t rx_data, tx_data;
        uint8_t rx_k, rx_notintable, rx_disperr, rx_loss_of_sync, rx_buf_status, tx_buf_err, tx_k;
    } pin;
    far_end_input in;
    gt_pins pins;
};

/* Counts, and keeps the text if it is the first. */
void far_end_count(far_end *f, uint64_t *counter, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* far_end_receive.c: the characters of one clock. */
void far_end_receive(far_end *f, const far_end_input *in);

/* far_end_lanes.c */
unsigned far_end_lane_forwarded(const lane *l);
/* A good header: where its payload goes, NULL if it is dropped. */
stored *far_end_lane_header(far_end *f, uint64_t header, lane **to);
void far_end_lane_body(far_end *f, lane *l, stored *s, int damaged);
void far_end_lane_record(far_end *f, uint64_t header);
/* One clock of all outputs. */
void far_end_lanes_clock(far_end *f);
/* The next credit word, 0 if there is none to send. */
uint32_t far_end_lanes_credit(far_end *f);

/* far_end_send.c: one credit received; the word of this clock. */
void far_end_credit_received(far_end *f, unsigned credit, int code_error);
void far_end_transmit(far_end *f, uint32_t *data, uint8_t *k);

#endif
