"""The policies that come with the clone, found by their name."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("torch")

from agents.policy import FOLDER
from xabitha_env.evaluation.comparison import compare
from xabitha_env.evaluation.deals import seeds_of
from xabitha_env.evaluation.play import one_round
from xabitha_env.games import GAMES, make_rules
from xabitha_env.players import load_player

by_game = pytest.mark.parametrize("game", GAMES)


@by_game
def test_it_beats_greedy(game: str) -> None:
    """Far from the figures of its card, which take more deals, but nothing weak does it."""
    learned, greedy = load_player("learned", game), load_player("greedy", game)
    seeds = seeds_of("development", 60)
    found = compare((learned, learned), (greedy, greedy), seeds, one_round(game))
    assert found.low > 0


@by_game
def test_its_card_is_of_the_rules(game: str) -> None:
    text = (FOLDER / f"{game}.md").read_text(encoding="utf-8")
    assert make_rules(game, {"num_rounds": 1}).hash() in text
    assert re.search(r"\| expert \| \+\d", text)


def test_learned_answers_come_with_the_clone() -> None:
    """For any player, both at once; on the pack's own deals nobody declares."""
    mixed = load_player("greedy?declare=learned&opening=learned")
    assert mixed.name == "greedy?declare=learned&opening=learned"
    greedy = load_player("greedy")
    seeds = seeds_of("development", 60)
    found = compare((mixed, mixed), (greedy, greedy), seeds, one_round("xabitha"))
    assert found.margin != 0 and found.means["declared_a"] == 0
