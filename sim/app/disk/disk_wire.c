#include "sim/app/disk/disk_wire.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "nx_disk.h"

static int has_data(const disk_wire_call *c) { return c->operation == NX_DISK_WRITE || c->operation == NX_DISK_READ; }

int disk_wire_take(disk_wire_reader *r)
{
    const size_t head = sizeof r->call;
    for (;;) {
        const size_t all = head + (r->got >= head && r->call.operation == NX_DISK_WRITE ? r->call.length : 0);
        if (r->got >= head && r->got == all) return 1;
        uint8_t *to = r->got < head ? (uint8_t *)&r->call + r->got : r->data + (r->got - head);
        const ssize_t got = recv(r->fd, to, all - r->got, MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
        if (got <= 0) return -1;
        r->got += (size_t)got;
        if (r->got != head || !has_data(&r->call)) continue;
        if (r->call.length > NX_DISK_LONGEST) {
            fprintf(stderr, "block: a call with %u bytes of data; expected %d at most\n", r->call.length,
                    NX_DISK_LONGEST);
            return -1;
        }
        if (!(r->data = malloc(r->call.length + 1u))) {
            perror("block: data of a request");
            exit(1);
        }
    }
}

void *disk_wire_data(disk_wire_reader *r)
{
    void *data = r->data;
    r->data = NULL;
    r->got = 0;
    return data;
}

void disk_wire_free(disk_wire_reader *r) { free(disk_wire_data(r)); }
