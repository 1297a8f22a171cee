/* Lets the power fail, for tests: linked around pwrite and fsync (make failing). POWER_FAILS_AT counts the writes, and
 * POWER_FAILS_BY says what becomes of the last one: it is `lost` with all since the last sync, or `torn`: its first half is there.
 * `ahead`: it is whole, and those before it since the last sync are lost. */
#define _POSIX_C_SOURCE 200809L

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

ssize_t __real_pwrite(int file, const void *bytes, size_t length, off_t at);
int __real_fsync(int file);
ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t at);
int __wrap_fsync(int file);

#define POWER_FAILED 86
#define MOST_UNSYNCED 64
#define LARGEST_WRITE 32768

/* What a write that was not synced has replaced. */
struct replaced {
    int file;
    off_t at;
    size_t length;
    char bytes[LARGEST_WRITE];
};

static struct replaced replaced[MOST_UNSYNCED];
static int unsynced, writes;

static void remember(int file, size_t length, off_t at)
{
    struct replaced *last = &replaced[unsynced];
    if (unsynced == MOST_UNSYNCED || length > LARGEST_WRITE) abort();
    unsynced += 1;
    last->file = file;
    last->at = at;
    last->length = length;
    memset(last->bytes, 0, length);
    if (pread(file, last->bytes, length, at) < 0) abort();
}

static void fail_now(const char *how, int file, const void *bytes, size_t length, off_t at)
{
    bool is_torn = strcmp(how, "torn") == 0;
    for (int n = is_torn ? 0 : unsynced; n-- > 0;)
        __real_pwrite(replaced[n].file, replaced[n].bytes, replaced[n].length, replaced[n].at);
    if (strcmp(how, "lost") != 0) __real_pwrite(file, bytes, is_torn ? length / 2 : length, at);
    _exit(POWER_FAILED);
}

ssize_t __wrap_pwrite(int file, const void *bytes, size_t length, off_t at)
{
    const char *when = getenv("POWER_FAILS_AT"), *how = getenv("POWER_FAILS_BY");
    writes += 1;
    if (when && how && writes == atoi(when)) fail_now(how, file, bytes, length, at);
    remember(file, length, at);
    return __real_pwrite(file, bytes, length, at);
}

int __wrap_fsync(int file)
{
    unsynced = 0;
    return __real_fsync(file);
}
