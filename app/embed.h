/*
 * app/embed: a file of the source as octets of the program, so that nothing is generated.
 *
 *     EMBED(page, "app/page/index.html")     page_octets[], page_len octets of them
 *
 * The assembler copies the file in, whose path begins at the top of the source; the Makefile
 * names it for the object that has it.  No NUL follows.  One file of a name in the program.
 */
#ifndef APP_EMBED_H
#define APP_EMBED_H

#include <stdint.h>

#define EMBED(name, path)                                                                \
    __asm__(".section .rodata\n" #name "_octets: .incbin \"" path "\"\n" #name           \
            "_behind: .balign 4\n" #name "_len: .4byte " #name "_behind - " #name        \
            "_octets\n"                                                                  \
            ".previous\n");                                                              \
    extern const char name##_octets[];                                                   \
    extern const uint32_t name##_len

#endif
