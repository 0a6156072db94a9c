#include "sim/runtime/fst.h"

#include "gtkwave/lz4.h"
#include "sim/runtime/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { HEADER, GEOMETRY = 3, HIERARCHY_LZ4 = 6, CHANGES = 8, BEING_WRITTEN = 255 }; /* blocks */
enum { SCOPE = 254, SCOPE_END = 255 };                                              /* in the hierarchy */
enum { REAL = 3, REAL_PARAMETER = 4, REALTIME = 8 };                                /* kinds of signals */
enum { VERSION_ROOM = 128, DATE_ROOM = 119, HEADER_SIZE = 329, PICOSECONDS = 0xf4 /* 10^-12 */ };

typedef LIST(uint8_t) bytes;

enum { RECENT = 88, CHUNK = 256 };

/* What a signal did since the last block: for each change the number of the stream's times since the one before, and the value. One bit: 2
 * times the number, plus the bit. More: the number, then the bits, the highest one first. Numbers are little-endian base 128. The latest
 * changes stand in `recent`, and these in the order in which signals changed first: the ends of thousands of long texts, in any order, do
 * not fit into a processor's cache. */
typedef struct {
    fst_stream *stream;
    uint32_t bits;
    uint32_t time; /* of the last change: index into the stream's times */
    uint32_t last; /* where the last change begins */
    uint32_t size, room;
    uint32_t recent_size;
    uint8_t *at;
    uint8_t recent[RECENT]; /* what follows at[size] */
} changes;

typedef struct {
    fst_stream *stream;
    uint32_t bits, number; /* in the file; 0: it is not recorded */
    size_t value;          /* where its digits stand in `values` */
} signal;

struct fst_stream {
    fst_file *f;
    LIST(uint64_t) times;
    LIST(uint32_t) where; /* those that belong to the block: indices into its times */
    LIST(changes *) chunks;
    size_t used; /* of the last one */
    size_t waiting;
    int wanted;
};

/* A scope around the one that is being declared. */
typedef struct {
    char *name; /* with all around it */
    int kind, wanted, written;
} scope;

struct fst_file {
    FILE *out;
    int lost; /* errno: not all could be written */
    int (*wants)(void *self, const char *scope);
    void *self;
    LIST(fst_stream *) streams;
    LIST(signal) signals;
    LIST(changes *) changes;  /* of each, NULL: not yet */
    LIST(uint32_t) numbered;  /* signals in the order of their numbers in the file */
    LIST(char *) named;       /* names of one bit in outer scopes, and ... */
    LIST(uint32_t) named_for; /* ... their signals */
    LIST(scope) scopes;
    bytes hierarchy, geometry, values, out_bytes;
    uint64_t scope_count, name_count, begin, end, blocks;
    LIST(uint64_t) times, merged; /* of the block */
};

/* ---- bytes ---- */

static void add_byte(bytes *b, int byte)
{
    *list_add(b) = (uint8_t)byte;
}

static void add_text(bytes *b, const char *text)
{
    do add_byte(b, *text);
    while (*text++);
}

static void add_number(bytes *b, uint64_t n)
{
    for (; n >> 7; n >>= 7) add_byte(b, (int)(n & 0x7f) | 0x80);
    add_byte(b, (int)n);
}

static void add_signed(bytes *b, int64_t n)
{
    for (; n < -64 || n > 63; n >>= 7) add_byte(b, (int)(n & 0x7f) | 0x80);
    add_byte(b, (int)(n & 0x7f));
}

/* What went wrong first is told at the end. */
static void check(fst_file *f, int good)
{
    if (!good && !f->lost) f->lost = errno ? errno : EIO;
}

static void put(fst_file *f, const void *what, size_t size)
{
    check(f, fwrite(what, 1, size, f->out) == size);
}

static void go_to(fst_file *f, long at)
{
    check(f, fseek(f->out, at, SEEK_SET) == 0);
}

static void put_byte(fst_file *f, int byte)
{
    check(f, putc(byte, f->out) != EOF);
}

static void put_long(fst_file *f, uint64_t n)
{
    for (int i = 56; i >= 0; i -= 8) put_byte(f, (int)(n >> i & 0xff));
}

