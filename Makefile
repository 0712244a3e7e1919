# Everything here starts from Python 3.11+ and make; the rest is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
# Compiled modules are kept, whatever the shell says: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=
DEMO := demo-out
PATIENTS := 72
SIMULATED = $(DEMO)/simulated-patients
# A recording of two days with one long night of paroxysmal AF.
RECORDING = $(SIMULATED)/iridia-af-records-v1.0.1/record_004
# At the paper's learning rate SupCon collapses; at this one no loss does.
STUDY := --train.lr 1e-3 --train.epochs 6 --folds 3 --seeds 1 42 102
QUICK := --train.lr 1e-3 --train.epochs 1 --folds 3 --seeds 1 --sampler.patients 4

APT_INSTALL = command -v apt-get > /dev/null && [ "$$(id -u)" = 0 ] && apt-get update -qq && \
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends

.PHONY: help setup browser services demo test slow lint types layers wheel bench docs figures clean

help: ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: .venv/.ready ## Create .venv and install everything into it

.venv/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "pacl needs Python 3.11 or newer: make setup PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt --group dev -e '.[train,cluster]'
	@touch $@

browser: ## Install a browser for the tests of pages, where apt and root can; they are skipped without
	@command -v chromium-headless-shell chromium chromium-browser google-chrome > /dev/null || \
	    { $(APT_INSTALL) chromium-headless-shell > /dev/null 2>&1; } || \
	    { $(APT_INSTALL) chromium > /dev/null; } || \
	    echo "No browser: the tests of pages are skipped; install Chromium to run them."

services: ## Install PostgreSQL for the tests that need a database, where apt and root can; they are skipped without
	@command -v initdb > /dev/null || ls /usr/lib/postgresql/*/bin/initdb > /dev/null 2>&1 || \
	    { $(APT_INSTALL) postgresql > /dev/null; } || \
	    echo "No PostgreSQL: the tests that need a database are skipped; install it to run them."

demo: setup ## AF found in a simulated recording, then the paper's study on simulated patients
	rm -rf $(DEMO)
	$(BIN)/pacl simulate $(SIMULATED) --patients $(PATIENTS)
	$(BIN)/pacl detect $(RECORDING) --format html -o $(DEMO)/detector.html
	$(BIN)/pacl reproduce -o $(DEMO)/study --data $(SIMULATED) $(STUDY)
	@echo
	@echo "Open $(DEMO)/detector.html       AF found in one recording: every beat, every episode, how sure"
	@echo "Open $(DEMO)/study/report.html   the paper's study on simulated patients, and which claims hold"
	@echo
	@echo "Try next:"
	@echo "  $(BIN)/pacl detect FILE              your own recording: an ECG, a watch, RR intervals (docs/devices.md)"
	@echo "  $(BIN)/pacl view $(SIMULATED)   all recordings of this demo in the browser"
	@echo "  $(BIN)/pacl --help                   all commands; docs/index.md has a guide for each reader"

test: lint layers types ## Lint, layers, types, tests and examples, the demo, the wheel by itself
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow" --doctest-modules tests src/pacl
	$(MAKE) --no-print-directory -j2 wheel demo DEMO=build/demo PATIENTS=24 STUDY="$(QUICK)"

slow: setup ## The tests that kill processes, make studies twice and try every damaged file
	$(BIN)/python -m pytest -q -n 2 -m slow

lint: setup ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## Check types, strictly
	$(BIN)/mypy -n 2

layers: setup ## Check that imports go one way
	$(BIN)/lint-imports --no-logo

wheel: setup ## Build the archives, check them, and use the wheel in an empty environment without extras
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m build --outdir build/wheel . > build/wheel/log || \
	    { cat build/wheel/log; exit 1; }
	$(BIN)/twine check --strict build/wheel/pacl-*
	$(BIN)/check-wheel-contents build/wheel/pacl-*.whl
	$(BIN)/python tests/support/wheel_files.py build/wheel/pacl-*.whl
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt build/wheel/pacl-*.whl
	cd build/wheel && venv/bin/pacl --version && \
	    venv/bin/python ../../tests/support/installed_size.py && \
	    mkdir every && cd every && ../venv/bin/python ../../../tests/support/every_command.py
	@echo "The wheel works by itself."

bench: setup ## Measure against peers and the floor
	$(BIN)/python benchmarks/run.py

figures: setup ## Draw the pictures and count the tables of the documentation from PACL_DATA
	$(BIN)/python docs/figures/make.py

docs: setup ## Build the documentation into site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Look at it: $(BIN)/python -m http.server -d site 8000, then open http://localhost:8000"

clean: ## Remove everything that was made
	rm -rf .venv build dist site $(DEMO)
