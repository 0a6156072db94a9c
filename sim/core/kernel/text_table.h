/* Tables on the screen: a file in which tabs separate the cells of a row.
 *
 *     FILE *t = text_table(out, 0, "<line from\tframes\tlost\t>8 rate\n[MB/s]\t<limit");
 *     fprintf(t, "%s\t%lu\t%lu\t%.1f\t%s\t%s\n", name, frames, lost, rate, limit, met ? "" : "MISSED");
 *     fclose(t);
 *
 * Columns: titles, with two blanks between columns. "<" before one: the column is aligned at its left, else at its
 * right. A number and a blank behind "<" or ">": its least width [characters] ("<0 95 % intervals": where the title
 * begins with a number). A newline divides a title in two lines; a title of one line is on the lower one. An upper line
 * that is longer than its column continues above those behind it, as the title of a group.
 *
 * Cells: an empty one, and a number that is NAN, is shown as "-"; a blank leaves it blank. Columns without a cell are
 * blank; more cells than columns are a remark behind them. A row without any tab is a line of its own, as it is. No
 * line ends in blanks. */
#ifndef SIM_CORE_KERNEL_TEXT_TABLE_H
#define SIM_CORE_KERNEL_TEXT_TABLE_H

#include <stdio.h>

enum { TEXT_TABLE_COLUMNS = 40 /* at most; more are remarks */ };

/* The table comes out at fclose(), each column as wide as its longest cell or title. at_once: the titles come out now,
 * each row at its newline (and out is flushed), in columns as wide as title and least width; a longer cell moves those
 * behind it in its row, no further than to the next gap. `columns` is used until the end. If memory is exhausted the
 * program ends with exit code 1. */
FILE *text_table(FILE *out, int at_once, const char *columns);

#endif
