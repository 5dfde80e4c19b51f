# Everything sets itself up: a virtual environment in .venv with the versions that
# requirements.txt pins. Needed beforehand: Python 3.11 or newer, git and make.

PYTHON ?= python3
BIN := .venv/bin
READY := .venv/ready
PEERS := .venv/peers
GRADER := .venv/grader
# The build of the site runs the notebooks of the book, but not the masters of the problem sets.
MASTERS := $(wildcard book/assignments/*.ipynb)
NOTEBOOKS := $(wildcard book/*.ipynb) $(MASTERS)
# One worker more than processors, since many tests wait; conftest.py has the order.
SIDE_BY_SIDE := -n $(shell expr $$(nproc 2>/dev/null || echo 2) + 1) --maxprocesses 8
# What an edit of a chapter's module can break at once.
CORE := $(patsubst %,tests/test_%.py,data model learning pocketing dual convergence figures package dependencies) \
    tests/book/test_notebooks.py
BOOK_BUILD := $(BIN)/jupyter-book build . -W -n --keep-going

.PHONY: help book pdf epub site live test test-all check fuzz proof mutants grader sanitize machines lab notebooks speed bench lint requirements clean
.DEFAULT_GOAL := help

help: ## Say what can be made
	@grep -hE '^[a-z-]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 15

book: $(READY) ## Execute the notebooks and build the site
	$(BOOK_BUILD)
	@$(BIN)/python book/report.py _build/html
	@echo
	@echo "The book is built. Open _build/html/index.html in a browser."

pdf: book ## Print the book into _build/book.pdf (with Chromium)
	$(BIN)/python book/pdf.py _build/html _build/book.pdf

epub: book ## Make an e-book of the book, _build/book.epub
	$(BIN)/python book/epub.py _build/html _build/book.epub

site: pdf epub ## Put together what is published, in _build/site: the site, its PDF and EPUB, a zip to take away
	$(BIN)/python book/publish.py _build/html _build/book.pdf _build/book.epub _build/site
	PYTHONPATH=book/_ext $(BIN)/python -m notes_site.live _build/site

live: book ## Build the site with cells that run in the page, and serve it on this machine
	PYTHONPATH=book/_ext $(BIN)/python -m notes_site.live _build/html _build/live
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/live 8000

test: $(READY) ## Run the tests that everybody runs: package, notebooks, site, some of the attacks
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not slow" --hypothesis-profile few --nbval tests classroom/tests $(MASTERS)

test-all: $(READY) ## Run every test, as every night and before a release
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) --nbval tests classroom/tests $(NOTEBOOKS)

fuzz: $(READY) ## Try 100,000 odd messages and 2000 odd notebooks on the grader
	FUZZ=1 $(BIN)/python -m pytest -q classroom/tests/test_calls.py classroom/tests/test_odd_notebooks.py

proof: $(READY) ## Have Coq check the convergence theorem, and hundreds of runs, true and forged
	@command -v coqc >/dev/null || \
	    { echo "Coq is not installed; on Debian and Ubuntu: apt-get install coq"; exit 1; }
	$(BIN)/python -m pytest -q tests/test_formal.py

SANITIZED = LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 \
    PYTHONMALLOC=malloc PYTHONPATH=_build/sanitize/lib
sanitize: $(READY) ## Test the compiled loops, and fuzz them, while sanitizers watch; MINUTES=30 for long
	CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=all" \
	    $(BIN)/python setup.py -q build --build-base _build/sanitize --build-lib _build/sanitize/lib
	$(SANITIZED) $(BIN)/pytest -q -p no:cacheprovider tests/test_loops.py
	$(SANITIZED) $(BIN)/python tests/fuzz_loops.py --minutes $(or $(MINUTES),1)

machines: $(READY) ## Compare what is printed on older processors, other builds, and in WebAssembly
	$(BIN)/python tests/machines.py

mutants: $(READY) ## Put wrong and right programs to the checks, with SEEDS=100 seeds each
	PYTHONPATH=tests $(BIN)/python classroom/tests/survey.py --seeds $(or $(SEEDS),100)

grader: ## Install what grading needs, and no more, in .venv/grader
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "$(PYTHON) is older than Python 3.11; say which to use: make grader PYTHON=python3.12"; exit 1; }
	mkdir -p $(GRADER)
	grep -v '^-e' requirements.txt > $(GRADER)/versions.txt
	@rm -rf build classroom/build  # an older build would add its modules to this one
	@if command -v uv >/dev/null 2>&1; then \
	    uv venv --quiet --seed --allow-existing --python "$$(command -v $(PYTHON))" $(GRADER) && \
	    uv pip install --quiet --python $(GRADER)/bin/python --constraint $(GRADER)/versions.txt \
	        --reinstall-package perceptron_notes --reinstall-package perceptron_classroom \
	        . ./classroom; \
	else \
	    echo "Installing what grading needs with pip (a few minutes) …"; \
	    $(PYTHON) -m venv $(GRADER) && \
	    $(GRADER)/bin/python -m pip install --quiet --disable-pip-version-check \
	        --constraint $(GRADER)/versions.txt . ./classroom; \
	fi
	@echo "Installed. See whether this machine can grade: $(GRADER)/bin/perceptron-classroom doctor"

check: lint ## Check style and types, and the core of the package: for every edit
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -q -p no:nbval --hypothesis-profile few -m "not slow" $(CORE)

lab: $(READY) ## Open the notebooks in JupyterLab
	$(BIN)/jupyter lab --notebook-dir=book

notebooks: $(READY) ## Execute the notebooks and normalise what is committed of them
	$(BIN)/python book/notebooks.py $(NOTEBOOKS)

speed: $(PEERS) ## Time first calls in fresh processes, for the page on speed
	$(BIN)/python benchmarks/first_call.py
	$(BIN)/python benchmarks/charts.py
	$(BIN)/python book/notebooks.py book/speed.ipynb

bench: speed ## Time the runs against other libraries, the build, the figures, the proofs, grading, shards
	$(BIN)/python benchmarks/build.py
	$(BIN)/python benchmarks/explorer.py
	$(BIN)/python benchmarks/convergence.py
	$(BIN)/python benchmarks/grading.py
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/advice.py

lint: $(READY) ## Check style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/mypy tests/user_code.py
	$(BIN)/pyright --pythonpath $(BIN)/python tests/user_code.py
	PYTHONPATH=book/_ext $(BIN)/python tests/js/lint.py

requirements: $(READY) ## Pin the newest versions that pyproject.toml allows
	$(BIN)/python -c "import uv" 2>/dev/null || $(BIN)/python -m pip install --quiet uv
	$(BIN)/python -m uv pip compile pyproject.toml classroom/pyproject.toml --extra sklearn --extra scale --extra book --extra test --extra lint \
	    --universal --python-version 3.11 --upgrade --no-header --annotation-style line \
	    --quiet --output-file requirements.txt
	{ echo "# The exact versions that build, run and test this book, on Python 3.11 and newer."; \
	  echo "# Made by \`make requirements\` from the ranges in both pyproject.toml; the last lines are"; \
	  echo "# the two packages themselves."; cat requirements.txt; echo "-e ."; echo "-e ./classroom"; } > requirements.new
	mv requirements.new requirements.txt

clean: ## Remove all that was made, the environment too
	rm -rf .venv _build build dist *.egg-info classroom/build classroom/*.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# uv installs in seconds where pip takes a minute; either will do.
$(READY): requirements.txt pyproject.toml classroom/pyproject.toml setup.py $(wildcard perceptron_notes/native/*.[ch])
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "$(PYTHON) is older than Python 3.11; say which to use: make PYTHON=python3.12 …"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
	    echo "Installing what the book needs with uv …"; \
	    uv venv --quiet --allow-existing --python "$$(command -v $(PYTHON))" .venv && \
	    uv pip install --python $(BIN)/python --requirement requirements.txt; \
	else \
	    echo "Installing what the book needs with pip (about a minute) …"; \
	    { $(PYTHON) -m venv .venv || { echo "python -m venv failed; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }; } && \
	    $(BIN)/python -m pip install --disable-pip-version-check --requirement requirements.txt; \
	fi
	@touch $@

# The other libraries that the benchmarks measure; nothing else needs them.
$(PEERS): $(READY) benchmarks/requirements.txt
	@if command -v uv >/dev/null 2>&1; then \
	    uv pip install --quiet --python $(BIN)/python --requirement benchmarks/requirements.txt; \
	else \
	    $(BIN)/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/requirements.txt; \
	fi
	@touch $@
