/* The clock tables of pcix.md section 12 as text. */
#ifndef NICXBAR_TB_CLOCK_TABLES_H
#define NICXBAR_TB_CLOCK_TABLES_H

struct clock_table_text {
    const char *name, *text;
};
extern const struct clock_table_text clock_tables[]; /* ends with NULL */

#endif
