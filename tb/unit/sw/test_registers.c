/* The register map generator: what it makes of a map worked by hand, and every refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "nic_register_map.h"
#include "test.h"

/* Runs the generator on `map`; returns its exit code, and what it said on both outputs. */
static int generate(const char *format, const char *map, char *out, char *err, size_t size)
{
    char name[] = "/tmp/mapXXXXXX", command[256], errors[64];
    int fd = mkstemp(name), status;
    FILE *f;
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, map, strlen(map)), (ssize_t)strlen(map));
    close(fd);
    snprintf(errors, sizeof errors, "%s.err", name);
    snprintf(command, sizeof command, "awk -f scripts/registers.awk -v format=%s %s 2>%s", format, name, errors);
    f = popen(command, "r");
    ck_assert_ptr_nonnull(f);
    out[fread(out, 1, size - 1, f)] = 0;
    status = pclose(f);
    f = fopen(errors, "r");
    ck_assert_ptr_nonnull(f);
    err[fread(err, 1, size - 1, f)] = 0;
    fclose(f);
    unlink(name);
    unlink(errors);
    return WEXITSTATUS(status);
}

static const char SMALL[] = "# a comment\n"
                            "\n"
                            "reg 0x000 CONTROL rw 0x0000001f what it \"does\"\n"
                            "field 31:30 MODE  two bits\n"
                            "field 4:4 GO      one bit | pipe\n"
                            "array 0x280 POINTERS 8 ro 0x0 eight of them\n"
                            "field 31:0 ALL    the whole word\n";

TEST_CASE("generator", .timeout = 120);

TEST(verilog_names_offsets_resets_fields_and_counts)
{
    char out[8192], err[8192];
    static const char *const LINES[] = {"`define NIC_CONTROL 15'h0000\n",
                                        "`define NIC_CONTROL_RESET 32'h0000001f\n",
                                        "`define NIC_CONTROL_MODE_MSB 31\n",
                                        "`define NIC_CONTROL_MODE_LSB 30\n",
                                        "`define NIC_CONTROL_GO_MSB 4\n",
                                        "`define NIC_CONTROL_GO_LSB 4\n",
                                        "`define NIC_CONTROL_GO_BIT 4\n",
                                        "`define NIC_POINTERS 15'h0280\n",
                                        "`define NIC_POINTERS_RESET 32'h00000000\n",
                                        "`define NIC_POINTERS_COUNT 8\n",
                                        "`define NIC_POINTERS_ALL_MSB 31\n",
                                        "`define NIC_POINTERS_ALL_LSB 0\n",
                                        "`ifndef NIC_REGISTERS_VH\n",
                                        "`define NIC_REGISTERS_VH\n",
                                        "`endif\n"};
    ck_assert_int_eq(generate("verilog", SMALL, out, err, sizeof out), 0);
    ck_assert_str_eq(err, "");
    /* columns do not matter */
    for (char *from = out, *to = out;; from++) {
        if (*from == ' ' && from[1] == ' ') continue;
        *to++ = *from;
        if (!*from) break;
    }
    for (size_t i = 0; i < sizeof LINES / sizeof *LINES; i++) ck_assert_msg(strstr(out, LINES[i]) != NULL, "no %s in %s", LINES[i], out);
    ck_assert_ptr_null(strstr(out, "MODE_BIT"));
    ck_assert_ptr_null(strstr(out, "CONTROL_COUNT"));
}