static void put_bytes(fst_file *f, const bytes *b)
{
    put(f, b->at, b->count);
}

/* zlib's, or what it was if that is not longer. */
static bytes packed(const void *what, size_t size, int level)
{
    bytes b = {0};
    uLongf length = compressBound(size);
    b.at = new_zeroed(length);
    if (compress2(b.at, &length, what, size, level) == Z_OK && length < size) b.count = length;
    else {
        memcpy(b.at, what, size);
        b.count = size;
    }
    return b;
}

/* Begins a block: where its length will stand. */
static long open_block(fst_file *f)
{
    put_byte(f, BEING_WRITTEN);
    long at = ftell(f->out);
    put_long(f, 0);
    return at;
}

static void close_block(fst_file *f, long at, int kind)
{
    long end = ftell(f->out);
    go_to(f, at);
    put_long(f, (uint64_t)(end - at));
    go_to(f, at - 1);
    put_byte(f, kind);
    go_to(f, end);
}

/* ---- what there is ---- */

fst_file *fst_open(const char *path, int (*wanted)(void *self, const char *scope), void *self)
{
    FILE *out = fopen(path, "wb");
    if (!out) return NULL;
    fst_file *f = new_zeroed(sizeof *f);
    f->out = out;
    f->wants = wanted;
    f->self = self;
    return f;
}

fst_stream *fst_stream_new(fst_file *f)
{
    fst_stream *st = new_zeroed(sizeof *st);
    st->f = f;
    *list_add(&f->streams) = st;
    return st;
}

void fst_scope(fst_stream *st, int kind, const char *name)
{
    fst_file *f = st->f;
    const char *around = f->scopes.count ? f->scopes.at[f->scopes.count - 1].name : "";
    char *full = new_zeroed(strlen(around) + strlen(name) + 2);
    sprintf(full, "%s%s%s", around, *around ? "." : "", name);
    int inherited = f->scopes.count && f->scopes.at[f->scopes.count - 1].wanted;
    *list_add(&f->scopes) = (scope){full, kind, f->wants(f->self, full) || inherited, 0};
}

void fst_scope_end(fst_stream *st)
{
    fst_file *f = st->f;
    scope *last = &f->scopes.at[--f->scopes.count];
    if (last->written) add_byte(&f->hierarchy, SCOPE_END);
    free(last->name);
}

static void write_scopes(fst_file *f)
{
    for (size_t i = 0; i < f->scopes.count; i++) {
        scope *s = &f->scopes.at[i];
        if (s->written) continue;
        const char *dot = i ? s->name + strlen(f->scopes.at[i - 1].name) + 1 : s->name;
        add_byte(&f->hierarchy, SCOPE);
        add_byte(&f->hierarchy, s->kind);
        add_text(&f->hierarchy, dot);
        add_byte(&f->hierarchy, 0); /* no name of a module */
        s->written = 1;
        f->scope_count++;
    }
}

uint32_t fst_signal(fst_stream *st, int kind, int direction, unsigned bits, const char *name, uint32_t alias)
{
    fst_file *f = st->f;
    const scope *in = &f->scopes.at[f->scopes.count - 1];
    if (!alias) {
        *list_add(&f->signals) = (signal){.stream = st, .bits = bits};
        *list_add(&f->changes) = NULL;
        alias = (uint32_t)f->signals.count;
    }
    if (f->scopes.count == 1 && bits == 1) {
        char *full = new_zeroed(strlen(in->name) + strlen(name) + 2);
        sprintf(full, "%s.%s", in->name, name);
        *list_add(&f->named) = full;
        *list_add(&f->named_for) = alias;
    }
    if (!in->wanted || kind == REAL || kind == REAL_PARAMETER || kind == REALTIME) return alias;
    signal *g = &f->signals.at[alias - 1];
    uint32_t other = g->number;
    if (!other) {
        *list_add(&f->numbered) = alias - 1;
        g->number = (uint32_t)f->numbered.count;
        g->value = f->values.count;
        for (unsigned i = 0; i < bits; i++) add_byte(&f->values, '0');
        add_number(&f->geometry, bits);
        st->wanted = 1;
    }
    write_scopes(f);
    add_byte(&f->hierarchy, kind);
    add_byte(&f->hierarchy, direction);
    add_text(&f->hierarchy, name);
    add_number(&f->hierarchy, bits);
    add_number(&f->hierarchy, other);
    f->name_count++;
    return alias;
}

