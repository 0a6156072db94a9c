/* Requests of a disk, and the records of them (make disk REPLAY=): written by disk_record.c, read here. */
#ifndef SIM_APP_DISK_DISK_RECORD_H
#define SIM_APP_DISK_DISK_RECORD_H

#include <stdint.h>
#include <stdio.h>

#include "sim/core/kernel/sim.h"

enum { DISK_RECORD_ERROR = 400 };

/* One request from outside. The service writes `status` and calls done(): the request is the caller's again. */
typedef struct disk_request disk_request;
struct disk_request {
    unsigned operation, flags; /* enum nx_disk_operation; NX_DISK_FUA */
    uint64_t offset;           /* [bytes] */
    uint32_t length;           /* [bytes] */
    void *data;                /* must stay until done */
    unsigned status;           /* out: enum nx_disk_status */
    uint64_t verifier;         /* of a flush, in and out: the write verifier that its client knows (nx_disk_verifier) */
    void (*done)(void *self, disk_request *r);
    void *self;
};

/* The first line of a record. The lines behind it: time [ps], host, operation, flags, offset, length, write verifier,
 * and the data of a write in hex; or time and "stop": the initiators were asked to; the last one: time and "end". */
#define RECORD_BEGIN "nicxbar-block 3\n"
#define RECORD_STOP "stop"
#define RECORD_END "end"

/* A record, read line by line; {.file, .path, .nodes, .time} are given, `line` is freed by the caller. */
typedef struct disk_record_reader {
    FILE *file;
    const char *path;
    unsigned nodes; /* of the system; hosts are below it */
    sim_time time;  /* of the last line; at first, when the service began */
    unsigned number, host;
    int end, stop;
    disk_request *request; /* NULL: the line is one of RECORD_STOP or RECORD_END; its done() frees it */
    char *line;
    size_t room;
} disk_record_reader;
/* 1: a line; 0: there are no more; -1: it is none, or the record is not whole: error says which line, and what was
 * expected. */
int disk_record_next(disk_record_reader *d, char error[DISK_RECORD_ERROR]);

#endif
