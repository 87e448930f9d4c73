# make               build/pxed
# make demo          two virtual PCs boot through pxed in a private network     (needs root)
# make test          everything that needs no firmware; installs what it needs first
# make check         unit tests, simulated network, fuzz corpus replay  (no root, no network)
# make check SAN=1   the same under ASan and UBSan, in build/san
# make check-threads what has threads under TSan, in build/santhread
# make cli           tests of the commands, on directories of their own      (no root)
# make netns         tests in network namespaces                                (needs root)
# make page-test     the web page in a headless browser                           (needs root)
# make peers         fetches the other servers that some of them run beside
# make check-memory  simulated transfers and the corpus under valgrind
# make lint          include layers, core purity, formatting, clang-tidy, cppcheck, gcc -fanalyzer
# make fuzz          run every fuzz target for SECONDS_EACH=30, FUZZ_JOBS=1 at a time (clang)
# make fuzz-coverage which lines of the cores its corpora reach, and they and the tests
# make bench         the cores, offers on a wire, and bench-compare              (needs root)
# make bench-compare pxed beside other TFTP servers; BENCH_ONLY=regex, BENCH_ROUNDS=n
# make bench-reflection  what they send to an address that never answers     (needs root)
# make bench-web     its HTTP beside nginx                                    (needs root)
# make lab           boots real firmware in emulation; LAB_ONLY=regex for some  (needs root)
# make deps-SET      installs the packages of packaging/packages/SET
# make install       DESTDIR= PREFIX=/usr/local SYSCONFDIR=/etc UNITDIR=
# make dist          build/pxed-VERSION.tar.gz
# make deb           build/deb/pxed_VERSION_ARCH.deb
# make package-check builds the package and the images and uses them            (needs root)
# test, demo, lint, page-test, fuzz, bench and lab install the packages they need, when some are missing.

PREFIX       ?= /usr/local
CC           ?= cc
CLANG        ?= clang
PKG_CONFIG   ?= pkg-config
CFLAGS       ?= -O2 -g
SYSCONFDIR   ?= /etc
UNITDIR      ?= $(PREFIX)/lib/systemd/system
SECONDS_EACH ?= 30
FUZZ_JOBS    ?= 1
LAB_ONLY     ?= .
BENCH_ONLY   ?= .
BENCH_ROUNDS ?= 3
JOBS         ?= $(shell nproc)
VALGRIND     ?= valgrind -q --error-exitcode=9
LAB_JOBS     ?= $(JOBS)

# -- what there is ---------------------------------------------------------------------
# Pure: no system call can hide here, tests/purity.sh proves it.
CORE  := common/bucket.c common/hash.c common/histogram.c common/human.c common/netaddr.c common/recent.c common/text.c \
         common/timers.c \
         common/log_format.c common/log_line.c common/log_repeats.c \
         config/http_base.c config/grub_image.c \
         config/arch.c config/bootfile.c config/comments.c config/gate.c config/hosts.c \
         config/keys.c config/locate.c config/machines.c config/match.c config/release.c config/scan.c config/snapshot.c \
         config/states.c config/system.c config/template.c config/url.c config/variables.c \
         dhcp/admission.c dhcp/decision.c dhcp/verdict.c dhcp/facts.c dhcp/frame.c dhcp/identity.c \
         dhcp/ladder.c dhcp/menu.c dhcp/options.c \
         dhcp/packet.c dhcp/pending.c dhcp/pxe.c dhcp/radar.c dhcp/repeats.c dhcp/reply.c \
         dhcp/watch.c dhcp/show.c dhcp/sighting.c dhcp/traffic.c dhcp/url.c \
         dhcp/v6_clients.c dhcp/v6_decision.c dhcp/v6_frame.c dhcp/v6_held.c dhcp/v6_packet.c \
         dhcp/v6_show.c dhcp/v6_sighting.c \
         tftp/admission.c tftp/budget.c tftp/misses.c tftp/packet.c tftp/options.c tftp/path.c tftp/end.c tftp/shape.c \
         tftp/pace.c tftp/flow.c tftp/ahead.c tftp/parts.c tftp/recovery.c tftp/session.c \
         tftp/watch.c tftp/window.c tftp/grant.c tftp/queue.c tftp/refusal.c tftp/holders.c tftp/table.c \
         app/boot.c app/boot_rules.c app/boot_words.c app/boots.c app/evidence.c app/timeline.c \
         app/exposition.c app/init_parts.c app/init_texts.c app/metrics.c app/refusals.c \
         app/http_answer.c app/http_coming.c app/http_name.c app/http_request.c
