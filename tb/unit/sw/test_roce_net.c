/* ARP, neighbour discovery and ping on frames made independently of the driver: those of Linux as they came (Linux 6.1,
 * virtio-net), and others whose checksums Wireshark finds right. */
#include <stdio.h>
#include <string.h>

#include "rn_net.h"
#include "test.h"

/* 10.0.0.1 and fe80::1 at 02:00:00:00:00:01 are we; 10.0.0.2 and fe80::5054:ff:fe00:2 at 52:54:00:00:00:02 the other.
 */
/* clang-format off */
static const char linux_arp[] = /* who has 10.0.0.1? */
    "ffffffffffff525400000002080600010800060400015254000000020a0000020000000000000a000001";
static const char arp_answer[] =
    "52540000000202000000000108060001080006040002020000000001"
    "0a0000015254000000020a000002000000000000000000000000000000000000";
static const char arp_question[] = /* who has 10.0.0.2? */
    "ffffffffffff02000000000108060001080006040001020000000001"
    "0a0000010000000000000a000002000000000000000000000000000000000000";
static const char arp_told[] = /* 10.0.0.2 is at 52:54:00:00:00:02 */
    "02000000000152540000000208060001080006040002525400000002"
    "0a0000020200000000010a000001";
static const char linux_dad[] = /* has anybody fe80::5054:ff:fe00:2? */
    "3333ff00000252540000000286dd6000000000203aff00000000000000000000000000000000ff0200000000000000000001ff000002"
    "8700501f00000000fe80000000000000505400fffe0000020e0147641eb96889";
static const char ping[] =
    "020000000001525400000002080045000029424240004001e48f0a0000020a00000108004b4012340007101112131415"
    "161718191a1b1c";
static const char ping_answer[] =
    "52540000000202000000000108004500002900004000400126d20a0000010a0000020000534012340007101112131415"
    "161718191a1b1c0000000000";
static const char ns[] =
    "3333ff00000152540000000286dd6000000000203afffe80000000000000505400fffe000002ff020000000000000000"
    "0001ff0000018700daee00000000fe8000000000000000000000000000010101525400000002";
static const char na[] =
    "52540000000202000000000186dd6000000000203afffe800000000000000000000000000001fe800000000000005054"
    "00fffe0000028800c8c760000000fe8000000000000000000000000000010201020000000001";
static const char dad[] =
    "3333ff00000152540000000286dd6000000000183aff00000000000000000000000000000000ff020000000000000000"
    "0001ff00000187007c2500000000fe800000000000000000000000000001";
static const char dad_answer[] =
    "33330000000102000000000186dd6000000000203afffe800000000000000000000000000001ff020000000000000000"
    "0000000000018800579b20000000fe8000000000000000000000000000010201020000000001";
static const char question6[] =
    "3333ff00000202000000000186dd6000000000203afffe800000000000000000000000000001ff020000000000000000"
    "0001ff00000287002b4300000000fe80000000000000505400fffe0000020101020000000001";
static const char answer6[] =
    "02000000000152540000000286dd6000000000203afffe80000000000000505400fffe000002fe800000000000000000"
    "0000000000018800291d60000000fe80000000000000505400fffe0000020201525400000002";
static const char ping6[] =
    "02000000000152540000000286dd60000000000d3a40fe80000000000000505400fffe000002fe800000000000000000"
    "000000000001800015160077000170696e673f";
static const char ping6_answer[] =
    "52540000000202000000000186dd60000000000d3a40fe800000000000000000000000000001fe800000000000005054"
    "00fffe000002810014160077000170696e673f";
/* clang-format on */

static struct {
    uint8_t frame[RN_FRAME];
    size_t size;
    unsigned count;
    int refuse;
    uint64_t now;
} sent;

static int send(void *self, const uint8_t *frame, size_t size)
{
    (void)self;
    if (sent.refuse) return sent.refuse;
    memcpy(sent.frame, frame, size);
    sent.size = size;
    sent.count++;
    return 0;
}

static uint64_t now(void *self)
{
    (void)self;
    return sent.now;
}

static rn_net *net;
CLEANUP(rn_net_free);

