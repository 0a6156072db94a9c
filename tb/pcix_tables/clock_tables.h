/* The clock tables of pcix.md section 12 as text, by name: the letter of the table, then what distinguishes it from its
 * neighbours.
 *
 * "a" Memory Write Block of 8 quadwords, decode C; "a_decode_a", "a_wait_pair", "a_dac" the same otherwise.
 * "b_decode_a", "b_decode_c" Memory Read Block with Split Response. "c_four", "c_three" Split Completion. "d",
 * "d_waits" Memory Read DWORD. "e_write", "e_read" configuration. "f", "f_dac" Memory Write of 4 bytes, 32 bit; "f_two"
 * two 64-bit phases. "g" initiator disconnect at an ADB. "h" Retry. "i_late", "i_first_far", "i_first_near" Disconnect
 * at Next ADB. "j" Single Data Phase Disconnect. "k" Target-Abort. "l" Memory Read Block, immediate data. "m"
 * Master-Abort. And two that follow from others: "f_two_block" is "f_two" as Memory Write Block, "one_block" one phase
 * of it (3.4, 3.5: D0 stays, all ends two clocks after the response).
 */
#ifndef NICXBAR_TB_CLOCK_TABLES_H
#define NICXBAR_TB_CLOCK_TABLES_H

struct clock_table_text {
    const char *name, *text;
};
extern const struct clock_table_text clock_tables[]; /* ends with NULL */

#endif
