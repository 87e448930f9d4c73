#include <stdio.h>

#include "app/commands.h"

/* The assembler copies the file in, so that there is one schema and nothing to generate. */
__asm__(".section .rodata\n"
        "schema_begin: .incbin \"packaging/schema/pxed.schema.json\"\n"
        "schema_end:\n"
        ".previous\n");
extern const char schema_begin[];
extern const char schema_end[];

int command_schema(int argc, char **argv)
{
    if (argc > 1) {
        fprintf(stderr,
                "usage: %s\n\nPrints the JSON Schema of the configuration, with which "
                "editors complete its keys.\n",
                argv[0]);
        return EXIT_USAGE;
    }
    size_t len = (size_t)(schema_end - schema_begin);
    return fwrite(schema_begin, 1, len, stdout) == len ? EXIT_GOOD : EXIT_FAULT;
}
