/* pcap files: bytes worked out by hand, tshark as another reader, and errors. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "shell.h"
#include "sim/model/ethernet/pcap.h"
#include "sim/traffic/faults/line.h"
#include "test.h"

static char error[ETHERNET_ERROR];

static void put_bytes(const char *name, const void *bytes, size_t count)
{
    FILE *f = shell_file(name, "wb");

    ck_assert_uint_eq(fwrite(bytes, 1, count, f), count);
    ck_assert_int_eq(fclose(f), 0);
}

static pcap_writer *writer(const char *name)
{
    pcap_writer *p = pcap_writer_new(shell_path(name), error);

    ck_assert_msg(p != NULL, "%s", error);
    return p;
}

TEST_CASE("writer", .teardown = shell_clean);

/* 3 s, 5 us and 17 ns: seconds 3, nanoseconds 5017 = 0x1399; the picoseconds are cut off. */
TEST(a_file_has_the_bytes_of_the_format)
{
    static const uint8_t expected[] = {0x4d, 0x3c, 0xb2, 0xa1, 2, 0, 4, 0, 0, 0, 0,   0,   0,   0,    0,
                                       0,    0xff, 0xff, 0,    0, 1, 0, 0, 0, 3, 0,   0,   0,   0x99, 0x13,
                                       0,    0,    5,    0,    0, 0, 5, 0, 0, 0, 'f', 'r', 'a', 'm',  'e'};
    uint8_t got[128];
    uint64_t frames;
    pcap_writer *p = writer("one.pcap");
    FILE *f;

    pcap_write(p, 3000 * SIM_MS + 5 * SIM_US + 17 * SIM_NS + 999, (const uint8_t *)"frame", 5);
    ck_assert_int_eq(pcap_close(p, &frames, error), 0);
    ck_assert_uint_eq(frames, 1);
    f = shell_file("one.pcap", "rb");
    ck_assert_uint_eq(fread(got, 1, sizeof got, f), sizeof expected);
    fclose(f);
    ck_assert_mem_eq(got, expected, sizeof expected);
}

TEST(tshark_sees_the_frames_of_a_wire_in_order_of_time)
{
    ethernet_wire_params p;
    uint8_t frame[100] = {2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5};
    uint64_t frames;
    pcap_writer *sent = writer("sent.pcap"), *arrived = writer("arrived.pcap");

    ethernet_wire_params_default(&p);
    ethernet_wire *w = ethernet_wire_new(&p, error);
    ck_assert_int_eq(pcap_attach(sent, w, ETHERNET_SENT), 0);
    ck_assert_int_eq(pcap_attach(arrived, w, ETHERNET_ARRIVED), 0);
    ck_assert_int_eq(ethernet_wire_plan(w, "lose a 0; duplicate b 0", error), 0);
    ethernet_wire_send(w, 0, frame, 100, 0, 0);
    frame[11] = 3;
    ethernet_wire_send(w, 1, frame, 60, 0, 0);
    ethernet_wire_send(w, 1, frame, 70, 0, 0);
    ethernet_wire_run(w, SIM_MS);
    ck_assert_int_eq(pcap_close(sent, &frames, error), 0);
    ck_assert_uint_eq(frames, 3);
    ck_assert_int_eq(pcap_close(arrived, &frames, error), 0);
    ck_assert_uint_eq(frames, 3);
    ethernet_wire_free(w);
    /* 72 bytes of 800 ps; 112; 84 + 82 */
    ck_assert_int_eq(shell_says("tshark -r $D/sent.pcap -T fields -E separator=' ' -e frame.time_epoch -e frame.len -e "
                                "eth.src 2>/dev/null"),
                     0);
    ck_assert_str_eq(
        shell_output,
        "0.000000057 60 02:00:00:00:00:03\n0.000000089 100 02:00:00:00:00:02\n0.000000132 70 02:00:00:00:00:03\n");
    pcap_reader *r = pcap_reader_new(shell_path("arrived.pcap"), error);
    static const uint64_t times[] = {557, 557, 632}, lengths[] = {60, 60, 70};
    pcap_frame got;
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(pcap_read(r, &got, error), 1);
        ck_assert_uint_eq(got.time, times[i]);
        ck_assert_uint_eq(got.length, lengths[i]);
        ck_assert_mem_eq(got.bytes, frame, 60);
    }
    ck_assert_int_eq(pcap_read(r, &got, error), 0);
    pcap_reader_free(r);
}

