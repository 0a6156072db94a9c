/* nxsample: each host sends messages to the next one while its NIC takes samples: bandwidth over time, as a table
 * (S1 3.1.4.2, S4 4.3).
 *
 *   nxsample [--interval CLOCKS] [--messages N] [--size BYTES] [--capacity UNITS] [--rows N] [--save NAME]
 *
 * A sample every 100 PCI clocks (0: none, only the messages); 64 messages of 4096 bytes; a table of 16 rows.
 * --capacity: receive buffer that the senders assume [link words]: how much a careful estimate costs (S4 4.3). --save:
 * NAME.0, NAME.1 ... are for the tool nxsample. A NIC without sampling facility is refused: NIC=monitored.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nic_register_map.h"
#include "nx_host.h"
#include "nx_number.h"
#include "nx_samples.h"
#include "nx_save.h"

static nx_samples samples;

static int failed(nx_host *host, const char *what)
{
    nx_print(host, "%s: %s", what, nx_last_error(host->device));
    return 1;
}

static int send_messages(nx_host *host, unsigned bytes, unsigned messages, uint64_t source)
{
    unsigned to = (host->rank + 1) % host->hosts, from = (host->rank + host->hosts - 1) % host->hosts;
    nx_notification n;
    for (unsigned i = 0; i < messages; i++)
        if (nx_transfer(host->device, to, source, (uint32_t)host->shared, bytes,
                        i + 1 < messages ? 0 : NX_REMOTE | NX_LOCAL, NULL))
            return failed(host, "not sent");
    return nx_notification_wait(host->device, host->node_id[from], &n) || nx_drain(host->device, to)
               ? failed(host, "not received")
               : 0;
}

static int report(nx_host *host, unsigned rows, const char *name)
{
    char *text = NULL, path[512];
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out) return 1;
    nx_samples_print(&samples, rows, out);
    fclose(out);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) nx_print(host, "%s", line);
    free(text);
    if (!name) return 0;
    snprintf(path, sizeof path, "%s.%u", name, host->rank);
    if ((out = nx_save_open(path)) && !nx_save_close(out, path, nx_samples_save(&samples, out))) return 0;
    return nx_print(host, "%s: %s", path, strerror(errno)), 1;
}

int nx_main(nx_host *host, int argc, char **argv)
{
    static const struct option options[] = {{"interval", required_argument, NULL, 'i'},
                                            {"messages", required_argument, NULL, 'm'},
                                            {"size", required_argument, NULL, 's'},
                                            {"capacity", required_argument, NULL, 'c'},
                                            {"rows", required_argument, NULL, 'r'},
                                            {"save", required_argument, NULL, 'f'},
                                            {0}};
    unsigned interval = 100, messages = 64, bytes = 4096, capacity = 0, rows = 16;
    const char *name = NULL;
    int c;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (c == 'i' && nx_number(optarg, 0, UINT32_MAX, &interval)) continue;
        if (c == 'm' && nx_number(optarg, 1, UINT32_MAX, &messages)) continue;
        if (c == 's' && nx_number(optarg, 1, UINT32_MAX, &bytes) && bytes % 8 == 0 && bytes <= host->shared_bytes)
            continue;
        if (c == 'c' && nx_number(optarg, 128, 4064, &capacity)) continue;
        if (c == 'r' && nx_number(optarg, 1, UINT32_MAX, &rows)) continue;
        if (c == 'f' && (name = optarg)) continue;
        nx_print(host, "expected [--interval CLOCKS] [--messages N] [--size BYTES], a multiple of 8, [--capacity "
                       "UNITS], 128..4064, [--rows N] "
                       "[--save NAME]");
        return 2;
    }
    uint64_t source = host->platform->alloc(host->platform->self, bytes, 8);
    if (!source) return nx_print(host, "no memory for messages of %u bytes", bytes), 1;
    if (capacity && nx_register_write(host->device, NIC_TX_CAPACITY, capacity)) return failed(host, "capacity");
    if (interval && nx_samples_start(host->device, interval, 0xffffffff)) return failed(host, "no samples");
    int result = send_messages(host, bytes, messages, source);
    if (interval && nx_samples_take(host->device, &samples)) return failed(host, "no samples");
    host->platform->release(host->platform->self, source, bytes);
    return result || (interval && report(host, rows, name));
}
