/* Ethernet frames in pcap files: a writer with simulated time in nanoseconds, and a reader of any such file.
 *
 *     pcap_writer *p = pcap_writer_new("build/roce.pcap", error);
 *     pcap_attach(p, wire, ETHERNET_SENT);                 every frame of the wire, both directions
 *     ... run ...
 *     if (pcap_close(p, &frames, error)) ...               the file opens in any case
 *
 * The format: draft-ietf-opsawg-pcap, magic number a1b23c4d (nanoseconds), link type 1 (Ethernet), frames without FCS.
 * The reader takes microseconds, too, and both byte orders.
 */
#ifndef SIM_MODEL_ETHERNET_PCAP_H
#define SIM_MODEL_ETHERNET_PCAP_H

#include "sim/model/ethernet/ethernet_wire.h"

enum { PCAP_LONGEST = 65535 /* [bytes] of a frame */ };

typedef struct pcap_writer pcap_writer;

/* NULL: the file cannot be made, or there is no memory: error names the file and says why. */
pcap_writer *pcap_writer_new(const char *path, char error[ETHERNET_ERROR]);
/* A frame at this simulated time [ps]; of longer ones than PCAP_LONGEST the first bytes. After a failure it does
 * nothing. */
void pcap_write(pcap_writer *p, sim_time time, const uint8_t *frame, size_t length);
/* Every frame of a wire. It must outlive the wire's last run. -1: the wire has too many observers. */
int pcap_attach(pcap_writer *p, ethernet_wire *w, ethernet_place place);
/* Ends the file and frees; NULL is allowed. The number of frames in it. -1: not all could be written; error says in one
 * line which file, why, and how many frames it has. */
int pcap_close(pcap_writer *p, uint64_t *frames, char error[ETHERNET_ERROR]);

typedef struct pcap_reader pcap_reader;
typedef struct pcap_frame {
    uint64_t time;        /* [ns] */
    uint32_t length;      /* bytes that are here */
    uint32_t sent;        /* bytes that the frame had */
    const uint8_t *bytes; /* valid until the next call */
} pcap_frame;

/* NULL: there is no such file, or it is none of Ethernet frames: error names it, and says what was expected. */
pcap_reader *pcap_reader_new(const char *path, char error[ETHERNET_ERROR]);
/* 1: a frame. 0: there are no more. -1: the file is cut short or damaged: error names it, the frame, and what was
 * expected. */
int pcap_read(pcap_reader *r, pcap_frame *frame, char error[ETHERNET_ERROR]);
void pcap_reader_free(pcap_reader *r);

#endif