/* A limit of this process acts as a full disk. */
TEST(a_full_disk_is_reported_in_one_line_and_the_file_opens)
{
    struct rlimit all, full = {.rlim_max = RLIM_INFINITY};
    static uint8_t frame[1000];
    uint64_t frames;
    pcap_frame got;
    pcap_writer *p;
    int result, count = 0;

    getrlimit(RLIMIT_FSIZE, &all);
    full.rlim_cur = 600000;
    full.rlim_max = all.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    p = writer("full.pcap");
    setrlimit(RLIMIT_FSIZE, &full);
    for (int i = 0; i < 1000; i++) pcap_write(p, 0, frame, sizeof frame);
    result = pcap_close(p, &frames, error);
    setrlimit(RLIMIT_FSIZE, &all);
    ck_assert_int_eq(result, -1);
    ck_assert_msg(strstr(error, "full.pcap: File too large; it has 590 whole frames, the later ones are lost") != NULL,
                  "%s", error);
    pcap_reader *r = pcap_reader_new(shell_path("full.pcap"), error);
    while ((result = pcap_read(r, &got, error)) == 1) count++;
    ck_assert_msg(!result, "%s", error);
    ck_assert_int_eq(count, 590); /* (600000 - 24) / 1016 */
    pcap_reader_free(r);
    ck_assert_ptr_null(pcap_writer_new("/nowhere/x.pcap", error));
    ck_assert_str_eq(error, "/nowhere/x.pcap: cannot be written: No such file or directory");
}

TEST_CASE("reader", .teardown = shell_clean);

/* One frame of 3 bytes at 1 s and 2 units, in each of the four kinds. */
TEST(both_byte_orders_and_both_units_are_read, .to = 4)
{
    static const uint8_t magic[4][4] = {
        {0x4d, 0x3c, 0xb2, 0xa1}, {0xa1, 0xb2, 0x3c, 0x4d}, {0xd4, 0xc3, 0xb2, 0xa1}, {0xa1, 0xb2, 0xc3, 0xd4}};
    static const uint8_t numbers[] = {0, 0xff, 1, 1,
                                      2, 3,    4}; /* zeros between: 0, snaplen, link, s, units, length, sent */
    uint8_t file[43] = {0}, *at = file + 16;
    pcap_frame got;

    memcpy(file, magic[_i], 4);
    for (int i = 1; i < 7; i++, at += 4) at[_i & 1 ? 3 : 0] = numbers[i];
    memcpy(at, "abc", 3);
    put_bytes("x.pcap", file, sizeof file);
    pcap_reader *r = pcap_reader_new(shell_path("x.pcap"), error);
    ck_assert_msg(r != NULL, "%s", error);
    ck_assert_int_eq(pcap_read(r, &got, error), 1);
    ck_assert_uint_eq(got.time, 1000000000u + (_i < 2 ? 2 : 2000));
    ck_assert_uint_eq(got.length, 3);
    ck_assert_uint_eq(got.sent, 4);
    ck_assert_mem_eq(got.bytes, "abc", 3);
    ck_assert_int_eq(pcap_read(r, &got, error), 0);
    pcap_reader_free(r);
}

TEST(damaged_files_are_reported, .to = 5)
{
    static const struct {
        size_t bytes, at; /* of the file; one byte is changed there */
        uint8_t value;
        const char *error;
    } rows[] = {
        {20, 0, 0x4d, "x.pcap: shorter than the head of a pcap file, expected 24 bytes or more"},
        {43, 0, 0x0a, "x.pcap: expected a pcap file, with a1b23c4d or a1b2c3d4 at its begin"},
        {43, 20, 147, "x.pcap: expected Ethernet frames, link type 1"},
        {30, 0, 0x4d, "x.pcap: frame 1: expected 16 bytes of head"},
        {42, 0, 0x4d, "x.pcap: frame 1: expected as many bytes as its head says"},
    };
    uint8_t file[43] = {0x4d, 0x3c, 0xb2, 0xa1, [20] = 1, [32] = 3, [36] = 3};
    pcap_frame got;

    file[rows[_i].at] = rows[_i].value;
    put_bytes("x.pcap", file, rows[_i].bytes);
    pcap_reader *r = pcap_reader_new(shell_path("x.pcap"), error);
    if (r) ck_assert_int_eq(pcap_read(r, &got, error), -1);
    ck_assert_msg(strstr(error, rows[_i].error) != NULL, "%s", error);
    pcap_reader_free(r);
}