static void set_up(void)
{
    memset(&sent, 0, sizeof sent);
    net = rn_net_new(&(rn_net_params){
        .mac = {2, 0, 0, 0, 0, 1}, .ipv4 = {10, 0, 0, 1}, .ipv6 = {0xfe, 0x80, [15] = 1}, .send = send, .now = now});
    after_test(rn_net_free_cleanup, net);
}

static size_t bytes_of(const char *hex, uint8_t *to)
{
    size_t n = 0;
    for (; hex[0]; hex += 2) sscanf(hex, "%2hhx", &to[n++]);
    return n;
}

static int receive(const char *hex)
{
    uint8_t frame[512];
    size_t size = bytes_of(hex, frame);
    return rn_net_receive(net, frame, size);
}

static void expect_sent(const char *hex)
{
    uint8_t frame[512];
    size_t size = bytes_of(hex, frame);
    ck_assert_uint_eq(sent.size, size);
    for (size_t i = 0; i < size; i++)
        ck_assert_msg(sent.frame[i] == frame[i], "byte %zu is %02x, expected %02x", i, sent.frame[i], frame[i]);
}

TEST_CASE("net", .setup = set_up);

static const struct {
    const char *in, *out;
} answers[] = {{linux_arp, arp_answer}, {ping, ping_answer}, {ns, na}, {dad, dad_answer}, {ping6, ping6_answer}};

TEST(what_asks_for_us_is_answered, .to = COUNT(answers))
{
    ck_assert_int_eq(receive(answers[_i].in), 1);
    ck_assert_uint_eq(sent.count, 1);
    expect_sent(answers[_i].out);
}

TEST(what_is_not_for_us_is_left_alone)
{
    uint8_t frame[128];
    ck_assert_int_eq(receive(linux_dad), 0);   /* another address */
    ck_assert_int_eq(receive(ping_answer), 0); /* to another MAC */
    ck_assert_int_eq(receive(na), 0);
    for (int i = 0; i < 2; i++) { /* our MAC, but another IP address */
        size_t size = bytes_of(i ? ping6 : linux_arp, frame);
        frame[i ? 53 : 41] ^= 0x10;
        ck_assert_int_eq(rn_net_receive(net, frame, size), 0);
    }
    size_t size = bytes_of(ping, frame);
    frame[13] = 1; /* neither IP nor ARP */
    ck_assert_int_eq(rn_net_receive(net, frame, size), 0);
    ck_assert_uint_eq(sent.count, 0);
}

TEST(a_host_is_found_by_arp)
{
    rn_address who = {.ip = {10, 0, 0, 2}};
    ck_assert_int_eq(rn_net_resolve(net, &who), 0);
    expect_sent(arp_question);
    ck_assert_int_eq(receive(arp_told), 1);
    ck_assert_int_eq(rn_net_resolve(net, &who), 1);
    ck_assert_int_eq(memcmp(who.mac, "\x52\x54\x00\x00\x00\x02", 6), 0);
    ck_assert_uint_eq(sent.count, 1);
}

TEST(a_host_is_found_by_neighbour_discovery)
{
    rn_address who = {.ipv6 = 1, .ip = {0xfe, 0x80, [8] = 0x50, 0x54, 0, 0xff, 0xfe, 0, 0, 2}};
    ck_assert_int_eq(rn_net_resolve(net, &who), 0);
    expect_sent(question6);
    ck_assert_int_eq(receive(answer6), 1);
    ck_assert_int_eq(rn_net_resolve(net, &who), 1);
    ck_assert_int_eq(memcmp(who.mac, "\x52\x54\x00\x00\x00\x02", 6), 0);
}

/* A sender that asks for our address is known from then on. */
TEST(questions_are_learned_from, .to = 2)
{
    rn_address who = {.ipv6 = _i == 1, .ip = {10, 0, 0, 2}};
    if (_i) memcpy(who.ip, "\xfe\x80\0\0\0\0\0\0\x50\x54\0\xff\xfe\0\0\2", 16);
    receive(_i ? ns : linux_arp);
    ck_assert_int_eq(rn_net_resolve(net, &who), 1);
    ck_assert_uint_eq(who.mac[1], 0x54);
}

