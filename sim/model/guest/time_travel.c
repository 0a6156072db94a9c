#include "sim/model/guest/time_travel.h"

#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>

enum { ACK, START, REQUEST, WAIT, GET, UPDATE, RUN, FREE_UNTIL, GET_TOD };

static int refuse(time_travel *t, const char *text)
{
    snprintf(t->error, sizeof t->error, "time travel: %s", text);
    return -1;
}

static int send_message(time_travel *t, uint32_t operation, uint32_t sequence, uint64_t time)
{
    const time_travel_message m = {operation, sequence, time};
    if (t->fd < 0 || send(t->fd, &m, sizeof m, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof m) return 0;
    return refuse(t, "the guest takes no messages");
}

static int ask(time_travel *t, uint64_t time)
{
    t->asked = time;
    t->asks = 1;
    return 0;
}

static int wait_for(time_travel *t)
{
    if (t->waits || !t->asks) return refuse(t, "the guest waits, and has not asked for a time");
    t->waits = 1;
    t->alone = 0;
    return 0;
}

/* The device must see what comes behind this: it is alone no more, and knows that before it gets the answer. */
static int update(time_travel *t, uint64_t time, uint64_t now)
{
    if (time > now && time >= t->alone) return refuse(t, "the guest's clock is ahead of the calendar's");
    t->updated = time;
    if (!t->alone) return 0;
    t->alone = 0;
    return send_message(t, FREE_UNTIL, ++t->sequence, time);
}

static int obey(time_travel *t, const time_travel_message *m, uint64_t now)
{
    switch (m->operation) {
    case START:
        return t->started++ ? refuse(t, "a second START") : 0;
    case REQUEST:
        return ask(t, m->time);
    case WAIT:
        return wait_for(t);
    case UPDATE:
        return update(t, m->time, now);
    case GET:
    case GET_TOD:
        return 0;
    default:
        return refuse(t, "a message that is none of a guest's");
    }
}

int time_travel_take(time_travel *t, const time_travel_message *m, uint64_t now)
{
    if (m->operation == ACK) return m->sequence <= t->sequence ? 0 : refuse(t, "an answer to no message");
    if (!t->started && m->operation != START) return refuse(t, "expected START first");
    if (obey(t, m, now)) return -1;
    const uint64_t time = m->operation == GET ? now : m->operation == GET_TOD ? TIME_TRAVEL_DAY + now : 0;
    return send_message(t, ACK, m->sequence, time);
}

int time_travel_receive(time_travel *t, uint64_t now)
{
    for (;;) {
        const ssize_t n = recv(t->fd, (char *)&t->in + t->got, sizeof t->in - t->got, MSG_DONTWAIT);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
        if (n <= 0) return t->got ? refuse(t, "the socket is closed in the middle of a message") : 1;
        t->got += (unsigned)n;
        if (t->got < sizeof t->in) continue;
        t->got = 0;
        if (time_travel_take(t, &t->in, now)) return -1;
    }
}

int time_travel_run(time_travel *t, uint64_t now, uint64_t alone)
{
    t->waits = t->asks = 0;
    t->alone = alone > now ? alone : 0;
    if (t->alone && send_message(t, FREE_UNTIL, ++t->sequence, alone)) return -1;
    return send_message(t, RUN, ++t->sequence, now);
}
