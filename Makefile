# Every target works in a fresh clone: the environment .venv is made where it is missing or not what is asked for.

PORT ?= 8000
PYTHONS ?= python3.11 python3.12 python3.13
BIN := .venv/bin
COMPANION := $(addprefix tests/,book_wing calibrators decisions deployment measures models plots solvers uncertainty) \
	$(filter-out tests/test_examples.py tests/test_fashion_mnist.py,$(wildcard tests/test_*.py))
CLASS := $(if $(filter-out 0,$(CLASS_EDITION)),_build/class/)
HTML := $(CLASS)_build/html

# The folder and the Python that the environment was made for; empty where its Python is gone.
made_for := $(shell $(BIN)/python -c '' 2>/dev/null && cat .venv/site 2>/dev/null)
python = $(or $(PYTHON),$(shell for p in $(lastword $(made_for)) python3 python3.13 python3.12 python3.11 python; do \
	$$p -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' 2>/dev/null && echo $$p && exit; done; echo python3))

.DEFAULT_GOAL := help
.PHONY: help setup serve build book lab test check check-class check-hostile check-notebooks check-site check-integrations check-pythons check-versions port benchmark \
	mutants notebooks tidy lock release clean anew

help: ## list the targets
	@echo "make TARGET [PYTHON=python3.12] [PORT=8000] [CLASS_EDITION=1: without solutions]"
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  \1\t\2/p' Makefile | expand -t 14

setup: .venv/made ## make or repair the environment .venv (every target below does so by itself)

# First what the site needs, so that a reader waits for no more; then the rest, into the same environment.
.venv/site: requirements-site.txt pyproject.toml
	@tools/release/setup.sh $(python)

.venv/made: requirements.txt .venv/site
	@tools/release/setup.sh $(BIN)/python requirements.txt

ifneq ($(made_for),$(CURDIR) $(or $(PYTHON),$(lastword $(made_for))))
.venv/site: anew
endif

serve: port build ## build the course and serve it at http://127.0.0.1:PORT
	@echo "serve: the course is at http://127.0.0.1:$(PORT) (Ctrl-C ends it)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(HTML) $(PORT)

port: .venv/site
	@$(BIN)/python -c "import socket; socket.create_server(('127.0.0.1', $(PORT)))" 2>/dev/null || \
		{ echo "serve: port $(PORT) cannot be used; choose another, as in: make serve PORT=8001" >&2; exit 1; }

build: .venv/site ## build the course into _build/html
	@$(if $(CLASS),$(BIN)/python tools/site/class_edition.py)
	@echo "build: building the course into $(HTML)"
	@$(BIN)/jupyter-book build -q -W -n --keep-going $(or $(CLASS),.) >/dev/null || { rm -rf $(CLASS)_build/.doctrees; \
		echo "build: the course could not be built; mend the warnings and errors above, then try again" >&2; exit 1; }

book: .venv/made ## make one EPUB of the course, in _build/epub; for a PDF print a page, or the EPUB, from a browser
	@$(BIN)/jupyter-book build -q -W -n --keep-going --builder custom --custom-builder epub . >/dev/null
	@echo "book: the course is in" _build/epub/*.epub

lab: .venv/made ## open the notebooks in JupyterLab
	@$(if $(CLASS),$(BIN)/python tools/site/class_edition.py)
	@JUPYTER_DATA_DIR="$(CURDIR)/.venv"/jupyter JUPYTER_RUNTIME_DIR="$(CURDIR)/.venv"/jupyter/runtime IPYTHONDIR="$(CURDIR)/.venv"/ipython \
		$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) $(CLASS)

test: .venv/made ## run every check that needs no browser
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder

check: .venv/made ## hold text, formulas, numbers and names to the code, in seconds (make test tests the guards, too)
	@$(BIN)/ruff check .
	@$(BIN)/python -m pytest -n auto tests/book -m "not kernel and not copy"
	@echo "check: lines of Python, JavaScript, CSS and shell by room, without problem sets:"
	@for room in calibration_lessons tests tools classroom book conftest.py; do echo "$$room $$(git ls-files $$room | \
		grep -E '[.](py|js|css|sh)$$' | tr '\n' '\0' | xargs -0 cat | wc -l)"; done | awk '{print; sum += $$2} END {print "sum " sum}'

check-notebooks: .venv/made ## execute every notebook and compare (OPENBLAS_CORETYPE=Prescott: on an old processor's arithmetic)
	@$(BIN)/python -m pytest -n auto --dist loadscope --no-loadscope-reorder -p no:cacheprovider book

check-class: .venv/made ## grade made-up classes in the sandbox, and try the sets on a thousand student numbers
	@STUDENTS=1000 $(BIN)/python -m pytest -n auto --dist loadgroup -m "not browser and not registry" tests/classroom tests/assignments/test_checks.py

check-site: .venv/made build ## open every built page in Chromium
	@$(BIN)/python -m pytest -n auto --dist worksteal tests/site -m browser --reruns 2 -rR

check-hostile: .venv/made ## grade a class of hostile submissions in the sandbox (minutes; needs bubblewrap)
	@$(BIN)/python -m pytest tests/classroom -m hostile

check-integrations: .venv-integrations/made ## try what others run: PyTorch, ONNX, boosters, in an environment of their own
	@INTEGRATIONS=1 .venv-integrations/bin/python -m pytest -o addopts="--import-mode=importlib --strict-markers" \
		--confcutdir tests tests/integrations

check-pythons: ## serve and test the course with each Python it names, in clones whose path has spaces and umlauts
	@for python in $(PYTHONS); do $$python -c '' 2>/dev/null || { echo "check-pythons: no $$python here"; continue; }; \
		clone="$$(mktemp -d)/Ein Kürs" && git clone -q . "$$clone" && echo "check-pythons: $$python in $$clone" && \
		$(MAKE) -C "$$clone" PYTHON=$$python build test && rm -rf "$$clone" || exit 1; done
	@$(BIN)/python -m pytest tests/house -m registry

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

# The same sample in each run; `mutmut show NAME` shows a change.
mutants: .venv/made ## change the companion in small ways, three changes of ten, and count what tests notice (hours; MODULE=measures.ece)
	@rm -rf mutants
	@CI=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/mutmut run 'calibration_lessons.$(MODULE)*mutmut_*[037]'
	@$(BIN)/mutmut results | grep -v ': not checked' || true

benchmark: .venv-benchmark/made ## measure time and memory beside other libraries, and rewrite that page (ten minutes)
	@.venv-benchmark/bin/python tools/experiments/benchmark.py
	@$(BIN)/python tools/binding/notebooks.py book/reference/benchmarks.ipynb

notebooks: .venv/made ## execute the notebooks that are stale
	@$(BIN)/python tools/binding/notebooks.py
	@$(BIN)/python tools/binding/equations.py
	@$(BIN)/python tools/site/before_after.py

tidy: .venv/made ## mend what an editor, a new title or a longer lesson left behind; executes nothing
	@$(BIN)/python tools/binding/notebooks.py --clean
	@$(BIN)/python tools/binding/terms.py
	@$(BIN)/python tools/binding/lengths.py --write
	@$(BIN)/python tools/binding/equations.py

# Old pips (before 23.3) do not see that a line with an extra pins the package itself: it gets a line without.
lock: .venv/made ## write requirements.txt and requirements-site.txt anew from what they are made of
	@for name in requirements requirements-site; do \
		$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header \
			$$([ $$name = requirements ] || echo -c requirements.txt) $$name.in -o $$name.txt && \
		sed -n '/^[a-z0-9._-]*\[/,/[^\]$$/{s/\[[^]]*\]//;/^ *#/!p;}' $$name.txt >$$name.bare && \
		cat $$name.bare >>$$name.txt && rm $$name.bare || exit 1; done

clean: ## remove everything generated but the environment
	rm -rf _build dist mutants .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find book calibration_lessons classroom tests tools -name __pycache__ -prune -exec rm -rf {} +
