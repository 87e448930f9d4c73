#include "app/searches.h"

#include "common/neighbours.h"

#define LOOKS 2 /* at searches under way, before another one is begun */

static bool is_over(const struct searches *s, int neighbours, usec_t now)
{
    struct mac mac;
    size_t i = s->first;
    return now >= s->list[i].over ||
           neighbours_ask(neighbours, s->list[i].ifindex, &s->list[i].who, &mac) ==
               NEIGHBOUR_KNOWN;
}

static void add(struct searches *s, const struct endpoint *who, unsigned ifindex,
                usec_t over)
{
    size_t i = (s->first + s->count++) % SEARCHES_MAX;
    s->list[i].who = *who;
    s->list[i].ifindex = ifindex;
    s->list[i].over = over;
}

/* Takes out the first; what is still under way goes behind the others, to be seen again. */
static void look(struct searches *s, int neighbours, usec_t now)
{
    size_t i = s->first;
    bool over = is_over(s, neighbours, now);
    s->first = (s->first + 1) % SEARCHES_MAX;
    s->count--;
    if (!over) {
        add(s, &s->list[i].who, s->list[i].ifindex, s->list[i].over);
    }
}

bool searches_allow(struct searches *s, int neighbours, const struct endpoint *who,
                    unsigned ifindex, usec_t now)
{
    struct mac mac;
    if (neighbours < 0 ||
        neighbours_ask(neighbours, ifindex, who, &mac) != NEIGHBOUR_ABSENT) {
        return true;
    }
    for (int i = 0; i < LOOKS && s->count > 0; i++) {
        look(s, neighbours, now);
    }
    if (s->count == SEARCHES_MAX) {
        return false;
    }
    add(s, who, ifindex, now + SEARCHES_TIME);
    return true;
}
