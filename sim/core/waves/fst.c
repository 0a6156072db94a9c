#include "sim/core/waves/fst_file.h"

#include <lz4.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zlib.h>

enum { HEADER, GEOMETRY = 3, HIERARCHY_LZ4 = 6, CHANGES = 8, BEING_WRITTEN = 255 }; /* blocks */
enum { SCOPE = 254, SCOPE_END = 255 };                                              /* in the hierarchy */
enum { REAL = 3, REAL_PARAMETER = 4, REALTIME = 8 };                                /* kinds of signals */
enum { VERSION_ROOM = 128, DATE_ROOM = 119, HEADER_SIZE = 329, PICOSECONDS = 0xf4 /* 10^-12 */ };
enum { WANTED = 1, WRITTEN = 2 }; /* of a scope */
enum { SHARES = 4 };              /* files of a ring */

/* ---- bytes ---- */

static void make_room(bytes *b, size_t room)
{
    if (b->room >= room) return;
    free(b->at);
    b->at = new_zeroed(b->room = 2 * room);
}

static void add_byte(bytes *b, int byte) { *list_add(b) = (uint8_t)byte; }

static void add_text(bytes *b, const char *text)
{
    do add_byte(b, *text);
    while (*text++);
}

static void add_bytes(bytes *b, const void *what, size_t size)
{
    while (b->room - b->count < size) b->at = list_grow(b->at, &b->room, 1);
    if (size) memcpy(b->at + b->count, what, size);
    b->count += size;
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

/* The first error is reported at the end. */
static void check(fst_file *f, int good)
{
    if (!good && !f->lost) f->lost = errno ? errno : EIO;
}

static void put(fst_file *f, const void *what, size_t size) { check(f, fwrite(what, 1, size, f->out) == size); }

static void go_to(fst_file *f, long at) { check(f, fseek(f->out, at, SEEK_SET) == 0); }

static void put_byte(fst_file *f, int byte) { check(f, putc(byte, f->out) != EOF); }

static void put_long(fst_file *f, uint64_t n)
{
    for (int i = 56; i >= 0; i -= 8) put_byte(f, (int)(n >> i & 0xff));
}

static void put_bytes(fst_file *f, const bytes *b) { put(f, b->at, b->count); }

/* As zlib does by this strategy, or what it was if that is not longer. */
static void pack(bytes *b, const void *what, size_t size, int level, int strategy)
{
    z_stream z = {0};
    make_room(b, compressBound(size));
    z.next_in = (Bytef *)(uintptr_t)what;
    z.avail_in = (uInt)size;
    z.next_out = b->at;
    z.avail_out = (uInt)compressBound(size);
    int done = deflateInit2(&z, level, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, strategy) == Z_OK ? deflate(&z, Z_FINISH)
                                                                                               : Z_STREAM_ERROR;
    deflateEnd(&z);
    if (done == Z_STREAM_END && z.total_out < size) b->count = z.total_out;
    else {
        if (size) memcpy(b->at, what, size);
        b->count = size;
    }
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

fst_file *fst_open(const char *path, fst_wants *wants, void *self)
{
    FILE *out = fopen(path, "wb");
    if (!out) return NULL;
    fst_file *f = new_zeroed(sizeof *f);
    f->path = new_string(path);
    f->out = out;
    f->wants = wants;
    f->self = self;
    *list_add(&f->numbers) = 0; /* what fst_signal returns is not 0 */
    return f;
}

/* The name of something in the scope that is being declared. */
static char *full_name(const fst_file *f, const char *name)
{
    const char *around = f->scopes.count ? f->scopes.at[f->scopes.count - 1].name : "";
    char *full = new_zeroed(strlen(around) + strlen(name) + 2);
    sprintf(full, "%s%s%s", around, *around ? "." : "", name);
    return full;
}

void fst_scope(fst_stream *st, int kind, const char *name)
{
    fst_file *f = st->log->f;
    char *full = full_name(f, name);
    bool inherited = f->scopes.count && f->scopes.at[f->scopes.count - 1].wanted;
    bool wanted = f->wants(f->self, full, 0, 0) || inherited;
    *list_add(&f->scopes) = (scope){full, kind, wanted, false};
}

void fst_scope_end(fst_stream *st)
{
    fst_file *f = st->log->f;
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
        s->written = true;
        f->scope_count++;
    }
}

/* One that is going to be recorded. */
static uint32_t number_new(fst_file *f, unsigned bits)
{
    *list_add(&f->signals) = (wave){.bits = bits, .size = (uint16_t)(bits > 1 ? (bits + 7) / 8 : 0)};
    if (bits > 64) f->signals.at[f->signals.count - 1].words = new_zeroed((bits + 31) / 32 * sizeof(uint32_t));
    add_number(&f->geometry, bits);
    f->digits += bits;
    return (uint32_t)f->signals.count;
}

uint32_t fst_signal(fst_stream *st, int kind, int direction, unsigned bits, const char *name, uint32_t alias)
{
    fst_file *f = st->log->f;
    char *full = full_name(f, name);
    if (!alias) {
        alias = (uint32_t)f->numbers.count;
        *list_add(&f->numbers) = 0;
    }
    bool wanted = f->scopes.at[f->scopes.count - 1].wanted;
    wanted =
        (f->wants(f->self, full, alias, bits) || wanted) && kind != REAL && kind != REAL_PARAMETER && kind != REALTIME;
    if (f->scopes.count == 1 && bits == 1) *list_add(&f->named) = (named){full, alias};
    else free(full);
    if (!wanted) return alias;
    uint32_t other = f->numbers.at[alias];
    if (!other) f->numbers.at[alias] = number_new(f, bits);
    st->log->wanted = true;
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
    fst_file *f = st->log->f;
    for (size_t i = 0; i < f->named.count; i++) {
        const named *n = &f->named.at[i];
        uint32_t number = f->numbers.at[n->signal];
        if (strcmp(n->name, name) || !number) continue;
        *list_add(&f->claimed) = n->signal;
        return number;
    }
    return 0;
}

int fst_wanted(const fst_stream *st) { return st->log->wanted; }

/* ---- the file ---- */

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
    put_long(f, f->signals.count);
    put_long(f, f->blocks);
    put_byte(f, PICOSECONDS);
    put(f, version, sizeof version);
    put(f, date, sizeof date);
    put_byte(f, 0); /* from Verilog */
    put_long(f, 0); /* time zero */
    check(f, fseek(f->out, 0, SEEK_END) == 0);
    check(f, fflush(f->out) == 0);
}

