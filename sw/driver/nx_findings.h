/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Findings in a trace, line by line: for the reports of a NIC's trace and of the switch's. */
#ifndef NX_FINDINGS_H
#define NX_FINDINGS_H

#include "nx_trace.h"

typedef struct nx_findings {
    const nx_trace *t;
    FILE *file; /* NULL: they are only counted */
    unsigned found;
} nx_findings;

/* One more, at this entry of a capture point. */
void nx_find(nx_findings *f, unsigned point, unsigned entry, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
