/* Functions that hand any bytes to a parser of this tree: run by libFuzzer (make fuzz) and, with the inputs in
 * tb/fuzz/corpus, by tb/fuzz/test_corpora. A new target is a file here with FUZZ(name), its name in FUZZ_TARGETS, and a
 * folder of inputs.
 *
 * A target fails by a crash, a finding of a sanitizer, or a CHECK that is not met.
 */
#ifndef TB_FUZZ_TARGETS_TARGET_H
#define TB_FUZZ_TARGETS_TARGET_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_TARGETS(X)                                                                                                \
    X(calls) X(cycles) X(event) X(guest) X(launcher) X(monitor) X(options) X(packet) X(pcap) X(plan) X(record) X(saved)
#define FUZZ(name) void fuzz_##name(const uint8_t *data, size_t size)
#define FUZZ_DECLARE(name) FUZZ(name);
FUZZ_TARGETS(FUZZ_DECLARE)

typedef struct fuzz_target {
    const char *name;
    void (*run)(const uint8_t *data, size_t size);
} fuzz_target;
extern const fuzz_target fuzz_targets[]; /* behind the last: one without a name */

/* What a parser promises. */
#define CHECK(promise)                                                                                                 \
    do {                                                                                                               \
        if (!(promise)) {                                                                                              \
            fprintf(stderr, "%s:%d: not met: %s\n", __FILE__, __LINE__, #promise);                                     \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

/* The bytes as text; free it. */
char *fuzz_text(const uint8_t *data, size_t size);
/* The same, split at the ends of lines: how many words, at most `most`; all of them end with the text. */
int fuzz_words(char *text, char **words, int most);
/* A file with these bytes. */
FILE *fuzz_file(const uint8_t *data, size_t size);
/* Where reports go: nowhere. */
FILE *fuzz_sink(void);
/* Whether a text refuses an input: it has one line, unless it repeats an input that has several; and it says what was
 * expected. */
int fuzz_is_line(const char *text);
int fuzz_is_refusal(const char *text);

#endif
