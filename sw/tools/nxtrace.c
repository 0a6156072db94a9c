/* nxtrace: reads a trace that was saved, of a NIC's FIFOs (make run PROGRAM=nxtrace) or of a port of the switch
 * (command trace-save of switch_monitor), and says what looks wrong in it, and where.
 *
 *   nxtrace FILE              what looks wrong
 *   nxtrace --packets FILE    the packets, frames and events of each point, too
 *
 * Exit code 0: nothing looks wrong; 1: something does; 2 and one line: the file is no trace, or cannot be read.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nx_program.h"
#include "nx_trace.h"
#include "sx_trace.h"

NX_PROGRAM("nxtrace [--packets] FILE, a trace that was saved");

int main(int argc, char **argv)
{
    static nx_trace trace;
    int packets = argc > 1 && !strcmp(argv[1], "--packets");
    char why[256];
    if (argc != 2 + packets || (!packets && argv[1][0] == '-')) {
        fprintf(stderr, "nxtrace: expected nxtrace [--packets] FILE, a trace that was saved\n");
        return 2;
    }
    const char *name = argv[1 + packets];
    FILE *file = fopen(name, "r");
    if (!file) {
        fprintf(stderr, "nxtrace: %s: %s\n", name, strerror(errno));
        return 2;
    }
    int bad = nx_trace_load(&trace, file, why, sizeof why);
    fclose(file);
    if (bad) {
        fprintf(stderr, "nxtrace: %s: %s\n", name, why);
        return 2;
    }
    int nic = trace.device == NX_TRACE_NIC;
    if (packets) (nic ? nx_trace_print : sx_trace_print)(&trace, stdout);
    unsigned found = (nic ? nx_trace_check : sx_trace_check)(&trace, stdout);
    if (!found) printf("nothing looks wrong\n");
    return found != 0;
}
