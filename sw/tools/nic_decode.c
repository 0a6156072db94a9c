/* nic_decode: explains numbers seen in waves, memory dumps and registers.
 *
 *   nic_decode header 0x0118000210010000              packet header or remote notification
 *   nic_decode descriptor 0x10000 0x0810003e00020000  two words of a transfer descriptor
 *   nic_decode credit 0x8001                          one credit, 16 bits; 32 bits are two
 *   nic_decode local 0x1f                             local notification
 *   nic_decode register STATUS 0x41                   by name or offset (0x214)
 *   nic_decode slot 0x8500000800010000                first word of a slot of a remote queue (rtl/sync/README.md)
 *   nic_decode refused 0x0100000300000012             what has become of messages
 *   nic_decode answer 0x8100000000000040              second word of an answer
 *   nic_decode counter 0x8100000000000001             word of a counter that has acted
 *
 * Exit code 2 and a message for arguments that make no sense.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nx_decode.h"
#include "nx_dump.h"
#include "nx_number.h"
#include "nx_program.h"

#define USAGE                                                                                                          \
    "  nic_decode header WORD\n  nic_decode descriptor WORD0 WORD1\n  nic_decode credit VALUE\n"                       \
    "  nic_decode local WORD\n  nic_decode register NAME|OFFSET VALUE\n"                                               \
    "  nic_decode slot|refused|answer|counter WORD"

static int usage(const char *what)
{
    fprintf(stderr, "nic_decode: %s, expected one of\n" USAGE "\n", what);
    return 2;
}

static int number(const char *text, uint64_t *value) { return nx_number_or_hex(text, UINT64_MAX, value); }

static int show_register(const char *name, uint64_t value, char *text, size_t size)
{
    const int of_name = nx_register_offset(name);
    uint64_t offset = (uint64_t)of_name;
    if (of_name < 0 && (!number(name, &offset) || offset >= 0x4000)) return 0;
    nx_register_format((unsigned)offset & ~3u, (uint32_t)value, text, size);
    return 1;
}

NX_PROGRAM("one of\n" USAGE);

int main(int argc, char **argv)
{
    char text[1024] = "";
    uint64_t a = 0, b = 0;
    if (argc < 3) return usage("too few arguments");
    if (!number(argv[argc - 1], &b)) return usage("the last argument is no number");
    if (!strcmp(argv[1], "header") && argc == 3) {
        nx_decode_header(b, text, sizeof text);
    } else if (!strcmp(argv[1], "descriptor") && argc == 4 && number(argv[2], &a)) {
        nx_decode_descriptor(a, b, text, sizeof text);
    } else if (!strcmp(argv[1], "credit") && argc == 3) {
        if (b >> 16) {
            nx_decode_credit((uint16_t)(b >> 16), text, sizeof text);
            printf("%s\n", text);
        }
        nx_decode_credit((uint16_t)b, text, sizeof text);
    } else if (!strcmp(argv[1], "local") && argc == 3) {
        nx_decode_local(b, text, sizeof text);
    } else if (!strcmp(argv[1], "register") && argc == 4) {
        if (!show_register(argv[2], b, text, sizeof text)) return usage("no register of that name or offset");
        text[strcspn(text, "\n")] = 0;
    } else if (argc == 3 && nx_decode_sync(argv[1], b, text, sizeof text)) {
    } else {
        return usage("unknown kind or wrong number of arguments");
    }
    printf("%s\n", text);
    return 0;
}
