#include "app/when.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool when_parse(const char *text, double *out)
{
    struct tm tm = {0};
    const char *rest = text ? strptime(text, "%Y-%m-%dT%H:%M:%S", &tm) : NULL;
    double fraction = 0;
    if (!rest) {
        return false;
    }
    if (*rest == '.') {
        char *end;
        fraction = strtod(rest, &end);
        rest = end;
    }
    if (strcmp(rest, "Z") != 0) {
        return false;
    }
    *out = (double)timegm(&tm) + fraction;
    return true;
}

double when_between(const char *from, const char *to)
{
    double a;
    double b;
    if (!when_parse(from, &a) || !when_parse(to, &b)) {
        return -1;
    }
    return b > a ? b - a : 0;
}

static bool local(const char *text, struct tm *out)
{
    double seconds;
    if (!when_parse(text, &seconds)) {
        return false;
    }
    time_t whole = (time_t)seconds;
    return localtime_r(&whole, out) != NULL;
}

char *when_show(const char *text, const char *now, char *buf, size_t size)
{
    struct tm tm;
    struct tm today;
    snprintf(buf, size, "-");
    if (local(text, &tm)) {
        bool same = local(now, &today) && tm.tm_year == today.tm_year &&
                    tm.tm_yday == today.tm_yday;
        (void)strftime(buf, size, same ? "%H:%M:%S" : "%Y-%m-%d %H:%M:%S", &tm);
    }
    return buf;
}
