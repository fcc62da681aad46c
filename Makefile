# Everything starts from a machine with Python 3.11 or newer and nothing else.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# most of what is installed is never imported: a module is compiled when it first is, where that may be kept
UNCOMPILED := $(if $(PYTHONDONTWRITEBYTECODE),,--no-compile)

.PHONY: demo test lint types contract tests slow docs quick smallest annotated bench validation papers fuzz api clean

demo: $(VENV)/.installed
	$(BIN)/hitcurve demo

test: lint types contract tests

lint: $(VENV)/.installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: $(VENV)/.installed
	$(BIN)/mypy

contract: $(VENV)/.installed
	$(BIN)/lint-imports

# each of the processes has its processor: more threads of BLAS would wait for each other
tests slow: export OPENBLAS_NUM_THREADS = 1
# unit tests, laws, reference numbers, and every example in docstrings and README
tests: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n auto --dist worksteal -p no:logging -m "not slow"

# what opens browsers, starts other processes, simulates or takes seconds; a part of it: make slow PART="--part 1/3"
slow: $(VENV)/.installed
	$(BIN)/python -m pytest -q -n auto --dist worksteal -p no:logging -m slow $(PART) tests

# several processes run at once: one thread of BLAS each
docs quick: export OPENBLAS_NUM_THREADS = 1
# pages in docs/_build/html; every example is run again, and a warning is a failure
docs: $(VENV)/.docs
	$(BIN)/sphinx-build -b html -W --keep-going -E -q -j auto -d docs/_build/doctrees docs docs/_build/html

# one quick run of what is slow otherwise; those of the other papers are tests
quick: $(VENV)/.installed
	$(BIN)/python -m benchmarks.evaluate --quick
	$(BIN)/python -m benchmarks.startup --quick
	$(BIN)/python -m benchmarks.inference --quick
	$(BIN)/python -m benchmarks.many --quick
	$(BIN)/python -m benchmarks.engines --quick
	$(BIN)/python -m validation --quick
	$(BIN)/python -m papers.swamidass2010 --quick
	$(BIN)/python -m papers.swamidass_tests --quick
	$(BIN)/python -m papers.swamidass_passes --quick

# in environments of their own: the core alone, and with anndata
smallest annotated: $(VENV)/.installed
	PIP="$(BIN)/python -m pip" bash .ci/$@

bench: $(VENV)/.installed
	$(BIN)/python -m benchmarks.evaluate
	$(BIN)/python -m benchmarks.startup
	$(BIN)/python -m benchmarks.inference
	$(BIN)/python -m benchmarks.many
	$(BIN)/python -m benchmarks.engines

# the simulations of validation/README.md, three and a half hours on 2 processors; writes validation/results
validation: $(VENV)/.installed
	$(BIN)/python -m validation

# the papers' tables and figures, from data to number, some two and a half hours and 14 GB; writes papers/results
papers: $(VENV)/.installed
	$(BIN)/python -m papers

# a million cases of random input, some CPU hours; tests/fuzz/README.md has the tally
fuzz: $(VENV)/.installed
	$(BIN)/python -m tests.fuzz --cases 1000000

# what breaks in the interface since a commit: make api SINCE=v0.1.0
api: $(VENV)/.installed
	$(BIN)/python packaging/interface.py $(SINCE)

# ALSO is what else to install at once: continuous integration says it
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(UNCOMPILED) --editable '.[all]' --group dev $(ALSO)
	touch $@

$(VENV)/.docs: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet $(UNCOMPILED) --group docs
	touch $@

clean:
	rm -rf $(VENV)
