#!/usr/bin/env python3
"""GCC's static analyser over the files named.

    analyse.py JOBS CC FLAG... -- FILE...

Fails for a finding that is not listed here, and for one listed here that is not found any more.
"""
import concurrent.futures
import json
import subprocess
import sys

LEAK = "-Wanalyzer-malloc-leak"

# Findings that are none, by file and function.  What is allocated in these is put into a table that the
# caller has, or given to it in an array; GCC 12 loses sight of the owner in a loop or behind a second
# pointer.  That nothing leaks there is shown by LeakSanitizer, with each allocation failing in turn.
KNOWN = {(file, function, LEAK) for file, function in (
    ("app/boots.c", "boots_begin"),
    ("app/confinement.c", "add"),
    ("app/host_files.c", "add_name"),
    ("app/host_files.c", "read_names"),
    ("common/recent.c", "recent_put"),
    ("config/load.c", "add_path"),
    ("config/load_files.c", "read_files"),
    ("config/load_menu.c", "add_file"),
    ("config/load_options.c", "add_option"),
    ("config/load_profiles.c", "add_profile"),
    ("config/load_profiles.c", "read_profiles"),
    ("config/load_system.c", "add_initrd"),
    ("config/load_vars.c", "add_var"),
    ("config/states.c", "find_or_add"),
    ("tftp/holders.c", "new_holder"),
    ("tftp/store.c", "store_make"),
    ("tftp/store.c", "store_text"),
    ("tftp/table.c", "tftp_table_add"),
)}


def findings(command, file):
    """(file, function, option) of each; what else the compiler says is a failure."""
    done = subprocess.run(command + ["-fanalyzer", "-fdiagnostics-format=json", "-c", file, "-o", "/dev/null"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    try:
        told = json.loads(done.stderr.strip().splitlines()[0]) if done.stderr.strip() else []
    except ValueError:
        sys.exit(done.stderr)
    for one in told:
        place = one["locations"][0]["caret"]
        function = (one.get("path") or [{}])[-1].get("function", "").split(".")[0]  # "f.part.0" is a piece of f
        option = one.get("option", one["kind"])
        yield ((place["file"], function, option),
               "%s:%d: %s [%s] in %s()" % (place["file"], place["line"], one["message"], option, function))


def main(jobs, *rest):
    command, files = list(rest[:rest.index("--")]), rest[rest.index("--") + 1:]
    with concurrent.futures.ThreadPoolExecutor(int(jobs)) as pool:
        found = [one for some in pool.map(lambda file: list(findings(command, file)), files) for one in some]
    new = sorted({text for key, text in found if key not in KNOWN})
    gone = sorted(set(KNOWN) - {key for key, _ in found})
    for text in new:
        print(text)
    for key in gone:
        print("tests/analyse.py: %s is not found any more: strike it out" % (key,))
    return 1 if new or gone else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
