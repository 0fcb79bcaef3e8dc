# What people and CI run. Everything happens in a virtual environment of its own, made on first
# use and made again only when pyproject.toml or constraints.txt change.
#
#   make demo PYTHON=python3.12        another interpreter
#   make demo PIP_ARGS="--index-url …" more options for pip (a mirror, an index of CPU builds)

PYTHON   ?= python3
VENV     ?= .venv
PIP_ARGS ?=

BIN     := $(abspath $(VENV))/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check $(PIP_ARGS) -c constraints.txt

.DEFAULT_GOAL := help
GAME     ?= xabitha
TRAIN    ?=
PLAY     ?=

.PHONY: help play demo train ship declaration opening notebooks ablations speed learn-check test lint format bench golden mutants docs docs-tables wheel-check clean

help: ## list the commands
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' $(MAKEFILE_LIST) | while IFS='|' read -r name text; \
	do printf '  make %-12s %s\n' "$$name" "$$text"; done

play: $(VENV)/.with-play ## play a match in the terminal (GAME=xeri for the other game)
	$(BIN)/xabitha play --game $(GAME) $(PLAY)

demo: $(VENV)/.with-train ## train an agent on Xabitha and measure it
	$(BIN)/python -m train.demo

train: $(VENV)/.with-train ## train a policy by self-play (GAME=xeri for the other game); goes on
	$(BIN)/python -m train.ppo --game $(GAME) --out runs/$(GAME) $(TRAIN)

ship: ## make the policy of `make train` the player `learned`
	mkdir -p agents/checkpoints
	cp runs/$(GAME)/policy.pt agents/checkpoints/$(GAME).pt
	cp runs/$(GAME)/card.md agents/checkpoints/$(GAME).md
	cp runs/$(GAME)/curve.png docs/images/$(GAME)-curve.png

define study
$(BIN)/python -m train.$@ --out runs/$@ $(TRAIN)
cp runs/$@/$@.pt agents/checkpoints/$@.pt
for name in $$(cd runs/$@ && ls *.png); do cp runs/$@/$$name docs/images/$@-$$name; done
endef

declaration: $(VENV)/.with-train ## learn when to declare, for the option `declare=learned`
	$(study)

opening: $(VENV)/.with-train ## learn how to open, for the option `opening=learned`
	$(study)

ablations: $(VENV)/.with-train ## what the choices of training are worth
	$(BIN)/python -m train.ablations --game $(GAME)

notebooks: $(VENV)/.with-notebooks ## run the notebooks and keep their results
	OMP_NUM_THREADS=1 $(BIN)/jupyter-execute --inplace notebooks/*.ipynb

speed: $(VENV)/.with-train ## training speed, beside MaskablePPO
	$(BIN)/python -m train.speed --game $(GAME)

learn-check: $(VENV)/.with-train ## see that each learner learns, in two minutes each
	$(BIN)/python -m train.learn_check

test: lint ## lint, then every test that is not slow
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 4

lint: $(VENV)/.with-test ## style, types and import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.with-test ## mend style in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(VENV)/.with-bench ## measure speed, with peers beside it
	$(BIN)/xabitha bench --peers

golden: $(VENV)/.with-test ## write the golden playthroughs again
	$(BIN)/python -m tools.golden --write

mutants: $(VENV)/.with-test ## change one rule at a time and see that tests fail
	$(BIN)/python -m tools.mutate

docs-tables: $(VENV)/.with-test ## write the tables and traces of README and docs again
	$(BIN)/python -m tools.readme_tables
	$(BIN)/python -m tools.docs_pages

docs: $(VENV)/.with-docs ## build the site into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

wheel-check: $(VENV)/.with-test ## build the wheel and use it alone, outside the clone
	PIP_ARGS='$(PIP_ARGS)' tools/wheel_check.sh $(BIN)/python

clean: ## remove the environment and what was built
	rm -rf $(VENV) $(VENV)-* build dist site .mypy_cache .pytest_cache .ruff_cache .import_linter_cache

# The environment: one stamp for its making, and one for each set of extras in it.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	|| { echo 'Python 3.11 or newer is needed: make PYTHON=/path/to/python3' >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' \
	|| { echo '$(PYTHON) has no venv module (on Debian: apt install python3-venv)' >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.with-play: $(VENV)/.made pyproject.toml constraints.txt
	$(INSTALL) -e '.[play]'
	@touch $@

$(VENV)/.with-train: $(VENV)/.made pyproject.toml constraints.txt
	$(INSTALL) -e '.[train]'
	@touch $@

$(VENV)/.with-test: $(VENV)/.made pyproject.toml constraints.txt
	$(INSTALL) -e '.[test,train]'
	@touch $@ $(VENV)/.with-train

$(VENV)/.with-notebooks: $(VENV)/.made pyproject.toml constraints.txt
	$(INSTALL) -e '.[train,notebooks]'
	@touch $@ $(VENV)/.with-train

$(VENV)/.with-bench: $(VENV)/.made pyproject.toml constraints.txt
	$(INSTALL) -e '.[bench]'
	@touch $@

$(VENV)/.with-docs: $(VENV)/.made pyproject.toml constraints.txt
	$(INSTALL) -e '.[docs]'
	@touch $@