# Shells: talk to the kernel or to a library.
SHELLS := common/beneath.c common/clock.c common/give.c common/log.c common/losses.c common/neighbours.c common/net.c common/netwatch.c common/tell.c \
          config/duplicates.c config/faults.c config/fields.c config/load.c \
          config/load_boot.c config/load_files.c config/load_hosts.c config/load_match.c config/load_menu.c \
          config/load_options.c config/load_own.c config/load_profiles.c config/load_system.c config/load_vars.c config/syntax.c \
          config/load_log.c config/load_subnets.c \
          config/load_http.c \
          dhcp/capture.c dhcp/interface.c dhcp/journal.c dhcp/lookout.c dhcp/ports.c dhcp/send.c \
          dhcp/service.c dhcp/v6_journal.c dhcp/v6_link.c dhcp/v6_service.c \
          tftp/disk.c tftp/errors.c tftp/find.c tftp/journal.c tftp/known.c tftp/requests.c tftp/scratch.c tftp/search.c \
          tftp/sender.c tftp/service.c tftp/stamp.c tftp/store.c \
          tftp/transfer.c tftp/unheard.c tftp/waiting.c
# The pure parts of the commands that look at a network from outside.
CORE  += common/sha256.c app/request.c app/probe/answer.c app/probe/choice.c \
         app/probe/choice_pxe.c app/probe/choice_others.c app/probe/fetch.c \
         app/probe/http_head.c app/probe/verdict.c \
         app/doctor/finding.c app/doctor/firewall.c app/doctor/iptables.c \
         app/doctor/judge_allow.c app/doctor/judge_network.c app/doctor/judge_ports.c app/doctor/judge_system.c
