#include "watch.h"

static int find(const watch *w, uint64_t note)
{
    for (unsigned i = 0; i < *w->count; i++) {
        const piece *p = &w->pieces[i];
        uint32_t to = (uint32_t)note;
        if (to >= p->destination && to < p->destination + 8 * p->words) return (int)i;
    }
    return -1;
}

static void written(void *self, const pcix_transaction *t, sim_time when)
{
    watch *w = self;
    node *receiver = w->b->n[!w->from];
    (void)when;
    if (t->address != w->word || t->initiator != receiver->nic_agent) return;
    uint64_t note = memory_get64(host_memory(receiver->host), w->word);
    int i = find(w, note);
    if (i < 0) {
        w->strangers++;
        return;
    }
    if (note >> 63) {
        w->flagged++;
    } else {
        unsigned k = w->sender_reports ? (unsigned)i : w->told < (unsigned)i ? w->told : (unsigned)i;
        unsigned missing = 0;
        for (; k <= (unsigned)i; k++) missing += !bench_arrived(w->b, &w->pieces[k]);
        w->good += !missing;
        w->lies += missing != 0;
    }
    w->told = (unsigned)i + 1;
}

void watch_start(watch *w, bench *b, int from, const piece *pieces, const unsigned *count, int sender_reports)
{
    *w = (watch){.b = b, .from = from, .pieces = pieces, .count = count, .sender_reports = sender_reports};
    w->word = bench_get(b, !from, NIC_REMOTE_NOTIFY_LOW) + 8 * (uint64_t)from;
    ck_assert_int_ge(host_on_written(b->n[!from]->host, written, w), 0);
}

void watch_sound(const watch *w)
{
    ck_assert_msg(!w->lies, "%u good notifications of node %d for data that are not there", w->lies, w->from);
    ck_assert_uint_eq(w->strangers, 0);
}