uint32_t fst_claim(fst_stream *st, const char *name)
{
    fst_file *f = st->f;
    for (size_t i = 0; i < f->named.count; i++) {
        signal *g = &f->signals.at[f->named_for.at[i] - 1];
        if (strcmp(f->named.at[i], name) || !g->number) continue;
        g->stream = st;
        return f->named_for.at[i];
    }
    return 0;
}

int fst_wanted(const fst_stream *st)
{
    return st->wanted;
}

/* The only part that is written again: how much there is by now. */
static void put_header(fst_file *f)
{
    char version[VERSION_ROOM] = "nicxbar", date[DATE_ROOM] = "";
    const double endian = 2.7182818284590452354;
    go_to(f, 0);
    put_byte(f, HEADER);
    put_long(f, HEADER_SIZE);
    put_long(f, f->begin);
    put_long(f, f->end);
    put(f, &endian, sizeof endian);
    put_long(f, 0); /* memory of the writer */
    put_long(f, f->scope_count);
    put_long(f, f->name_count);
    put_long(f, f->numbered.count);
    put_long(f, f->blocks);
    put_byte(f, PICOSECONDS);
    put(f, version, sizeof version);
    put(f, date, sizeof date);
    put_byte(f, 0); /* from Verilog */
    put_long(f, 0); /* time zero */
    check(f, fseek(f->out, 0, SEEK_END) == 0);
    check(f, fflush(f->out) == 0);
}

void fst_begin(fst_file *f, uint64_t time)
{
    f->begin = f->end = time;
    for (size_t i = 0; i < f->streams.count; i++) *list_add(&f->streams.at[i]->times) = time;
    put_header(f);
    long at = open_block(f);
    bytes b = packed(f->geometry.at, f->geometry.count, 9);
    put_long(f, f->geometry.count);
    put_long(f, f->numbered.count);
    put_bytes(f, &b);
    free(b.at);
    close_block(f, at, GEOMETRY);
    at = open_block(f);
    put_long(f, f->hierarchy.count);
    b.at = new_zeroed((size_t)LZ4_compressBound((int)f->hierarchy.count));
    b.count = (size_t)LZ4_compress_default((char *)f->hierarchy.at, (char *)b.at, (int)f->hierarchy.count,
                                           LZ4_compressBound((int)f->hierarchy.count));
    put_bytes(f, &b);
    free(b.at);
    close_block(f, at, HIERARCHY_LZ4);
    check(f, fflush(f->out) == 0);
}

/* ---- changes ---- */

void fst_time(fst_stream *st, uint64_t time)
{
    if (time > st->times.at[st->times.count - 1]) *list_add(&st->times) = time;
}

/* Eight digits as a byte, the first one its highest bit: the factor brings the lowest bits of the eight bytes together. */
static uint8_t eight(const char *digits)
{
    uint64_t d;
    memcpy(&d, digits, sizeof d);
    return (uint8_t)((d & 0x0101010101010101) * 0x8040201008040201 >> 56);
}

static size_t put_number(uint8_t *at, uint64_t n)
{
    size_t i = 0;
    for (; n >> 7; n >>= 7) at[i++] = (uint8_t)(n | 0x80);
    at[i++] = (uint8_t)n;
    return i;
}

static uint64_t get_number(const uint8_t **at)
{
    uint64_t n = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint8_t b = *(*at)++;
        n |= (uint64_t)(b & 0x7f) << shift;
        if (!(b & 0x80)) return n;
    }
}

static void make_room(changes *c, uint32_t size)
{
    if (c->size + size <= c->room) return;
    c->room = 2 * (c->room + size);
    uint8_t *at = realloc(c->at, c->room);
    if (!at) abort();
    c->at = at;
}

static void join_recent(changes *c)
{
    make_room(c, c->recent_size);
    memcpy(c->at + c->size, c->recent, c->recent_size);
    c->size += c->recent_size;
    c->recent_size = 0;
}

