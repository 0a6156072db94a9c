// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Words in words; see nx_decode.h. */
#include "nx_decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "nx_operation.h"

__attribute__((format(printf, 3, 4))) static void append(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

static unsigned bits(uint64_t word, unsigned msb, unsigned lsb)
{
    return (unsigned)(word >> lsb & (((uint64_t)1 << (msb - lsb + 1)) - 1));
}

/* " to 0x..", or the operation. */
static void append_destination(char *text, size_t size, uint32_t w)
{
    static const char *const names[16] = {
        "ENQUEUE",           "ADD",  "ARM",          NULL,     "WRITE",
        "FETCH_ADD",         "SWAP", "COMPARE_SWAP", "REOPEN", [NX_REFUSED] = "REFUSED",
        [NX_REPLY] = "REPLY"};
    const char *name = names[nx_operation_kind(w)];
    if (!(w & 1)) append(text, size, " to 0x%08x", (unsigned)w);
    else if (name)
        append(text, size, " %s object %u operand %u", name, nx_operation_object(w), nx_operation_operand(w));
    else append(text, size, " unknown operation %u object %u", nx_operation_kind(w), nx_operation_object(w));
}

void nx_decode_header(uint64_t w, char *text, size_t size)
{
    unsigned words = bits(w, 41, 32);
    text[0] = 0;
    if (!words) { /* check record */
        append(text, size, "check record flow %u T %u", bits(w, 62, 56), bits(w, 11, 0));
        return;
    }
    append(text, size, "flow %u sequence %u length %u words", bits(w, 62, 56), bits(w, 50, 42), words);
    append_destination(text, size, (uint32_t)w);
    append(text, size, "%s%s%s", bits(w, 54, 54) ? " REMOTE" : "", bits(w, 53, 53) ? " LOCAL" : "",
           bits(w, 52, 52) ? " INTERRUPT" : "");
    if (bits(w, 55, 55) && words >= 3) append(text, size, " STAMPS");
    if (bits(w, 63, 63)) append(text, size, "; FLAGGED: data of this source are lost or damaged (bit 63)");
    if (bits(w, 55, 55) && words < 3) append(text, size, "; bit 55 is 1, expected 0 below 3 words");
    if (!bits(w, 51, 51))
        append(text, size, "; bit 51 is 0, expected 1, or over several paths the top of ten bits of sequence");
    if (words > 512) append(text, size, "; illegal length, expected 1..512");
}

void nx_decode_descriptor(uint64_t source, uint64_t w, char *text, size_t size)
{
    unsigned words = bits(w, 41, 32);
    text[0] = 0;
    const unsigned operation = bits(w, 63, 63), immediate = bits(w, 51, 51), group = bits(w, 47, 42);
    append(text, size, "flow %u length %u words %s 0x%llx", bits(w, 58, 52), words, immediate ? "immediate" : "from",
           (unsigned long long)source);
    append_destination(text, size, (uint32_t)w);
    if (group) append(text, size, " GROUP %u", group);
    if (bits(w, 50, 50)) append(text, size, " END"); /* of a prepared cluster */
    append(text, size, "%s%s%s%s", bits(w, 62, 62) ? " REMOTE" : "", bits(w, 61, 61) ? " LOCAL" : "",
           bits(w, 60, 60) ? " INTERRUPT" : "", bits(w, 59, 59) ? " START" : "");
    if (!words || words > 512) append(text, size, "; illegal length, expected 1..512");
    else if (immediate && words != 1) append(text, size, "; illegal length of an immediate, expected 1");
    else if (operation && words > NX_OPERATION_WORDS)
        append(text, size, "; illegal length of an operation, expected 1..%d", NX_OPERATION_WORDS);
    if (source & 7 && !immediate) append(text, size, "; illegal source, expected a multiple of 8");
    if (operation != (w & 1)) append(text, size, "; bits 63 and 0 differ, expected 1 and 1 of an operation");
    if (w & 7 && !operation) append(text, size, "; illegal destination, expected a multiple of 8");
    if (bits(w, 49, 48)) append(text, size, "; bits 49:48 are 0x%x, expected 0", bits(w, 49, 48));
}

void nx_decode_credit(uint16_t c, char *text, size_t size)
{
    unsigned parity = 0;
    for (unsigned i = 0; i < 14; i++) parity ^= c >> i & 1;
    text[0] = 0;
    append(text, size, "flow %u counter %u (modulo 4096)", bits(c, 13, 7), bits(c, 6, 0) << 5);
    if (!bits(c, 15, 15)) append(text, size, "; bit 15 is 0, expected 1");
    if (bits(c, 14, 14) != parity) append(text, size, "; parity bit 14 is %u, expected %u", bits(c, 14, 14), parity);
}

void nx_decode_local(uint64_t w, char *text, size_t size)
{
    text[0] = 0;
    append(text, size, "%u descriptors have departed (modulo 2^32)", (unsigned)bits(w, 31, 0));
    if (w >> 32) append(text, size, "; bits 63:32 are 0x%x, expected 0", (unsigned)(w >> 32));
}

static const char *reason_of(unsigned reason)
{
    static const char *const names[] = {
        "none",           "queue full",   "queue off",        "source not taken", "longer than a slot",
        "no such object", "wrong length", "no such operation"};
    return reason < sizeof names / sizeof *names ? names[reason] : "unknown";
}

int nx_decode_sync(const char *kind, uint64_t w, char *text, size_t size)
{
    const char *damaged = bits(w, 55, 55) ? " DAMAGED: packets of this source are lost or damaged" : "";
    text[0] = 0;
    if (!strcmp(kind, "slot"))
        append(text, size, "phase %u source %u length %u words message %u operand %u%s", bits(w, 63, 63),
               bits(w, 62, 56), bits(w, 41, 32), bits(w, 28, 16), bits(w, 14, 0), damaged);
    else if (!strcmp(kind, "refused"))
        append(text, size, "refused %u taken %u (modulo 2^16), first reason: %s", bits(w, 47, 32), bits(w, 15, 0),
               reason_of(bits(w, 63, 56)));
    else if (!strcmp(kind, "answer"))
        append(text, size, "phase %u source %u slot %u tag %u, %s", bits(w, 63, 63), bits(w, 62, 56), bits(w, 5, 0),
               bits(w, 14, 6), bits(w, 23, 16) ? reason_of(bits(w, 23, 16)) : "done");
    else if (!strcmp(kind, "counter"))
        append(text, size, "phase %u source %u counter %u has acted %u times (modulo 256)%s", bits(w, 63, 63),
               bits(w, 62, 56), bits(w, 53, 48), bits(w, 7, 0), damaged);
    return text[0] != 0;
}