# Every other file of app/, where the shells and the commands are.
APP   := $(sort $(filter-out $(CORE),$(wildcard app/*.c app/*/*.c)))
PARTS := $(filter-out app/main.c,$(APP)) $(SHELLS) $(CORE)
UNIT  := $(wildcard tests/unit/*.c)
SIM   := $(wildcard tests/sim/*.c)
BENCH := tests/bench/bench_core.c
LOAD  := tests/bench/load.c tests/bench/crowd.c tests/bench/client.c
WIRE  := tests/bench/wire.c
FUZZ  := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# -- how it is built -------------------------------------------------------------------
LIBS := jansson libpcap libcap libuv sqlite3 libmicrohttpd libseccomp
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
        -Wwrite-strings -Wvla -Wimplicit-fallthrough -Wundef -Wformat=2 -Werror
B    := build$(if $(SAN),/san$(filter-out 1,$(SAN)))
LIB_CFLAGS  = $(shell $(PKG_CONFIG) --cflags $(LIBS))
LIB_LIBS    = $(shell $(PKG_CONFIG) --libs $(LIBS))
SANITIZE   := $(if $(filter thread,$(SAN)),-fsanitize=thread,$(if $(filter-out memory,$(SAN)),\
                -fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all))
# What a network daemon should be built with; a packager's flags may say so again.  Memory that
# is made zero hides from a tool that it was never set.
ZEROED     := $(if $(SAN),,-ftrivial-auto-var-init=zero)
HARDEN     := -fPIE -fstack-protector-strong $(if $(SAN),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3) \
              $(foreach f,-fstack-clash-protection -fcf-protection $(ZEROED),\
              $(shell $(CC) -Werror $(f) -x c -c /dev/null -o /dev/null 2>/dev/null && echo $(f)))
COMPILE     = $(CC) -std=gnu11 -D_GNU_SOURCE -I. $(WARN) $(LIB_CFLAGS) $(CPPFLAGS) $(CFLAGS) $(HARDEN) $(SANITIZE)
LINK        = $(CC) $(CFLAGS) $(SANITIZE) -pie -Wl,-z,relro -Wl,-z,now $(LDFLAGS)
# Lets tests/unit/starve.c make an allocation of the tested code fail.
STARVE     := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
# Lets tests/sim/live.c count what is in use.
COUNT_LIVE := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free
# The hooks that observe boots, which tests/bench/unwatched.c leaves empty.
UNWATCHED  := $(foreach f,boot_watch evidence_watch,-Wl,--wrap=$(f)_dhcp,--wrap=$(f)_tftp)
obj         = $(patsubst %.c,$(B)/%.o,$(1))
# One short line for each file; `make V=1` shows the commands.
tell        = $(if $(V),,@echo "  $(1) $@";)

all: $(B)/pxed

$(B)/pxed: $(call obj,$(APP) $(SHELLS) $(CORE))
	$(call tell,LD)$(LINK) $^ $(LIB_LIBS) -o $@
$(B)/unit: $(call obj,$(UNIT) $(PARTS))
	$(call tell,LD)$(LINK) $(STARVE) $^ $(LIB_LIBS) $(shell $(PKG_CONFIG) --libs check) -o $@
$(B)/sim: $(call obj,$(SIM) $(CORE))
	$(call tell,LD)$(LINK) $(COUNT_LIVE) $^ $(shell $(PKG_CONFIG) --libs check) -o $@
$(B)/bench-core: $(call obj,$(BENCH) tests/unit/request.c $(CORE))
	$(call tell,LD)$(LINK) $^ -o $@
$(B)/bench-load: $(call obj,$(LOAD) common/clock.c common/text.c)
	$(call tell,LD)$(LINK) $^ -o $@
$(B)/bench-wire: $(call obj,$(WIRE))
	$(call tell,LD)$(LINK) $^ -o $@
$(B)/pxed-unwatched: $(call obj,$(APP) tests/bench/unwatched.c $(SHELLS) $(CORE))
	$(call tell,LD)$(LINK) $(UNWATCHED) $^ $(LIB_LIBS) -o $@
$(B)/bench-http: $(call obj,tests/bench/http_load.c)
	$(call tell,LD)$(LINK) $^ -o $@
$(B)/refuse-segments.so: tests/bench/refuse_segments.c
	@mkdir -p $(@D)
	$(call tell,LD)$(COMPILE) -shared -fPIC $< -o $@
$(B)/inject.so: tests/netns/inject.c
	@mkdir -p $(@D)
	$(call tell,LD)$(COMPILE) -U_FORTIFY_SOURCE -shared -fPIC $< -o $@
$(B)/bench-hosts: $(call obj,tests/bench/bench_hosts.c $(SHELLS) $(CORE))
	$(call tell,LD)$(LINK) $^ $(LIB_LIBS) -o $@
# Everything but main(), of which a fuzz target takes what it needs.
$(B)/parts.a: $(call obj,$(PARTS))
	$(call tell,AR)rm -f $@ && ar rc $@ $^
$(B)/replay_%: $(call obj,tests/fuzz/fuzz_%.c tests/fuzz/replay.c) $(B)/parts.a
	$(call tell,LD)$(LINK) $^ $(LIB_LIBS) -o $@
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call tell,CC)$(COMPILE) -MMD -MP -c $< -o $@

$(B)/app/schema.o: packaging/schema/pxed.schema.json
$(B)/app/init.o: packaging/default/pxed.json
$(B)/app/page.o: app/page/index.html

# -- how it is checked -----------------------------------------------------------------
# Packages come first, then a make of its own: nothing may be compiled before the headers
# are there, whatever -j says.
PARALLEL = $(MAKE) $(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))
# Under sudo, build/ stays the property of whoever owns the source.
GIVE_BACK = @[ "$$(id -u)" != 0 ] || chown -R --reference=Makefile build

test: deps-test
	-packaging/fetch-peers
	+$(PARALLEL) check
	+$(PARALLEL) cli
	+$(PARALLEL) netns
	$(GIVE_BACK)

# libcheck ends a test after 4 seconds, which a busy machine and sanitizers take for a few.
export CK_DEFAULT_TIMEOUT ?= 120

check: $(B)/unit $(B)/sim $(FUZZ:%=$(B)/replay_%)
	$(B)/unit
	$(B)/sim
	@for t in $(FUZZ); do $(B)/replay_$$t tests/fuzz/corpus/$$t || exit 1; done

# Threads share one thing, what app/http_connection.h has.  setarch: where addresses are
# scattered widely the sanitizer's map has no room.
check-threads:
	+$(MAKE) SAN=thread build/santhread/unit
	CK_RUN_SUITE="app/http, http_threads" setarch -R build/santhread/unit

# What is read before it was written, which no sanitizer of the others sees.
M := build/sanmemory
check-memory: deps-lint
	+$(MAKE) SAN=memory $(M)/sim $(FUZZ:%=$(M)/replay_%)
	CK_FORK=no CK_EXCLUDE_TAGS=volume $(VALGRIND) $(M)/sim
	@for t in $(FUZZ); do echo $(M)/replay_$$t tests/fuzz/corpus/$$t; done | \
	    xargs -P $(JOBS) -L 1 $(VALGRIND)

BENCH_TOOLS := $(B)/bench-load $(B)/bench-wire $(B)/refuse-segments.so

cli: $(B)/pxed $(B)/inject.so
	PXED=$(B)/pxed python3 -B -m unittest discover -s tests/cli

netns: $(B)/pxed $(BENCH_TOOLS) $(B)/inject.so
	python3 -B tests/netns/run.py $(B)/pxed

page-test: deps-page
	+$(PARALLEL) all
	python3 -B tests/page/run.py $(B)/pxed
	$(GIVE_BACK)

peers:
	packaging/fetch-peers

LAYERS  := common config dhcp tftp app
SOURCES = $(shell find $(LAYERS) tests -name '*.[ch]')

lint: deps-lint
	+$(PARALLEL) lint-core
	pyflakes3 tests demo
	clang-format --dry-run --Werror $(SOURCES)
	printf '%s\n' $(CORE) $(SHELLS) $(APP) $(LOAD) $(WIRE) | xargs -P $(JOBS) -I{} \
	    clang-tidy --quiet {} -- -std=gnu11 -D_GNU_SOURCE -I. $(LIB_CFLAGS)
	cppcheck -q --std=c11 -D_GNU_SOURCE -I. --enable=warning,performance,portability \
	    --inline-suppr --error-exitcode=1 $(LAYERS) tests/sim tests/bench tests/fuzz
	python3 -B tests/analyse.py $(JOBS) gcc -std=gnu11 -D_GNU_SOURCE -I. -O2 $(LIB_CFLAGS) -- \
	    $(CORE) $(SHELLS) $(APP)
lint-core: $(call obj,$(CORE))
	tests/layers.sh
	tests/purity.sh $^

fuzz: deps-fuzz
	+$(PARALLEL) $(FUZZ:%=build/fuzz/%)
	+$(MAKE) -j$(FUZZ_JOBS) $(FUZZ:%=fuzz-%)
fuzz-%: build/fuzz/%
	@mkdir -p build/fuzz/found_$* tests/fuzz/corpus/$*
	$(call tell,FUZZ)build/fuzz/$* -max_total_time=$(SECONDS_EACH) -timeout=30 -rss_limit_mb=1024 \
	    -verbosity=$(if $(V),1,0) -print_final_stats=1 \
	    $(addprefix -dict=,$(wildcard tests/fuzz/dict/$*.dict)) \
	    -artifact_prefix=build/fuzz/ build/fuzz/found_$* tests/fuzz/corpus/$*
# Compiled once, and linked into each of them.
FUZZ_SANITIZE := -fno-sanitize-recover=all -fsanitize=address,undefined
CLANG_COMPILE  = $(CLANG) -std=gnu11 -D_GNU_SOURCE -I. $(LIB_CFLAGS) -g -O1
build/fuzz/%: build/fuzz/tests/fuzz/fuzz_%.o build/fuzz/parts.a
	$(call tell,LD)$(CLANG) -fsanitize=fuzzer $(FUZZ_SANITIZE) $^ $(LIB_LIBS) -o $@
build/fuzz/parts.a: $(PARTS:%.c=build/fuzz/%.o)
	$(call tell,AR)rm -f $@ && ar rc $@ $^
build/fuzz/%.o: %.c
	@mkdir -p $(@D)
	$(call tell,CC)$(CLANG_COMPILE) -fsanitize=fuzzer-no-link $(FUZZ_SANITIZE) -MMD -MP -c $< -o $@

# Which lines of the cores the corpora reach, and which these and the tests.
COVERED := build/coverage
fuzz-coverage: deps-fuzz
	+$(PARALLEL) $(COVERED)/unit $(COVERED)/sim $(FUZZ:%=$(COVERED)/replay_%)
	tests/fuzz/coverage $(COVERED) $(CORE)
$(COVERED)/replay_%: $(COVERED)/tests/fuzz/fuzz_%.o $(COVERED)/tests/fuzz/replay.o $(COVERED)/parts.a
	$(call tell,LD)$(CLANG) -fprofile-instr-generate $^ $(LIB_LIBS) -o $@
$(COVERED)/unit: $(UNIT:%.c=$(COVERED)/%.o) $(PARTS:%.c=$(COVERED)/%.o)
	$(call tell,LD)$(CLANG) -fprofile-instr-generate $(STARVE) $^ $(LIB_LIBS) $(shell $(PKG_CONFIG) --libs check) -o $@
$(COVERED)/sim: $(SIM:%.c=$(COVERED)/%.o) $(CORE:%.c=$(COVERED)/%.o)
	$(call tell,LD)$(CLANG) -fprofile-instr-generate $(COUNT_LIVE) $^ $(shell $(PKG_CONFIG) --libs check) -o $@
$(COVERED)/parts.a: $(PARTS:%.c=$(COVERED)/%.o)
	$(call tell,AR)rm -f $@ && ar rc $@ $^
$(COVERED)/%.o: %.c
	@mkdir -p $(@D)
	$(call tell,CC)$(CLANG_COMPILE) -fprofile-instr-generate -fcoverage-mapping -MMD -MP -c $< -o $@

bench: deps-bench
	+$(PARALLEL) all $(BENCH_TOOLS) $(B)/bench-core $(B)/bench-hosts $(B)/pxed-unwatched
	$(B)/bench-core
	$(B)/bench-hosts
	python3 -B tests/bench/offers.py $(B)/pxed
	python3 -B tests/bench/observing.py $(B)
	python3 -B tests/bench/asking.py $(B)/pxed
	$(MAKE) bench-reflection
	$(MAKE) bench-compare
	$(MAKE) bench-web
bench-reflection: deps-bench peers
	+$(PARALLEL) all $(BENCH_TOOLS)
	python3 -B tests/bench/reflection.py $(B) $(BENCH_ROUNDS)
	$(GIVE_BACK)
bench-web: deps-bench peers
	+$(PARALLEL) all $(B)/bench-http
	python3 -B tests/bench/http_run.py $(B) --only '$(BENCH_ONLY)' --rounds $(BENCH_ROUNDS)
	$(GIVE_BACK)
bench-compare: deps-bench peers
	+$(PARALLEL) all $(BENCH_TOOLS)
	python3 -B tests/bench/run.py $(B) --only '$(BENCH_ONLY)' --rounds $(BENCH_ROUNDS)
	$(GIVE_BACK)

lab: deps-lab
	-packaging/fetch-peers
	-packaging/fetch-loaders
	packaging/fetch-kernel build/lab/vmlinuz
	+$(PARALLEL) all
	python3 -B tests/lab/run.py $(B)/pxed --only '$(LAB_ONLY)' --jobs $(LAB_JOBS)
	$(GIVE_BACK)

# -- how it is shown -------------------------------------------------------------------
demo:
	@[ "$$(id -u)" = 0 ] || { echo "make demo needs root: run it as: sudo make demo" >&2; exit 2; }
	@packaging/install-packages demo
	+@echo "building build/pxed" && $(PARALLEL) -s all
	$(GIVE_BACK)
	@python3 -B demo/demo.py $(B)/pxed

# -- how it is shipped -----------------------------------------------------------------
deps-%:
	@packaging/install-packages $*

VERSION := $(shell sed -n 's/^\#define PXED_VERSION *"\(.*\)"/\1/p' app/commands.h)
SHARE   := $(DESTDIR)$(PREFIX)/share

# An existing configuration is left as it is.
install: $(B)/pxed
	install -D -m 0755 $(B)/pxed $(DESTDIR)$(PREFIX)/sbin/pxed
	install -D -m 0644 packaging/schema/pxed.schema.json $(SHARE)/pxed/pxed.schema.json
	install -D -m 0644 packaging/man/pxed.8 $(SHARE)/man/man8/pxed.8
	install -D -m 0644 packaging/man/pxed.json.5 $(SHARE)/man/man5/pxed.json.5
	install -D -m 0644 packaging/completion/pxed $(SHARE)/bash-completion/completions/pxed
	install -D -m 0644 packaging/systemd/sysusers.conf $(DESTDIR)$(PREFIX)/lib/sysusers.d/pxed.conf
	install -D -m 0644 packaging/systemd/tmpfiles.conf $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/pxed.conf
	install -d -m 0755 $(DESTDIR)$(UNITDIR) $(DESTDIR)$(SYSCONFDIR)/pxed
	sed 's|/usr/sbin/|$(PREFIX)/sbin/|' packaging/systemd/pxed.service \
	    >$(DESTDIR)$(UNITDIR)/pxed.service
	[ -e $(DESTDIR)$(SYSCONFDIR)/pxed/pxed.json ] || \
	    install -m 0644 packaging/default/pxed.json $(DESTDIR)$(SYSCONFDIR)/pxed/pxed.json

# The sources of a release, the same octets each time.
dist:
	@mkdir -p build
	git archive --format=tar --prefix=pxed-$(VERSION)/ HEAD | gzip -n -9 >build/pxed-$(VERSION).tar.gz

# build/deb/pxed_VERSION_ARCH.deb, from what is committed.
deb: deps-package dist
	rm -rf build/deb && mkdir -p build/deb
	tar -C build/deb -xf build/pxed-$(VERSION).tar.gz
	cp -r packaging/debian build/deb/pxed-$(VERSION)/debian
	cd build/deb/pxed-$(VERSION) && dpkg-buildpackage -us -uc -b $(DEB_FLAGS)

# Builds and uses what is shipped; the machines and images it needs are made here.
package-check: deps-package
	+$(PARALLEL) $(B)/pxed
	python3 -B tests/package/run.py
	$(GIVE_BACK)

clean:
	rm -rf build

.PHONY: all test check check-threads check-memory cli netns page-test peers lint lint-core fuzz fuzz-coverage bench bench-compare bench-reflection bench-web lab demo install \
        dist deb package-check clean
.SECONDARY:
-include $(patsubst %.o,%.d,$(wildcard $(foreach d,$(B) build/fuzz $(COVERED),$(d)/*/*.o $(d)/*/*/*.o)))
