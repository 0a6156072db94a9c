/* pcap files. */
#define _GNU_SOURCE /* memfd_create */
#include "sim/model/ethernet/pcap.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tb/fuzz/targets/target.h"

FUZZ(pcap)
{
    char path[40], error[ETHERNET_ERROR] = "";
    int fd = memfd_create("pcap", MFD_CLOEXEC), more;
    pcap_frame frame;
    uint64_t sum = 0;
    CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    pcap_reader *r = pcap_reader_new(path, error);
    if (!r) CHECK(fuzz_is_line(error) && fuzz_is_refusal(error));
    while (r && (more = pcap_read(r, &frame, error)) != 0) {
        if (more < 0) {
            CHECK(fuzz_is_line(error) && fuzz_is_refusal(error));
            break;
        }
        for (uint32_t i = 0; i < frame.length; i++) sum += frame.bytes[i];
    }
    CHECK(sum <= 255 * (uint64_t)size);
    pcap_reader_free(r);
    close(fd);
}
