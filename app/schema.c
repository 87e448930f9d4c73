#include <stdio.h>

#include "app/commands.h"
#include "app/embed.h"
#include "common/tell.h"

EMBED(schema, "packaging/schema/pxed.schema.json");

int command_schema(int argc, char **argv)
{
    if (argc > 1) {
        tell(stderr,
             "usage: %s\n\nPrints the JSON Schema of the configuration, with which "
             "editors complete its keys.\n",
             argv[0]);
        return EXIT_USAGE;
    }
    return fwrite(schema_octets, 1, schema_len, stdout) == schema_len ? EXIT_GOOD
                                                                      : EXIT_FAULT;
}
