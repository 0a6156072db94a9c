/* voq_encode and voq_decode: the byte is the one that the text says, and each damage of the fault model is put right or
 * found. */
#include "simulation.h"
#include "voq_decode.h"
#include "voq_encode.h"
#include "word_code.h"

static const unsigned kinds[4] = {0, 1, 2, 4};

struct world {
    sim *s;
    voq_encode *e;
    voq_decode *d;
};

static struct world world_new(void)
{
    struct world w;
    w.s = quiet_sim(0);
    w.e = voq_encode_new(w.s, "encode");
    w.d = voq_decode_new(w.s, "decode");
    *w.d->valid = 1;
    return w;
}

static uint8_t encode(struct world *w, uint64_t data, unsigned flags, int odd)
{
    w->e->word[0] = (uint32_t)data, w->e->word[1] = (uint32_t)(data >> 32), w->e->word[2] = flags;
    *w->e->odd_address = (uint8_t)odd;
    sim_model_eval(w->e->model);
    return *w->e->tag;
}

struct answer {
    uint64_t data;
    unsigned flags;
    int damaged, fixed;
};

static struct answer decode(struct world *w, uint64_t data, uint8_t tag, int odd)
{
    w->d->raw[0] = (uint32_t)data, w->d->raw[1] = (uint32_t)(data >> 32), w->d->raw[2] = tag;
    *w->d->odd_address = (uint8_t)odd;
    sim_model_eval(w->d->model);
    return (struct answer){w->d->word[0] | (uint64_t)w->d->word[1] << 32, w->d->word[2] & 7, w->d->word[2] >> 3 & 1,
                           *w->d->fixed};
}

static uint64_t some_data(struct world *w, unsigned i) { return i == 0 ? 0 : i == 1 ? ~0ull : sim_random(w->s); }

enum { WORDS = 100 };

TEST_CASE("code");

TEST(the_byte_is_the_one_of_the_text)
{
    struct world w = world_new();
    for (unsigned i = 0; i < 4 * WORDS; i++) {
        uint64_t data = some_data(&w, i / 4);
        uint32_t address = (uint32_t)sim_random_below(w.s, 1 << 18);
        int odd = __builtin_parity(address), damaged, fixed;
        uint8_t tag = encode(&w, data, kinds[i % 4], odd);
        ck_assert_uint_eq(tag, word_code_tag(data, kinds[i % 4], address));
        struct answer a = decode(&w, data, tag, odd);
        ck_assert(a.data == data && a.flags == kinds[i % 4] && !a.damaged && !a.fixed);
        /* any byte is read as the text says, unless it is equally far from two kinds */
        uint8_t any = (uint8_t)(tag ^ 1u << sim_random_below(w.s, 8));
        unsigned flags = word_code_read(data, any, address, &damaged, &fixed);
        a = decode(&w, data, any, odd);
        ck_assert(a.flags == flags && a.damaged == damaged && a.fixed == fixed);
    }
}

/* Each of the 72 bits, for each kind. */
TEST(one_wrong_bit_anywhere)
{
    struct world w = world_new();
    for (unsigned i = 0; i < 4 * WORDS; i++) {
        unsigned flags = kinds[i % 4];
        int odd = (int)sim_random_below(w.s, 2);
        uint64_t data = some_data(&w, i / 4);
        uint8_t tag = encode(&w, data, flags, odd);
        for (unsigned bit = 0; bit < 72; bit++) {
            uint64_t wrong = bit < 64 ? data ^ 1ull << bit : data;
            struct answer a = decode(&w, wrong, bit < 64 ? tag : (uint8_t)(tag ^ 1u << (bit - 64)), odd);
            int kind = bit >= 64 && bit < 69;
            ck_assert_msg(a.flags == flags && a.damaged == !kind && a.fixed == kind && a.data == wrong,
                          "bit %u of kind %u", bit, flags);
        }
    }
}

/* Neighbours in the data, three wrong bits of one third, another address, words of zeros. */
TEST(more_than_one_wrong_bit)
{
    struct world w = world_new();
    for (unsigned i = 0; i < WORDS; i++) {
        unsigned flags = kinds[i % 4];
        int odd = (int)sim_random_below(w.s, 2);
        uint64_t data = some_data(&w, i);
        uint8_t tag = encode(&w, data, flags, odd);
        for (unsigned bit = 0; bit < 63; bit++) {
            ck_assert(decode(&w, data ^ 3ull << bit, tag, odd).damaged);
            if (bit < 62) ck_assert(decode(&w, data ^ 7ull << bit, tag, odd).damaged);
            if (bit < 55) ck_assert(decode(&w, data ^ 0x49ull << bit, tag, odd).damaged);
        }
        ck_assert(decode(&w, data, tag, !odd).damaged);
        ck_assert(decode(&w, 0, 0, odd).damaged);
    }
}
