/* The register map generator: its output for a map worked by hand, and every refusal. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "shell.h"
#include "test.h"

static char *out, *err;

/* Runs the generator on `map`; returns its exit code, and its output in `out` and `err`. */
static int generate(const char *format, const char *map)
{
    shell_put("map", map);
    int code = shell_says("${PYTHON:-python3} -S scripts/registers.py format=%s $D/map 2>$D/err", format);
    free(out);
    free(err);
    out = strdup(shell_output);
    shell_says("cat $D/err");
    err = strdup(shell_output);
    return code;
}

static const char SMALL[] = "# a comment\n"
                            "\n"
                            "reg 0x000 CONTROL rw 0x0000001f what it \"does\"\n"
                            "field 31:30 MODE  two bits\n"
                            "field 4:4 GO      one bit | pipe\n"
                            "array 0x280 POINTERS 8 ro 0x0 eight of them\n"
                            "field 31:0 ALL    the whole word\n";

TEST_CASE("generator", .timeout = 120, .teardown = shell_clean);

/* Columns do not matter. */
static void squeeze(char *text)
{
    for (char *from = text, *to = text;; from++) {
        if (*from == ' ' && from[1] == ' ') continue;
        *to++ = *from;
        if (!*from) break;
    }
}

static void check_generated(const char *format, const char *map, const char *const *lines, int count)
{
    ck_assert_int_eq(generate(format, map), 0);
    ck_assert_str_eq(err, "");
    squeeze(out);
    for (int i = 0; i < count; i++) ck_assert_msg(strstr(out, lines[i]) != NULL, "no '%s' in %s", lines[i], out);
}

TEST(verilog_names_offsets_resets_fields_and_counts)
{
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
    check_generated("verilog", SMALL, LINES, COUNT(LINES));
    ck_assert_ptr_null(strstr(out, "MODE_BIT"));
    ck_assert_ptr_null(strstr(out, "CONTROL_COUNT"));
}

TEST(c_header_compiles_to_the_values_worked_by_hand)
{
    static const char PROGRAM[] =
        "#include <string.h>\nint main(void) {\n"
        "  if (NIC_CONTROL != 0 || NIC_CONTROL_RESET != 0x1fu) return 1;\n"
        "  if (NIC_CONTROL_MODE_MASK != 0xc0000000u || NIC_CONTROL_MODE_SHIFT != 30) return 1;\n"
        "  if (NIC_CONTROL_GO_MASK != 16u || NIC_CONTROL_GO_SHIFT != 4 || NIC_POINTERS != 0x280u || NIC_POINTERS_COUNT "
        "!= 8u) return 2;\n"
        "  if (NIC_POINTERS_ALL_MASK != 0xffffffffu || NIC_REGISTER_TABLE_COUNT != 2u || NIC_FIELD_TABLE_COUNT != 3u) "
        "return 3;\n"
        "  if (strcmp(nic_registers[0].name, \"CONTROL\") || strcmp(nic_registers[0].text, \"what it \\\"does\\\"\")) "
        "return 4;\n"
        "  if (nic_registers[1].count != 8 || nic_registers[1].offset != 0x280 || strcmp(nic_registers[1].access, "
        "\"ro\")) return 5;\n"
        "  if (nic_fields[0].msb != 31 || nic_fields[0].lsb != 30 || nic_fields[2].offset != 0x280) return 6;\n"
        "  if (strcmp(nic_fields[1].name, \"GO\")) return 7;\n"
        "  if (NIC_EVENT_COUNT || NIC_NC_COUNT || nic_events[0] || nic_ncs[0] || NIC_SETTING_BITS != 3 || "
        "NIC_VIEW_BITS) return 8;\n"
        "  return 0;\n}\n";
    ck_assert_int_eq(generate("c", SMALL), 0);
    FILE *f = shell_file("a.c", "w");
    fprintf(f, "%s%s", out, PROGRAM);
    fclose(f);
    ck_assert_int_eq(shell_says("gcc -std=c11 -Wall -Wextra -Werror -o $D/a $D/a.c && $D/a"), 0);
    /* the licence of the map is that of the header */
    ck_assert_ptr_null(strstr(out, "SPDX"));
    check_generated("c", "# SPDX-License-Identifier: A OR B\nreg 0x0 A rw 0x0 a\n",
                    (const char *const[]){"/* SPDX-License-Identifier: A OR B */\n/* Made by"}, 1);
}

