// SPDX-License-Identifier: GPL-2.0-only OR Apache-2.0
/* INTA# (S4 4.1). The top half disables the interrupt, which lets the line fall; the bottom half is a thread and wakes
 * who sleeps. Enabling is the business of who is about to sleep: it enables, looks once more, and only then sleeps.
 *
 * No interrupt is lost between that look and the sleep: with the enabling a task notes how many there have been, and
 * sleeps only as long as there are no more. So it also wakes if another task's interrupt has disabled what this one
 * had just enabled. A message of User-mode Linux is an edge: one that comes when the interrupt has been disabled
 * meanwhile is counted as stale. */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "nicxbar.h"

static struct nicxbar_sleeper *find(struct nicxbar *n, const struct task_struct *task)
{
    for (int i = 0; i < NICXBAR_SLEEPERS; i++)
        if (n->sleeper[i].task == task) return &n->sleeper[i];
    return NULL;
}

int nicxbar_enable(struct nicxbar *n, bool on)
{
    unsigned long flags;
    int result;
    spin_lock_irqsave(&n->interrupt_lock, flags);
    n->enabled = on;
    if (on) {
        struct nicxbar_sleeper *s = find(n, current);
        if (!s) s = find(n, NULL); /* none: this task will not sleep */
        if (s) *s = (struct nicxbar_sleeper){current, n->fired, n->wakes};
    } else {
        memset(n->sleeper, 0, sizeof n->sleeper); /* the last one that waited has woken */
    }
    result = pci_write_config_dword(n->pci, NICXBAR_CFG_INTERRUPT, on);
    spin_unlock_irqrestore(&n->interrupt_lock, flags);
    return result;
}

static irqreturn_t top_half(int irq, void *arg)
{
    struct nicxbar *n = arg;
    bool stale;
    spin_lock(&n->interrupt_lock);
    stale = !n->enabled;
    if (!stale) pci_write_config_dword(n->pci, NICXBAR_CFG_INTERRUPT, 0);
    n->enabled = false;
    n->stale += stale;
    n->fired += !stale;
    spin_unlock(&n->interrupt_lock);
    return stale ? IRQ_HANDLED : IRQ_WAKE_THREAD;
}

static irqreturn_t bottom_half(int irq, void *arg)
{
    struct nicxbar *n = arg;
    wake_up_all(&n->sleeping);
    return IRQ_HANDLED;
}

int nicxbar_interrupt_begin(struct nicxbar *n)
{
    return request_threaded_irq(n->pci->irq, top_half, bottom_half, IRQF_SHARED, n->name, n);
}

void nicxbar_interrupt_end(struct nicxbar *n) { free_irq(n->pci->irq, n); }

void nicxbar_wake(struct nicxbar *n)
{
    unsigned long flags;
    spin_lock_irqsave(&n->interrupt_lock, flags);
    n->wakes++;
    spin_unlock_irqrestore(&n->interrupt_lock, flags);
    wake_up_all(&n->sleeping);
}

/* 0, 1, or -1: there is no reason to wake. */
static int reason(struct nicxbar *n, const struct nicxbar_sleeper *since)
{
    int result = -1;
    unsigned long flags;
    spin_lock_irqsave(&n->interrupt_lock, flags);
    if (n->fired != since->fired) result = 0;
    else if (n->wakes != since->wakes || n->gone) result = 1;
    spin_unlock_irqrestore(&n->interrupt_lock, flags);
    return result;
}

int nicxbar_wait(struct nicxbar *n, u64 timeout_ns, unsigned int state)
{
    const bool forever = timeout_ns >= 1ull << 62;
    ktime_t until = forever ? 0 : ktime_add_ns(ktime_get(), timeout_ns);
    struct nicxbar_sleeper since = {}, *s;
    DEFINE_WAIT(wait);
    unsigned long flags;
    int result;
    spin_lock_irqsave(&n->interrupt_lock, flags);
    s = find(n, current);
    if (s) {
        since = *s;
        s->task = NULL;
    }
    spin_unlock_irqrestore(&n->interrupt_lock, flags);
    if (!since.task) return 1; /* it looks again, and enables the interrupt */
    for (;;) {
        prepare_to_wait(&n->sleeping, &wait, state);
        if ((result = reason(n, &since)) >= 0) break;
        if (state == TASK_INTERRUPTIBLE && signal_pending(current)) {
            result = 1;
            break;
        }
        if (!schedule_hrtimeout(forever ? NULL : &until, HRTIMER_MODE_ABS)) {
            result = reason(n, &since);
            break;
        }
    }
    finish_wait(&n->sleeping, &wait);
    return result;
}
