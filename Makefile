# `make demo` shows the main job, `make test` passes the tests; each makes what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint site man field-report bench bench-history bench-v4 pictures clean

$(VENV)/demo.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(VENV)/test.stamp: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@ $(VENV)/demo.stamp

demo: $(VENV)/demo.stamp
	@echo '$$ fcoplint audit examples/team'
	@$(BIN)/fcoplint audit examples/team; code=$$?; echo "(audit ended with exit code $$code)"; test $$code -eq 1

lint: $(VENV)/test.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/pytest -n auto

# The documentation as pages, in build/site; a link that leads nowhere fails (with --quiet it would not).
site: $(VENV)/test.stamp
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file website/mkdocs.yml
	@echo "built build/site/index.html"

# The manual page, made from the commands' help: `man build/man/fcoplint.1`.
man: $(VENV)/demo.stamp
	@$(BIN)/python website/man.py

# The counts of docs/field-report.md, from the specification's corpus beside this clone; `--write` puts them into the page.
field-report: $(VENV)/demo.stamp
	@$(BIN)/python -m bench.field

# Every figure of docs/speed.md, with the peers in an environment of their own; `make bench BENCH=--write` renews the page.
.bench/stamp:
	$(PYTHON) -m venv .bench
	.bench/bin/pip install --quiet --disable-pip-version-check yamllint check-jsonschema fcop
	touch $@

bench: $(VENV)/test.stamp .bench/stamp
	@$(BIN)/python bench/speed.py $(BENCH)

# `audit --history` beside git alone, as a ratio in one run.
bench-history: $(VENV)/test.stamp
	$(BIN)/python bench/history.py

# `audit` of v4 workspaces of three sizes, and the reference's own validator on the smallest, in one run.
bench-v4: $(VENV)/test.stamp
	$(BIN)/python bench/v4.py

# The page's pictures, taken anew in Chromium: those the tests compare, and the README's.
pictures: $(VENV)/test.stamp
	$(BIN)/python -m tests.support.pictures

clean:
	rm -rf $(VENV) dist build
