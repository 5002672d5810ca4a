# A virtual environment for each interpreter, made on first use and renewed when pyproject.toml changes.
PYTHON ?= python3
ifeq ($(PYTHON),python3)
FOUND := python3
NAMED :=
else
# asked whether it runs: pyenv puts names on the PATH of versions that are not in use
FOUND := $(or $(shell $(PYTHON) -c 'import sys; print(sys.executable)' 2>/dev/null),\
	$(lastword $(sort $(wildcard $(HOME)/.pyenv/versions/*/bin/$(PYTHON)))))
NAMED := -$(notdir $(PYTHON))
endif
VENV := .venv$(NAMED)
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

# Tests start some two hundred processes: one that may not keep what it compiles takes 0.3 s longer.
export PYTHONDONTWRITEBYTECODE :=

# Two workers with one thread each: two workers with two threads each are slower on two cores. A file
# goes to one of them, so that its fixtures are made once and its kernels are compiled by one; which
# comes when is said by tests/conftest.py.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --ignore=tests/test_architecture.py \
	--ignore-glob='tests/explorer/test_browser_*'
BROWSER := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
	$(BIN)/python -m pytest $(wildcard tests/explorer/test_browser_*.py)

ifeq ($(FOUND),)
.PHONY: $(or $(MAKECMDGOALS),help)
$(or $(MAKECMDGOALS),help):
	@echo "skipped: no $(PYTHON) here"
else

.PHONY: help demo test test-all test-browser test-floor check types conventions sabotage bench docs \
	dist clean

help:
	@echo "make demo      compare maps of a Swiss roll: report.html"
	@echo "make test      check, then the tests (about what a change needs)"
	@echo "make test-all  check, then every test, the slow ones too"
	@echo "make test-floor  the tests with the oldest versions that pyproject.toml allows"
	@echo "make test-browser  the explorer in a real browser (Debian's chromium)"
	@echo "make check     lint, format, types, docstrings, architecture"
	@echo "make sabotage  break the source on purpose, and list what no test notices"
	@echo "make bench     side by side with the peers"
	@echo "make docs      the documentation site: docs/_build/html/index.html"
	@echo "make dist      wheel and sdist, checked, installed and tried in an empty environment"
	@echo "make clean     remove everything make made"

$(VENV)/.dev: pyproject.toml
	@$(FOUND) -m venv $(VENV)
	@$(PIP) -e '.[dev]'
	@touch $@

demo: $(VENV)/.dev
	@$(BIN)/unspool compare demo:swiss-roll -o report.html
	@echo "report: $(CURDIR)/report.html"
	@echo "explore the same data: $(BIN)/unspool explore demo:swiss-roll --also pca,lle"

# Types take half of the time: the rest is done beside them.
check: $(VENV)/.dev
	@$(MAKE) --no-print-directory --output-sync -j2 types conventions

types:
	@$(BIN)/mypy --no-error-summary src

conventions:
	@$(BIN)/ruff check --quiet --output-format=concise .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/python docs/docstrings.py
	@$(BIN)/python -m pytest tests/test_architecture.py \
		tests/sabotage/test_breakages.py::test_it_can_be_made_and_its_tests_exist

test: check
	@$(PYTEST) -m "not slow"

test-all: check
	@$(PYTEST)

# Old packages warn of their own ways, which are not ours to mend; scikit-learn's checks of old ask
# for SciPy's array interface.
FLOOR := .venv-floor$(NAMED)
$(FLOOR)/.made: pyproject.toml tests/floor.py
	@$(FOUND) -m venv $(FLOOR)
	@$(FOUND) tests/floor.py >$(FLOOR)/oldest.txt
	@$(FLOOR)/bin/python -m pip install -qq --disable-pip-version-check -e '.[dev]' -c $(FLOOR)/oldest.txt
	@touch $@

test-floor: $(FLOOR)/.made
	@SCIPY_ARRAY_API=1 NUMBA_CACHE_DIR=$(CURDIR)/$(FLOOR)/compiled $(subst $(BIN),$(FLOOR)/bin,$(PYTEST)) -m "not slow" \
		-W ignore::DeprecationWarning -W ignore::PendingDeprecationWarning -W ignore::FutureWarning

docs: $(VENV)/.dev
	@$(PIP) -e '.[docs]'
	@$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html
	@$(BIN)/python docs/elsewhere.py docs/_build/html
	@echo "documentation: $(CURDIR)/docs/_build/html/index.html"

# What a user would install: nothing of this folder but the built files.
dist: $(VENV)/.dev
	@$(PIP) build twine check-wheel-contents
	@rm -rf dist
	@$(BIN)/python -m build --outdir dist . >/dev/null
	@$(BIN)/python -m twine check --strict dist/*
	@$(BIN)/check-wheel-contents dist/*.whl
	@$(BIN)/python tests/from_wheel.py dist

# Skipped, with the reason, where there is no chromium. One worker: a browser has threads of its own.
test-browser: $(VENV)/.dev
	@$(BROWSER) -rs

sabotage: $(VENV)/.dev
	@$(BIN)/python -m tests.sabotage.running

bench: $(VENV)/.dev
	@$(PIP) -e '.[bench]'
	@$(BIN)/python -m benchmarks

clean:
	@rm -rf .venv .venv-* build dist docs/_build docs/api.md docs/generated docs/gallery report.html .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

endif
