"""What the code may import and contain, wherever it is changed."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "xabitha_env"
ALLOWED = {-1, 0, 1, 2}
EXEMPT = {PACKAGE / "_random.py"}  # the constants of the random generator
HEAVY = (
    *("torch", "stable_baselines3", "sb3_contrib", "matplotlib", "ray"),
    *("rlcard", "pyspiel", "open_spiel", "textual", "pygame"),
)


def is_kernel(node: ast.AST) -> bool:
    return isinstance(node, ast.FunctionDef) and any(
        ast.unparse(mark).split("(")[0].split(".")[-1] in ("kernel", "entry")
        for mark in node.decorator_list
    )


def kernels(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if is_kernel(node))  # type: ignore[misc]


def integers(node: ast.AST) -> Iterator[tuple[int, int]]:
    """Yield (value, line) of each integer written in a function, signs included."""
    for child in ast.iter_child_nodes(node):
        negative = isinstance(child, ast.UnaryOp) and isinstance(child.op, ast.USub)
        inner = child.operand if negative else child  # type: ignore[attr-defined]
        if isinstance(inner, ast.Constant):
            if type(inner.value) is int:
                yield -inner.value if negative else inner.value, inner.lineno
        else:
            yield from integers(child)


def test_imports_go_one_way() -> None:
    lint = Path(sys.executable).parent / "lint-imports"
    run = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr


def test_kernels_contain_no_numbers() -> None:
    """Offsets, sizes and limits come from the layouts and tables, by name."""
    found = 0
    wrong = []
    for path in sorted(PACKAGE.rglob("*.py")):
        for function in kernels(ast.parse(path.read_text(encoding="utf-8"))):
            found += 1
            if path not in EXEMPT:
                wrong += [
                    f"{path.relative_to(ROOT)}:{line}: {value} in {function.name}"
                    for value, line in integers(function)
                    if value not in ALLOWED
                ]
    assert found > 0
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("body", "values"),
    [("x + 7", [7]), ("x - 1", [1]), ("-1", [-1]), ("-2 + y[3]", [-2, 3]), ("x is True", [])],
)
def test_numbers_are_found(body: str, values: list[int]) -> None:
    tree = ast.parse(f"@kernel\ndef f(x, y):\n    return {body}\n\ndef g():\n    return 9\n")
    assert [value for node in kernels(tree) for value, _ in integers(node)] == values


def test_import_is_light() -> None:
    """Importing the library, its environments and its command loads no training library."""
    code = (
        "import sys, xabitha_env, xabitha_env.xabitha_v0, xabitha_env.cli.main\n"
        f"print(*[name for name in {HEAVY} if name in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == []
