# Every target works in a fresh clone: the environment .venv is made where it is missing or not what is asked for.

PORT ?= 8000
BIN := .venv/bin
COMPANION := $(addprefix tests/,calibrators measures models practice uncertainty) \
	$(filter-out tests/test_examples.py tests/test_fashion_mnist.py,$(wildcard tests/test_*.py))
CLASS := $(if $(filter-out 0,$(CLASS_EDITION)),_build/class/)
HTML := $(CLASS)_build/html

# The folder and the Python that the environment was made for; empty where its Python is gone.
made_for := $(shell $(BIN)/python -c '' 2>/dev/null && cat .venv/made 2>/dev/null)
python = $(or $(PYTHON),$(shell for p in $(lastword $(made_for)) python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$p && exit; done; echo python3))

.DEFAULT_GOAL := help
.PHONY: help setup serve build book lab test check check-class check-site check-integrations check-versions port benchmark \
	mutants notebooks tidy lock release clean anew

help: ## list the targets
	@echo "make TARGET [PYTHON=python3.12] [PORT=8000] [CLASS_EDITION=1: without solutions]"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

setup: .venv/made ## make or repair the environment .venv (every target below does so by itself)

.venv/made: requirements.txt pyproject.toml
	@tools/release/setup.sh $(python)

ifneq ($(made_for),$(CURDIR) $(or $(PYTHON),$(lastword $(made_for))))
.venv/made: anew
endif

serve: port build ## build the course and serve it at http://127.0.0.1:PORT
	@echo "serve: the course is at http://127.0.0.1:$(PORT) (Ctrl-C ends it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(HTML) $(PORT)

port: .venv/made
	@$(BIN)/python -c "import socket; socket.create_server(('127.0.0.1', $(PORT)))" 2>/dev/null || \
		{ echo "serve: port $(PORT) cannot be used; choose another, as in: make serve PORT=8001" >&2; exit 1; }

build: .venv/made ## build the course into _build/html
	@$(if $(CLASS),$(BIN)/python tools/site/class_edition.py)
	@echo "build: building the course into $(HTML)"
	@$(BIN)/jupyter-book build -q -W -n --keep-going $(or $(CLASS),.) >/dev/null || { rm -rf $(CLASS)_build/.doctrees; \
		echo "build: the course could not be built; mend the warnings and errors above, then try again" >&2; exit 1; }

book: .venv/made ## make one EPUB of the course, in _build/epub; for a PDF print a page, or the EPUB, from a browser
	@$(BIN)/jupyter-book build -q -W -n --keep-going --builder custom --custom-builder epub . >/dev/null
	@echo "book: the course is in" _build/epub/*.epub

lab: .venv/made ## open the notebooks in JupyterLab
	@$(if $(CLASS),$(BIN)/python tools/site/class_edition.py)
	@$(BIN)/jupyter lab $(CLASS)

test: .venv/made ## run every check that needs no browser
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder

check: .venv/made ## hold text, formulas, numbers and names to the code, in seconds (make test tests the guards, too)
	@$(BIN)/ruff check .
	@$(BIN)/python -m pytest tests/book -m "not kernel and not copy"

check-class: .venv/made ## grade made-up classes in the sandbox, and try the sets on a thousand student numbers
	@STUDENTS=1000 $(BIN)/python -m pytest -n auto --dist loadgroup tests/classroom tests/assignments/test_checks.py

check-site: build ## open every built page in Chromium
	@$(BIN)/python -m pytest -n auto tests/site -m browser

check-integrations: .venv-integrations/made ## try what others run: PyTorch, ONNX, boosters, in an environment of their own
	@INTEGRATIONS=1 .venv-integrations/bin/python -m pytest -o addopts="--import-mode=importlib --strict-markers" \
		--confcutdir tests tests/integrations

check-versions: .venv-oldest/made .venv-between/made ## run the companion's tests with the oldest versions that it allows, and with others
	@for versions in oldest between; do \
		echo "check-versions: tools/release/$$versions.requirements.txt"; \
		.venv-$$versions/bin/python -m pytest -q -p no:cacheprovider --confcutdir tests $(COMPANION) || exit 1; done

release: .venv-release/made ## rehearse a release: build, check, install and try the wheel; uploads nothing
	@.venv-release/bin/python tools/release/rehearsal.py

# Targets with an environment of their own; what tries the companion has it installed.
.venv-%/made: tools/release/%.requirements.txt | .venv/made
	@echo "make: making the environment .venv-$*"
	@$(BIN)/python -m venv --clear .venv-$*
	@.venv-$*/bin/pip install --quiet -r $<
	@$(if $(filter-out release,$*),.venv-$*/bin/pip install --quiet --no-deps --no-build-isolation -e .)
	@touch $@

mutants: .venv/made ## change the companion in small ways and count what the tests notice (hours)
	@$(BIN)/python tools/mutation/mutants.py

benchmark: .venv-benchmark/made ## measure time and memory beside other libraries, and rewrite that page (ten minutes)
	@.venv-benchmark/bin/python tools/experiments/benchmark.py
	@$(BIN)/python tools/binding/notebooks.py book/reference/benchmarks.ipynb

notebooks: .venv/made ## execute the notebooks that are stale
	@$(BIN)/python tools/binding/notebooks.py
	@$(BIN)/python tools/binding/equations.py

tidy: .venv/made ## mend what an editor, a new title or a longer lesson left behind; executes nothing
	@$(BIN)/python tools/binding/notebooks.py --clean
	@$(BIN)/python tools/binding/lengths.py --write
	@$(BIN)/python tools/binding/equations.py

lock: .venv/made ## write requirements.txt anew from requirements.in
	@$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header \
		requirements.in -o requirements.txt

clean: ## remove everything generated but the environment
	rm -rf _build build dist mutants *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find book calibration_lessons classroom tests tools -name __pycache__ -prune -exec rm -rf {} +
