/*
 * app/commands: the sub-commands of pxed.
 *
 * Each gets its own argument vector (argv[0] is the command's word) and returns the exit
 * code: 0 good, 1 a fault was found, 2 wrong usage.
 */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#define PXED_VERSION       "0.1"
#define PXED_CONFIGURATION "/etc/pxed/pxed.json"

enum exit_code { EXIT_GOOD = 0, EXIT_FAULT = 1, EXIT_USAGE = 2 };

int command_learned(int argc, char **argv);
int command_run(int argc, char **argv);
int command_check(int argc, char **argv);
int command_init(int argc, char **argv);
int command_schema(int argc, char **argv);
int command_host(int argc, char **argv);
int command_explain(int argc, char **argv);
int command_probe(int argc, char **argv);
int command_doctor(int argc, char **argv);
int command_reload(int argc, char **argv);
int command_approve(int argc, char **argv);
int command_reset(int argc, char **argv);
int command_import(int argc, char **argv);
int command_status(int argc, char **argv);
int command_log(int argc, char **argv);

#endif
