#include "sim/app/roce/linux/roce_verbs.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/board/roce_header.h"
#include "sim/app/roce/board/roce_system.h"
#include "sim/app/roce/linux/roce_sideband.h"

enum { PORT = 4800, HEADERS = 14 + 20 + 8, LONGEST_PMTU = 4096 };

struct roce_verbs {
    roce_linux *linux_;
    roce_sideband *sideband;
    int answered;
    char command[ROCE_VERBS_COMMAND], answer[8192];
};

rn_address roce_verbs_address(int ipv6)
{
    static const uint8_t mac[6] = {0x52, 0x54, 0, 0, 0, 2};
    rn_address a = roce_system_address(1, ipv6);
    memcpy(a.mac, mac, sizeof a.mac);
    return a;
}

/* ---- sideband frames */

/* The UDP datagram in a frame: its place, its length and port; NULL: none. */
static const uint8_t *datagram(const uint8_t *f, size_t length, size_t *size, unsigned *from)
{
    size_t udp = roce_header_udp(f, length);
    if (!udp) return NULL;
    *from = rn_get16(f + udp);
    *size = rn_get16(f + udp + 4);
    if (*size < 8 || *size > length - udp) return NULL;
    *size -= 8;
    return f + udp + 8;
}

static int take(void *self, const uint8_t *frame, size_t length)
{
    roce_verbs *v = self;
    size_t size;
    unsigned from;
    const uint8_t *text = datagram(frame, length, &size, &from);
    if (!text || from != PORT || size >= sizeof v->answer) return 0;
    memcpy(v->answer, text, size);
    v->answer[size] = 0;
    return v->answered = 1;
}

/* ---- commands */

static int call(roce_verbs *v)
{
    uint8_t frame[HEADERS + ROCE_VERBS_COMMAND] = {0};
    const rn_address own = roce_system_address(0, 0), linux_ = roce_verbs_address(0);
    size_t n = strlen(v->command);
    memcpy(frame, linux_.mac, 6);
    memcpy(frame + 6, own.mac, 6);
    rn_put16(frame + 12, 0x0800);
    uint8_t *ip = frame + 14, *udp = ip + 20;
    ip[0] = 0x45;
    rn_put16(ip + 2, (uint32_t)(28 + n));
    ip[8] = 64;
    ip[9] = 17;
    memcpy(ip + 12, own.ip, 4);
    memcpy(ip + 16, linux_.ip, 4);
    rn_put16(ip + 10, rn_sum_end(rn_sum(0, ip, 20)));
    rn_put16(udp, PORT);
    rn_put16(udp + 2, PORT);
    rn_put16(udp + 4, (uint32_t)(8 + n));
    memcpy(udp + 8, v->command, n);
    v->answered = 0;
    return roce_linux_give(v->linux_, frame, HEADERS + n) || roce_linux_wait(v->linux_, &v->answered);
}

int roce_verbs_start(roce_verbs *v)
{
    return roce_linux_mtu(v->linux_, LONGEST_PMTU) || roce_linux_start(v->linux_, "verbs") ? -1 : 0;
}

int roce_verbs_call(roce_verbs *v, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->command, sizeof v->command, format, args);
    va_end(args);
    return call(v) || !strncmp(v->answer, "failed", 6) ? -1 : 0;
}

const char *roce_verbs_answer(const roce_verbs *v) { return v->answer; }

int roce_verbs_end(roce_verbs *v) { return roce_verbs_call(v, "bye") || roce_linux_join(v->linux_) ? -1 : 0; }

/* ---- life */

roce_verbs *roce_verbs_new(sim *s, roce_linux *l)
{
    roce_verbs *v = calloc(1, sizeof *v);
    if (!v || !(v->sideband = roce_sideband_new(s, l))) {
        free(v);
        return NULL;
    }
    v->linux_ = l;
    roce_sideband_on_frame(v->sideband, take, v);
    return v;
}

void roce_verbs_free(roce_verbs *v)
{
    if (!v) return;
    roce_sideband_free(v->sideband);
    free(v);
}

void roce_verbs_print(const roce_verbs *v, FILE *out)
{
    fprintf(out, "last command: %s\nlast answer: %s\n", v->command, v->answered ? v->answer : "none yet");
}