/* One of each: code inside a module, names of vectors, and contents of the C tables. */
static const char KINDS[] = "reg 0x000 SET rw 0x1 the set-up\n"
                            "field 7:4 MODE  stored\n"
                            "field 0:0 BUSY shown=busy not stored\n"
                            "reg 0x004 LIMIT rw 0x2 reset=LIMIT mask=LIMIT_MASK without fields\n"
                            "reg 0x010 WRONG w1c 0x0 what went wrong\n"
                            "field 1:1 BAD from=bad one cause\n"
                            "field 0:0 WORSE from=worse,bad either\n"
                            "reg 0x020 BADS rc 0x0 from=bad bits=16 error=yes compare=bads how often\n"
                            "reg 0x024 TIMES rc 0x0 from=time,bad both\n"
                            "reg 0x028 CLOCK rc 0x0 shown=clock by hand\n"
                            "reg 0x180 SENT nc 0x0 from=sent sent\n"
                            "reg 0x230 LOST nc 0x0 from=lost error=yes lost\n"
                            "reg 0x300 VIEW ro 0x0 a view\n"
                            "field 9:8 PART  of it\n"
                            "array 0x340 LIST 16 ro 0x0 shown=list error=yes a list\n"
                            "reg 0x380 FAR rw 0x0 block=other kept by another block\n"
                            "field 9:8 PART  of it\n"
                            "reg 0x384 NEAR ro 0x0 block=other another one\n";

TEST(events_settings_and_views_get_their_bits_in_the_order_of_the_map)
{
    static const char *const LINES[] = {
        "`define NIC_EVENT_COUNT 3\n",   "`define NIC_EVENT_BAD 0\n",          "`define NIC_EVENT_WORSE 1\n",
        "`define NIC_EVENT_TIME 2\n",    "`define NIC_NC_COUNT 2\n",           "`define NIC_NC_SENT 0\n",
        "`define NIC_NC_LOST 1\n",       "`define NIC_SETTING_SET_MODE 3:0\n", "`define NIC_SETTING_LIMIT 35:4\n",
        "`define NIC_SETTING_BITS 36\n", "`define NIC_VIEW_VIEW_PART 1:0\n",   "`define NIC_VIEW_BITS 2\n",
        "`define NIC_OTHER_BITS 34\n",   "`define NIC_OTHER_FAR_PART 1:0\n",   "`define NIC_OTHER_NEAR 33:2\n",
    };
    check_generated("verilog", KINDS, LINES, COUNT(LINES));
    ck_assert_ptr_null(strstr(out, "SETTING_SET_BUSY"));
}

TEST(events_and_views_are_wires_and_vectors_in_the_order_of_the_map)
{
    static const char *const LINES[] = {
        "wire ev_bad;\nwire ev_worse;\nwire ev_time;\nwire [`NIC_EVENT_COUNT-1:0] events = {ev_time,\n ev_worse,\n "
        "ev_bad};\n",
        "wire [1:0] view_view_part;\nwire [`NIC_VIEW_BITS-1:0] views = {view_view_part};\n",
    };
    check_generated("wires", KINDS, LINES, COUNT(LINES));
    ck_assert_ptr_null(strstr(out, "sent")); /* counted in the other clock */
}

