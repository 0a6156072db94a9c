#include "sx_line.h"

#include <string.h>

#include "nx_number.h"

/* The next answer: 0 and its text without the end of the line, or -1. */
static int answer(sx_line *line, char *text, size_t size)
{
    for (;;) {
        int whole = nx_line(line->from, text, size);
        if (!whole && (feof(line->from) || ferror(line->from))) return -1;
        text[strcspn(text, "\r")] = 0;
        if (strncmp(text, "r ", 2) && strncmp(text, "w ", 2) && *text) return whole - 1; /* no echo */
    }
}

static int line_read(void *self, unsigned offset, uint32_t *value)
{
    sx_line *line = self;
    char text[64];
    const char *at = text;
    if (fprintf(line->to, "r %x\n", offset) < 0 || fflush(line->to) || answer(line, text, sizeof text)) return -1;
    *value = (uint32_t)nx_number_behind(&at, "", 16, UINT32_MAX);
    return at && !*at ? 0 : -1;
}

static int line_write(void *self, unsigned offset, uint32_t value)
{
    sx_line *line = self;
    char text[64];
    if (fprintf(line->to, "w %x %x\n", offset, value) < 0 || fflush(line->to) || answer(line, text, sizeof text))
        return -1;
    return strcmp(text, "ok") ? -1 : 0;
}

struct sx_platform sx_line_platform(sx_line *line) { return (struct sx_platform){line, line_read, line_write}; }

void sx_line_serve(const struct sx_platform *platform, FILE *from, FILE *to)
{
    char text[128], rest;
    for (;;) {
        unsigned offset, set;
        uint32_t value = 0;
        int whole = nx_line(from, text, sizeof text);
        if (!whole && !*text && (feof(from) || ferror(from))) return;
        if (!whole || strpbrk(text, "+-")) *text = 0;
        if (sscanf(text, "r %8x %c", &offset, &rest) == 1) {
            if (platform->read32(platform->self, offset, &value)) fputs("error no answer\n", to);
            else fprintf(to, "%x\n", value);
        } else if (sscanf(text, "w %8x %8x %c", &offset, &set, &rest) == 2) {
            if (!platform->write32 || platform->write32(platform->self, offset, set)) fputs("error no answer\n", to);
            else fputs("ok\n", to);
        } else {
            fputs("error expected r OFFSET or w OFFSET VALUE\n", to);
        }
        fflush(to);
    }
}
