/* Files with results: there as a whole, or as they were before; and never of two runs at once. */
#ifndef SIM_CORE_KERNEL_RESULTS_H
#define SIM_CORE_KERNEL_RESULTS_H

struct json_t;

/* Is the file's until the program ends: the path itself, or, while another program has it, one with a number,
 * "sim-2.json", which is said on stderr. The caller frees it. */
char *results_claim(const char *path);
/* Whether it is no file but a device, a terminal or a folder. */
int results_is_device(const char *path);
/* Writes and frees `all`, NULL: memory is exhausted. Not 0 if the file could not be written (said on stderr). */
int results_write(struct json_t *all, const char *path);

#endif
