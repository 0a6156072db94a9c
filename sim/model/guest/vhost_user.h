/* Front end for User-mode Linux: the device's end of the vhost-user socket of its drivers virtio_uml and virt-pci, one
 * connection. What they send (include/uapi/linux/virtio_pcidev.h in Linux) becomes accesses of a guest_device.
 *
 *     vhost_user *v = vhost_user_new(socket, &device);      owns the socket
 *     if (vhost_user_receive(v)) ...                        whenever vhost_user_fd() can be read
 *     vhost_user_free(v);                                   unplugs
 *
 * Messages, in the order in which Linux 6.1 sends them: SET_OWNER, GET_FEATURES, GET_PROTOCOL_FEATURES,
 * SET_PROTOCOL_FEATURES, SET_SLAVE_REQ_FD (with it), SET_FEATURES, SET_MEM_TABLE (with the file: the device is
 * plugged), for each queue SET_VRING_NUM, SET_VRING_BASE, SET_VRING_ADDR; SET_VRING_ENABLE; then VRING_KICK for each
 * command. Notifications are in band, which time travel needs: each has an answer, so the guest goes on only when it is
 * handled. Queue 0 has commands, queue 1 buffers for interrupts.
 *
 * A store is taken off its queue at once. A read stays there until the device has answered; the guest looks for that in
 * its memory.
 *
 * A guest that sends anything else is refused: a text says what came and what was expected, and the connection is of no
 * more use. */
#ifndef SIM_MODEL_GUEST_VHOST_USER_H
#define SIM_MODEL_GUEST_VHOST_USER_H

#include "sim/model/guest/guest_access.h"

enum { VHOST_USER_COMMANDS, VHOST_USER_INTERRUPTS, VHOST_USER_QUEUES };
enum { VHOST_USER_PAYLOAD = 512, VHOST_USER_FDS = 8 };

typedef struct vhost_user_header {
    uint32_t request, flags, size;
} vhost_user_header;

typedef struct vhost_user vhost_user;

/* The device must outlive it. NULL: no memory left. */
vhost_user *vhost_user_new(int socket, const guest_device *d);
void vhost_user_free(vhost_user *v);

/* To wait for: the socket, and the one on which calls are answered, -1: none. */
int vhost_user_fd(const vhost_user *v);
int vhost_user_call_fd(const vhost_user *v);

/* Reads what is there without waiting. 0; 1: the guest has closed the socket; -1: refused. */
int vhost_user_receive(vhost_user *v);
/* The same on the call_fd. */
int vhost_user_receive_answer(vhost_user *v);
/* Why it was refused. */
const char *vhost_user_error(const vhost_user *v);
/* One message, whole, as if it had come from the socket; these files are now this one's. 0 or -1. */
int vhost_user_take(vhost_user *v, const vhost_user_header *h, const uint8_t *payload, const int *fds, unsigned count);

/* The answer to a read: the device's call. */
void vhost_user_answered(void *self, uint32_t ticket, const uint8_t *data, uint32_t size);
/* Sends a message that INTA# is low, if the last one is answered. 0: sent; 1: the guest has no buffer for one; -1:
 * refused. */
int vhost_user_interrupt(vhost_user *v);
/* 1: a message has been sent, and not been answered. */
int vhost_user_calling(const vhost_user *v);
/* What the guest did last, in words. */
const char *vhost_user_last(const vhost_user *v);

#endif
