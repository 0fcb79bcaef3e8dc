#!/bin/sh
# Builds the wheel, installs it alone in a new environment outside the clone, and uses it there.
# usage: tools/wheel_check.sh PYTHON   (an interpreter that has the `build` package)
set -eu
python=$1
clone=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$python" -m build --outdir "$work/dist" "$clone" >"$work/build.log" 2>&1 \
    || { cat "$work/build.log" >&2; exit 1; }
"$python" -m venv "$work/venv"
"$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check ${PIP_ARGS-} "$work"/dist/*.whl

cd "$work"
PATH=$work/venv/bin:$PATH
export XABITHA_CACHE_DIR=$work/cache
unset PYTHONPATH
python - dist/*.whl <<'PY'
import importlib.util
import sys
import zipfile

names = zipfile.ZipFile(sys.argv[1]).namelist()
strange = [name for name in names if not name.startswith(("xabitha_env/", "xabitha_env-"))]
assert not strange, f"the wheel holds more than the library: {strange}"
assert "xabitha_env/py.typed" in names, "the wheel lacks py.typed"
for name in ("agents", "train", "tests", "tools", "torch"):
    assert importlib.util.find_spec(name) is None, f"{name} came with the wheel"
PY
xabitha --help >help.txt
xabitha record --players greedy,random --matches 2 --rounds 1 --seed 1 --out played.jsonl.gz
xabitha verify played.jsonl.gz
xabitha replay played.jsonl.gz --html match.html
xabitha replay played.jsonl.gz --text >match.txt
xabitha tournament greedy random --deals 20 --workers 2 --csv deals.csv
python -W error - <<'PY'
import gymnasium
import numpy as np
import pettingzoo

import xabitha_env

table = pettingzoo.make("aec", "xabitha_env/Xabitha-v0")
table.reset(seed=1)
for agent in table.agent_iter(200):
    seen, _, terminated, truncated, _ = table.last()
    over = terminated or truncated
    table.step(None if over else int(np.flatnonzero(seen["action_mask"])[0]))
table.close()

single = gymnasium.make("xabitha_env/Xabitha-v0", partner="greedy", opponents="random")
_, info = single.reset(seed=1)
for _ in range(50):
    _, _, terminated, truncated, info = single.step(int(np.flatnonzero(info["action_mask"])[0]))
    if terminated or truncated:
        break
single.close()
PY
echo "the wheel alone: its commands and environments work"
