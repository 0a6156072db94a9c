/* nxlatency: reads time stamps of packets that were saved (nx_latency_save, make run PROGRAM=nxlatency): their latency,
 * by source and stage.
 *
 *   nxlatency FILE                 least, median, 99 % and most clocks; payload by source
 *   nxlatency --histogram FILE     ... and how many packets took how long
 *
 * Exit code 2 and one line: the file has no time stamps, or cannot be read.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nx_latency.h"
#include "nx_program.h"

NX_PROGRAM("nxlatency [--histogram] FILE, time stamps that were saved");

int main(int argc, char **argv)
{
    int histograms = argc > 1 && !strcmp(argv[1], "--histogram");
    char why[256];
    nx_latency l;
    if (argc != 2 + histograms || (!histograms && argv[1][0] == '-')) {
        fprintf(stderr, "nxlatency: expected nxlatency [--histogram] FILE, time stamps that were saved\n");
        return 2;
    }
    const char *name = argv[1 + histograms];
    FILE *file = fopen(name, "r");
    if (!file) {
        fprintf(stderr, "nxlatency: %s: %s\n", name, strerror(errno));
        return 2;
    }
    int bad = nx_latency_load(&l, file, why, sizeof why);
    fclose(file);
    if (bad) fprintf(stderr, "nxlatency: %s: %s\n", name, why);
    else nx_latency_print(&l, histograms, stdout);
    nx_latency_clear(&l);
    return bad ? 2 : 0;
}
