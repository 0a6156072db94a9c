/* Options of several programs and their meaning (roce_run.h). */
#include <stdlib.h>
#include <string.h>

#include "sim/app/roce/board/roce_run.h"
#include "sim/core/kernel/event.h"

const sim_config *roce_chip_with(const sim_config *const chips[], unsigned bytes, unsigned connections)
{
    for (; *chips; chips++)
        if (sim_config_parameter(*chips, "BYTES", 8) == (long)bytes &&
            sim_config_parameter(*chips, "NUM_QP", 8) > (long)connections)
            return *chips;
    return NULL;
}

const sim_config *roce_chip_asked(const sim_config *const chips[], unsigned bytes, unsigned connections,
                                  char error[OPTION_ERROR])
{
    const sim_config *chip = roce_chip_with(chips, bytes, connections);
    char text[16];
    snprintf(text, sizeof text, "%u", bytes);
    if (!chip) option_complain(error, "bytes", text, "8 or 64");
    return chip;
}

/* A time or an event. */
static int when(const char *name, const char *text, sim_time *time, const char **event, char error[OPTION_ERROR])
{
    char why[EVENT_ERROR];
    if (!text || !event_time(text, time)) return 0;
    struct event *e = event_new(text, why);
    if (!e)
        return option_complain(error, name, text,
                               "a time, 100us for instance, or an event such as 'chip.set_fatal_valid == 1'");
    event_free(e);
    *event = text;
    return 0;
}

int roce_wave_params(const roce_waves *w, const sim_config *chip, const char *full, sim_params *p,
                     char error[OPTION_ERROR])
{
    const char *part = w->from ? "wave-from" : w->to ? "wave-to" : w->scopes ? "wave-scopes" : NULL;
    if (!w->file) return part ? option_complain(error, part, "", "--waves FILE with it") : 0;
    if (!chip->waves) {
        char text[100];
        snprintf(text, sizeof text, "%s, which is built to be looked into", full);
        return option_complain(error, "waves", w->file, text);
    }
    p->waves = w->file;
    p->waves_scopes = w->scopes;
    if (when("wave-from", w->from, &p->waves_from, &p->waves_from_event, error)) return -1;
    return when("wave-to", w->to, &p->waves_to, &p->waves_to_event, error);
}
