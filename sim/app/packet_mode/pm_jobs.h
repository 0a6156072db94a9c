/* Jobs in processes of their own, a limited number at a time; for make curves and make shares. */
#ifndef SIM_APP_PACKET_MODE_PM_JOBS_H
#define SIM_APP_PACKET_MODE_PM_JOBS_H

enum { PM_MOST_JOBS = 64 }; /* at a time */

typedef struct pm_jobs {
    unsigned at_a_time;             /* 1 .. PM_MOST_JOBS */
    int (*next)(void *self);        /* number of the one to be started now; -1: there is none, or it waits for others */
    int (*make)(void *self, int n); /* in the new process: its exit code, 0: done */
    void (*over)(void *self, int n, int code); /* in the old one; code: 128 and more: by this signal */
    void (*show)(void *self);                  /* the same, before it waits: progress */
    void *self;
} pm_jobs;
/* 0; 1: one failed, after which none is started; 130: a signal came, and stopped them. */
int pm_jobs_run(const pm_jobs *j);

#endif
