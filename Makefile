# Two commands on a machine that has a Python and nothing else: `make run` serves, `make test` tests.

# Asked for once, and only where an environment is made.
ifndef PYTHON
PYTHON = $(eval PYTHON := $(shell sh tools/python.sh))$(PYTHON)
endif
BIN := .venv/bin
# Images for containers often forbid bytecode; then each of the hundreds of processes of the tests compiles everything.
unexport PYTHONDONTWRITEBYTECODE
# What the tests need of the system, as program:packages, or program/another:packages where another one does as well.
# They are installed where that is allowed.
SYSTEM_PACKAGES := chromium-headless-shell/chromium:chromium-headless-shell gcc:gcc,libc6-dev bwrap:bubblewrap node:nodejs \
	redis-server:redis-server pg_ctlcluster:postgresql curl:curl nginx:nginx-light haproxy:haproxy openssl:openssl

# An environment is as old as its lock: another lock has another sum, hence another stamp, hence an installation.
sum = $(firstword $(shell cat $(1) 2>/dev/null | cksum))
RUN_STAMP := .venv/run-$(call sum,requirements.lock)
TEST_STAMP := .venv/test-$(call sum,requirements-test.lock)
BENCH_STAMP := .venv/bench-$(call sum,requirements-bench.lock)

.PHONY: help run test check fast fuzz soak bench kernel lock system

help:
	@echo "make run [PORT=8000] [ARGS=\"--host 0.0.0.0\"]   serve the arena"
	@echo "make test     everything: format, lint, types, layers, all tests"
	@echo "make check    format, lint, types, layers: seconds"
	@echo "make fast     rules, protocols, matches, rooms, pages: tests that start next to nothing, under a minute"
	@echo "make fuzz     200 000 inputs for each adapter, from bots that send anything: a few minutes"
	@echo "make soak     long attacks on real servers, counted: hours; ARGS=NAME for one of tools/soak/"
	@echo "make bench    figures against other libraries and bare sockets"
	@echo "make kernel   recompile the kernel of the built-in players, needed only after a change of its C"
	@echo "make lock     regenerate the locks after dependencies have changed"

run: $(RUN_STAMP)
	@sh tools/run.sh $(ARGS)

test: export BEGAN := $(shell date +%s)
test: $(TEST_STAMP)
	@$(BIN)/python -m tools.suite

check: $(TEST_STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pytest -q tests/test_layers.py

# Folders in which most tests start processes or render whole pages.
SLOW := admin analysis attacks browser management samples server services tools test_layers.py test_settings.py

fast: $(TEST_STAMP)
	$(BIN)/pytest -q -n 3 --dist worksteal --no-migrations --hypothesis-profile=fast \
		-m "not browser and not service and not tables and not long" $(SLOW:%=--ignore tests/%)

fuzz: $(TEST_STAMP)
	$(BIN)/python -m tools.fuzz $(ARGS)

soak: $(TEST_STAMP)
	$(BIN)/python -m tools.soak $(ARGS)

bench: $(BENCH_STAMP)
	$(BIN)/python -m tools.bench $(ARGS)

# The compiler is 100 MB to fetch and 380 MB on disk: it has an environment of its own, which nothing else waits for.
KERNEL_STAMP := .venv-kernel/$(call sum,games/players/kernel/compiler.txt)

kernel: $(KERNEL_STAMP)
	@.venv-kernel/bin/python tools/kernel.py .venv-kernel/bin/python $(ARGS)

$(KERNEL_STAMP):
	$(PYTHON) -m venv --clear .venv-kernel
	.venv-kernel/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r games/players/kernel/compiler.txt
	@touch $@

system:
	@sh tools/need.sh $(SYSTEM_PACKAGES)

# -- environments ------------------------------------------------------------------------------------------------------

# As pyproject.toml says.
RUNS = (3, 11) <= sys.version_info < (3, 15)
WHICH = import sys; $(RUNS) or sys.exit( \
	'Arena runs on Python 3.11 to 3.14, and $(PYTHON) is %d.%d. Install one of them, and name it: ' \
	'make $(MAKECMDGOALS) PYTHON=python3.14' % sys.version_info[:2])

# One that uv has made has all but pip. One whose Python was replaced by the next one, as systems do that are upgraded,
# finds none of its libraries.
BARE = import os, sys, sysconfig; $(RUNS) and os.path.isdir(sysconfig.get_path('purelib')) and print('bare')
ifneq ($(wildcard $(BIN)),)
ifneq ($(shell $(BIN)/python -c "import pip; print('whole')" 2>/dev/null),whole)
.PHONY: $(BIN)/python
FOUND := $(shell $(BIN)/python -c "$(BARE)" 2>/dev/null)
endif
endif

# Debian's python3 comes without ensurepip, which is no program, so always "missing".
$(BIN)/python:
ifeq ($(FOUND),bare)
	@echo "The environment in .venv has no pip, like those of uv: it gets one."
	@$@ -c "import ensurepip" 2>/dev/null || sh tools/need.sh ensurepip:$(notdir $(PYTHON))-venv
	$@ -m ensurepip
else
	@uname | grep -q Linux || { echo "Arena runs on Linux, and this is $$(uname). Docker runs it elsewhere: docker compose up"; exit 1; }
	@command -v $(PYTHON) >/dev/null || sh tools/need.sh python3:python3-venv
	@$(PYTHON) -c "$(WHICH)"
	@$(PYTHON) -c "import ensurepip" 2>/dev/null || sh tools/need.sh ensurepip:$(notdir $(PYTHON))-venv
	@[ ! -e .venv ] || echo "The environment in .venv has lost its Python or its libraries: it is made again."
	$(PYTHON) -m venv --clear .venv
endif

install = $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $(1)

$(RUN_STAMP): $(BIN)/python
	$(call install,requirements.lock)
	@rm -f .venv/run-* && touch $@

# Compiling takes a third of that time, on one core, and most modules are never imported: Python compiles those that are.
$(TEST_STAMP): $(BIN)/python
	$(call install,requirements-test.lock) --no-compile
	@rm -f .venv/test-* && touch $@

$(BENCH_STAMP): $(BIN)/python
	$(call install,requirements-bench.lock)
	@rm -f .venv/bench-* && touch $@

# For every Python and system at once: what a library needs on Python 3.11.2 only was missing in a lock made on 3.11.7.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --strip-extras --generate-hashes --no-header \
	--no-emit-index-url --no-emit-find-links pyproject.toml

lock: $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check uv
	$(COMPILE) --output-file requirements.lock
	$(COMPILE) --constraint requirements.lock --extra cluster --output-file requirements-cluster.lock
	$(COMPILE) --constraint requirements.lock --extra test --output-file requirements-test.lock
	$(COMPILE) --constraint requirements.lock --extra bench --output-file requirements-bench.lock
