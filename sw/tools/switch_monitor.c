/* switch_monitor: shows and sets what the monitor port of the switch offers.
 *
 *   switch_monitor build/switch.dump                          all tables out of a dump of the registers (make sim
 * SWITCH_MONITOR=all) switch_monitor build/switch.dump flows errors             some of them switch_monitor
 * line:/dev/ttyS0 weight 3 0 20 weights      a switch at the end of a terminal line (sw/switch/sx_line.h)
 *
 * Commands: sw/switch/sx_command.h. Exit code 1 and a message if the switch does not answer or a command is refused, 2
 * without arguments.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "nx_program.h"
#include "sx_command.h"
#include "sx_line.h"
#include "sx_print.h"

static int fail(const char *source, const char *text)
{
    fprintf(stderr, "switch_monitor: %s: %s\n", source, text);
    return 1;
}

NX_PROGRAM("switch_monitor DUMP|line:PATH [COMMAND...]; without arguments it shows the commands");

int main(int argc, char **argv)
{
    static sx_dump_image image;
    struct sx_platform platform;
    sx_line line;
    sx_switch sw;
    if (argc < 2 || argv[1][0] == '-') {
        fputs("switch_monitor: expected switch_monitor DUMP|line:PATH [COMMAND...]\n", stderr);
        sx_command_help(stderr);
        return 2;
    }
    const char *source = argv[1];
    if (!strncmp(source, "line:", 5)) {
        line.to = fopen(source + 5, "w");
        line.from = fopen(source + 5, "r");
        if (!line.to || !line.from) return fail(source, strerror(errno));
        platform = sx_line_platform(&line);
    } else {
        unsigned at = 0;
        char text[64];
        FILE *file = fopen(source, "r");
        if (!file) return fail(source, strerror(errno));
        int bad = sx_dump_read(&image, file, &at);
        fclose(file);
        if (bad) return snprintf(text, sizeof text, "line %u is none of a dump", at), fail(source, text);
        platform = sx_dump_platform(&image);
    }
    if (sx_open(&sw, &platform)) return fail(source, sw.error);
    return sx_command(&sw, SX_SETTINGS | SX_SHOWS | SX_FILES, argc - 2, argv + 2, stdout) ? fail(source, sw.error) : 0;
}
