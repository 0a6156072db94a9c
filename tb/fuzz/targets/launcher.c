/* Goals of make in the first line, variables in the others. */
#include "sim/app/launcher/request.h"

#include <ctype.h>
#include <getopt.h>
#include <string.h>

#include "tb/fuzz/targets/target.h"

FUZZ(launcher)
{
    char *text = fuzz_text(data, size), *variables = text + strcspn(text, "\n");
    static request r;
    optind = 1;
    if (*variables) *variables++ = '\0';
    for (char *c = variables; *c; c++)
        if (*c == '\n') *c = ' ';
    if (request_read(&r, text, variables)) {
        CHECK(*r.error);
    } else if (!strstr(r.goal_count ? r.goal[0] : "", "help")) {
        /* OUT makes folders, and RUN, IMAGE and so on are looked for: CHECK=1 leaves that */
        for (unsigned i = 0; i < r.count; i++)
            if (!strcmp(r.given[i].name, "OUT") || strstr(r.given[i].value, "help")) r.given[i].value = "";
        if (r.count < MOST_GIVEN && entry_of(&r, "CHECK") < 0) {
            r.given[r.count].name = "CHECK";
            r.given[r.count++].value = "1";
        }
        if (request_check(&r)) CHECK(fuzz_is_line(r.error));
    }
    free(text);
}
