/* ARP (RFC 826), ICMP (792), ICMPv6 (4443), neighbour discovery (4861). See rn_net.h. */
#include "rn_net.h"

#include <stdlib.h>

enum { ETHERNET = 14, IPV4 = 20, IPV6 = 40, ARP = 28, ICMP = 8, NEIGHBOUR = 24 /* NS and NA, without options */ };
enum { TYPE_IPV4 = 0x0800, TYPE_ARP = 0x0806, TYPE_IPV6 = 0x86dd, PROTOCOL_ICMP = 1, PROTOCOL_ICMPV6 = 58 };
enum { ECHO = 8, ECHO_ANSWER = 0, ECHO6 = 128, ECHO6_ANSWER = 129, SOLICITATION = 135, ADVERTISEMENT = 136 };
enum { OPTION_SOURCE = 1, OPTION_TARGET = 2, SOLICITED = 0x40, OVERRIDE = 0x20 };

struct rn_net {
    rn_net_params p;
    rn_address neighbours[RN_NEIGHBOURS];
    unsigned count, oldest;
    rn_address asked; /* whom we are asking for now */
    unsigned asks;    /* so often; 0: nobody */
    uint64_t asked_at;
    const char *error;
    rn_net_stats stats;
    uint8_t out[RN_FRAME];
};

rn_net *rn_net_new(const rn_net_params *params)
{
    rn_net *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->p = *params;
    if (!n->p.retry_ns) n->p.retry_ns = 1000000;
    if (!n->p.retries) n->p.retries = 10;
    n->error = "";
    return n;
}

void rn_net_free(rn_net *net) { free(net); }

const char *rn_net_error(const rn_net *net) { return net->error; }

const rn_net_stats *rn_net_get_stats(const rn_net *net) { return &net->stats; }

static int malformed(rn_net *n, const char *why)
{
    n->error = why;
    n->stats.malformed++;
    return NX_ERROR_PROTOCOL;
}

static int is_zero(const uint8_t *b, size_t size)
{
    while (size && b[size - 1] == 0) size--;
    return size == 0;
}

static int is_ours(const uint8_t *mine, const uint8_t *other, size_t size)
{
    return !is_zero(mine, size) && !memcmp(mine, other, size);
}

/* ---- neighbours */

static rn_address *find(rn_net *n, const rn_address *who)
{
    for (unsigned i = 0; i < n->count; i++)
        if (n->neighbours[i].ipv6 == who->ipv6 && !memcmp(n->neighbours[i].ip, who->ip, 16)) return &n->neighbours[i];
    return NULL;
}

void rn_net_learn(rn_net *n, const rn_address *who)
{
    rn_address *known = find(n, who);
    if (known) {
        *known = *who;
    } else if (n->count < RN_NEIGHBOURS) {
        n->neighbours[n->count++] = *who;
    } else {
        n->neighbours[n->oldest] = *who;
        n->oldest = (n->oldest + 1) % RN_NEIGHBOURS;
    }
}

static void learn(rn_net *n, int ipv6, const uint8_t *ip, const uint8_t mac[6])
{
    rn_address who = {.ipv6 = (uint8_t)ipv6};
    memcpy(who.ip, ip, ipv6 ? 16 : 4);
    memcpy(who.mac, mac, 6);
    if (!is_zero(ip, ipv6 ? 16 : 4) && !(mac[0] & 1)) rn_net_learn(n, &who);
}

/* ---- frames out */

static uint8_t *ethernet(rn_net *n, const uint8_t to[6], unsigned type)
{
    memcpy(n->out, to, 6);
    memcpy(n->out + 6, n->p.mac, 6);
    rn_put16(n->out + 12, type);
    return n->out + ETHERNET;
}

static int send(rn_net *n, size_t size)
{
    if (size < RN_FRAME_LEAST) memset(n->out + size, 0, RN_FRAME_LEAST - size);
    return n->p.send(n->p.self, n->out, size < RN_FRAME_LEAST ? RN_FRAME_LEAST : size);
}

