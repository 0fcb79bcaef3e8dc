"""A changed rule makes tests fail; a few of the mutations that `tools.mutate` tries."""

from __future__ import annotations

from dataclasses import fields

import pytest

from tools.mutate import MUTATIONS, attempt, chosen, main, misfit
from xabitha_env.xabitha.rules import XabithaRules

CONSTANTS = ("shortest meld", "longest laid", "largest set", "real among", "formation run")


def test_every_mutation_fits_its_file() -> None:
    assert [text for mutation in MUTATIONS if (text := misfit(mutation))] == []
    assert len({mutation.name for mutation in MUTATIONS}) == len(MUTATIONS)


def test_every_rules_field_and_constant_is_mutated() -> None:
    """But for the clock of X3.2, which is no business of the engine."""
    names = " ".join(mutation.name for mutation in MUTATIONS)
    for item in fields(XabithaRules):
        assert item.name == "declare_seconds" or f"field {item.name}" in names, item.name
    assert all(name in names for name in CONSTANTS)


def test_the_list_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--list", "--only", "undo lock"]) == 0
    assert capsys.readouterr().out.startswith("undo lock")
    with pytest.raises(SystemExit, match="no mutation"):
        main(["--only", "nothing"])


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("formation run", "x9_1"),
        ("field threshold_step", "x6_3"),
        ("undo lock", "x4_4"),
        ("discard kept", "x4_5"),
    ],
)
def test_a_mutation_is_caught(name: str, words: str) -> None:
    """By the tests of its rule, which pass without it."""
    tests = [f"tests/xabitha/test_rules.py -k engine and {words}"]
    (mutation,) = chosen([name])
    assert attempt(mutation, tests) == tests[0]


def test_without_a_mutation_the_tests_pass() -> None:
    words = "x9_1 or x6_3 or x4_4 or x4_5"
    assert attempt(None, [f"tests/xabitha/test_rules.py -k engine and ({words})"]) == ""
