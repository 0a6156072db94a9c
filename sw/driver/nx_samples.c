// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* Samples: access, files, table, picture; see nx_samples.h. */
#include "nx_samples.h"

#include <inttypes.h>
#include <string.h>

#include "nx_internal.h"
#include "nx_number.h"

enum { VERSION = 2, ROWS_DRAWN = 200 };

static int built(nx_device *dev)
{
    uint32_t what;
    int error = nx_register_read(dev, NIC_MONITORING, &what);
    if (error || what & NIC_MONITORING_BUILT_MASK) return error;
    return nx_fail(dev, NX_ERROR_ARGUMENT,
                   "MONITORING reads 0: this device takes no samples, expected one built with MONITORING=1");
}

int nx_samples_start(nx_device *dev, uint32_t interval, uint32_t count)
{
    int error;
    if ((error = built(dev)) || (error = nx_register_write(dev, NIC_SAMPLE_COUNT, 0)) ||
        (error = nx_register_write(dev, NIC_SAMPLE_INTERVAL, interval)))
        return error;
    return nx_register_write(dev, NIC_SAMPLE_COUNT, count);
}

/* The sums of all, or of one after the other. */
static int take_sample(nx_device *dev, unsigned entry, unsigned links, nx_sample *to)
{
    int error = 0;
    for (unsigned l = 0; !error && l < links; l++) {
        uint32_t which = links > 1 ? 1u << (NIC_SAMPLE_INDEX_LINKS_SHIFT + l) : 0;
        error = nx_register_write(dev, NIC_SAMPLE_INDEX, entry | which);
        if (!error) error = nx_register_read(dev, NIC_SAMPLE_DATA, &to->link_out[l]);
        if (!error) error = nx_register_read(dev, NIC_SAMPLE_DATA_IN, &to->link_in[l]);
        to->out += to->link_out[l];
        to->in += to->link_in[l];
    }
    return error ? error : nx_register_read(dev, NIC_SAMPLE_STALLED, &to->stalled);
}

int nx_samples_take(nx_device *dev, nx_samples *s)
{
    static const unsigned khz[] = {0, 66667, 100000, 133333};
    uint32_t class = 0, what = 0, build = 0;
    int error;
    memset(s, 0, sizeof *s);
    s->node = dev->params.node_id;
    if ((error = built(dev)) || (error = nx_register_write(dev, NIC_SAMPLE_COUNT, 0)) ||
        (error = nx_register_read(dev, NIC_SAMPLE_INTERVAL, &s->interval)) ||
        (error = nx_register_read(dev, NIC_SAMPLE_TAKEN, &s->taken)) ||
        (error = nx_register_read(dev, NIC_BUS_CLASS, &class)) ||
        (error = nx_register_read(dev, NIC_MONITORING, &what)) || (error = nx_register_read(dev, NIC_BUILD, &build)))
        return error;
    s->links = what & NIC_MONITORING_EACH_MASK ? (build & NIC_BUILD_LINKS_MASK) >> NIC_BUILD_LINKS_SHIFT : 1;
    if (!s->interval) s->interval = 1;
    s->pci_khz = khz[class & NIC_BUS_CLASS_FREQUENCY_MASK];
    s->count = s->taken < NX_SAMPLES ? s->taken : NX_SAMPLES;
    for (unsigned i = 0; !error && i < s->count; i++)
        error = take_sample(dev, (s->taken - s->count + i) % NX_SAMPLES, s->links, &s->sample[i]);
    return error;
}

int nx_samples_save(const nx_samples *s, FILE *file)
{
    fprintf(file, "nxsample %d node %u pci_khz %u interval %" PRIu32 " links %u taken %" PRIu32 " samples %u\n",
            VERSION, s->node, s->pci_khz, s->interval, s->links, s->taken, s->count);
    for (unsigned i = 0; i < s->count; i++) {
        const nx_sample *from = &s->sample[i];
        for (unsigned l = 0; l < s->links; l++)
            fprintf(file, "%" PRIu32 " %" PRIu32 " ", s->links > 1 ? from->link_out[l] : from->out,
                    s->links > 1 ? from->link_in[l] : from->in);
        fprintf(file, "%" PRIu32 "\n", from->stalled);
    }
    fprintf(file, "end\n");
    return fflush(file) || ferror(file) ? -1 : 0;
}

