// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Ticket lock and work queue; see nx_shared.h. */
#include "nx_shared.h"

#include "nx_sync_internal.h"

/* Each look is a request to the home, so those far behind look seldom. */
static void pause_for(const struct nx_platform *p, uint64_t ns)
{
    const uint64_t start = p->now(p->self);
    while (p->now(p->self) - start < ns) p->wait(p->self);
}

int nx_mutex_take(nx_mutex *m)
{
    nx_device *dev = m->sync->dev;
    const struct nx_platform *p = dev->platform;
    uint64_t serving, before = 0, since;
    int error;
    if ((error = nx_fetch_add(m->sync, m->home, m->word, 1, &m->ticket))) return error;
    since = p->now(p->self);
    for (;;) {
        m->looks++;
        if ((error = nx_fetch_add(m->sync, m->home, m->word + 1, 0, &serving))) return error;
        if (serving == m->ticket) return NX_OK;
        if (serving - m->ticket < UINT64_MAX / 2)
            return nx_fail(dev, NX_ERROR_PROTOCOL, "lock at word %u: %llu is served, expected at most ticket %llu",
                           m->word, (unsigned long long)serving, (unsigned long long)m->ticket);
        if (serving != before) since = p->now(p->self);
        before = serving;
        if (p->now(p->self) - since > dev->params.timeout_ns)
            return nx_fail(dev, NX_ERROR_TIMEOUT, "lock at word %u: ticket %llu served for %llu us, expected %llu",
                           m->word, (unsigned long long)serving, (unsigned long long)(dev->params.timeout_ns / 1000),
                           (unsigned long long)m->ticket);
        pause_for(p, (m->ticket - serving - 1) * m->pause_ns);
    }
}

int nx_mutex_give(nx_mutex *m) { return nx_word_write(m->sync, m->home, m->word + 1, m->ticket + 1); }

int nx_work_take(nx_sync *s, unsigned home, unsigned word, unsigned want, uint64_t total, uint64_t *first,
                 unsigned *count)
{
    int error = nx_fetch_add(s, home, word, want, first);
    *count = error || *first >= total ? 0 : total - *first < want ? (unsigned)(total - *first) : want;
    return error;
}