static int send_arp(rn_net *n, const uint8_t to_mac[6], unsigned operation, const uint8_t target_mac[6],
                    const uint8_t target_ip[4])
{
    uint8_t *a = ethernet(n, to_mac, TYPE_ARP);
    memcpy(a, (const uint8_t[]){0, 1, 8, 0, 6, 4}, 6);
    rn_put16(a + 6, operation);
    memcpy(a + 8, n->p.mac, 6);
    memcpy(a + 14, n->p.ipv4, 4);
    memcpy(a + 18, target_mac, 6);
    memcpy(a + 24, target_ip, 4);
    return send(n, ETHERNET + ARP);
}

static uint32_t sum_of_icmpv6(const uint8_t source[16], const uint8_t to[16], const uint8_t *body, size_t size)
{
    uint8_t tail[8] = {0, 0, 0, 0, 0, 0, 0, PROTOCOL_ICMPV6};
    rn_put32(tail, (uint32_t)size);
    return rn_sum(rn_sum(rn_sum(rn_sum(0, source, 16), to, 16), tail, 8), body, size);
}

/* The body stands in the frame already, its checksum as 0. */
static int send_icmpv6(rn_net *n, const uint8_t to_mac[6], const uint8_t to[16], unsigned hop_limit, size_t size)
{
    uint8_t *ip = ethernet(n, to_mac, TYPE_IPV6), *body = ip + IPV6;
    rn_put32(ip, 0x60000000);
    rn_put16(ip + 4, (uint32_t)size);
    ip[6] = PROTOCOL_ICMPV6;
    ip[7] = (uint8_t)hop_limit;
    memcpy(ip + 8, n->p.ipv6, 16);
    memcpy(ip + 24, to, 16);
    rn_put16(body + 2, rn_sum_end(sum_of_icmpv6(n->p.ipv6, to, body, size)));
    return send(n, ETHERNET + IPV6 + size);
}

/* A neighbour solicitation or advertisement with our MAC address as its option. */
static int send_neighbour(rn_net *n, const uint8_t to_mac[6], const uint8_t to[16], unsigned type, unsigned flags,
                          const uint8_t target[16])
{
    uint8_t *body = n->out + ETHERNET + IPV6;
    memset(body, 0, NEIGHBOUR + 8);
    body[0] = (uint8_t)type;
    body[4] = (uint8_t)flags;
    memcpy(body + 8, target, 16);
    body[NEIGHBOUR] = type == SOLICITATION ? OPTION_SOURCE : OPTION_TARGET;
    body[NEIGHBOUR + 1] = 1;
    memcpy(body + NEIGHBOUR + 2, n->p.mac, 6);
    return send_icmpv6(n, to_mac, to, 255, NEIGHBOUR + 8);
}

int rn_net_resolve(rn_net *n, rn_address *who)
{
    static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, nobody[6];
    const rn_address *known = find(n, who);
    uint64_t now = n->p.now(n->p.self);
    if (known) {
        memcpy(who->mac, known->mac, 6);
        return 1;
    }
    int same = n->asks && n->asked.ipv6 == who->ipv6 && !memcmp(n->asked.ip, who->ip, 16);
    if (same && now - n->asked_at < n->p.retry_ns) return 0;
    if (same && n->asks > n->p.retries) {
        n->asks = 0;
        return NX_ERROR_TIMEOUT;
    }
    n->asks = same ? n->asks + 1 : 1;
    n->asked = *who;
    n->asked_at = now;
    n->stats.questions++;
    int result;
    if (who->ipv6) { /* the group of all hosts whose address ends in the same 24 bits */
        uint8_t group[16] = {0xff, 2, [11] = 1, [12] = 0xff}, mac[6] = {0x33, 0x33, 0xff};
        memcpy(group + 13, who->ip + 13, 3);
        memcpy(mac + 3, who->ip + 13, 3);
        result = send_neighbour(n, mac, group, SOLICITATION, 0, who->ip);
    } else {
        result = send_arp(n, everybody, 1, nobody, who->ip);
    }
    return result < 0 ? result : 0;
}

/* ---- frames in */

