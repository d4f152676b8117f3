# Every target works in a fresh clone: it makes or repairs the environment .venv first.

PORT ?= 8000
BIN := .venv/bin

# The first Python that suits; where none does, setup_env.py says what is wrong with python3.
ifndef PYTHON
PYTHON := $(shell for p in $(BIN)/python python3 python3.13 python3.12 python3.11 python; do \
	$$p tools/setup_env.py --suits 2>/dev/null && echo $$p && exit; done; echo python3)
endif

# $(call try,COMMAND,DEFAULT) runs COMMAND while make reads the recipe. When it fails, make's own last line is what
# COMMAND printed on standard output, or DEFAULT where that is nothing. (make -n runs nothing.)
stop_if = $(if $(1),$(error $(1)))
dry_run := $(findstring n,$(firstword -$(MAKEFLAGS)))
try = $(if $(dry_run),,$(call stop_if,$(shell message=$$($(1)) || echo "$${message:-$(2)}")))

set_up = $(call try,$(PYTHON) tools/setup_env.py,$(no_python))
no_python := setup: $(PYTHON) does not run; name a Python 3.11, 3.12 or 3.13, as in: make setup PYTHON=python3.12

.DEFAULT_GOAL := help
.PHONY: help setup serve build lab test check check-class check-site benchmark mutants notebooks tidy lock clean

help: ## list the targets
	@echo "make TARGET [PYTHON=python3.12] [PORT=8000] [CLASS_EDITION=1: without solutions]"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

setup: ## make or repair the environment .venv (every target below does so by itself)
	$(set_up)
	@:

serve: ## build the course and serve it at http://127.0.0.1:PORT
	$(call try,$(PYTHON) tools/website.py free-port $(PORT))
	$(set_up)
	$(call try,$(BIN)/python tools/website.py build)
	@$(BIN)/python tools/website.py serve $(PORT)

build: setup ## build the course into _build/html
	$(call try,$(BIN)/python tools/website.py build)
	@:

lab: setup ## open the notebooks in JupyterLab
	$(if $(CLASS_EDITION),@$(BIN)/python tools/class_edition.py)
	@$(BIN)/jupyter lab $(if $(CLASS_EDITION),_build/class)

test: setup ## run every check that needs no browser
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -n auto --dist loadscope
	@$(MAKE) --no-print-directory check-class

check: setup ## hold text, formulas, numbers and names to the code, in seconds (make test tests the guards, too)
	@$(BIN)/ruff check .
	@$(BIN)/python -m pytest tests/book -m "not kernel" --ignore-glob="*/test_drifts.py"

check-class: setup ## grade made-up classes, hostile submissions among them, in the sandbox
	@$(BIN)/python -m pytest -n auto --dist loadscope tests/assignments -m sandbox

check-site: build ## open every built page in Chromium
	@$(BIN)/python -m pytest tests/site -m browser

mutants: setup ## change the companion in small ways and count what the tests notice (an hour or two)
	@$(BIN)/python tools/mutants.py

benchmark: setup ## measure time and memory beside other libraries, and rewrite that page (ten minutes)
	@cmp -s tools/benchmark.requirements.txt .venv-benchmark/made-for || { echo "making .venv-benchmark ..."; \
		rm -rf .venv-benchmark && $(BIN)/python -m venv .venv-benchmark && \
		.venv-benchmark/bin/pip install --quiet -r tools/benchmark.requirements.txt && \
		.venv-benchmark/bin/pip install --quiet --no-deps --no-build-isolation -e . && \
		cp tools/benchmark.requirements.txt .venv-benchmark/made-for; }
	@.venv-benchmark/bin/python tools/benchmark.py
	@$(BIN)/python tools/notebooks.py book/reference/benchmarks.ipynb

notebooks: setup ## execute the notebooks that are stale
	@$(BIN)/python tools/notebooks.py
	@$(BIN)/python tools/equations.py

tidy: setup ## mend notebooks saved from JupyterLab, without executing them
	@$(BIN)/python tools/notebooks.py --clean

lock: setup ## write requirements.txt anew from requirements.in
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header \
		requirements.in -o requirements.txt

clean: ## remove everything generated but the environment
	rm -rf _build build dist mutants *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find book calibration_lessons tests tools -name __pycache__ -prune -exec rm -rf {} +