static changes *changes_new(fst_stream *st, const signal *g)
{
    if (!st->chunks.count || st->used == CHUNK) {
        changes *chunk = aligned_alloc(64, CHUNK * sizeof *chunk);
        if (!chunk) abort();
        *list_add(&st->chunks) = chunk;
        st->used = 0;
    }
    changes *c = &st->chunks.at[st->chunks.count - 1][st->used++];
    *c = (changes){.stream = st, .bits = g->bits};
    return c;
}

/* Again at this time: takes back what was there, and returns how many times it was since the change before that. */
static uint32_t take_back(changes *c)
{
    join_recent(c);
    const uint8_t *at = c->at + c->last;
    c->stream->waiting -= c->size - c->last;
    c->size = c->last;
    return (uint32_t)(get_number(&at) >> (c->bits == 1));
}

static void change(changes *c, const char *digits)
{
    fst_stream *st = c->stream;
    uint32_t time = (uint32_t)st->times.count - 1, since = time - c->time, size = c->bits == 1 ? 0 : (c->bits + 7) / 8;
    if (!since && c->size + c->recent_size) since = take_back(c);
    if (c->recent_size + 5 + size > RECENT) {
        join_recent(c);
        make_room(c, 5 + size);
    }
    uint8_t *begin = 5 + size > RECENT ? c->at + c->size : c->recent + c->recent_size, *at = begin;
    at += put_number(at, size ? since : (uint64_t)since << 1 | (*digits & 1));
    for (unsigned i = 0; i < size; i++) *at++ = eight(digits + 8 * i);
    if (size && c->bits % 8) at[-1] &= (uint8_t)(0xff00 >> c->bits % 8);
    c->last = c->size + c->recent_size;
    c->time = time;
    *(5 + size > RECENT ? &c->size : &c->recent_size) += (uint32_t)(at - begin);
    st->waiting += (size_t)(at - begin);
}

void fst_change(fst_stream *st, uint32_t number, const char *digits)
{
    fst_file *f = st->f;
    changes *c = f->changes.at[number - 1];
    if (!c) {
        const signal *g = &f->signals.at[number - 1];
        if (g->stream != st || !g->number) return;
        if (st->times.count == 1 && !f->blocks) { /* what it was at the beginning */
            memcpy(f->values.at + g->value, digits, g->bits);
            return;
        }
        c = f->changes.at[number - 1] = changes_new(st, g);
    }
    if (c->stream == st) change(c, digits);
}

size_t fst_waiting(const fst_file *f)
{
    size_t waiting = 0;
    for (size_t i = 0; i < f->streams.count; i++) waiting += f->streams.at[i]->waiting;
    return waiting;
}

/* ---- a block ---- */

/* The times of all streams before `until`, and of each where it is among them. */
static void sort_times(fst_file *f, uint64_t until)
{
    f->times.count = 0;
    *list_add(&f->times) = f->end;
    for (size_t i = 0; i < f->streams.count; i++) {
        const fst_stream *st = f->streams.at[i];
        size_t a = 0, b = 0, most = 0;
        while (most < st->times.count && st->times.at[most] < until) most++;
        f->merged.count = 0;
        while (a < f->times.count || b < most) {
            uint64_t x = a < f->times.count ? f->times.at[a] : UINT64_MAX, y = b < most ? st->times.at[b] : UINT64_MAX;
            *list_add(&f->merged) = x < y ? x : y;
            a += x <= y;
            b += y <= x;
        }
        uint64_t *at = f->times.at;
        size_t room = f->times.room;
        f->times.at = f->merged.at;
        f->times.count = f->merged.count;
        f->times.room = f->merged.room;
        f->merged.at = at;
        f->merged.room = room;
    }
    for (size_t i = 0; i < f->streams.count; i++) {
        fst_stream *st = f->streams.at[i];
        st->where.count = 0;
        for (size_t a = 0, b = 0; b < st->times.count && st->times.at[b] < until; b++) {
            while (f->times.at[a] < st->times.at[b]) a++;
            *list_add(&st->where) = (uint32_t)a;
        }
    }
}