TEST(c_header_compiles_to_the_values_worked_by_hand)
{
    char out[8192], err[8192], command[256];
    static const char PROGRAM[] =
        "#include <string.h>\nint main(void) {\n"
        "  if (NIC_CONTROL != 0 || NIC_CONTROL_RESET != 0x1fu) return 1;\n"
        "  if (NIC_CONTROL_MODE_MASK != 0xc0000000u || NIC_CONTROL_MODE_SHIFT != 30) return 1;\n"
        "  if (NIC_CONTROL_GO_MASK != 16u || NIC_CONTROL_GO_SHIFT != 4 || NIC_POINTERS != 0x280u || NIC_POINTERS_COUNT != 8u) return 2;\n"
        "  if (NIC_POINTERS_ALL_MASK != 0xffffffffu || NIC_REGISTER_TABLE_COUNT != 2u || NIC_FIELD_TABLE_COUNT != 3u) return 3;\n"
        "  if (strcmp(nic_registers[0].name, \"CONTROL\") || strcmp(nic_registers[0].text, \"what it \\\"does\\\"\")) return 4;\n"
        "  if (nic_registers[1].count != 8 || nic_registers[1].offset != 0x280 || strcmp(nic_registers[1].access, \"ro\")) return 5;\n"
        "  if (nic_fields[0].msb != 31 || nic_fields[0].lsb != 30 || nic_fields[2].offset != 0x280) return 6;\n"
        "  if (strcmp(nic_fields[1].name, \"GO\")) return 7;\n"
        "  return 0;\n}\n";
    char dir[] = "/tmp/mapcXXXXXX", name[64];
    FILE *f;
    ck_assert_int_eq(generate("c", SMALL, out, err, sizeof out), 0);
    ck_assert_ptr_nonnull(mkdtemp(dir));
    snprintf(name, sizeof name, "%s/a.c", dir);
    f = fopen(name, "w");
    ck_assert_ptr_nonnull(f);
    fprintf(f, "%s%s", out, PROGRAM);
    fclose(f);
    snprintf(command, sizeof command, "gcc -std=c11 -Wall -Wextra -Werror -o %s/a %s/a.c && %s/a", dir, dir, dir);
    ck_assert_int_eq(WEXITSTATUS(system(command)), 0);
    snprintf(command, sizeof command, "rm -r %s", dir);
    ck_assert_int_eq(system(command), 0);
}

TEST(markdown_is_a_table_of_seven_columns)
{
    char out[8192], err[8192];
    unsigned lines = 0;
    ck_assert_int_eq(generate("markdown", SMALL, out, err, sizeof out), 0);
    ck_assert_ptr_nonnull(strstr(out, "| 0x280..0x29c | `POINTERS` [8] | | | ro | 0x00000000 | eight of them |\n"));
    ck_assert_ptr_nonnull(strstr(out, "| | | 4 | `GO` | | | one bit \\| pipe |\n"));
    for (char *line = strtok(out, "\n"); line; line = strtok(NULL, "\n")) {
        unsigned bars = 0;
        lines++;
        for (char *c = line; *c; c++) bars += *c == '|' && (c == line || c[-1] != '\\');
        ck_assert_uint_eq(bars, 8);
    }
    ck_assert_uint_eq(lines, 2 + 2 + 3);
}

static const struct {
    const char *map;
    int line;
    const char *text;
} REFUSED[] = {
    {"reg 0x0 A rw 0x0 t\nregister 0x4 B rw 0x0 t\n", 2, "unknown directive 'register', expected reg, array or field"},
    {"reg 0x0 A rw 0x0 t\nreg 0x0 B rw 0x0 t\n", 2, "B overlaps A (line 1) at 0x0000"},
    {"array 0x0 A 4 rw 0x0 t\nreg 0xc B rw 0x0 t\n", 2, "B overlaps A (line 1) at 0x000c"},
    {"reg 0x8 A rw 0x0 t\narray 0x0 B 3 rw 0x0 t\n", 2, "B overlaps A (line 1) at 0x0008"},
    {"reg 0x0 A rw 0x0 t\nfield 7:4 X t\nfield 4:0 Y t\n", 3, "field Y overlaps X of register A in bit 4"},
    {"reg 0x0 A rw 0x0 t\nfield 32:4 X t\n", 2, "out of range, expected 31 >= MSB >= LSB >= 0"},
    {"reg 0x0 A rw 0x0 t\nfield 3:4 X t\n", 2, "out of range"},
    {"reg 0x0 A rw 0x0 t\nfield 3 X t\n", 2, "bits '3', expected MSB:LSB"},
    {"reg 0x0 A rw 0x0 t\nreg 0x4 A rw 0x0 t\n", 2, "duplicate name A"},
    {"reg 0x0 A rw 0x0 t\nfield 1:1 X t\nfield 2:2 X t\n", 3, "duplicate name X in register A"},
    {"reg 0x2 A rw 0x0 t\n", 1, "unaligned offset 0x2, expected a multiple of 4"},
    {"reg 0x0 A wo 0x0 t\n", 1, "unknown access 'wo', expected rw, ro, rc, nc or w1c"},
    {"reg 12 A rw 0x0 t\n", 1, "offset '12', expected 0x"},
    {"reg 0x0 A rw 15 t\n", 1, "reset value '15', expected 0x"},
    {"reg 0x0 A rw 0x100000000 t\n", 1, "reset value '0x100000000'"},
    {"reg 0x0 A rw 0x0\n", 1, "expected reg OFFSET NAME ACCESS RESET TEXT"},
    {"reg 0x0 a rw 0x0 t\n", 1, "name 'a', expected capitals"},
    {"array 0x0 A 0 rw 0x0 t\n", 1, "count '0', expected a decimal number from 1"},
    {"array 0x3ffc A 2 rw 0x0 t\n", 1, "A ends at 0x4004, expected it to end at or below 0x4000"},
    {"field 1:1 X t\n", 1, "field X belongs to no register"},
    {"reg 0x0 A rw 0x0 t\nfield 1:1 X\n", 2, "expected field MSB:LSB NAME TEXT"},
    {"reg 0x0 A_B rw 0x0 t\nfield 1:1 C t\nreg 0x4 A rw 0x0 t\nfield 1:1 B_C t\n", 4, "macro NIC_A_B_C_MASK is already made by line 2"},
    {"# nothing\n", 0, "no register found, expected at least one"},
};

