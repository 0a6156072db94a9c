/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Numbers of a command line, and the lines and numbers of a file. */
#ifndef NX_NUMBER_H
#define NX_NUMBER_H

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1: the text is a whole decimal number from least to most, and nothing else, so neither -1 nor one that only fits
 * after it is cut. */
static inline int nx_number(const char *text, unsigned least, unsigned most, unsigned *value)
{
    unsigned long long n = 0;
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 10 || text[digits]) return 0;
    for (size_t i = 0; i < digits; i++) n = 10 * n + (unsigned)(text[i] - '0');
    *value = (unsigned)n;
    return n >= least && n <= most;
}

/* A line of a file, read whole, as far as it fits and without its end: 1; 0: it does not fit, holds a zero byte, or its
 * end is missing. */
static inline int nx_line(FILE *file, char *line, size_t size)
{
    size_t n = 0;
    int c, good = 1;
    while ((c = getc(file)) != EOF && c != '\n') {
        good &= c && n + 1 < size;
        if (n + 1 < size) line[n++] = (char)c;
    }
    line[n] = 0;
    return good && c == '\n';
}

/* The number behind `word` at *at, in base 10 or 16, at most `most`; *at is then behind it. If that is not there, *at
 * becomes NULL, from which on all numbers are 0: a line is good if *at is "" at its end. */
static inline uint64_t nx_number_behind(const char **at, const char *word, unsigned base, uint64_t most)
{
    uint64_t n = 0;
    if (*at && !strncmp(*at, word, strlen(word))) *at += strlen(word);
    else *at = NULL;
    size_t digits = *at ? strspn(*at, base == 16 ? "0123456789abcdef" : "0123456789") : 0;
    if (!digits) *at = NULL;
    for (; digits; digits--, ++*at) {
        unsigned digit = **at > '9' ? (unsigned)(**at - 'a') + 10 : (unsigned)(**at - '0');
        if (digit > most || n > (most - digit) / base) return *at = NULL, 0;
        n = base * n + digit;
    }
    return n;
}

/* 1: the text is a whole number of at most `most`, decimal or hexadecimal behind 0x, and nothing else. */
static inline int nx_number_or_hex(const char *text, uint64_t most, uint64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoull(text, &end, text[0] == '0' && text[1] == 'x' ? 16 : 10);
    return isdigit((unsigned char)*text) && !*end && !errno && *value <= most;
}

#endif
