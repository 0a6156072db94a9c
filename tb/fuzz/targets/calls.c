/* NBD requests as nbdkit's plugin hands them to the server of make disk: the first byte says how many bytes come at a
 * time. */
#include "sim/app/disk/disk_wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include "nx_disk.h"
#include "tb/fuzz/targets/target.h"

FUZZ(calls)
{
    int both[2], got = 0;
    size_t at = 1, step = size && data[0] ? data[0] : 4096;
    CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, both));
    disk_wire_reader r = {.fd = both[0]};
    while (got >= 0) {
        const size_t part = at < size ? (size - at < step ? size - at : step) : 0;
        if (part) CHECK(send(both[1], data + at, part, MSG_NOSIGNAL) == (ssize_t)part);
        else shutdown(both[1], SHUT_WR);
        at += part;
        while ((got = disk_wire_take(&r)) > 0) {
            const size_t length = r.call.length;
            uint8_t *bytes = disk_wire_data(&r);
            if (r.call.operation == NX_DISK_READ && length)
                bytes[0] = bytes[length - 1] = 0; /* as the service does, of all */
            if (r.call.operation == NX_DISK_WRITE) CHECK(length <= size);
            free(bytes);
        }
        if (r.data) CHECK(r.call.length <= NX_DISK_LONGEST);
    }
    disk_wire_free(&r);
    close(both[0]);
    close(both[1]);
}
