#include "app/doctor/finding.h"

#include <stdarg.h>
#include <stdio.h>

struct finding *finding_add(struct findings *f, enum finding_level level,
                            const char *check, const char *fmt, ...)
{
    va_list ap;
    if (f->count == FINDINGS_MAX) {
        f->count--;
    }
    struct finding *one = &f->list[f->count++];
    *one = (struct finding){.level = level, .check = check};
    va_start(ap, fmt);
    vsnprintf(one->what, sizeof one->what, fmt, ap);
    va_end(ap);
    return one;
}

void finding_remedy(struct finding *one, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(one->remedy, sizeof one->remedy, fmt, ap);
    va_end(ap);
}

enum finding_level findings_worst(const struct findings *f)
{
    enum finding_level worst = FINDING_GOOD;
    for (size_t i = 0; i < f->count; i++) {
        worst = f->list[i].level > worst ? f->list[i].level : worst;
    }
    return worst;
}

const char *finding_level_name(enum finding_level level)
{
    static const char *const names[] = {[FINDING_GOOD] = "good",
                                        [FINDING_NOTE] = "note",
                                        [FINDING_WARNING] = "warning",
                                        [FINDING_FAULT] = "fault"};
    return names[level];
}
