/* Times and events of waves (--wave-from). */
#include "sim/core/kernel/event.h"

#include <string.h>

#include "tb/fuzz/targets/target.h"

static uint64_t bits_of(void *from, uint32_t signal, unsigned lsb, unsigned bits)
{
    (void)from;
    CHECK(signal && bits && bits <= 64 && lsb + bits <= 200);
    return UINT64_C(0x123456789abcdef) >> (lsb & 63);
}

FUZZ(event)
{
    static const struct {
        const char *group, *name;
        unsigned bits;
    } signals[] = {{"node0", "nic0.nic.dma.state [2:0]", 3}, {"node0", "nic0.pci_rst_n", 1}, {"node1", "a.b", 64},
                   {"xbar", "xbar.x.wide [199:0]", 200},     {"", "a.b.array[3] [7:0]", 8},  {"g", "none", 4}};
    char *text = fuzz_text(data, size), error[EVENT_ERROR] = "";
    sim_time time;
    (void)event_time(text, &time);
    event *e = event_new(text, error);
    if (e) {
        for (unsigned i = 0; i < sizeof signals / sizeof signals[0]; i++)
            (void)event_offer(e, signals[i].group, signals[i].name, i + 1, signals[i].bits);
        if (event_complete(e, error)) CHECK(strstr(error, ": expected ") || strstr(error, "; the nearest are"));
        else (void)event_holds(e, bits_of, NULL);
        event_free(e);
    } else {
        CHECK(fuzz_is_refusal(error));
    }
    free(text);
}
