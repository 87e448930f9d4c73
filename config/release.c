/* Frees a snapshot.  Apart, because it must know the host table, which knows snapshots. */
#include <stdlib.h>

#include "config/hosts.h"
#include "config/snapshot.h"

void host_match_free(struct host_match *m)
{
    if (m) {
        free(m->vendor_class.octets);
        free(m->user_class.octets);
        free(m->circuit_id.octets);
        free(m);
    }
}

void host_vars_free(struct host_vars *v)
{
    for (size_t i = 0; v && i < v->count; i++) {
        free(v->list[i].name);
        free(v->list[i].value);
    }
    if (v) {
        free(v->list);
        free(v);
    }
}

void system_free(struct system_conf *system)
{
    if (!system) {
        return;
    }
    for (size_t i = 0; i < system->initrd_count; i++) {
        free(system->initrd[i].name);
    }
    free(system->kernel.name);
    free(system->args);
    free(system);
}

static void menu_done(struct menu *m)
{
    for (size_t i = 0; i < m->item_count; i++) {
        for (size_t f = 0; f < m->item[i].file_count; f++) {
            free(m->item[i].files[f].file);
        }
        free(m->item[i].files);
        free(m->item[i].name);
    }
    free(m->prompt);
    free(m);
}

void raw_options_free(struct raw_options *options)
{
    for (size_t i = 0; options && i < options->count; i++) {
        free(options->list[i].value);
    }
    if (options) {
        free(options->list);
        free(options);
    }
}

void host_own_done(struct host_own *own)
{
    for (uint16_t i = 0; i < own->boot_count; i++) {
        free((char *)own->boot[i].file);
    }
    free(own->boot);
    if (own->menu) {
        menu_done(own->menu);
    }
    free(own->done_when);
    system_free(own->system);
    raw_options_free(own->options);
    free(own->directory.name);
}

void host_own_free(struct host_own *own)
{
    if (own) {
        host_own_done(own);
        free(own);
    }
}

/* A menu has one owner.  Looked up while all menus are there, whatever their order. */
static void drop_inherited_menus(struct snapshot *s)
{
    for (size_t i = 0; i < s->profile_count; i++) {
        struct profile *p = &s->profiles[i];
        if (p->menu && p->menu->profile != i) {
            p->menu = NULL;
        }
    }
}

static void profile_done(struct profile *p, size_t index)
{
    if (p->menu) {
        menu_done(p->menu);
    }
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        if (p->boot[i].profile == index) { /* inherited ones belong to the parent */
            free((char *)p->boot[i].file);
        }
    }
    host_vars_free(p->vars);
    free(p->done_when);
    system_free(p->system);
    raw_options_free(p->options);
    free(p->directory.name);
    free(p->name);
}

static void virtual_file_done(struct virtual_file *f)
{
    free(f->name);
    free(f->file);
    free(f->template);
    free(f->text);
}

void snapshot_free(struct snapshot *s)
{
    if (!s) {
        return;
    }
    drop_inherited_menus(s);
    for (size_t i = 0; i < s->profile_count; i++) {
        profile_done(&s->profiles[i], i);
    }
    free(s->profiles);
    for (size_t i = 0; i < s->file_count; i++) {
        virtual_file_done(&s->files[i]);
    }
    free(s->files);
    free(s->tftp.root);
    free(s->user);
    for (size_t i = 0; i < s->host_path_count; i++) {
        free(s->host_paths[i]);
    }
    free((void *)s->host_paths);
    free(s->host_files);
    free(s->control);
    free(s->state_dir);
    hosts_free(s->hosts);
    free(s);
}
