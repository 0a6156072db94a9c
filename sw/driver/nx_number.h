/* A number of a command line or of a file. */
#ifndef NX_NUMBER_H
#define NX_NUMBER_H

#include <string.h>

/* 1: the text is a whole decimal number from least to most, and nothing else, so neither -1 nor one that only fits after it is cut. */
static inline int nx_number(const char *text, unsigned least, unsigned most, unsigned *value)
{
    unsigned long long n = 0;
    size_t digits = strspn(text, "0123456789");
    if (!digits || digits > 10 || text[digits]) return 0;
    for (size_t i = 0; i < digits; i++) n = 10 * n + (unsigned)(text[i] - '0');
    *value = (unsigned)n;
    return n >= least && n <= most;
}

#endif