/* The first change of the next block, and what is behind it: its number counts from the beginning of that. */
static void keep(changes *c, const uint8_t *change, const uint8_t *behind, uint64_t number)
{
    uint8_t first[10];
    size_t length = put_number(first, number), rest = (size_t)(c->at + c->size - behind);
    c->last = c->at + c->last == change ? 0 : c->last - (uint32_t)(behind - c->at) + (uint32_t)length;
    memmove(c->at + length, behind, rest); /* it is no longer than it was */
    memcpy(c->at, first, length);
    c->size = (uint32_t)(length + rest);
}

/* What the signal was at the beginning of the block. */
static uint8_t *encode_beginning(uint8_t *to, const char *digits, uint32_t bits)
{
    if (bits == 1) {
        *to++ = (uint8_t)((*digits & 1) << 1);
        return to;
    }
    *to++ = 0;
    for (uint32_t i = 0; i < bits; i++) {
        if (i % 8 == 0) *to++ = 0;
        to[-1] |= (uint8_t)((digits[i] & 1) << (7 - i % 8));
    }
    return to;
}

/* What it did in the block; the changes keep the rest. Its value becomes the last one. */
static uint8_t *encode_changes(changes *c, uint8_t *to, char *digits)
{
    const uint32_t *where = c->stream->where.at, used = (uint32_t)c->stream->where.count;
    const uint32_t size = c->bits == 1 ? 0 : (c->bits + 7) / 8;
    const uint8_t *at = c->at, *end = at + c->size, *value = NULL;
    uint32_t time = 0, before = 0;
    c->size = 0;
    while (at < end) {
        const uint8_t *first = at;
        uint64_t n = get_number(&at);
        time += (uint32_t)(size ? n : n >> 1);
        if (time >= used) {
            uint32_t since = time - used + 1;
            c->size = (uint32_t)(end - c->at);
            keep(c, first, at, size ? since : since << 1 | (n & 1));
            break;
        }
        uint32_t since = where[time] - before;
        before = where[time];
        to += put_number(to, size ? (uint64_t)since << 1 : (uint64_t)since << 2 | (n & 1) << 1);
        if (!size) *digits = (char)('0' + (n & 1));
        else memcpy(to, at, size);
        value = to;
        at += size;
        to += size;
    }
    c->time = c->size ? c->time - used + 1 : 0;
    c->stream->waiting += c->size;
    for (uint32_t i = 0; size && value && i < c->bits; i++) digits[i] = (char)('0' + (value[i / 8] >> (7 - i % 8) & 1));
    return to;
}

/* A signal in the block, in out_bytes: as the file wants it. In the first block all stand with what they were at the beginning. In each
 * block the last one does: GTKWave's reader believes that the last signal of a block is in the next one, too. */
static void encode(fst_file *f, const signal *g, changes *c)
{
    bytes *out = &f->out_bytes;
    char *digits = (char *)f->values.at + g->value;
    if (c) join_recent(c);
    size_t most = g->bits / 8 + 2 + (c ? 5 * (size_t)c->size : 0); /* with the longest that a number can become */
    if (out->room < most) {
        free(out->at);
        out->at = new_zeroed(out->room = 2 * most);
    }
    int begins = !f->blocks || g->number == f->numbered.count;
    uint8_t *to = begins ? encode_beginning(out->at, digits, g->bits) : out->at;
    if (c) to = encode_changes(c, to, digits);
    out->count = (size_t)(to - out->at);
}

static void put_times(fst_file *f)
{
    bytes plain = {0};
    uint64_t before = 0;
    for (size_t i = 0; i < f->times.count; i++) {
        add_number(&plain, f->times.at[i] - before);
        before = f->times.at[i];
    }
    bytes b = packed(plain.at, plain.count, 4);
    put_bytes(f, &b);
    put_long(f, plain.count);
    put_long(f, b.count);
    put_long(f, f->times.count);
    free(plain.at);
    free(b.at);
}

