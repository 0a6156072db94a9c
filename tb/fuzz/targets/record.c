/* Records of a disk (make disk REPLAY). */
#include "sim/app/disk/disk_record.h"

#include "nx_disk.h"
#include "tb/fuzz/targets/target.h"

FUZZ(record)
{
    char error[DISK_RECORD_ERROR] = "";
    FILE *f = fuzz_file(data, size);
    disk_record_reader d = {.file = f, .path = "record", .nodes = 3};
    int more;
    sim_time last = 0;
    while ((more = disk_record_next(&d, error)) > 0) {
        CHECK(d.time >= last);
        last = d.time;
        if (!d.request) continue;
        CHECK(d.host > 0 && d.host < 3 && d.request->length <= NX_DISK_LONGEST);
        d.request->done(d.request->self, d.request);
    }
    if (more < 0) CHECK(fuzz_is_line(error) && fuzz_is_refusal(error));
    free(d.line);
    fclose(f);
}
