# Everything sets itself up: a virtual environment in .venv with pinned versions, for the book those
# of requirements-book.txt alone. Needed beforehand: Python 3.11 or newer, git and make.

PYTHON ?= python3
BIN := .venv/bin
BOOK := .venv/book
READY := .venv/ready
PEERS := .venv/peers
TABLES := .venv/tables
ENGINES := .venv/engines
GRADER := .venv/grader
TOOLS := .venv/release
DIST := dist
# The build of the site runs the notebooks of the book, but not the masters of the problem sets.
MASTERS := $(wildcard book/assignments/*.ipynb)
NOTEBOOKS := $(wildcard book/*.ipynb) $(MASTERS)
# One worker more than processors, since many tests wait; conftest.py has the order.
SIDE_BY_SIDE := -n $(shell expr $$(nproc 2>/dev/null || echo 2) + 1) --maxprocesses 8
# `make book LANGUAGE=zh_CN` builds the pages that are complete in Chinese, and so do pdf, epub and
# slides. (What a shell calls LANGUAGE is not meant.)
LANG_OF := $(if $(filter command line,$(origin LANGUAGE)),$(filter-out en,$(LANGUAGE)))
SHORT := $(firstword $(subst _, ,$(LANG_OF)))
MADE := _build$(SHORT:%=/%)
EDITIONS := $(foreach one,$(wildcard book/locale/*),$(if $(shell cat $(one)/pages.txt),$(notdir $(one))))
WORDS = PYTHONPATH=book/_ext $(BIN)/python -m notes_site.words
BOOK_BUILD := $(if $(SHORT),$(BIN)/python book/_ext/notes_sheets.py && PYTHONPATH=book/_ext $(BIN)/python -m notes_site.in_language $(LANG_OF),\
    $(BIN)/jupyter-book build . -W -n --keep-going)

.PHONY: help book pdf epub slides site edition words live test test-all lowest highest check lines fuzz proof mutants grader sanitize machines lab notebooks speed bench tables lint dist tools release requirements paper clean
.DEFAULT_GOAL := help
# What is installed and what is built have one place each, whatever `make -j` is told.
.NOTPARALLEL:

help: ## Say what can be made
	@grep -hE '^[a-z -]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 15

book: $(BOOK) ## Execute the notebooks and build the site; LANGUAGE=zh_CN for that of another language
	$(BOOK_BUILD)
	@echo
	@echo "The book is built. Open $(MADE)/html/index.html in a browser."

pdf: $(READY) book ## Print the book into _build/book.pdf (with Chromium)
	$(BIN)/python book/pdf.py $(MADE)/html $(MADE)/book.pdf

epub: book ## Make an e-book of the book, _build/book.epub
	$(BIN)/python book/epub.py $(MADE)/html $(MADE)/book.epub

slides: book ## Make a deck of slides of each chapter, in _build/slides
	$(BIN)/python book/slides.py $(MADE)/html $(MADE)/slides

site: pdf epub slides ## Put together what is published, in _build/site: the site, its PDF and EPUB, slides, a zip to take away
	$(BIN)/python book/publish.py _build/html _build/book.pdf _build/book.epub _build/slides _build/site
	@for one in $(EDITIONS); do $(MAKE) edition LANGUAGE=$$one || exit; done
	PYTHONPATH=book/_ext $(BIN)/python -m notes_site.live _build/site

edition: pdf epub slides
	$(BIN)/python book/publish.py $(MADE)/html $(MADE)/book.pdf $(MADE)/book.epub $(MADE)/slides _build/site/$(SHORT)

words: $(BOOK) ## Write what there is to translate into book/locale; PAGES=book/1-model begins a page
	@$(WORDS) $(PAGES)

live: book ## Build the site with cells that run in the page, and serve it on this machine
	PYTHONPATH=book/_ext $(BIN)/python -m notes_site.live _build/html _build/live
	$(BIN)/python -m http.server --bind 127.0.0.1 --directory _build/live 8000

test: $(READY) ## Run the tests that everybody runs: package, notebooks, site, some of the attacks
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) -m "not slow" --hypothesis-profile few --nbval tests classroom/tests $(MASTERS)

test-all: $(READY) $(ENGINES) ## Run every test, as every night and before a release
	$(BIN)/python -m pytest $(SIDE_BY_SIDE) --nbval tests classroom/tests $(NOTEBOOKS)

# The environment of each is made anew; packages that only the site's tests need are in both, for one resolution.
lowest: RESOLUTION = lowest-direct
highest: RESOLUTION = highest
lowest highest: ## Test package and classroom with the oldest (newest) versions that are allowed, found by uv
	@command -v uv >/dev/null || { echo "uv is missing, which finds the versions: python3 -m pip install uv"; exit 1; }
	uv venv --quiet --clear --python "$$(command -v $(PYTHON))" .venv/$@
	uv pip install --quiet --python .venv/$@/bin/python --resolution $(RESOLUTION) \
	    --editable '.[sklearn,scale,book,pdf,test]' --editable ./classroom
	.venv/$@/bin/python -m pytest $(SIDE_BY_SIDE) -p no:nbval -m "not slow" --hypothesis-profile few \
	    tests classroom/tests --ignore tests/book --ignore-glob 'tests/figures/*/*'

fuzz: $(READY) ## Try 100,000 odd messages and 2000 odd notebooks on the grader, 2500 tables on `diagnose`
	FUZZ=1 $(BIN)/python -m pytest -q classroom/tests/test_calls.py classroom/tests/test_odd_notebooks.py
	FUZZ=1 $(BIN)/python -m pytest -q tests/diagnosis/test_diagnosis.py -k independent_program

proof: $(READY) ## Have Coq check the convergence theorem, and hundreds of runs, true and forged
	@command -v coqc >/dev/null || \
	    { echo "Coq is not installed; on Debian and Ubuntu: apt-get install coq"; exit 1; }
	$(BIN)/python -m pytest -q tests/formal

SANITIZED = LD_PRELOAD="$$(gcc -print-file-name=libasan.so)" ASAN_OPTIONS=detect_leaks=0 \
    PYTHONMALLOC=malloc PYTHONPATH=_build/sanitize/lib
sanitize: $(READY) ## Test the compiled loops while sanitizers watch
	CFLAGS="-g -fsanitize=address,undefined -fno-sanitize-recover=all" \
	    $(BIN)/python setup.py -q build --build-base _build/sanitize --build-lib _build/sanitize/lib
	$(SANITIZED) $(BIN)/pytest -q -p no:cacheprovider --hypothesis-profile few tests/native

machines: $(READY) ## Compare what is printed on older processors, other builds, and in WebAssembly
	$(BIN)/python tests/machines.py

mutants: $(READY) ## Put wrong and right programs to the checks, with SEEDS=100 seeds each
	SEEDS=$(or $(SEEDS),100) $(BIN)/python -m pytest $(SIDE_BY_SIDE) -p no:nbval \
	    -k "caught or accepted or promise" classroom/tests/test_checks.py

grader: ## Install what grading needs, and no more, in .venv/grader
	mkdir -p $(GRADER)
	grep -v '^-e' requirements-book.txt > $(GRADER)/versions.txt
	@rm -rf build classroom/build  # an older build would add its modules to this one
	$(call install,$(GRADER),--constraint $(GRADER)/versions.txt . ./classroom babel,\
	    --reinstall-package perceptron_notes --reinstall-package perceptron_classroom)
	$(GRADER)/bin/python book/_ext/notes_sheets.py
	@echo "Installed. See whether this machine can grade: $(GRADER)/bin/perceptron-classroom doctor"

check: $(READY) ## Check style and types, and run the tests of what differs from the last commit: for every edit
	$(BIN)/ruff format --check -q . && $(BIN)/ruff check -q . && $(BIN)/lint-imports --no-logo --no-cache && $(BIN)/mypy
	@$(BIN)/python tests/lines.py --over
	@$(WORDS) --tell
	@tests=$$($(BIN)/python tests/touched.py) || exit; \
	if [ -z "$$tests" ]; then echo "No test is asked, as nothing differs that one is known for."; \
	else echo "Tests of what differs: $$tests"; \
	    $(BIN)/python -m pytest $(SIDE_BY_SIDE) -q --hypothesis-profile few -m "not slow" --nbval $$tests; fi

lines: $(READY) ## Count the lines of each room beside its budget
	@$(BIN)/python tests/lines.py

paper: $(READY) ## Print the paper on this book into _build/paper.pdf (with pandoc and Chromium)
	@command -v pandoc >/dev/null || \
	    { echo "pandoc is not installed; on Debian and Ubuntu: apt-get install pandoc"; exit 1; }
	mkdir -p _build
	cd paper && pandoc --citeproc --mathml --template template.html paper.md --output ../_build/paper.html
	"$$(PYTHONPATH=book $(BIN)/python -c 'import web; print(web.needed())')" --headless --no-sandbox --disable-gpu --log-level=3 \
	    --no-pdf-header-footer --print-to-pdf=_build/paper.pdf _build/paper.html

lab: $(BOOK) ## Open the notebooks in JupyterLab
	$(BIN)/jupyter lab --notebook-dir=book

notebooks: $(BOOK) ## Execute the notebooks and normalise what is committed of them; ONLY=book/2-pla.ipynb for one
	$(BIN)/python book/notebooks.py $(or $(ONLY),$(NOTEBOOKS))

speed: $(PEERS) ## Time first calls in fresh processes, for the page on speed
	$(BIN)/python benchmarks/first_call.py
	$(BIN)/python benchmarks/charts.py
	$(BIN)/python book/notebooks.py book/speed.ipynb

tables: $(TABLES) ## Diagnose public tables, and have an independent program check the verdicts
	$(BIN)/python benchmarks/public_tables.py

bench: speed ## Time the runs against other libraries, and try the advice on data beyond one machine
	$(BIN)/python benchmarks/advice.py

lint: $(READY) ## Check style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/mypy
	$(BIN)/mypy tests/user_code.py
	$(BIN)/pyright --pythonpath $(BIN)/python tests/user_code.py
	PYTHONPATH=book/_ext $(BIN)/python tests/js/lint.py

dist: $(TOOLS)/ready ## Build both distributions into dist/, as sources and as wheels, and check them
	rm -rf $(DIST)
	$(TOOLS)/bin/python -m build --outdir $(DIST) .
	$(TOOLS)/bin/python -m build --outdir $(DIST) classroom
	$(TOOLS)/bin/validate-pyproject pyproject.toml classroom/pyproject.toml
	$(TOOLS)/bin/cffconvert --validate
	$(TOOLS)/bin/twine check --strict $(DIST)/*
	$(TOOLS)/bin/check-wheel-contents $(DIST)
	for source in $(DIST)/*.tar.gz; do \
	    $(TOOLS)/bin/pyroma --skip-tests AuthorEmail --min 9 $$source || exit; done  # nobody gave one

tools: $(TOOLS)/ready ## Install what releases are made and checked with, in .venv/release

release: $(TOOLS)/ready $(READY) ## Cut a release from the changelog: a commit and a tag; VERSION=0.2.0 says which
	@echo "$(VERSION)" | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' || \
	    { echo "VERSION is '$(VERSION)'; say three numbers: make release VERSION=0.2.0"; exit 1; }
	@last=$$(sed -nE '0,/^## ([0-9.]+) - .*/s//\1/p' CHANGELOG.md); \
	    printf '%s\n' "$$last" "$(VERSION)" | sort -CVu || \
	    { echo "VERSION is $(VERSION); the last one is $$last, and a release must be later"; exit 1; }
	@grep -A2 '^## Unreleased' CHANGELOG.md | grep -q '^###' || \
	    { echo "CHANGELOG.md has nothing under \"Unreleased\""; exit 1; }
	@$(WORDS) --release || { echo "a release has all its editions translated; see Other languages in CONTRIBUTING.md"; exit 1; }
	$(TOOLS)/bin/bump-my-version bump --new-version $(VERSION)
	$(TOOLS)/bin/bump-my-version bump --no-tag --message "Begin {new_version}" \
	    --new-version $$(echo $(VERSION) | awk -F. '{print $$1 "." $$2 + 1 ".0.dev0"}')
	@echo "Look at both commits with git show; git push --follow-tags publishes the first."

PIN := uv pip compile --quiet --universal --python-version 3.11 --no-header --annotation-style line
requirements: ## Pin the newest versions that the ranges in pyproject.toml allow (with uv)
	@command -v uv >/dev/null || { echo "uv is missing, which finds the versions: python3 -m pip install uv"; exit 1; }
	mkdir -p _build
	printf '%s\n' '-e .[sklearn,scale,book,pdf,test,lint]' '-e ./classroom' |\
	    $(PIN) - --upgrade --output-file _build/all.txt
	cp _build/all.txt _build/book.txt  # from which the same versions are taken
	printf '%s\n' '-e .[book]' '-e ./classroom' | $(PIN) - --output-file _build/book.txt
	$(PIN) --group release --upgrade --generate-hashes --output-file _build/release.txt
	{ echo "# What the book is read, run and built with, on Python 3.11 and newer: exact versions, made"; \
	  echo "# by \`make requirements\` from the ranges in both pyproject.toml."; \
	  cat _build/book.txt; } > requirements-book.txt
	{ echo "# All that is developed with: the book's, and what tests, lint and the PDF need besides."; \
	  echo "-r requirements-book.txt"; \
	  awk '{pin = $$0; sub(/ +#.*/, "", pin)} NR == FNR {book[pin]; next} !(pin in book)' \
	      _build/book.txt _build/all.txt; } > requirements.txt
	{ echo "# What a release is made and checked with, in an environment of its own."; \
	  cat _build/release.txt; } > requirements-release.txt

clean: ## Remove all that was made, the environment too
	rm -rf .venv _build build dist *.egg-info classroom/build classroom/*.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Into the environment in the folder $(1) goes what pip is told by $(2). uv does in seconds what takes
# pip a minute; either will do. (What uv is told besides is $(3).)
define install
	@command -v $(PYTHON) >/dev/null || { echo "There is no $(PYTHON) here; say which Python to use: make PYTHON=python3.12 …"; exit 1; }
	@said=$$($(PYTHON) -c 'import sys; print(*sys.version_info[:2], sep=".")' 2>&1) || \
	    { echo "$(PYTHON) does not run: $$said; say which Python to use: make PYTHON=python3.12 …"; exit 1; }; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	    { echo "$(PYTHON) is Python $$said, but 3.11 is needed; say which to use: make PYTHON=python3.12 …"; exit 1; }
	@if command -v uv >/dev/null 2>&1; then \
	    echo "Installing what is needed with uv …"; \
	    uv venv --quiet --seed --allow-existing --python "$$(command -v $(PYTHON))" $(1) && \
	    uv pip install --quiet --python $(1)/bin/python $(2) $(3); \
	else \
	    echo "Installing what is needed with pip (about a minute) …"; \
	    { $(PYTHON) -m venv $(1) || { echo "python -m venv failed; on Debian and Ubuntu: apt-get install python3-venv"; exit 1; }; } && \
	    $(1)/bin/python -m pip install --quiet --disable-pip-version-check $(2); \
	fi
endef

PACKAGES := pyproject.toml classroom/pyproject.toml setup.py $(wildcard perceptron_notes/native/*.[ch])
$(BOOK): requirements-book.txt $(PACKAGES)
	$(call install,.venv,--requirement requirements-book.txt)
	@touch $@

$(READY): requirements.txt requirements-book.txt $(PACKAGES)
	$(call install,.venv,--requirement requirements.txt)
	@touch $(BOOK) $@

$(TOOLS)/ready: requirements-release.txt
	$(call install,$(TOOLS),--requirement requirements-release.txt)
	@touch $@

$(ENGINES): $(READY) tests/book/engines.txt
	$(call install,.venv,--requirement tests/book/engines.txt)
	@touch $@

$(TABLES): $(READY) benchmarks/tables.txt
	$(call install,.venv,--no-deps --requirement benchmarks/tables.txt)
	@touch $@

# The other libraries that the benchmarks measure; nothing else needs them.
$(PEERS): $(READY) benchmarks/requirements.txt
	$(call install,.venv,--requirement benchmarks/requirements.txt)
	@touch $@
