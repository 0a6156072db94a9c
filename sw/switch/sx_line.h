/* The monitor port over a line of text, as the switch's board has a processor with a terminal on it (S4 3.7).
 *
 *     r OFFSET          ->  VALUE       both hexadecimal without 0x
 *     w OFFSET VALUE    ->  ok
 *     anything else     ->  error TEXT
 *
 * One line each; other text before an answer (an echo, a prompt) is skipped. */
#ifndef SX_LINE_H
#define SX_LINE_H

#include <stdio.h>

#include "sx.h"

/* The near end: a platform. `to` and `from` may be the two ends of one terminal. */
typedef struct sx_line {
    FILE *to, *from;
} sx_line;
struct sx_platform sx_line_platform(sx_line *line);

/* The other end: answers lines from a platform until there are no more. */
void sx_line_serve(const struct sx_platform *platform, FILE *from, FILE *to);

#endif