/* All up to here is good. */
static void keep_whole(fst_file *f)
{
    put_header(f);
    if (!f->lost) f->whole = ftell(f->out);
}

void fst_file_begin(fst_file *f, uint64_t time)
{
    f->begin = f->end = time;
    f->blocks = 0;
    f->whole = 0;
    put_header(f);
    long at = open_block(f);
    pack(&f->packed, f->geometry.at, f->geometry.count, 9, Z_DEFAULT_STRATEGY);
    put_long(f, f->geometry.count);
    put_long(f, f->signals.count);
    put_bytes(f, &f->packed);
    close_block(f, at, GEOMETRY);
    at = open_block(f);
    put_long(f, f->hierarchy.count);
    int room = LZ4_compressBound((int)f->hierarchy.count);
    make_room(&f->packed, (size_t)room);
    f->packed.count =
        (size_t)LZ4_compress_default((char *)f->hierarchy.at, (char *)f->packed.at, (int)f->hierarchy.count, room);
    put_bytes(f, &f->packed);
    close_block(f, at, HIERARCHY_LZ4);
    check(f, fflush(f->out) == 0);
    if (!f->lost) f->whole = ftell(f->out);
}

/* A partial write is removed again, so that the file stays readable. */
static void cut(fst_file *f)
{
    fclose(f->out); /* what it still had in memory is lost */
    f->out = fopen(f->path, "r+b");
    if (!f->out) return;
    int lost = f->lost;
    f->lost = 0;
    check(f, ftruncate(fileno(f->out), f->whole) == 0);
    put_header(f);
    if (f->lost) f->whole = 0;
    f->lost = lost;
}

