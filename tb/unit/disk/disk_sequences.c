#include "disk_sequences.h"

#include <stdio.h>
#include <string.h>

#include "disk_mock.h"
#include "test.h"

static const char *end(disk_bench *b)
{
    static char text[BENCH_WRONG];
    snprintf(text, sizeof text, "%s", b->wrong);
    clean_up();
    return text;
}

const char *sequence_slots_are_seen_whole(void)
{
    disk_bench *b = disk_mock_new(2);
    for (unsigned i = 0; i < 2; i++) {
        b->params[i].poll = 1;
        mock[i].nic->words_per_step = 1;
    }
    disk_mock_everything(b, 8, 100);
    b->client[0].most = 4;
    disk_mock_run(b, NULL);
    if (b->counts[1].losses[NX_DISK_LOST_DAMAGED] + b->target_counts.losses[NX_DISK_LOST_DAMAGED])
        disk_bench_wrong(b, "a slot was taken before it was whole");
    if (b->counts[1].recoveries) disk_bench_wrong(b, "%d recoveries without a loss", (int)b->counts[1].recoveries);
    return end(b);
}

/* A client that pauses for some steps before each request. */
static void hesitate(disk_client *c, nx_disk_request *r)
{
    (void)r;
    c->pause = (unsigned)(c->b->random() % 200);
}

const char *sequence_no_arrival_is_slept_over(void)
{
    uint64_t late = 0;
    disk_bench *b = disk_mock_new(2);
    b->delay_random_ns = 4000;
    disk_mock_everything(b, 2, 2000);
    b->client[0].most = 4;
    b->client[0].answered = hesitate;
    disk_mock_run(b, NULL);
    for (unsigned i = 0; i < 2; i++) late += nx_wait_counts(b->dev[i]).late;
    if (late)
        disk_bench_wrong(b,
                         "%d arrivals were slept over: they came between the last look and the enabling of interrupts",
                         (int)late);
    return end(b);
}

/* The target sends nothing for longer than an initiator waits; messages of the initiators arrive. */
static void hold_answers(void *arg)
{
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[0];
    while (!b->over) {
        uint64_t until = p->now(p->self) + 2000 * 1000;
        while (p->now(p->self) < until && !b->over) p->wait(p->self);
        net.node[0].stuck = !net.node[0].stuck && !b->over;
    }
    net.node[0].stuck = 0;
}

const char *sequence_a_place_after_an_error(void)
{
    disk_bench *b = disk_mock_new(2);
    b->delay_ns = 200 * 1000;
    b->delay_random_ns = 1500 * 1000;
    disk_mock_everything(b, 16, 600);
    b->client[0].most = 8;
    disk_mock_run(b, hold_answers);
    if (*b->wrong) {
        char why[BENCH_WRONG / 2];
        snprintf(why, sizeof why, "%.190s", b->wrong);
        snprintf(b->wrong, sizeof b->wrong, "a place served another request before the failed one was over: %s", why);
    }
    return end(b);
}

static void crash(disk_client *c, nx_disk_request *r)
{
    if (r->operation == NX_DISK_FLUSH && r->status == NX_DISK_OK) c->b->crash = c->b->kick[0] = 1;
}

const char *sequence_a_flush_is_on_the_disk(void)
{
    disk_bench *b = disk_mock_new(2);
    b->delay_ns = 3000;
    b->crash_ns = 100 * 1000;
    mock[0].lies_fallow = 1;
    b->rule = BENCH_LOSSY;
    disk_mock_everything(b, 8, 120);
    b->client[0].most = 8;
    b->client[0].mix[NX_DISK_DISCARD] = b->client[0].mix[NX_DISK_WRITE_ZEROES] = 0;
    b->client[0].answered = crash;
    disk_mock_run(b, NULL);
    return end(b);
}

static void crash_often(void *arg)
{
    disk_bench *b = arg;
    const struct nx_platform *p = b->platform[0];
    while (!b->over) {
        const uint64_t until = p->now(p->self) + 200 * 1000 + b->random() % 1000000;
        while (p->now(p->self) < until && !b->over) p->wait(p->self);
        b->crash = b->kick[0] = 1;
    }
}

const char *sequence_a_loss_is_reported_to_every_client(void)
{
    disk_bench *b = disk_mock_new(3);
    b->delay_random_ns = 50000;
    b->crash_ns = 100 * 1000;
    mock[0].lies_fallow = 1;
    b->rule = BENCH_LOSSY;
    disk_mock_everything(b, 8, 400);
    b->client[2] = b->client[0]; /* two of host 1 */
    for (unsigned i = 0; i < 3; i++) {
        static const unsigned mix[6] = {0, 20, 50, 30, 0, 0};
        memcpy(b->client[i].mix, mix, sizeof mix);
        b->client[i].first = 600 * i;
        b->client[i].fua = 5;
    }
    disk_mock_run(b, crash_often);
    for (unsigned i = 0; i < 3; i++)
        if (!b->client[i].status[NX_DISK_EIO]) disk_bench_wrong(b, "client %u got no report of the loss", i);
    return end(b);
}
