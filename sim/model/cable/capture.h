/*
 * Frames of cables as a pcapng file, for Wireshark and tshark; scripts/wireshark/nicxbar.lua parses them.
 *
 *     capture *c = capture_new("frames.pcapng");
 *     capture_attach(c, cable, 0, "node0", "switch");       two interfaces, node0>switch and switch>node0
 *     ... run ...
 *     if (capture_close(c, &frames)) ...                    the file opens in any case
 *
 * A packet of the file is a frame as it goes onto the wire, after faults: its words from the SOP to the next K
 * character, [31:24] first, at most CAPTURE_WORDS of them. The time is that of the SOP on the port of the chip [ns].
 * The link type is USER0 (147). A frame with wrong code groups has the flag "symbol error". A cut cable loses frames
 * behind the place where they are seen. Links by byte are one interface: a frame has the one credit word that all links
 * have, and no zero bytes behind its end. Of links by packet if_description says so.
 */
#ifndef SIM_MODEL_CABLE_CAPTURE_H
#define SIM_MODEL_CABLE_CAPTURE_H

#include <stdint.h>

struct cable;

enum { CAPTURE_WORDS = 4096, CAPTURE_LINK_TYPE = 147 };

typedef struct capture capture;

/* NULL: the file cannot be made, or there is no memory (errno). */
capture *capture_new(const char *path);
/* A link of the cable, or all of them by byte, between chips of these names (at most 31 characters). -1: no memory.
 * Must outlive the cable's last run. */
int capture_attach(capture *c, struct cable *wire, unsigned link, const char *a, const char *b);
/* Ends the file and frees; NULL is allowed. The number of frames in it. Not 0, and errno says why: not all could be
 * written, nothing was after that, and what had been is whole. */
int capture_close(capture *c, uint64_t *frames);

#endif
