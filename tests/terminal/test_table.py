"""The table as text: everything that the scene has, whoever looks."""

from __future__ import annotations

import pytest

from tests.terminal.driving import as_greedy, go, new_match
from xabitha_env.games import GAMES
from xabitha_env.terminal.glyphs import is_red, needs_letters, shown, typed
from xabitha_env.terminal.table import MOST_SHOWN, table_content

NAMES = ("ann", "bob", "cid", "dan")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("viewer", [None, 0, 3])
def test_a_table_has_all_that_the_scene_has(game, viewer):
    rules = {"opening_points": 25} if game == "xabitha" else {}
    match = new_match(game, seed=3, **rules)
    while not match.over:
        scene = match.engine.scene(0, viewer)
        text = table_content(scene, NAMES, letters=True).plain
        for words in (scene.place, scene.doing, scene.news):
            assert words in text
        for name, first, second in scene.scores:
            assert f"{name} {first} : {second}" in text
        for pile in scene.piles:
            assert f"{pile.name} ({pile.count})" in text and pile.note in text
            assert " ".join(pile.cards[-MOST_SHOWN:]) in text
        for seat in scene.seats:
            assert " ".join(seat.hand.cards) in text
            assert ("you" if seat.seat == viewer else NAMES[seat.seat]) in text
            count = seat.hand.count + sum(meld.count for meld in seat.staged)
            assert f"{count:2} cards  {seat.status}".rstrip() in text and seat.secret in text
            assert all("-".join(meld.cards) in text for meld in seat.staged)
        assert all("-".join(meld.cards) in text for meld in scene.melds)
        go(match, as_greedy, lambda match, stop=match.played + 3: match.played >= stop)


def test_the_hand_of_the_viewer_may_be_shown_elsewhere():
    match = go(new_match("xeri", seed=3), until=lambda match: match.my_turn)
    hand = " ".join(match.hand())
    scene = match.scene()
    assert hand in table_content(scene, NAMES, letters=True).plain
    assert hand not in table_content(scene, NAMES, letters=True, own_hand=False).plain


def test_suits_as_symbols_and_back():
    text = "discard:TD meld:AS-2S-JK seat 2 4H"
    assert shown(text) == "discard:T♦ meld:A♠-2♠-JK seat 2 4♥"
    assert typed(shown(text)) == text == shown(text, letters=True)
    assert typed(" meld:as-2s-jk ") == "meld:AS-2S-JK"
    assert typed("draw:deck") == "draw:deck" and typed("declare:no") == "declare:no"
    assert is_red("TD") and is_red("2H") and not is_red("JK") and not is_red("AS")


@pytest.mark.parametrize(
    ("encoding", "letters"), [("utf-8", False), ("ascii", True), ("latin-1", True), ("none", True)]
)
def test_where_letters_are_needed(encoding, letters):
    assert needs_letters(encoding) is letters