int nx_samples_load(nx_samples *s, FILE *file, char *why, size_t size)
{
    char line[160] = "";
    const char *at = line;
    memset(s, 0, sizeof *s);
    int whole = nx_line(file, line, sizeof line);
    unsigned version = (unsigned)nx_number_behind(&at, "nxsample ", 10, UINT32_MAX);
    if (!at) return snprintf(why, size, "line 1: no samples, expected 'nxsample %d' at its start", VERSION), -1;
    if (version < 1 || version > VERSION)
        return snprintf(why, size, "line 1: samples of version %u, expected version 1 to %d", version, VERSION), -1;
    s->node = (unsigned)nx_number_behind(&at, " node ", 10, UINT32_MAX);
    s->pci_khz = (unsigned)nx_number_behind(&at, " pci_khz ", 10, UINT32_MAX);
    s->interval = (uint32_t)nx_number_behind(&at, " interval ", 10, UINT32_MAX);
    s->links = version > 1 ? (unsigned)nx_number_behind(&at, " links ", 10, NX_SAMPLE_LINKS) : 1;
    s->taken = (uint32_t)nx_number_behind(&at, " taken ", 10, UINT32_MAX);
    s->count = (unsigned)nx_number_behind(&at, " samples ", 10, NX_SAMPLES);
    if (!whole || !at || *at || s->count > s->taken || (s->taken && !s->count) || !s->pci_khz || !s->interval ||
        !s->links)
        return snprintf(
                   why, size,
                   "line 1: '%.100s', expected node, pci_khz, interval, links, taken, and samples: up to %d, none only "
                   "if none was taken",
                   line, NX_SAMPLES),
               -1;
    for (unsigned i = 0; i < s->count; i++) {
        nx_sample *to = &s->sample[i];
        if (!nx_line(file, line, sizeof line))
            return snprintf(why, size, "line %u: cut off, expected %u samples, there are %u", i + 2, s->count, i), -1;
        at = line;
        for (unsigned l = 0; l < s->links; l++) {
            to->link_out[l] = (uint32_t)nx_number_behind(&at, l ? " " : "", 10, UINT32_MAX);
            to->link_in[l] = (uint32_t)nx_number_behind(&at, " ", 10, UINT32_MAX);
            to->out += to->link_out[l];
            to->in += to->link_in[l];
        }
        to->stalled = (uint32_t)nx_number_behind(&at, " ", 10, UINT32_MAX);
        if (!at || *at)
            return snprintf(why, size, "line %u: '%.100s', expected a sample: %u numbers", i + 2, line,
                            2 * s->links + 1),
                   -1;
    }
    if (!nx_line(file, line, sizeof line) || strcmp(line, "end"))
        return snprintf(why, size, "line %u: cut off or damaged, expected end", s->count + 2), -1;
    return 0;
}

nx_rate nx_samples_rate(const nx_samples *s, int a, int b)
{
    uint32_t first = s->taken - s->count;
    double us = (double)s->interval * 1000 / s->pci_khz; /* of one sample */
    nx_sample from = a < 0 ? (nx_sample){0} : s->sample[a], to = s->sample[b];
    double clocks = (double)s->interval * (b - a), seconds = us * 1e-6 * (b - a), mib = 8.0 / (1 << 20);
    return (nx_rate){us * ((double)first + a + 1), us * ((double)first + b + 1), (to.out - from.out) * mib / seconds,
                     (to.in - from.in) * mib / seconds, (to.stalled - from.stalled) * 100.0 / clocks};
}

/* Row `row` of `rows`: from one sample to another one. Where samples are missing before the first, that is where it
 * starts. */
static nx_rate row_of(const nx_samples *s, unsigned row, unsigned rows)
{
    int start = s->taken > s->count ? 0 : -1, all = (int)s->count - 1 - start;
    return nx_samples_rate(s, start + all * (int)row / (int)rows, start + all * (int)(row + 1) / (int)rows);
}

static unsigned rows_of(const nx_samples *s, unsigned most)
{
    unsigned all = s->taken > s->count ? s->count - 1 : s->count;
    return all < most ? all : most;
}