TEST(a_question_is_repeated_and_times_out)
{
    rn_address who = {.ip = {10, 0, 0, 2}};
    for (unsigned i = 0; i <= 10; i++) {
        ck_assert_int_eq(rn_net_resolve(net, &who), 0);
        ck_assert_uint_eq(sent.count, i + 1);
        sent.now += 999999;
        ck_assert_int_eq(rn_net_resolve(net, &who), 0);
        ck_assert_uint_eq(sent.count, i + 1);
        sent.now += 1;
    }
    ck_assert_int_eq(rn_net_resolve(net, &who), NX_ERROR_TIMEOUT);
    ck_assert_int_eq(rn_net_resolve(net, &who), 0); /* again */
    ck_assert_uint_eq(rn_net_get_stats(net)->questions, 12);
}

TEST(what_cannot_be_sent_is_an_error)
{
    rn_address who = {.ip = {10, 0, 0, 2}};
    sent.refuse = NX_ERROR_NO_SPACE;
    for (int i = 0; i < COUNT(answers); i++) ck_assert_int_eq(receive(answers[i].in), NX_ERROR_NO_SPACE);
    ck_assert_int_eq(rn_net_resolve(net, &who), 1); /* learned all the same */
    who.ip[3] = 9;
    ck_assert_int_eq(rn_net_resolve(net, &who), NX_ERROR_NO_SPACE);
}

TEST(the_table_of_neighbours_forgets_the_oldest)
{
    for (unsigned i = 0; i <= RN_NEIGHBOURS; i++)
        rn_net_learn(net, &(rn_address){.ip = {10, 1, 0, (uint8_t)i}, .mac = {2, 0, 0, 0, 1, (uint8_t)i}});
    rn_address first = {.ip = {10, 1, 0, 0}}, last = {.ip = {10, 1, 0, RN_NEIGHBOURS}};
    ck_assert_int_eq(rn_net_resolve(net, &first), 0);
    ck_assert_int_eq(rn_net_resolve(net, &last), 1);
    ck_assert_uint_eq(last.mac[5], RN_NEIGHBOURS);
}

/* ---- bad input */

static const struct {
    const char *frame;
    int at; /* this byte is changed; -1: none */
    uint8_t to;
    int cut; /* bytes taken off the end */
    const char *text;
} bad[] = {
    {linux_arp, -1, 0, 1, "ARP: shorter than 28 bytes"},
    {linux_arp, 15, 6, 0, "ARP: not of Ethernet and IPv4"},
    {linux_arp, 18, 8, 0, "ARP: not of Ethernet and IPv4"},
    {linux_arp, 21, 3, 0, "ARP: neither question nor answer"},
    {ping, -1, 0, 1, "IPv4: the total length is not that of the frame"},
    {ping, -1, 0, 36, "IPv4: shorter than 20 bytes"},
    {ping, 14, 0x44, 0, "IPv4: wrong version or header length"},
    {ping, 14, 0x65, 0, "IPv4: wrong version or header length"},
    {ping, 14, 0x4f, 0, "IPv4: wrong version or header length"},
    {ping, 17, 0xff, 0, "IPv4: the total length is not that of the frame"},
    {ping, 17, 0x13, 0, "IPv4: the total length is not that of the frame"},
    {ping, 22, 0x3f, 0, "IPv4: wrong checksum"},
    {ping, 50, 0, 0, "ICMP: wrong checksum"},
    {ns, -1, 0, 33, "IPv6: shorter than 40 bytes"},
    {ns, -1, 0, 1, "IPv6: the payload length is more than the frame has"},
    {ns, 14, 0x40, 0, "IPv6: wrong version"},
    {ns, 21, 254, 0, "neighbour discovery: the hop limit is not 255"},
    {ns, 70, 2, 0, "ICMPv6: wrong checksum"},
    {ping6, 59, 0, 0, "ICMPv6: wrong checksum"},
};

