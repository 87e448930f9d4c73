/*
 * app/doctor/nft: the rules that `nft -j list ruleset` tells.
 *
 * Errors: false: the text is no such JSON.  Needs jansson.
 */
#ifndef APP_DOCTOR_NFT_H
#define APP_DOCTOR_NFT_H

#include "app/doctor/firewall.h"

/* Adds to f, which has room. */
bool nft_read(const char *text, size_t len, struct firewall *f);

#endif