void nx_samples_print(const nx_samples *s, unsigned most, FILE *file)
{
    unsigned rows = rows_of(s, most);
    fprintf(file, "node %u: %" PRIu32 " samples, one every %" PRIu32 " clocks of %.1f MHz%s\n", s->node, s->taken,
            s->interval, s->pci_khz / 1e3, s->taken > s->count ? "; the last 2048" : "");
    if (!rows) return;
    fprintf(
        file,
        "      from        to       out        in   without\n      [us]      [us]   [MiB/s]   [MiB/s]  credit [%%]\n");
    for (unsigned i = 0; i <= rows; i++) {
        nx_rate r = i < rows ? row_of(s, i, rows) : row_of(s, 0, 1);
        if (i == rows) fprintf(file, "in all\n");
        fprintf(file, "%10.2f%10.2f%10.1f%10.1f%12.1f\n", r.from_us, r.to_us, r.out_mibs, r.in_mibs, r.stalled_percent);
    }
    for (unsigned l = 0; s->links > 1 && l < s->links; l++) {
        static nx_samples one;
        one = (nx_samples){.pci_khz = s->pci_khz, .interval = s->interval, .taken = s->taken, .count = s->count};
        for (unsigned i = 0; i < s->count; i++)
            one.sample[i] = (nx_sample){.out = s->sample[i].link_out[l], .in = s->sample[i].link_in[l]};
        nx_rate r = row_of(&one, 0, 1);
        fprintf(file, "link %u%23.1f%10.1f\n", l, r.out_mibs, r.in_mibs);
    }
}

void nx_samples_draw(const nx_samples *s, FILE *file)
{
    enum { LEFT = 70, TOP = 40, WIDTH = 800, HEIGHT = 300, LINES = 5 };
    static const char *const colour[] = {"#1f6fb4", "#d1495b"}, *const name[] = {"out", "in"};
    unsigned rows = rows_of(s, ROWS_DRAWN);
    double top = 100, step = 25, first = 0, last = 1;
    for (unsigned i = 0; i < rows; i++) {
        nx_rate r = row_of(s, i, rows);
        if (!i) first = r.from_us;
        last = r.to_us;
        if (top < r.out_mibs) top = r.out_mibs;
        if (top < r.in_mibs) top = r.in_mibs;
    }
    fprintf(
        file,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n"
        "<rect width=\"100%%\" height=\"100%%\" fill=\"#ffffff\"/>\n<text x=\"%d\" y=\"22\" font-size=\"15\">node %u: "
        "words past the "
        "FIFOs of the "
        "NIC, sampled every %" PRIu32 " PCI clocks</text>\n",
        LEFT + WIDTH + 70, TOP + HEIGHT + 60, LEFT, s->node, s->interval);
    for (unsigned i = 0; i < rows; i++) { /* behind the lines: how much of the time no packet had credit */
        nx_rate r = row_of(s, i, rows);
        double x = LEFT + (r.from_us - first) / (last - first) * WIDTH,
               w = (r.to_us - r.from_us) / (last - first) * WIDTH;
        double h = r.stalled_percent / 100 * HEIGHT;
        if (h > 0)
            fprintf(
                file,
                "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"#e9c46a\" fill-opacity=\"0.5\"/>\n",
                x, TOP + HEIGHT - h, w, h);
    }
    for (; step * LINES < top; step *= 2) continue;
    top = step * LINES;
    for (double y = 0; y <= top; y += step)
        fprintf(
            file,
            "<path d=\"M%d %.1fh%d\" stroke=\"#cccccc\"/><text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%.0f</text>\n",
            LEFT, TOP + HEIGHT - y / top * HEIGHT, WIDTH, LEFT - 8, TOP + HEIGHT - y / top * HEIGHT + 4, y);
    for (int i = 0; i <= 8; i++)
        fprintf(file, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%.1f</text>\n", LEFT + WIDTH * i / 8,
                TOP + HEIGHT + 20, first + (last - first) * i / 8);
    for (int line = 0; line < 2; line++) {
        fprintf(file, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\" points=\"", colour[line]);
        for (unsigned i = 0; i < rows; i++) {
            nx_rate r = row_of(s, i, rows);
            double y = TOP + HEIGHT - (line ? r.in_mibs : r.out_mibs) / top * HEIGHT;
            fprintf(file, "%.2f,%.2f %.2f,%.2f ", LEFT + (r.from_us - first) / (last - first) * WIDTH, y,
                    LEFT + (r.to_us - first) / (last - first) * WIDTH, y);
        }
        fprintf(file, "\"/>\n<text x=\"%d\" y=\"%d\" fill=\"%s\">%s</text>\n", LEFT + WIDTH + 8, TOP + 20 + 20 * line,
                colour[line], name[line]);
    }
    fprintf(file,
            "<text x=\"%d\" y=\"%d\" fill=\"#8a6d1d\">without</text><text x=\"%d\" y=\"%d\" "
            "fill=\"#8a6d1d\">credit</text>\n"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">us since the first transfer</text>\n<text x=\"12\" "
            "y=\"22\">MiB/s</text>\n</svg>\n",
            LEFT + WIDTH + 8, TOP + 60, LEFT + WIDTH + 8, TOP + 76, LEFT + WIDTH / 2, TOP + HEIGHT + 44);
}
