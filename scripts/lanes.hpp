// Values of a model in several instances at once: a vector has one lane per instance. Included by what scripts/lanes.pl writes, with
// LANES defined as 4, 8 or 16. GCC's and clang's vector extensions; nothing here is of a particular processor.
//
// V32, V64: a number per lane. M: true or false per lane. L<T>: a variable of type T as it is stored, one T per lane.
// Operators mean what they mean in C++ between unsigned numbers: 32 bits, or 64 if one side has them; a truth counts as 0 or 1.
#include <cstdint>
#include <cstring>
#include <type_traits>

#define IN __attribute__((always_inline)) inline
typedef uint8_t u8v __attribute__((vector_size(LANES)));
typedef uint16_t u16v __attribute__((vector_size(LANES * 2)));
typedef uint32_t u32v __attribute__((vector_size(LANES * 4)));
typedef uint64_t u64v __attribute__((vector_size(LANES * 8)));
typedef int8_t i8v __attribute__((vector_size(LANES)));
typedef int16_t i16v __attribute__((vector_size(LANES * 2)));
typedef int32_t i32v __attribute__((vector_size(LANES * 4)));
typedef int64_t i64v __attribute__((vector_size(LANES * 8)));

namespace {
// Has this processor what the compiler was told to use?
__attribute__((target("no-avx"))) int lanes_usable()
{
    int usable = 1;
#if defined __AVX2__
    usable &= __builtin_cpu_supports("avx2") != 0;
#endif
#if defined __AVX512F__
    usable &= __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
              __builtin_cpu_supports("avx512dq");
#endif
    return usable;
}

struct V32 { u32v v; };
struct V64 { u64v v; };
struct M { i32v v; }; // -1 or 0

// T as it is stored: its vector, the mask of that width
template <class T> struct stored;
template <> struct stored<uint8_t> { typedef u8v V; typedef i8v I; typedef V32 R; };
template <> struct stored<uint16_t> { typedef u16v V; typedef i16v I; typedef V32 R; };
template <> struct stored<uint32_t> { typedef u32v V; typedef i32v I; typedef V32 R; };
template <> struct stored<uint64_t> { typedef u64v V; typedef i64v I; typedef V64 R; };
template <class T> struct L { T v[LANES]; } __attribute__((aligned(LANES * sizeof(T))));

// ---- conversions ----
template <class A> constexpr bool lanes = std::is_same_v<A, V32> || std::is_same_v<A, V64> || std::is_same_v<A, M>;
template <class A> constexpr bool wide = std::is_same_v<A, V64> || (std::is_integral_v<A> && sizeof(A) == 8);
template <class A, class B> using common = std::conditional_t<wide<A> || wide<B>, V64, V32>;

template <class R, class A> IN R as(A a)
{
    if constexpr (std::is_same_v<R, A>) return a;
    else if constexpr (std::is_same_v<A, M>) return as<R>(V32{(u32v)a.v & 1u});
    else if constexpr (std::is_same_v<R, V32> && std::is_same_v<A, V64>) return {__builtin_convertvector(a.v, u32v)};
    else if constexpr (std::is_same_v<R, V64> && std::is_same_v<A, V32>) return {__builtin_convertvector(a.v, u64v)};
    else if constexpr (std::is_same_v<R, V32>) return {(u32v){} + (uint32_t)a};
    else return {(u64v){} + (uint64_t)a};
}
template <class A> IN V32 toC(A a) { return {as<V32>(a).v & 0xffu}; }
template <class A> IN V32 toS(A a) { return {as<V32>(a).v & 0xffffu}; }
template <class A> IN V32 toI(A a) { return as<V32>(a); }
template <class A> IN V64 toQ(A a) { return as<V64>(a); }

IN M truth(M a) { return a; }
IN M truth(V32 a) { return {a.v != 0u}; }
IN M truth(V64 a) { return {__builtin_convertvector((i64v)(a.v != (u64v){}), i32v)}; }
template <class A> requires std::is_integral_v<A> IN M truth(A a) { return {(i32v){} - (a != 0)}; }
IN bool any(M m)
{
#if defined __clang__
    return __builtin_reduce_max((u32v)m.v);
#else
    uint64_t words[LANES / 2], some = 0;
    memcpy(words, &m.v, sizeof words);
    for (uint64_t w : words) some |= w;
    return some;
#endif
}
IN M both(M a, M b) { return {a.v & b.v}; }
IN M only(M a, M b) { return {a.v & ~b.v}; } // a and not b
IN V32 blend(M m, V32 a, V32 b) { return {(u32v)((m.v & (i32v)a.v) | (~m.v & (i32v)b.v))}; }
IN V64 blend(M m, V64 a, V64 b)
{
    i64v w = __builtin_convertvector(m.v, i64v);
    return {(u64v)((w & (i64v)a.v) | (~w & (i64v)b.v))};
}
IN M blend(M m, M a, M b) { return {(m.v & a.v) | (~m.v & b.v)}; }
template <class C, class A, class B> IN auto select(C c, A a, B b)
{
    if constexpr (std::is_same_v<A, M> && std::is_same_v<B, M>) return blend(truth(c), a, b);
    else return blend(truth(c), as<common<A, B>>(a), as<common<A, B>>(b));
}

// ---- operators ----
template <class A, class B> constexpr bool two = lanes<A> || lanes<B>;
#define ARITHMETIC(op) \
    template <class A, class B> requires two<A, B> IN auto operator op(A a, B b) \
    { typedef common<A, B> C; return C{as<C>(a).v op as<C>(b).v}; }
#define LOGIC(op) \
    template <class A, class B> requires two<A, B> IN auto operator op(A a, B b) \
    { \
        if constexpr (std::is_same_v<A, M> && std::is_same_v<B, M>) return M{a.v op b.v}; \
        else { typedef common<A, B> C; return C{as<C>(a).v op as<C>(b).v}; } \
    }
#define COMPARE(op) \
    template <class A, class B> requires two<A, B> IN M operator op(A a, B b) \
    { \
        typedef common<A, B> C; \
        auto r = as<C>(a).v op as<C>(b).v; \
        if constexpr (std::is_same_v<C, V64>) return {__builtin_convertvector((i64v)r, i32v)}; \
        else return {(i32v)r}; \
    }
// The type is that of the left side. C++ leaves counts beyond its width undefined, and both sides of a choice are worked out here.
#define SHIFT(op) \
    template <class A, class B> requires two<A, B> IN auto operator op(A a, B b) \
    { \
        typedef common<A, A> C; \
        if constexpr (std::is_integral_v<B>) return C{as<C>(a).v op (decltype(as<C>(a).v[0] + 0))b}; \
        else return C{as<C>(a).v op (as<C>(b).v & (sizeof(C) / LANES * 8 - 1))}; \
    }
ARITHMETIC(+) ARITHMETIC(-) ARITHMETIC(*)
LOGIC(&) LOGIC(|) LOGIC(^)
COMPARE(==) COMPARE(!=) COMPARE(<) COMPARE(>) COMPARE(<=) COMPARE(>=)
SHIFT(<<) SHIFT(>>)
template <class A> requires lanes<A> IN auto operator~(A a) { typedef common<A, A> C; return C{~as<C>(a).v}; }
template <class A> requires lanes<A> IN auto operator-(A a) { typedef common<A, A> C; return C{-as<C>(a).v}; }
template <class A> requires lanes<A> IN M operator!(A a) { return {~truth(a).v}; }
template <class A, class B> requires two<A, B> IN M operator&&(A a, B b) { return {truth(a).v & truth(b).v}; }
template <class A, class B> requires two<A, B> IN M operator||(A a, B b) { return {truth(a).v | truth(b).v}; }

template <class A> IN V32 VL_REDXOR_32(A a)
{
    u32v x = as<V32>(a).v;
    x ^= x >> 16; x ^= x >> 8; x ^= x >> 4; x ^= x >> 2; x ^= x >> 1;
    return {x & 1u};
}
template <class A> IN V32 VL_REDXOR_2(A a) { return VL_REDXOR_32(a); }
template <class A> IN V32 VL_REDXOR_4(A a) { return VL_REDXOR_32(a); }
template <class A> IN V32 VL_REDXOR_8(A a) { return VL_REDXOR_32(a); }
template <class A> IN V32 VL_REDXOR_16(A a) { return VL_REDXOR_32(a); }
template <class A> IN V32 VL_REDXOR_64(A a)
{
    V64 x = as<V64>(a);
    return VL_REDXOR_32(V32{__builtin_convertvector(x.v ^ (x.v >> 32), u32v)});
}

// ---- variables: of the model, of its memories ----
template <class T> IN auto get(const L<T> &l)
{
    typename stored<T>::V x;
    memcpy(&x, l.v, sizeof x);
    return as<typename stored<T>::R>(typename stored<T>::R{__builtin_convertvector(x, decltype(typename stored<T>::R{}.v))});
}
template <class T, class X> IN void put(M m, L<T> &l, X x)
{
    typedef typename stored<T>::I I;
    typename stored<T>::V old, now = __builtin_convertvector(as<typename stored<T>::R>(x).v, typename stored<T>::V);
    memcpy(&old, l.v, sizeof old);
    I w = __builtin_convertvector(m.v, I);
    now = (typename stored<T>::V)((w & (I)now) | (~w & (I)old));
    memcpy(l.v, &now, sizeof now);
}
// Memories: a place per lane, of SIZE places (rounded up to a power of two: a lane that the mask leaves out may mean one beyond the
// end), of WORDS variables each.
template <unsigned SIZE, unsigned WORDS, class T, class A> IN auto get_at(const L<T> *l, A at, unsigned word)
{
    u32v i = (as<V32>(at).v & (SIZE - 1)) * WORDS + word;
    L<T> out;
    for (int k = 0; k < LANES; k++) out.v[k] = l[i[k]].v[k];
    return get(out);
}
template <unsigned SIZE, unsigned, class A> IN V32 get_at(const V32 *l, A at, unsigned)
{
    u32v i = as<V32>(at).v & (SIZE - 1), out;
    for (int k = 0; k < LANES; k++) out[k] = l[i[k]].v[k];
    return {out};
}
template <unsigned SIZE, unsigned WORDS, class T, class A, class X> IN void put_at(M m, L<T> *l, A at, unsigned word, X x)
{
    u32v i = (as<V32>(at).v & (SIZE - 1)) * WORDS + word;
    L<T> now;
    for (int k = 0; k < LANES; k++) now.v[k] = l[i[k]].v[k];
    put(m, now, x);
    for (int k = 0; k < LANES; k++) l[i[k]].v[k] = now.v[k];
}
template <class TABLE, class A> IN V32 look_up(const TABLE &table, A at)
{
    u32v i = as<V32>(at).v, out;
    for (int k = 0; k < LANES; k++) out[k] = table[i[k]];
    return {out};
}
}
