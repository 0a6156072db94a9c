/* Tables on the screen, against lines written by hand. */
#include <stdlib.h>
#include <string.h>

#include "sim/core/kernel/text_table.h"
#include "test.h"

/* clang-format off */
static const struct {
    int at_once;
    const char *columns, *rows, *expected;
} tables[] = {
    /* a column is as wide as its title or its longest cell; numbers are at the right; no blanks at the end of a line */
    {0, "<of\tcount\t<limit", "a\t1\tlow\nlonger\t1234567\t<= 5\nb\t22\t-\n",
        "of        count  limit\n"
        "a             1  low\n"
        "longer  1234567  <= 5\n"
        "b            22  -\n"},
    {0, "<a\tb", "", "a  b\n"},
    /* least widths, and titles that begin with digits or a sign */
    {0, "<4 a\t>6 99 %\t<+-\t99 %\t<3", "x\t1\t2\t3\t4\n",
        "a       99 %  +-  99 %  3\n"
        "x          1  2      3  4\n"},
    /* what is empty or no number is a dash; words that begin with nan are words; a blank leaves the cell blank */
    {0, "<a\tb\tc\td", "\tnan\t-nan%\t\nnano\t \t+nan\t1\n \t1\t \t \n",
        "a     b  c  d\n"
        "-     -  -  -\n"
        "nano     -  1\n"
        "      1\n"},
    {0, "<\t<", "\t \tr\n", "-     r\n"},
    /* titles of two lines; an upper one continues above those behind it that have none */
    {0, "<of\tfirst of x\nx\ty\tlast\nx\t<third\n", "a\t1000\t2000\t3000\t5\tword\n",
        "    first of x  last  third\n"
        "of     x     y     x\n"
        "a   1000  2000  3000  5  word\n"},
    /* remarks behind the columns; a line between the rows widens nothing */
    {0, "<a\tb", "1\t2\t\n1\t2\tlate\n    a line of its own\n1\t345\n",
        "a    b\n"
        "1    2\n"
        "1    2  late\n"
        "    a line of its own\n"
        "1  345\n"},
    /* at once: as wide as the titles; a long cell moves its own row alone */
    {1, "<4 of\tcount\t>7 rate", "a\t1\t2\nlonger\t123\t4\nb\t1234567\t1234567\nc\t123\t12345678901\tok\n",
        "of    count     rate\n"
        "a         1        2\n"
        "longer  123        4\n"
        "b     1234567  1234567\n"
        "c       123  12345678901  ok\n"},
    {1, "<a\tb", "", "a  b\n"},
};
/* clang-format on */

TEST(a_table_is_as_by_hand_and_comes_at_once_or_at_the_end, .to = COUNT(tables))
{
    char *text;
    size_t size;
    FILE *f = open_memstream(&text, &size), *t = text_table(f, tables[_i].at_once, tables[_i].columns);
    ck_assert(f && t);
    fflush(f);
    for (const char *c = tables[_i].rows; *c; c++) fputc(*c, t);
    ck_assert_uint_eq(size, tables[_i].at_once ? strlen(tables[_i].expected) : 0); /* what is flushed */
    ck_assert_int_eq(fclose(t) | fclose(f), 0);
    ck_assert_str_eq(text, tables[_i].expected);
    free(text);
}
