# make               build/pxed
# make demo          a virtual PC boots through pxed in a private namespace     (needs root)
# make test          everything that needs no firmware; installs what it needs first
# make check         unit tests, simulated network, fuzz corpus replay  (no root, no network)
# make check SAN=1   the same under ASan and UBSan, in build/san
# make netns         tests in network namespaces                                (needs root)
# make lint          include layers, core purity, formatting, clang-tidy
# make fuzz          run every fuzz target for SECONDS_EACH=30 (clang)
# make bench         nanoseconds per operation of the cores
# make lab           boots real firmware in emulation, LAB_ONLY=regex for some  (needs root)
# make deps-SET      installs the packages of packaging/packages/SET (build test lint demo lab)
# make install       DESTDIR= PREFIX=/usr/local

PREFIX       ?= /usr/local
CC           ?= cc
CLANG        ?= clang
PKG_CONFIG   ?= pkg-config
CFLAGS       ?= -O2 -g
SECONDS_EACH ?= 30
LAB_ONLY     ?= .

# -- what there is ---------------------------------------------------------------------
# Pure: no system call can hide here, tests/purity.sh proves it.
CORE  := common/hash.c common/netaddr.c common/text.c common/timers.c \
         config/arch.c config/bootfile.c config/comments.c config/hosts.c config/locate.c \
         config/snapshot.c \
         dhcp/options.c dhcp/packet.c dhcp/pxe.c dhcp/decision.c dhcp/reply.c \
         dhcp/frame.c \
         tftp/packet.c tftp/options.c tftp/path.c tftp/end.c tftp/flow.c tftp/session.c \
         tftp/table.c
# Shells: talk to the kernel or to a library.
SHELLS := common/log.c common/net.c config/faults.c config/load.c \
          dhcp/capture.c dhcp/interface.c dhcp/journal.c dhcp/service.c tftp/journal.c tftp/sender.c tftp/service.c tftp/store.c \
          tftp/transfer.c
APP   := app/main.c app/check.c app/configuration.c app/loop.c app/notify.c \
         app/privileges.c app/run.c
UNIT  := $(wildcard tests/unit/*.c)
SIM   := $(wildcard tests/sim/*.c)
BENCH := $(wildcard tests/bench/*.c)
FUZZ  := $(patsubst tests/fuzz/fuzz_%.c,%,$(wildcard tests/fuzz/fuzz_*.c))

# -- how it is built -------------------------------------------------------------------
LIBS := jansson libpcap libcap libuv
WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
        -Wwrite-strings -Wvla -Wimplicit-fallthrough -Wundef -Wformat=2 -Werror
B    := build$(if $(SAN),/san)
LIB_CFLAGS  = $(shell $(PKG_CONFIG) --cflags $(LIBS))
LIB_LIBS    = $(shell $(PKG_CONFIG) --libs $(LIBS))
SANITIZE   := $(if $(SAN),-fsanitize=address -fsanitize=undefined -fno-sanitize-recover=all)
COMPILE     = $(CC) -std=gnu11 -D_GNU_SOURCE -I. $(WARN) $(LIB_CFLAGS) $(CFLAGS) $(SANITIZE)
LINK        = $(CC) $(CFLAGS) $(SANITIZE) $(LDFLAGS)
obj         = $(patsubst %.c,$(B)/%.o,$(1))

all: $(B)/pxed

$(B)/pxed: $(call obj,$(APP) $(SHELLS) $(CORE))
	$(LINK) $^ $(LIB_LIBS) -o $@
$(B)/unit: $(call obj,$(UNIT) $(SHELLS) $(CORE))
	$(LINK) $^ $(LIB_LIBS) $(shell $(PKG_CONFIG) --libs check) -o $@
$(B)/sim: $(call obj,$(SIM) $(CORE))
	$(LINK) $^ $(shell $(PKG_CONFIG) --libs check) -o $@
$(B)/bench: $(call obj,$(BENCH) $(CORE))
	$(LINK) $^ -o $@
$(B)/replay_%: $(call obj,tests/fuzz/fuzz_%.c tests/fuzz/replay.c $(SHELLS) $(CORE))
	$(LINK) $^ $(LIB_LIBS) -o $@
$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(COMPILE) -MMD -MP -c $< -o $@

clean:
	rm -rf build

.PHONY: all clean
.SECONDARY:
-include $(patsubst %.o,%.d,$(wildcard $(B)/*/*.o $(B)/*/*/*.o))