TEST(a_malformed_frame_is_refused_and_named, .to = COUNT(bad))
{
    uint8_t frame[512];
    size_t size = bytes_of(bad[_i].frame, frame);
    if (bad[_i].at >= 0) frame[bad[_i].at] = bad[_i].to;
    ck_assert_int_eq(rn_net_receive(net, frame, size - (size_t)bad[_i].cut), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_net_error(net), bad[_i].text);
    ck_assert_uint_eq(sent.count, 0);
    ck_assert_uint_eq(rn_net_get_stats(net)->malformed, 1);
}

/* The checksum over the pseudo header, as RFC 4443 has it, in the plainest way. */
static void set_checksum6(uint8_t *frame)
{
    unsigned length = (unsigned)frame[18] << 8 | frame[19], sum = length + 58;
    frame[56] = frame[57] = 0;
    for (unsigned i = 22; i < 54 + length; i++) sum += i % 2 ? frame[i] : (unsigned)frame[i] << 8;
    while (sum >> 16) sum = (sum & 0xffff) + (sum >> 16);
    frame[56] = (uint8_t)(~sum >> 8);
    frame[57] = (uint8_t)~sum;
}

static const struct {
    const char *frame;
    int at[2];
    uint8_t to[2];
    const char *text;
} bad_neighbours[] = {
    {ns, {55, 55}, {1, 1}, "neighbour discovery: shorter than 24 bytes, or with a code"},
    {ns, {19, 19}, {16, 16}, "neighbour discovery: shorter than 24 bytes, or with a code"},
    {ns, {62, 62}, {0xff, 0xff}, "neighbour discovery: the target is a group"},
    {ns, {79, 79}, {0, 0}, "neighbour discovery: an option of length 0, or longer than the packet"},
    {ns, {79, 79}, {2, 2}, "neighbour discovery: an option of length 0, or longer than the packet"},
    {ns, {19, 19}, {25, 25}, "neighbour discovery: an option of length 0, or longer than the packet"},
    {dad_answer, {0, 58}, {0x33, 0x60}, "neighbour discovery: an answer to a question, sent to a group"},
    {ns, {19, 19}, {4, 4}, "ICMPv6: shorter than 8 bytes"},
};

TEST(malformed_neighbour_discovery_is_refused, .to = COUNT(bad_neighbours))
{
    uint8_t frame[512];
    size_t size = bytes_of(bad_neighbours[_i].frame, frame);
    for (int k = 0; k < 2; k++) frame[bad_neighbours[_i].at[k]] = bad_neighbours[_i].to[k];
    set_checksum6(frame);
    ck_assert_int_eq(rn_net_receive(net, frame, size), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_net_error(net), bad_neighbours[_i].text);
    ck_assert_uint_eq(sent.count, 0);
}

TEST(a_question_without_a_source_that_tells_a_mac_address_is_refused)
{
    uint8_t frame[512];
    size_t size = bytes_of(ns, frame);
    memset(frame + 22, 0, 16);
    set_checksum6(frame);
    ck_assert_int_eq(rn_net_receive(net, frame, size), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_net_error(net), "neighbour discovery: a MAC address without a source");
}

TEST(frames_that_are_too_short_or_too_long_are_refused)
{
    static uint8_t frame[RN_FRAME + 1];
    ck_assert_int_eq(rn_net_receive(net, frame, 13), NX_ERROR_PROTOCOL);
    ck_assert_int_eq(rn_net_receive(net, frame, RN_FRAME + 1), NX_ERROR_PROTOCOL);
    ck_assert_str_eq(rn_net_error(net), "Ethernet: longer than 9018 bytes");
}

/* Any byte of any frame changed: never more than one answer, and none of wrong length. */
TEST(any_byte_may_be_wrong)
{
    for (int i = 0; i < COUNT(answers); i++) {
        uint8_t frame[512];
        size_t size = bytes_of(answers[i].in, frame);
        for (size_t k = 0; k < size; k++)
            for (unsigned bit = 0; bit < 8; bit++) {
                sent.count = 0;
                frame[k] ^= (uint8_t)(1 << bit);
                rn_net_receive(net, frame, size);
                frame[k] ^= (uint8_t)(1 << bit);
                ck_must(sent.count <= 1 && (sent.count == 0 || sent.size >= RN_FRAME_LEAST), "frame %d, byte %zu", i,
                        k);
            }
    }
}