static int receive_arp(rn_net *n, const uint8_t *a, size_t size)
{
    if (size < ARP) return malformed(n, "ARP: shorter than 28 bytes");
    if (memcmp(a, (const uint8_t[]){0, 1, 8, 0, 6, 4}, 6)) return malformed(n, "ARP: not of Ethernet and IPv4");
    unsigned operation = rn_get16(a + 6);
    if (operation != 1 && operation != 2) return malformed(n, "ARP: neither question nor answer");
    if (!is_ours(n->p.ipv4, a + 24, 4)) return 0;
    learn(n, 0, a + 14, a + 8);
    if (operation == 2) return 1;
    n->stats.arp_answers++;
    int result = send_arp(n, a + 8, 2, a + 8, a + 14);
    return result < 0 ? result : 1;
}

static int receive_icmp(rn_net *n, const uint8_t *frame, const uint8_t *ip, const uint8_t *body, size_t size)
{
    if (size < ICMP) return malformed(n, "ICMP: shorter than 8 bytes");
    if (rn_sum_end(rn_sum(0, body, size))) return malformed(n, "ICMP: wrong checksum");
    if (body[0] != ECHO || body[1] != 0) return 0;
    uint8_t *out = ethernet(n, frame + 6, TYPE_IPV4), *back = out + IPV4;
    memset(out, 0, IPV4);
    out[0] = 0x45;
    rn_put16(out + 2, (uint32_t)(IPV4 + size));
    rn_put16(out + 6, 0x4000); /* not to be cut */
    out[8] = 64;
    out[9] = PROTOCOL_ICMP;
    memcpy(out + 12, n->p.ipv4, 4);
    memcpy(out + 16, ip + 12, 4);
    rn_put16(out + 10, rn_sum_end(rn_sum(0, out, IPV4)));
    memcpy(back, body, size);
    back[0] = ECHO_ANSWER;
    rn_put16(back + 2, 0);
    rn_put16(back + 2, rn_sum_end(rn_sum(0, back, size)));
    n->stats.echoes++;
    int result = send(n, ETHERNET + IPV4 + size);
    return result < 0 ? result : 1;
}

static int receive_ipv4(rn_net *n, const uint8_t *frame, const uint8_t *ip, size_t size)
{
    if (size < IPV4) return malformed(n, "IPv4: shorter than 20 bytes");
    size_t header = 4u * (ip[0] & 15), total = rn_get16(ip + 2);
    if (ip[0] >> 4 != 4 || header < IPV4 || header > size) return malformed(n, "IPv4: wrong version or header length");
    if (total < header || total > size) return malformed(n, "IPv4: the total length is not that of the frame");
    if (rn_sum_end(rn_sum(0, ip, header))) return malformed(n, "IPv4: wrong checksum");
    if (!is_ours(n->p.ipv4, ip + 16, 4) || ip[9] != PROTOCOL_ICMP) return 0;
    if (rn_get16(ip + 6) & 0x3fff) return 0; /* fragments are not put together */
    return receive_icmp(n, frame, ip, ip + header, total - header);
}

/* The MAC address in an option of this kind; NULL if there is none. -1 if the options are malformed. */
static int find_option(const uint8_t *options, size_t size, unsigned kind, const uint8_t **mac)
{
    *mac = NULL;
    while (size) {
        size_t length = size < 2 ? 0 : 8u * options[1];
        if (length == 0 || length > size) return -1;
        if (options[0] == kind && length == 8) *mac = options + 2;
        options += length;
        size -= length;
    }
    return 0;
}

