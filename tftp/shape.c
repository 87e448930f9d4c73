#include "tftp/shape.h"

#define END UINT8_MAX

/* clang-format off */
static const struct {
    enum tftp_kind kind;
    uint8_t order[TFTP_OPT_COUNT + 1]; /* the options asked, END behind them */
    uint32_t least;                    /* of blksize */
    uint32_t most;
} shapes[] = {
    {TFTP_KIND_EDK2,          {TFTP_BLKSIZE, TFTP_WINDOWSIZE, END}, 512, 65464},
    {TFTP_KIND_EDK2,          {TFTP_TSIZE, TFTP_BLKSIZE, TFTP_WINDOWSIZE, END}, 512, 65464},
    {TFTP_KIND_EDK2_LOCKSTEP, {TFTP_BLKSIZE, END}, 512, 512}, /* shim asks so */
    {TFTP_KIND_EDK2_LOCKSTEP, {TFTP_BLKSIZE, END}, 1428, 1468},
    {TFTP_KIND_UBOOT,         {TFTP_TIMEOUT, TFTP_BLKSIZE, TFTP_WINDOWSIZE, END}, 512, 65464},
    {TFTP_KIND_UBOOT,         {TFTP_TIMEOUT, TFTP_TSIZE, TFTP_BLKSIZE, TFTP_WINDOWSIZE, END},
     512, 65464},
    {TFTP_KIND_GRUB,          {TFTP_BLKSIZE, TFTP_TSIZE, END}, 1024, 1024},
    {TFTP_KIND_IPXE,          {TFTP_BLKSIZE, TFTP_TSIZE, END}, 512, 1432},
    {TFTP_KIND_PXELINUX,      {TFTP_TSIZE, TFTP_BLKSIZE, END}, 1408, 1408},
    {TFTP_KIND_BOOTMGR,       {TFTP_TSIZE, TFTP_BLKSIZE, TFTP_WINDOWSIZE, TFTP_MSFTWINDOW, END},
     512, 65464},
};
/* clang-format on */

static bool same_order(const struct tftp_opts *asked, const uint8_t *order)
{
    for (unsigned n = 0; n < asked->count; n++) {
        if (order[n] != asked->order[n]) {
            return false;
        }
    }
    return order[asked->count] == END;
}

struct tftp_shape tftp_shape_of(const struct tftp_opts *asked)
{
    uint32_t blksize = (uint32_t)tftp_opts_get(asked, TFTP_BLKSIZE, 0);
    struct tftp_shape shape = {.kind = TFTP_KIND_OTHER};
    for (unsigned n = 0; n < asked->count; n++) {
        shape.key = shape.key * (TFTP_OPT_COUNT + 1) + asked->order[n] + 1;
    }
    shape.key = shape.key << 16 | blksize; /* 6^5 orders, 16 bits: it fits */
    if (tftp_opts_get(asked, TFTP_TSIZE, 0) != 0) {
        return shape; /* all of these ask with 0 */
    }
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (same_order(asked, shapes[i].order) && blksize >= shapes[i].least &&
            blksize <= shapes[i].most) {
            shape.kind = shapes[i].kind;
            break;
        }
    }
    return shape;
}

const char *tftp_kind_name(enum tftp_kind kind)
{
    static const char *const names[TFTP_KIND_COUNT] = {
        [TFTP_KIND_OTHER] = "other",
        [TFTP_KIND_EDK2] = "edk2",
        [TFTP_KIND_EDK2_LOCKSTEP] = "edk2-lockstep",
        [TFTP_KIND_UBOOT] = "u-boot",
        [TFTP_KIND_IPXE] = "ipxe",
        [TFTP_KIND_GRUB] = "grub",
        [TFTP_KIND_PXELINUX] = "pxelinux",
        [TFTP_KIND_BOOTMGR] = "bootmgr",
    };
    return names[kind];
}

bool tftp_kind_takes_ahead(enum tftp_kind kind)
{
    return kind == TFTP_KIND_IPXE || kind == TFTP_KIND_GRUB ||
           kind == TFTP_KIND_PXELINUX || kind == TFTP_KIND_EDK2_LOCKSTEP;
}
