/* Files with results: there as a whole, or as they were before. */
#ifndef SIM_RUNTIME_RESULTS_H
#define SIM_RUNTIME_RESULTS_H

struct json_t;

/* Writes and frees `all`, NULL: memory is exhausted. Not 0 if the file could not be written (said on stderr). */
int results_write(struct json_t *all, const char *path);

#endif