void fst_file_end(fst_file *f)
{
    if (!f->out) return;
    check(f, fflush(f->out) == 0);
    if (f->lost) cut(f);
    if (f->out && fclose(f->out)) check(f, 0);
    f->out = NULL;
}

void fst_ring(fst_file *f, uint64_t size, int (*next)(void *self), void *self)
{
    f->share = size / SHARES;
    f->next = next;
    f->next_self = self;
}

/* The next file of a ring, if another block like the last one is too much for this one. A block follows: the reader
 * takes no file without.
 */
void fst_file_turn(fst_file *f)
{
    if (!f->share || f->lost || !f->blocks || (uint64_t)f->whole + f->block_size <= f->share) return;
    fst_file_end(f);
    if (!f->lost) f->lost = f->next(f->next_self);
    if (f->lost) return;
    f->out = fopen(f->path, "wb");
    check(f, f->out != NULL);
    if (f->out) fst_file_begin(f, f->end);
}

/* ---- a block ---- */

/* As digits, the highest bit first. */
static char *put_digits(char *to, const wave *g)
{
    for (uint32_t i = g->bits; i--;) {
        uint64_t word = g->bits > 64 ? g->words[i / 32] >> i % 32 : g->value >> i;
        *to++ = (char)('0' + (word & 1));
    }
    return to;
}

void fst_file_values(fst_file *f)
{
    make_room(&f->values, f->digits + 1);
    char *to = (char *)f->values.at;
    for (size_t i = 0; i < f->signals.count; i++) to = put_digits(to, &f->signals.at[i]);
    f->values.count = f->digits;
}

/* Value of the signal at the beginning of the block. */
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

/* A signal in the block, in `body`. In the first block all stand with what they were at the beginning. In each block
 * the last one does: GTKWave's reader believes that the last signal of a block is in the next one, too. */
static void encode(bytes *body, const wave *g, const char *digits, bool beginning)
{
    size_t size = g->bits / 8 + 2;
    for (const piece *p = g->first; p; p = p->next) size += p->size;
    make_room(body, size);
    uint8_t *to = beginning ? encode_beginning(body->at, digits, g->bits) : body->at;
    for (const piece *p = g->first; p; p = p->next) {
        __builtin_prefetch(p->next);
        memcpy(to, p->at, p->size);
        to += p->size;
    }
    body->count = (size_t)(to - body->at);
}

/* Content of the block's `body`, behind that of `changes`. */
static void pack_changes(bench *b, bytes *changes)
{
    uint8_t head[10];
    size_t size = b->body.count, room = (size_t)LZ4_compressBound((int)size);
    make_room(&b->packed, room);
    b->packed.count =
        size > 32 ? (size_t)LZ4_compress_default((char *)b->body.at, (char *)b->packed.at, (int)size, (int)room) : size;
    const bytes *shorter = b->packed.count < size ? &b->packed : &b->body;
    add_bytes(changes, head, fst_number_put(head, shorter == &b->packed ? size : 0));
    add_bytes(changes, shorter->at, shorter->count);
}

void fst_file_pack(fst_file *f, bench *b, section *of)
{
    const char *digits = (char *)f->values.at + of->digits;
    of->changes.count = of->sizes.count = of->unpacked = 0;
    for (size_t i = of->first; i < of->behind; digits += f->signals.at[i++].bits) {
        size_t before = of->changes.count;
        encode(&b->body, &f->signals.at[i], digits, !f->blocks || i + 1 == f->signals.count);
        if (b->body.count) pack_changes(b, &of->changes);
        *list_add(&of->sizes) = (uint32_t)(of->changes.count - before);
        of->unpacked += b->body.count;
    }
}

