# Everything from nothing but Python 3.11+ and make. Each target says what it needs and makes it.
PYTHON ?= python3
PORT ?= 8080
HOME_FOLDER ?= $(CURDIR)/home
PYTEST ?=
# Eight tests of an hour, and about three hours of others, in SOAK_WORKERS processes; FUZZ_S=600 in the environment makes the eight shorter.
SOAK_TIMEOUT ?= 25200
# Most of the time of the tests is waiting for processes, disks and timeouts: three times as many processes as two cores.
WORKERS ?= 6
QUICK_WORKERS ?= 2
SOAK_WORKERS ?= 2
BENCH ?=
# A test that failed runs once more, alone, at the end (tests/second_run.py); the times of the tests stand below (tests/slowest.py).
# A test that hangs prints the stacks of its process after STANDSTILL seconds and has failed.
STANDSTILL ?= 400
WHOLE_RUN := -p tests.compiled_tests -p tests.second_run --second-run=build/unstable -p tests.slowest --times=build/times.tsv -o faulthandler_timeout=$(STANDSTILL) -o faulthandler_exit_on_timeout=true
# Dependencies come from locks/, each with its hash; `make LOCKED=no ...` takes the newest that pyproject.toml permits instead.
LOCKED ?= yes

SOURCES := $(shell find src -type f ! -name '*.pyc' 2>/dev/null) $(shell find web -type f ! -name '*.pyc' ! -path 'web/node_modules/*' ! -path 'web/dist/*' 2>/dev/null) hatch_build.py pyproject.toml README.md LICENSE
PIP := -m pip --disable-pip-version-check --no-input -q
LOCK := --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --upgrade

.DEFAULT_GOAL := help
.PHONY: help up test quick lint bench soak pictures docs references lock vulnerabilities clean

help: ## What there is to make
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## (.*)/  make \1\t\2/' | expand -t 16

up: .venv/.installed ## Install into .venv and run everything, with the example DAGs, on http://localhost:8080
	exec env GNOMON_HOME='$(HOME_FOLDER)' GNOMON__CORE__LOAD_EXAMPLES=true .venv/bin/gnomon standalone --port $(PORT)

test: .venv-test/.installed ## Run the tests against the installed wheel (PYTEST=... for pytest's own arguments, WORKERS=... processes)
	.venv-test/bin/python -m pytest $(WHOLE_RUN) -n $(WORKERS) --dist worksteal $(PYTEST)

quick: .venv-test/.installed ## The pure tests alone, which start no process and open no database file: one to three minutes
	.venv-test/bin/python -m pytest -p tests.slowest -m 'pure and not soak' -n $(QUICK_WORKERS) --dist worksteal $(PYTEST)

lint: .venv-test/.installed ## ruff (rules and layout), mypy --strict, the layers of the architecture; for the page ESLint, Prettier and its types
	.venv-test/bin/ruff check .
	.venv-test/bin/ruff format --check .
	.venv-test/bin/mypy
	.venv-test/bin/lint-imports --no-logo
	.venv-test/bin/python -m web.check_sources

docs: .venv-test/.installed .venv-docs/.dependencies ## Check the documentation (links, code, generated references) and build the site: build/site
	.venv-test/bin/python docs/check.py
	.venv-docs/bin/python docs/build_site.py

references: .venv-test/.installed ## Write the generated pages of the documentation anew
	.venv-test/bin/python docs/generate.py

bench: .venv-test/.installed ## Measure (BENCH="wide chain" for some of it)
	.venv-test/bin/python -m bench.run $(BENCH)

soak: .venv-test/.installed ## The long tests: kills, leaks, fullness; bounded by SOAK_TIMEOUT seconds
	timeout --signal=INT --kill-after=60 $(SOAK_TIMEOUT) .venv-test/bin/python -m pytest -p tests.slowest -m soak -n $(SOAK_WORKERS) --dist worksteal $(PYTEST)

