# One virtual environment, made on first use and renewed when pyproject.toml changes.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -qq --disable-pip-version-check

# Two workers with one thread each: two workers with two threads each are slower on two cores.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 NUMBA_NUM_THREADS=1 \
	$(BIN)/python -m pytest -n 2 --ignore=tests/test_architecture.py

.PHONY: help demo test test-all check sabotage bench clean

help:
	@echo "make demo      compare maps of a Swiss roll: report.html"
	@echo "make test      check, then the tests (about what a change needs)"
	@echo "make test-all  check, then every test, the slow ones too"
	@echo "make check     lint, format, types, docstrings, architecture"
	@echo "make sabotage  break the source on purpose, and list what no test notices"
	@echo "make bench     side by side with the peers"
	@echo "make clean     remove everything make made"

$(VENV)/.dev: pyproject.toml
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) -e '.[dev]'
	@touch $@

demo: $(VENV)/.dev
	@$(BIN)/unspool compare demo:swiss-roll -o report.html
	@echo "report: $(CURDIR)/report.html"

check: $(VENV)/.dev
	@$(BIN)/ruff check --quiet --output-format=concise .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy --no-error-summary src
	@$(BIN)/python docs/docstrings.py
	@$(BIN)/python -m pytest tests/test_architecture.py

test: check
	@$(PYTEST) -m "not slow"

test-all: check
	@$(PYTEST)

sabotage: $(VENV)/.dev
	@$(BIN)/python -m tests.sabotage.running

bench: $(VENV)/.dev
	@$(PIP) -e '.[bench]'
	@$(BIN)/python -m benchmarks

clean:
	@rm -rf $(VENV) build dist report.html .pytest_cache .mypy_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