static int receive_neighbour(rn_net *n, const uint8_t *frame, const uint8_t *ip, const uint8_t *body, size_t size)
{
    static const uint8_t all_nodes[16] = {0xff, 2, [15] = 1}, all_nodes_mac[6] = {0x33, 0x33, 0, 0, 0, 1};
    const uint8_t *source = ip + 8, *to = ip + 24, *target = body + 8, *mac;
    int question = body[0] == SOLICITATION, unspecified = is_zero(source, 16);
    if (ip[7] != 255) return malformed(n, "neighbour discovery: the hop limit is not 255");
    if (size < NEIGHBOUR || body[1] != 0)
        return malformed(n, "neighbour discovery: shorter than 24 bytes, or with a code");
    if (target[0] == 0xff) return malformed(n, "neighbour discovery: the target is a group");
    if (find_option(body + NEIGHBOUR, size - NEIGHBOUR, question ? OPTION_SOURCE : OPTION_TARGET, &mac) < 0)
        return malformed(n, "neighbour discovery: an option of length 0, or longer than the packet");
    if (question && unspecified && mac) return malformed(n, "neighbour discovery: a MAC address without a source");
    if (!question && to[0] == 0xff && body[4] & SOLICITED)
        return malformed(n, "neighbour discovery: an answer to a question, sent to a group");
    if (!question) {
        if (mac) learn(n, 1, target, mac);
        return mac != NULL;
    }
    if (!is_ours(n->p.ipv6, target, 16)) return 0;
    if (mac) learn(n, 1, source, mac);
    n->stats.neighbour_answers++;
    int result = unspecified ? send_neighbour(n, all_nodes_mac, all_nodes, ADVERTISEMENT, OVERRIDE, target)
                             : send_neighbour(n, frame + 6, source, ADVERTISEMENT, SOLICITED | OVERRIDE, target);
    return result < 0 ? result : 1;
}

/* Ours, or the group that questions for our address go to. */
static int is_for_us6(const rn_net *n, const uint8_t *to)
{
    static const uint8_t group[13] = {0xff, 2, [11] = 1, [12] = 0xff}, all_nodes[16] = {0xff, 2, [15] = 1};
    return is_ours(n->p.ipv6, to, 16) || (!memcmp(to, group, 13) && !memcmp(to + 13, n->p.ipv6 + 13, 3)) ||
           !memcmp(to, all_nodes, 16);
}

static int receive_ipv6(rn_net *n, const uint8_t *frame, const uint8_t *ip, size_t size)
{
    if (size < IPV6) return malformed(n, "IPv6: shorter than 40 bytes");
    size_t length = rn_get16(ip + 4);
    const uint8_t *body = ip + IPV6;
    if (ip[0] >> 4 != 6) return malformed(n, "IPv6: wrong version");
    if (IPV6 + length > size) return malformed(n, "IPv6: the payload length is more than the frame has");
    if (is_zero(n->p.ipv6, 16) || !is_for_us6(n, ip + 24) || ip[6] != PROTOCOL_ICMPV6) return 0;
    if (length < 8) return malformed(n, "ICMPv6: shorter than 8 bytes");
    if (rn_sum_end(sum_of_icmpv6(ip + 8, ip + 24, body, length))) return malformed(n, "ICMPv6: wrong checksum");
    if (body[0] == SOLICITATION || body[0] == ADVERTISEMENT) return receive_neighbour(n, frame, ip, body, length);
    if (body[0] != ECHO6 || body[1] != 0 || ip[8] == 0xff || !is_ours(n->p.ipv6, ip + 24, 16)) return 0;
    uint8_t *back = n->out + ETHERNET + IPV6;
    memcpy(back, body, length);
    back[0] = ECHO6_ANSWER;
    rn_put16(back + 2, 0);
    n->stats.echoes++;
    int result = send_icmpv6(n, frame + 6, ip + 8, 64, length);
    return result < 0 ? result : 1;
}

int rn_net_receive(rn_net *n, const uint8_t *frame, size_t size)
{
    if (size < ETHERNET) return malformed(n, "Ethernet: shorter than its header");
    if (size > RN_FRAME) return malformed(n, "Ethernet: longer than 9018 bytes");
    if (!(frame[0] & 1) && memcmp(frame, n->p.mac, 6)) return 0; /* another host's */
    switch (rn_get16(frame + 12)) {
    case TYPE_ARP:
        return receive_arp(n, frame + ETHERNET, size - ETHERNET);
    case TYPE_IPV4:
        return receive_ipv4(n, frame, frame + ETHERNET, size - ETHERNET);
    case TYPE_IPV6:
        return receive_ipv6(n, frame, frame + ETHERNET, size - ETHERNET);
    default:
        return 0;
    }
}