TEST(a_block_holds_storage_counters_and_the_read_side)
{
    static const char *const LINES[] = {
        "stored_set <= `NIC_SET_RESET;\n",
        "`NIC_SET:\n stored_set <= ((stored_set & ~w_mask[31:0]) | w_set[31:0]) & 32'h000000f0;\n",
        "stored_limit <= LIMIT;\n",
        "`NIC_LIMIT:\n stored_limit <= ((stored_limit & ~w_mask[63:32]) | w_set[63:32]) & LIMIT_MASK;\n",
        "assign settings[`NIC_SETTING_SET_MODE] = stored_set[7:4];\n",
        "assign low_events[0] = events[`NIC_EVENT_BAD];\n",
        "assign high_events[0] = events[`NIC_EVENT_TIME] || events[`NIC_EVENT_BAD];\n",
        "`NIC_SET: low = stored_set | {31'd0, busy};\n",
        "`NIC_LIMIT: high = stored_limit;\n",
        "`NIC_WRONG: low = stored_wrong;\n",
        "`NIC_BADS: low = low_count & 32'h0000ffff;\n",
        "`NIC_TIMES: high = high_count;\n",
        "`NIC_CLOCK: low = clock;\n",
        "`NIC_SENT: low = low_copy;\n",
        "`NIC_VIEW: low = {22'd0,\n views[`NIC_VIEW_VIEW_PART],\n 8'd0};\n",
        "`NIC_FAR: low = {22'd0,\n other[`NIC_OTHER_FAR_PART],\n 8'd0};\n",
        "`NIC_NEAR: high = other[`NIC_OTHER_NEAR];\n",
        "if (r_low[14:6] == 9'd13) low = list_low;\n",
        "if (r_high[14:6] == 9'd13) high = list_high;\n",
    };
    check_generated("block", KINDS, LINES, COUNT(LINES));
    for (const char *line = out; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
        ck_assert_uint_le(strcspn(line, "\n"), 120);
}

TEST(the_tables_in_c_know_errors_comparisons_and_events)
{
    static const char *const LINES[] = {
        "{\"BADS\", 0x0020u, \"rc\", 0x00000000u, 1u, 4u, 1u, 0, 1, \"bads\", \"how often\"},\n",
        "{\"SENT\", 0x0180u, \"nc\", 0x00000000u, 1u, 4u, 1u, 0, 0, \"\", \"sent\"},\n",
        "{\"LIST\", 0x0340u, \"ro\", 0x00000000u, 16u, 4u, 1u, 0, 1, \"\", \"a list\"},\n",
        "nic_events[3] __attribute__((unused)) = {\n \"bad\",\n \"worse\",\n \"time\",\n};\n",
        "nic_ncs[2] __attribute__((unused)) = {\n \"sent\",\n \"lost\",\n};\n",
        "#define NIC_EVENT_TIME 2\n",
        "#define NIC_SETTING_LIMIT 4\n",
    };
    check_generated("c", KINDS, LINES, COUNT(LINES));
}

TEST(markdown_is_a_table_of_seven_columns)
{
    unsigned lines = 0;
    ck_assert_int_eq(generate("markdown", SMALL), 0);
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
    {"reg 0x0 A_B rw 0x0 t\nfield 1:1 C t\nreg 0x4 A rw 0x0 t\nfield 1:1 B_C t\n", 4,
     "macro NIC_A_B_C_MASK is already made by line 2"},
    {"reg 0x0 A rc 0x0 t\n", 1, "counter A counts nothing, expected from=EVENT or shown=NAME"},
    {"reg 0x0 A nc 0x0 t\n", 1, "counter A counts nothing, expected from=EVENT"},
    {"reg 0x0 A rc 0x0 from=x\n", 1, "no text, expected what it is"},
    {"reg 0x0 A rc 0x0 from=X t\n", 1, "attribute 'from=X', expected from= and events in small letters"},
    {"reg 0x0 A rc 0x0 from=x, t\n", 1, "attribute 'from=x,', expected from= and events"},
    {"reg 0x0 A rc 0x0 from=x from=y t\n", 1, "attribute 'from=y' is the second of its kind"},
    {"reg 0x0 A rc 0x0 from=x bits=33 t\n", 1, "attribute 'bits=33', expected bits=1 to bits=32"},
    {"reg 0x0 A rc 0x0 from=x error=no t\n", 1, "attribute 'error=no', expected error=yes"},
    {"reg 0x0 A rc 0x0 from=x compare=a-b t\n", 1, "attribute 'compare=a-b', expected compare= and one name"},
    {"reg 0x0 A rc 0x0 from=x sum=y t\n", 1,
     "unknown attribute 'sum=y', expected from, shown, bits, mask, reset, block, error,"},
    {"reg 0x0 A nc 0x0 from=x links=3 t\n", 1, "attribute 'links=3', expected links=2 or links=4"},
    {"reg 0x0 A rw 0x0 paths=2 t\n", 1, "attribute 'paths=2', expected paths=yes"},
    {"reg 0x0 A rw 0x0 from=x t\n", 1,
     "attribute 'from=x' does not belong to reg-rw, expected it with reg-rc, reg-nc, field-w1c"},
    {"reg 0x0 A rc 0x0 from=x block=y t\n", 1,
     "attribute 'block=y' does not belong to reg-rc, expected it with reg-rw, reg-ro"},
    {"reg 0x0 A rw 0x0 block=a,b t\n", 1, "attribute 'block=a,b', expected block= and one name"},
    {"reg 0x0 A rw 0x0 t\nfield 0:0 X from=x t\n", 2, "attribute 'from=x' does not belong to field-rw"},
    {"reg 0x0 A nc 0x0 from=x t\nreg 0x4 B nc 0x0 from=x t\n", 2, "event x is counted already"},
    {"reg 0x0 A w1c 0x0 t\nfield 0:0 X t\n", 2, "nothing sets the bit X, expected from=EVENT"},
    {"reg 0x0 A w1c 0x0 t\nfield 1:0 X from=x t\n", 2, "field X of a w1c register has bits 1:0, expected one bit"},
    {"reg 0x20 A rc 0x0 from=x t\nreg 0x420 B rc 0x0 from=y t\n", 2,
     "counter B has offset bits 9 and 6 to 3 like A (line 1)"},
    {"array 0x10 A 3 ro 0x0 shown=a t\n", 1,
     "array of 3 at 0x10, expected 2, 4, 8.. registers at a multiple of their size"},
    {"array 0x10 A 8 ro 0x0 shown=a t\n", 1, "array of 8 at 0x10, expected 2, 4, 8.. registers"},
    {"array 0x0 A 2 ro 0x0 stride=5 t\n", 1, "attribute 'stride=5', expected stride=4, 8, 16 .. 128"},
    {"reg 0x0 A ro 0x0 stride=8 t\n", 1,
     "attribute 'stride=8' does not belong to reg-ro, expected it with array-ro, array-rw"},
    {"array 0x0 A 4 ro 0x0 stride=8 t\nreg 0x8 B ro 0x0 t\n", 2, "B overlaps A (line 1) at 0x0008"},
    {"reg 0x0 A_EVENT_X rw 0x0 t\nreg 0x4 EVENT_X rw 0x0 t\nreg 0x8 C rc 0x0 from=x t\n", 3,
     "macro NIC_EVENT_X is already made by line 2"},
    {"reg 0x0 VIEW_A rw 0x0 t\nreg 0x4 A ro 0x0 t\n", 2, "macro NIC_VIEW_A is already made by line 1"},
    {"# nothing\n", 0, "no register found, expected at least one"},
};

TEST(bad_input_is_refused_with_place_and_expectation, .to = COUNT(REFUSED))
{
    static const char *const FORMATS[] = {"verilog", "block", "c", "markdown"};
    char place[32];
    for (int i = 0; i < 4; i++) {
        ck_assert_int_eq(generate(FORMATS[i], REFUSED[_i].map), 1);
        ck_assert_str_eq(out, "");
        ck_assert_msg(strstr(err, REFUSED[_i].text) != NULL, "expected '%s' in '%s'", REFUSED[_i].text, err);
        if (!REFUSED[_i].line) continue;
        snprintf(place, sizeof place, ":%d: ", REFUSED[_i].line);
        ck_assert_msg(strstr(err, place) != NULL, "expected line %d in '%s'", REFUSED[_i].line, err);
    }
}

TEST(unknown_format_is_refused)
{
    ck_assert_int_eq(generate("vhdl", SMALL), 1);
    ck_assert_str_eq(out, "");
    ck_assert_ptr_nonnull(
        strstr(err, "format is 'vhdl', expected format=verilog, block, wires, access, c or markdown"));
}

TEST(options_and_files_that_are_none_are_refused)
{
    ck_shell_fails("/none: No such file or directory; expected a register map",
                   "scripts/registers.py format=c /none 2>&1");
    ck_shell_fails("window is 'x', expected a number of bytes",
                   "scripts/registers.py format=c window=x /dev/null 2>&1");
    ck_shell_fails("prefix is 'a', expected capitals", "scripts/registers.py format=c prefix=a /dev/null 2>&1");
    ck_output_lacks("Traceback");
}

/* S1 3.1.4 and design.md 3, copied from there. */
TEST(the_map_of_the_nic_agrees_with_the_documents)
{
    static const struct {
        const char *name;
        unsigned offset;
    } S1[] = {{"CONTROL", 0x00},           {"HEAD_TAIL", 0x04},           {"REMOTE_NOTIFY_LOW", 0x08},
              {"LOCAL_NOTIFY_HIGH", 0x14}, {"H2N_DMA_OPS", 0x20},         {"N2H_WORDS", 0x34},
              {"N2H_DISCONNECTS", 0x4c},   {"LOCAL_NOTIFICATIONS", 0x58}, {"SPLIT_OPS", 0x60},
              {"BODY_CRC_ERRORS", 0x68},   {"CUMULATIVE_TIMER", 0x70},    {"N2H_FIFO_FULL_ERRORS", 0x78},
              {"NET_OUT_CYCLES", 0x180},   {"GT0_TX_BUFFER_FULL", 0x194}, {"NET_OUT_PACKETS", 0x1a8},
              {"N2H_STARTS", 0x1c8}};
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