/* Of one signal: how long it is in the block; 0: it has not changed. */
static size_t put_changes(fst_file *f, const signal *g, changes *c, bytes *small)
{
    bytes head = {0};
    encode(f, g, c);
    size_t size = f->out_bytes.count, room = (size_t)LZ4_compressBound((int)size);
    if (!size) return 0;
    if (small->room < room) {
        free(small->at);
        small->at = new_zeroed(small->room = room);
    }
    small->count = size > 32 ? (size_t)LZ4_compress_default((char *)f->out_bytes.at, (char *)small->at, (int)size, (int)room) : size;
    const bytes *shorter = small->count < size ? small : &f->out_bytes;
    add_number(&head, shorter == small ? size : 0);
    put_bytes(f, &head);
    put_bytes(f, shorter);
    size = head.count + shorter->count;
    list_free(&head);
    return size;
}

/* The streams go on from the end of the block. */
static void go_on(fst_file *f)
{
    f->end = f->times.at[f->times.count - 1];
    f->blocks++;
    for (size_t i = 0; i < f->streams.count; i++) {
        fst_stream *st = f->streams.at[i];
        size_t used = st->where.count;
        memmove(st->times.at + 1, st->times.at + used, (st->times.count - used) * sizeof st->times.at[0]);
        st->times.at[0] = f->end;
        st->times.count -= used - 1;
    }
}

void fst_write(fst_file *f, uint64_t until)
{
    if (until <= f->end) return;
    bytes index = {0}, head = {0}, small = {0}, values = packed(f->values.at, f->values.count, 1);
    uint64_t unpacked = 0, position = 1, before = 0, unchanged = 0;
    sort_times(f, until);
    for (size_t i = 0; i < f->streams.count; i++) f->streams.at[i]->waiting = 0;
    long at = open_block(f);
    put_long(f, f->end);
    put_long(f, f->times.at[f->times.count - 1]);
    long unpacked_at = ftell(f->out);
    put_long(f, 0);
    add_number(&head, f->values.count);
    add_number(&head, values.count);
    add_number(&head, f->numbered.count);
    put_bytes(f, &head);
    put_bytes(f, &values);
    head.count = 0;
    add_number(&head, f->numbered.count);
    add_byte(&head, '4');
    put_bytes(f, &head);
    for (size_t i = 0; i < f->numbered.count; i++) {
        uint32_t n = f->numbered.at[i];
        size_t size = put_changes(f, &f->signals.at[n], f->changes.at[n], &small);
        if (!size) {
            unchanged++;
            continue;
        }
        if (unchanged) add_number(&index, unchanged << 1);
        unchanged = 0;
        add_signed(&index, (int64_t)(position - before) << 1 | 1);
        before = position;
        position += size;
        unpacked += f->out_bytes.count;
    }
    if (unchanged) add_number(&index, unchanged << 1);
    put_bytes(f, &index);
    put_long(f, index.count);
    put_times(f);
    long end = ftell(f->out);
    go_to(f, unpacked_at);
    put_long(f, unpacked);
    go_to(f, end);
    close_block(f, at, CHANGES);
    go_on(f);
    put_header(f);
    list_free(&values);
    list_free(&index);
    list_free(&head);
    free(small.at);
}

int fst_close(fst_file *f)
{
    if (fst_waiting(f) || !f->blocks) fst_write(f, UINT64_MAX);
    check(f, fflush(f->out) == 0);
    check(f, fclose(f->out) == 0);
    int lost = f->lost;
    for (size_t i = 0; i < f->changes.count; i++)
        if (f->changes.at[i]) free(f->changes.at[i]->at);
    for (size_t i = 0; i < f->streams.count; i++) {
        list_free(&f->streams.at[i]->times);
        list_free(&f->streams.at[i]->where);
        for (size_t k = 0; k < f->streams.at[i]->chunks.count; k++) free(f->streams.at[i]->chunks.at[k]);
        list_free(&f->streams.at[i]->chunks);
        free(f->streams.at[i]);
    }
    for (size_t i = 0; i < f->named.count; i++) free(f->named.at[i]);
    list_free(&f->streams);
    list_free(&f->signals);
    list_free(&f->changes);
    list_free(&f->numbered);
    list_free(&f->named);
    list_free(&f->named_for);
    list_free(&f->scopes);
    list_free(&f->hierarchy);
    list_free(&f->geometry);
    list_free(&f->values);
    list_free(&f->out_bytes);
    list_free(&f->times);
    list_free(&f->merged);
    free(f);
    return lost;
}
