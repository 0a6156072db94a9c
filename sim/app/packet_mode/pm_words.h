/* Text building for sentences and tables. */
#ifndef SIM_APP_PACKET_MODE_PM_WORDS_H
#define SIM_APP_PACKET_MODE_PM_WORDS_H

#include <jansson.h>

#include "sim/app/packet_mode/pm_page.h"

/* Text that grows; what does not fit is cut off. */
typedef struct pm_words {
    char text[2000];
    size_t used;
} pm_words;
__attribute__((format(printf, 2, 3))) void pm_say(pm_words *w, const char *format, ...);

/* The result of the point of a series; NULL: there is none. */
json_t *pm_point_at(const pm_store *s, const pm_effort *e, const char *series, double x);
/* Result of make synth for an architecture with longest packets of `words` words; NULL: none. */
const json_t *pm_memory_of(const json_t *memory, const char *arch, json_int_t packet_words);

#endif
