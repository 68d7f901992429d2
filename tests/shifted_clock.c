/* A library for LD_PRELOAD that moves the calendar clock by SHIFT_S seconds (tests/shifted_clock.py compiles it).

   Only the calendar clock moves. The monotonic clock, sleeps and timeouts stay real, and so do the times of files.
   Debian's libfaketime 0.9.10 cannot do this for Python 3.11: with a real monotonic clock time.sleep() fails with EINVAL,
   with a moved one threading.Event.wait() does not return. */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PRELOAD "LD_PRELOAD"
#define LEAST_DATE 1000000000 /* a deadline above it is a date; the monotonic clock counts from the start of the machine */
#define NEXT(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static int is_moved(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

static struct timespec real_deadline(const struct timespec *deadline) {
    struct timespec found = *deadline;
    if (found.tv_sec > LEAST_DATE) found.tv_sec -= SHIFT_S;
    return found;
}

/* ---- what reads the clock ---- */

int clock_gettime(clockid_t clock, struct timespec *now) {
    static __typeof__(&clock_gettime) next;
    if (!next) next = NEXT(clock_gettime);
    int failed = next(clock, now);
    if (!failed && is_moved(clock)) now->tv_sec += SHIFT_S;
    return failed;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec found;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &found)) return -1;
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *now) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME_COARSE, &found);
    if (now) *now = found.tv_sec;
    return found.tv_sec;
}

int timespec_get(struct timespec *now, int base) {
    return base == TIME_UTC && !clock_gettime(CLOCK_REALTIME, now) ? base : 0;
}

/* ---- what waits until a date ---- */

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *until, struct timespec *left) {
    struct timespec found = *until;
    if ((flags & TIMER_ABSTIME) && is_moved(clock)) found = real_deadline(until);
    return syscall(SYS_clock_nanosleep, clock, flags, &found, left) ? errno : 0;
}

int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict until) {
    struct timespec found = real_deadline(until);
    return NEXT(sem_timedwait)(semaphore, &found);
}

int sem_clockwait(sem_t *restrict semaphore, clockid_t clock, const struct timespec *restrict until) {
    struct timespec found = is_moved(clock) ? real_deadline(until) : *until;
    return NEXT(sem_clockwait)(semaphore, clock, &found);
}

int pthread_cond_timedwait(pthread_cond_t *restrict condition, pthread_mutex_t *restrict mutex, const struct timespec *restrict until) {
    static __typeof__(&pthread_cond_timedwait) next;
    if (!next) next = NEXT(pthread_cond_timedwait);
    struct timespec found = real_deadline(until);
    return next(condition, mutex, &found);
}

/* ---- what starts a program with an environment of its own ---- */

static char own_entry[4096];

__attribute__((constructor)) static void remember_own_entry(void) {
    for (char **entry = environ; *entry; entry++)
        if (!strncmp(*entry, PRELOAD "=", sizeof PRELOAD) && strlen(*entry) < sizeof own_entry) strcpy(own_entry, *entry);
}

static int has_entry(char *const entries[]) {
    for (; entries && *entries; entries++)
        if (!strncmp(*entries, PRELOAD "=", sizeof PRELOAD)) return 1;
    return 0;
}

static size_t count(char *const entries[]) {
    size_t found = 0;
    while (entries && entries[found]) found++;
    return found;
}

/* A macro: the new list lives on the stack of its caller, because a child of vfork() must not allocate. */
#define WITH_ENTRY(entries)                                                                                                          \
    if (*own_entry && !has_entry(entries)) {                                                                                         \
        size_t number = count(entries);                                                                                              \
        char **longer = alloca((number + 2) * sizeof *longer);                                                                       \
        if (number) memcpy(longer, entries, number * sizeof *longer);                                                                \
        longer[number] = own_entry;                                                                                                  \
        longer[number + 1] = NULL;                                                                                                   \
        entries = longer;                                                                                                            \
    }

int execve(const char *path, char *const arguments[], char *const environment[]) {
    WITH_ENTRY(environment)
    return syscall(SYS_execve, path, arguments, environment);
}

int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
                const posix_spawnattr_t *restrict attributes, char *const arguments[restrict], char *const environment[restrict]) {
    WITH_ENTRY(environment)
    return NEXT(posix_spawn)(pid, path, actions, attributes, arguments, environment);
}

int posix_spawnp(pid_t *restrict pid, const char *restrict file, const posix_spawn_file_actions_t *restrict actions,
                 const posix_spawnattr_t *restrict attributes, char *const arguments[restrict], char *const environment[restrict]) {
    WITH_ENTRY(environment)
    return NEXT(posix_spawnp)(pid, file, actions, attributes, arguments, environment);
}