/* All signals that have changed; where each stands, in `index`. Returns how long they are before they are packed. */
static uint64_t put_signals(fst_file *f)
{
    uint64_t unpacked = 0, position = 1, before = 0, unchanged = 0;
    f->index.count = 0;
    for (size_t i = 0; i < f->sections.count; i++) {
        const section *of = &f->sections.at[i];
        put_bytes(f, &of->changes);
        unpacked += of->unpacked;
        for (size_t k = 0; k < of->sizes.count; position += of->sizes.at[k++]) {
            if (!of->sizes.at[k]) {
                unchanged++;
                continue;
            }
            if (unchanged) add_number(&f->index, unchanged << 1);
            unchanged = 0;
            add_signed(&f->index, (int64_t)(position - before) << 1 | 1);
            before = position;
        }
    }
    if (unchanged) add_number(&f->index, unchanged << 1);
    return unpacked;
}

void fst_file_pack_values(fst_file *f)
{
    pack(&f->packed_values, f->values.at, f->values.count, 1, Z_RLE); /* digits, 0 or 1 */
}

void fst_file_pack_times(fst_file *f)
{
    uint64_t before = 0;
    f->plain_times.count = 0;
    for (size_t i = 0; i < f->times.count; i++) {
        add_number(&f->plain_times, f->times.at[i] - before);
        before = f->times.at[i];
    }
    pack(&f->packed_times, f->plain_times.at, f->plain_times.count, 1, Z_HUFFMAN_ONLY);
}

static void put_times(fst_file *f)
{
    put_bytes(f, &f->packed_times);
    put_long(f, f->plain_times.count);
    put_long(f, f->packed_times.count);
    put_long(f, f->times.count);
}

void fst_file_block(fst_file *f)
{
    bytes head = {0};
    uint64_t end = f->times.at[f->times.count - 1];
    long at = open_block(f);
    put_long(f, f->end);
    put_long(f, end);
    long unpacked_at = ftell(f->out);
    put_long(f, 0);
    add_number(&head, f->values.count);
    add_number(&head, f->packed_values.count);
    add_number(&head, f->signals.count);
    put_bytes(f, &head);
    put_bytes(f, &f->packed_values);
    head.count = 0;
    add_number(&head, f->signals.count);
    add_byte(&head, '4');
    put_bytes(f, &head);
    uint64_t unpacked = put_signals(f);
    put_bytes(f, &f->index);
    put_long(f, f->index.count);
    put_times(f);
    long behind = ftell(f->out);
    go_to(f, unpacked_at);
    put_long(f, unpacked);
    go_to(f, behind);
    close_block(f, at, CHANGES);
    check(f, fflush(f->out) == 0);
    list_free(&head);
    if (f->lost) return;
    f->end = end;
    f->blocks++;
    f->written++;
    f->block_size = (uint64_t)(behind - at);
    keep_whole(f);
}

int fst_close(fst_file *f, thread_pool *by, uint64_t *blocks)
{
    fst_logs_end(f, by);
    fst_file_end(f);
    int lost = f->lost;
    *blocks = f->whole ? f->written : 0;
    for (size_t i = 0; i < f->signals.count; i++)
        if (f->signals.at[i].bits > 64) free(f->signals.at[i].words);
    for (size_t i = 0; i < f->named.count; i++) free(f->named.at[i].name);
    list_free(&f->scopes);
    list_free(&f->numbers);
    list_free(&f->named);
    list_free(&f->claimed);
    list_free(&f->signals);
    list_free(&f->hierarchy);
    list_free(&f->geometry);
    list_free(&f->values);
    list_free(&f->packed);
    list_free(&f->packed_values);
    list_free(&f->plain_times);
    list_free(&f->packed_times);
    list_free(&f->index);
    free(f->path);
    free(f);
    return lost;
}