TEST(bad_input_is_refused_with_place_and_expectation, .to = COUNT(REFUSED))
{
    static const char *const FORMATS[] = {"verilog", "c", "markdown"};
    char out[4096], err[4096], place[32];
    for (int i = 0; i < 3; i++) {
        ck_assert_int_eq(generate(FORMATS[i], REFUSED[_i].map, out, err, sizeof out), 1);
        ck_assert_str_eq(out, "");
        ck_assert_msg(strstr(err, REFUSED[_i].text) != NULL, "expected '%s' in '%s'", REFUSED[_i].text, err);
        if (!REFUSED[_i].line) continue;
        snprintf(place, sizeof place, ":%d: ", REFUSED[_i].line);
        ck_assert_msg(strstr(err, place) != NULL, "expected line %d in '%s'", REFUSED[_i].line, err);
    }
}

TEST(unknown_format_is_refused)
{
    char out[4096], err[4096];
    ck_assert_int_eq(generate("vhdl", SMALL, out, err, sizeof out), 1);
    ck_assert_str_eq(out, "");
    ck_assert_ptr_nonnull(strstr(err, "format is 'vhdl', expected -v format=verilog, c or markdown"));
}

/* S1 3.1.4 and design.md 3, copied from there. */
TEST(the_map_of_the_nic_agrees_with_the_documents)
{
    static const struct {
        const char *name;
        unsigned offset;
    } S1[] = {{"CONTROL", 0x00},         {"HEAD_TAIL", 0x04},           {"REMOTE_NOTIFY_LOW", 0x08}, {"LOCAL_NOTIFY_HIGH", 0x14},
              {"H2N_DMA_OPS", 0x20},     {"N2H_WORDS", 0x34},           {"N2H_DISCONNECTS", 0x4c},   {"LOCAL_NOTIFICATIONS", 0x58},
              {"SPLIT_OPS", 0x60},       {"BODY_CRC_ERRORS", 0x68},     {"CUMULATIVE_TIMER", 0x70},  {"N2H_FIFO_FULL_ERRORS", 0x78},
              {"NET_OUT_CYCLES", 0x180}, {"GT0_TX_BUFFER_FULL", 0x194}, {"NET_OUT_PACKETS", 0x1a8},  {"N2H_STARTS", 0x1c8}};
    for (size_t i = 0; i < sizeof S1 / sizeof *S1; i++) {
        unsigned found = 0;
        for (unsigned r = 0; r < NIC_REGISTER_TABLE_COUNT; r++)
            if (!strcmp(nic_registers[r].name, S1[i].name)) {
                found++;
                ck_assert_uint_eq(nic_registers[r].offset, S1[i].offset);
            }
        ck_assert_uint_eq(found, 1);
    }
    ck_assert_uint_eq(NIC_CONTROL_LOOPBACK_MASK, 3u << 30);
    ck_assert_uint_eq(NIC_CONTROL_QUEUE_RESET_MASK, 1u << 24);
    ck_assert_uint_eq(NIC_CONTROL_SOFT_RESET_MASK, 1u << 4);
    ck_assert_uint_eq(NIC_CONTROL_INITIATOR_ENABLE_MASK, 1u);
}
