#include "tb/fuzz/targets/target.h"

#include <string.h>

#define ROW(name) {#name, fuzz_##name},
const fuzz_target fuzz_targets[] = {FUZZ_TARGETS(ROW){NULL, NULL}};

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    CHECK(text);
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

int fuzz_words(char *text, char **words, int most)
{
    int count = 0;
    for (char *save = NULL, *w = strtok_r(text, "\n", &save); w && count < most; w = strtok_r(NULL, "\n", &save))
        words[count++] = w;
    return count;
}

FILE *fuzz_file(const uint8_t *data, size_t size)
{
    FILE *f = fmemopen((void *)data, size, "r");
    CHECK(f);
    return f;
}

FILE *fuzz_sink(void)
{
    static FILE *sink;
    if (!sink) sink = fopen("/dev/null", "w");
    CHECK(sink);
    return sink;
}

int fuzz_is_line(const char *text)
{
    if (*text && !strchr(text, '\n')) return 1;
    fprintf(stderr, "expected one line: %s\n", text);
    return 0;
}

int fuzz_is_refusal(const char *text)
{
    if (strstr(text, "expected")) return 1;
    fprintf(stderr, "expected \"expected\": %s\n", text);
    return 0;
}
