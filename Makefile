# Everything here starts from Python 3.11+ and make; the rest is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
DEMO := demo-out
STUDY := --simulate.patients 72 --train.epochs 6
QUICK := --simulate.patients 24 --train.epochs 1 --seeds 1 --seeds 42

.PHONY: help setup demo test slow lint types layers wheel bench docs figures clean

help: ## Show this list
	@grep -E '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

setup: .venv/.ready ## Create .venv and install everything into it

.venv/.ready: pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "pacl needs Python 3.11 or newer: make setup PYTHON=/path/to/python3.11"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt --group dev -e '.[train]'
	@touch $@

demo: setup ## The paper's study on simulated patients, ending in a report
	rm -rf $(DEMO)
	$(BIN)/pacl reproduce -o $(DEMO) $(STUDY)

test: lint types layers ## Lint, types, layers, tests, the demo, the wheel in an empty environment
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m "not slow"
	$(MAKE) --no-print-directory demo DEMO=build/demo STUDY="$(QUICK)"
	$(MAKE) --no-print-directory wheel

slow: setup ## The tests that kill processes and make studies twice
	$(BIN)/python -m pytest -q -n 2 -m slow

lint: setup ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup ## Check types, strictly
	$(BIN)/mypy

layers: setup ## Check that imports go one way
	$(BIN)/lint-imports --no-logo

wheel: setup ## Build the wheel and use it in an empty environment, without the training extra
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m build --wheel --outdir build/wheel . > build/wheel/log || \
	    { cat build/wheel/log; exit 1; }
	$(PYTHON) -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet --disable-pip-version-check \
	    -c constraints.txt build/wheel/pacl-*.whl
	cd build/wheel && venv/bin/pacl --version && \
	    venv/bin/pacl simulate cohort --patients 2 --quiet && \
	    venv/bin/pacl inspect cohort --quiet > inspected && \
	    venv/bin/python -c "import pacl, sys; assert 'torch' not in sys.modules" && \
	    venv/bin/pacl detect cohort > detected && \
	    mkdir every && cd every && ../venv/bin/python ../../../tests/support/every_command.py
	@echo "The wheel works by itself."

bench: setup ## Measure against peers and the floor
	$(BIN)/python benchmarks/run.py

figures: setup ## Draw the pictures and count the tables of the documentation from PACL_DATA
	$(BIN)/python docs/figures/make.py

docs: setup ## Build the documentation into site/
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt --group docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Open site/index.html."

clean: ## Remove everything that was made
	rm -rf .venv build dist site $(DEMO)
