/* SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0 */
/* Results of nx_ functions: 0 is success, errors are negative. nx_strerror gives the kind of error; the last error text
 * of the object used says what happened, where, and what was expected (nx_last_error, nx_bus_last_error,
 * nx_file_last_error). */
#ifndef NX_ERROR_H
#define NX_ERROR_H

enum {
    NX_OK = 0,
    NX_ERROR_ARGUMENT = -1,  /* the caller asked for something that cannot be: nothing was done */
    NX_ERROR_BUS = -2,       /* an access to the device failed */
    NX_ERROR_NO_DEVICE = -3, /* there is no such device */
    NX_ERROR_NO_SPACE = -4,  /* the address window or the bus memory is used up */
    NX_ERROR_NO_MEMORY = -5, /* malloc */
    NX_ERROR_DEVICE = -6,    /* the device does not behave as documented */
    NX_ERROR_TIMEOUT = -7,   /* nothing happened for longer than allowed */
    NX_ERROR_ABANDONED = -8, /* the device skipped or abandoned descriptors: their data have not left */
    NX_ERROR_FLAGGED = -9,   /* a remote notification with bit 63 set: data of that source are lost or damaged */
    NX_ERROR_PROTOCOL = -10, /* the other node sent something that makes no sense */
    NX_ERROR_CHECKSUM = -11, /* data arrived that are not those that were sent */
    NX_ERROR_PEER = -12,     /* the other node failed or restarted */
    NX_ERROR_CALLBACK = -13  /* the caller's reader or writer reported an error */
};

/* A few words for an error; "unknown error" for others. Never NULL. */
const char *nx_strerror(int error);

#endif