pictures: .venv-test/.installed ## Record the pictures of the views anew (ANSWERS=yes: what the server answers to them as well)
	PICTURES=$(if $(filter yes,$(ANSWERS)),answers,prints) .venv-test/bin/python -m pytest tests/page/test_pictures.py -m 'soak or not soak' -n 0 $(PYTEST)

lock: .venv-lock/.dependencies ## Write locks/ anew: the newest versions that pyproject.toml permits, with the hashes of all their files
	.venv-lock/bin/uv pip compile $(LOCK) pyproject.toml -o locks/runtime.txt
	.venv-lock/bin/uv pip compile $(LOCK) pyproject.toml --extra celery --extra kubernetes --extra s3 -c locks/runtime.txt -o locks/container.txt
	.venv-lock/bin/uv pip compile $(LOCK) pyproject.toml --group dev -c locks/runtime.txt -o locks/dev.txt
	.venv-lock/bin/uv pip compile $(LOCK) --group docs -o locks/docs.txt

vulnerabilities: .venv-test/.installed ## Ask the package index for known vulnerabilities of what locks/ names; says so when the index does not offer that
	.venv-test/bin/python .ci/known_vulnerabilities.py locks/*.txt

clean: ## Remove what make made; the home folder stays
	rm -rf .venv .venv-test .venv-docs .venv-lock build dist

.venv/.installed: $(SOURCES) locks/runtime.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Gnomon needs Python 3.11 or later; name one with make PYTHON=...")'
	test -x .venv/bin/python || $(PYTHON) -m venv .venv
	@echo 'Installing Gnomon into .venv'
	test '$(LOCKED)' = no || .venv/bin/python $(PIP) install --require-hashes -r locks/runtime.txt
	.venv/bin/python $(PIP) install .
	@touch $@

# Dependencies first and by themselves: they are installed again only when pyproject.toml changed.
.venv-test/.dependencies: pyproject.toml locks/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Gnomon needs Python 3.11 or later; name one with make PYTHON=...")'
	test -x .venv-test/bin/python || $(PYTHON) -m venv .venv-test
	@echo 'Installing the tools of development into .venv-test'
	.venv-test/bin/python $(PIP) install 'pip>=25.1'
	test '$(LOCKED)' = no || .venv-test/bin/python $(PIP) install --require-hashes -r locks/dev.txt
	test '$(LOCKED)' != no || .venv-test/bin/python $(PIP) install --group dev
	@touch $@

# The tools of the site by themselves: nothing of Gnomon or of its tests is needed to build it.
.venv-docs/.dependencies: pyproject.toml locks/docs.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Gnomon needs Python 3.11 or later; name one with make PYTHON=...")'
	test -x .venv-docs/bin/python || $(PYTHON) -m venv .venv-docs
	@echo 'Installing the tools of the site into .venv-docs'
	.venv-docs/bin/python $(PIP) install 'pip>=25.1'
	test '$(LOCKED)' = no || .venv-docs/bin/python $(PIP) install --require-hashes -r locks/docs.txt
	test '$(LOCKED)' != no || .venv-docs/bin/python $(PIP) install --group docs
	@touch $@

.venv-lock/.dependencies: pyproject.toml
	test -x .venv-lock/bin/python || $(PYTHON) -m venv .venv-lock
	.venv-lock/bin/python $(PIP) install 'pip>=25.1'
	.venv-lock/bin/python $(PIP) install --group lock
	@touch $@

.venv-test/.installed: .venv-test/.dependencies $(SOURCES)
	@echo 'Building the wheel and installing it into .venv-test'
	rm -rf dist
	.venv-test/bin/python $(PIP) wheel --no-deps --wheel-dir dist .
	.venv-test/bin/python $(PIP) install dist/gnomon-*.whl
	.venv-test/bin/python $(PIP) install --force-reinstall --no-deps dist/gnomon-*.whl
	@touch $@
