/* The life of a firmware on the device: started, confirmed or rolled back; asked for, loaded, checked, switched to. */
#ifndef UPDATE_H
#define UPDATE_H

#include "connection.h"
#include "flash.h"

struct device_firmware {
    struct flash flash;
    struct keys keys;
    const char *hardware;
    struct manifest running;
    uint8_t offered[MANIFEST_SIZE]; /* stays here from its check until it is in the slot */
};

/* At the factory: writes the first image and its manifest into an empty flash. False if they do not fit together. */
bool factory_write(struct device_firmware *firmware, const char *image, const char *manifest, uint8_t *scratch,
                   size_t size);

/* What a bootloader does: chooses the slot that is started, and checks it. False if none can be. */
bool boot(struct device_firmware *firmware);

/* Whether this start is one of a new firmware that has not come up before. */
bool is_on_trial(const struct device_firmware *firmware);

/* For a new firmware that has come up: says so to the service, and stays. False if the service was not reached. */
bool confirm(struct device_firmware *firmware, struct service *service);

enum progress {
    UP_TO_DATE, /* nothing is offered, or it is refused and the service knows */
    CUT,        /* go on later, where it stopped */
    SWITCHED,   /* restart */
    BROKEN      /* the flash cannot be read or written */
};

/* Asks, and goes on with what is offered as far as the line lets it. `answer` says why it is CUT. */
enum progress update(struct device_firmware *firmware, struct service *service, struct answer *answer);

#endif
