# make demo    the main job on generated data, and a figure
# make test    format, lint, types, import layers, tests and doctests
# make check   the first four of these
# make bench   the table against scikit-learn, River and Vowpal Wabbit
# make search  every stream of the small cases, against the bounds; every check of scikit-learn and of River, against every classifier
# make build   the native core, after a change in native/; says which compiler made it
# make mutants the core with the faults of scripts/faults.py, which the tests of mutants choose from
# make docs    the site of the documentation in build/site; a warning is an error
# make figures the figures of docs/theory, from the code
# make fuzz    damaged files of every format, against the plain reader (MINUTES=8; Linux)
# make sanitize  contract, damaged files and hostile states on a core built with AddressSanitizer and UBSan (g++ or clang++; Linux)
# make soak    every attack of tests/attack and more, with fresh seeds, until its time is over (MINUTES=30; Linux)
# make quick   the tests that say most in little time
# make wheel   wheels and sdist in dist/, checked, and those that can run here run in an empty environment
# make fresh   each of these as the first one, in a clone of its own with an empty home (TARGETS="docs demo" for some; --without-compiler there hides g++)
# Each sets up .venv by itself; all that is needed is Python 3.11+ (with its headers) and make.

PYTHON ?= python3
VENV := .venv
SOAK := $(if $(filter undefined,$(origin MINUTES)),30,$(MINUTES))
MINUTES ?= 8
RUN := $(VENV)/bin/
WORKERS ?= $(shell $(PYTHON) -c "import os; print(max(1, min(4, len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count() or 1)))")

PIP := $(RUN)python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
NATIVE := $(shell find native -name "*.h" -o -name "*.cpp" -o -name CMakeLists.txt) src/littlestone/kernels/sources.py
BUILD := $(RUN)python packaging/native_backend.py build

.PHONY: demo build mutants test quick docs check types style layers bench search figures fuzz soak wheel fresh sanitize clean

demo: $(VENV)/.ready-plot
	$(RUN)littlestone demo --out littlestone-demo.png

test: $(VENV)/.ready-test
	$(MAKE) --no-print-directory --jobs $(WORKERS) check mutants
	$(RUN)python -m pytest -n $(WORKERS) --dist worksteal

build: $(VENV)/.tools
	$(BUILD)

mutants: $(VENV)/.tools
	$(RUN)python scripts/mutants.py

sanitize: $(VENV)/.ready-test
	$(RUN)python scripts/sanitize.py -n $(WORKERS)

check: types style layers

types: $(VENV)/.ready-test
	$(RUN)mypy
	$(RUN)mypy --strict --allow-subclassing-any --follow-imports=skip --cache-dir=.mypy_cache/strict examples/scikit_learn.py examples/river_stream.py src/littlestone/adapters/sklearn.pyi src/littlestone/adapters/river.pyi

style: $(VENV)/.ready-test
	$(RUN)ruff format --check .
	$(RUN)ruff check .

layers: $(VENV)/.ready-test
	$(RUN)lint-imports

bench: $(VENV)/.ready-bench
	$(RUN)python benchmarks/run.py

search: $(VENV)/.ready-test
	$(RUN)python scripts/search.py --write
	LITTLESTONE_SHARE=1 LITTLESTONE_HASH_SEEDS=0,7,11,12,13 $(RUN)python -m pytest -q -n $(WORKERS) tests/contract tests/test_comparators.py
	$(RUN)python scripts/estimators.py

docs: $(VENV)/.ready-docs
	$(RUN)python -m sphinx -W --keep-going -q -a -b html -c scripts/site docs build/site

figures: $(VENV)/.ready-test
	$(RUN)python scripts/figures.py

fuzz: $(VENV)/.ready-fuzz
	$(RUN)python scripts/fuzz.py --folder .cache/fuzz --seconds $$(( 60 * $(MINUTES) / 8 ))

soak: $(VENV)/.ready-test
	$(RUN)python scripts/soak --minutes $(SOAK)

quick: $(VENV)/.ready-test
	$(RUN)python scripts/quick.py -n $(WORKERS)

wheel:
	$(PYTHON) scripts/wheel.py

fresh:
	$(PYTHON) scripts/fresh.py $(TARGETS)

clean:
	rm -rf build src/littlestone/*.so src/littlestone/*.pyd
	rm -rf $(VENV) dist .cache .pytest_cache .mypy_cache .ruff_cache .import_linter_cache

# One environment; each extra is installed when first needed. The core is built in a fixed folder, where only what changed is compiled again.
$(VENV)/.ready-%: pyproject.toml constraints.txt | $(VENV)/.core
	$(PIP) --no-build-isolation --config-settings=cmake.define.LITTLESTONE_WARNINGS=ON --editable ".[$*]"
	$(RUN)python -m compileall -q src
	touch $@

$(VENV)/.core: $(NATIVE) $(VENV)/.tools
	$(BUILD)
	touch $@

$(VENV)/.tools: pyproject.toml constraints.txt packaging/native_backend.py
	test -x $(RUN)python || $(PYTHON) -m venv $(VENV)
	$(PIP) $$($(RUN)python packaging/native_backend.py requirements)
	touch $@
