/* Commands of switch_monitor, and both ends of its line of text. Lines are requests; the last one is commands. */
#include <string.h>

#include "switch_register_map.h"
#include "sx_command.h"
#include "sx_line.h"
#include "sx_print.h"
#include "tb/fuzz/targets/target.h"

static int read32(void *self, unsigned offset, uint32_t *value)
{
    (void)self;
    *value = offset == SWITCH_VERSION ? SWITCH_VERSION_RESET
             : offset == SWITCH_BUILD ? 4u << SWITCH_BUILD_PORTS_SHIFT | SWITCH_BUILD_MONITOR_MASK |
                                            SWITCH_BUILD_STAMPS_MASK | SWITCH_BUILD_TRACE_MASK
                                      : 0;
    return 0;
}

static int write32(void *self, unsigned offset, uint32_t value) { return (void)self, (void)offset, (void)value, 0; }

FUZZ(monitor)
{
    const struct sx_platform platform = {NULL, read32, write32};
    char *text = fuzz_text(data, size), *words[64], *save = NULL;
    int count = 0;
    uint32_t value;
    sx_switch sw;
    FILE *f = fuzz_file(data, size);
    sx_line_serve(&platform, f, fuzz_sink());
    rewind(f);
    sx_line line = {fuzz_sink(), f};
    struct sx_platform far = sx_line_platform(&line);
    for (int i = 0; i < 8; i++) (void)far.read32(far.self, 0, &value);
    (void)far.write32(far.self, 0, 1);
    fclose(f);
    for (char *w = strtok_r(text, " \n", &save); w && count < 64; w = strtok_r(NULL, " \n", &save)) words[count++] = w;
    for (int i = 0; i < count; i++) count = strcmp(words[i], "trace-save") ? count : i; /* writes a file */
    CHECK(!sx_open(&sw, &platform));
    if (sx_command(&sw, SX_SETTINGS | SX_SHOWS, count, words, fuzz_sink())) CHECK(fuzz_is_line(sw.error));
    free(text);
}
