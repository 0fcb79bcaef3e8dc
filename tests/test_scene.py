"""Scenes: what is seen of a table, and the rules' words."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from xabitha_env.games import GAMES, make_engine
from xabitha_env.rulebook import rule_text, rules_text

STEPS = 400


@pytest.mark.parametrize("game", GAMES)
def test_scene_counts_every_card_and_hides_what_is_not_seen(game: str) -> None:
    engine = make_engine(game)
    engine.reset(seed=5)
    rng = np.random.default_rng(5)
    pack = 106 if game == "xabitha" else 52
    for _ in range(STEPS):
        for viewer in (None, 0, 1, 2, 3):
            scene = engine.scene(0, viewer)
            groups = [*scene.piles, *scene.melds, *(seat.hand for seat in scene.seats)]
            staged = [meld for seat in scene.seats for meld in seat.staged]
            assert sum(group.count for group in groups + staged) == pack
            for seat in scene.seats:
                seen = viewer in (None, seat.seat)
                assert len(seat.hand.cards) == (seat.hand.count if seen else 0)
                assert seen or not (seat.staged or seat.secret)
        if engine.over[0]:
            break
        engine.step([rng.choice(np.flatnonzero(engine.mask[0]))])


@pytest.mark.parametrize(("game", "code"), [("xabitha", "expert"), ("xeri", "expert")])
def test_standing_is_what_the_round_then_brings(game: str, code: str) -> None:
    """Just before the last decision of a round, the standing is close to its result."""
    engine = make_engine(game, rules=None)
    engine.reset(seed=11)
    codes = np.full(1, engine.player_codes[code], np.int8)
    checked = 0
    while checked < 3:
        played, standing = int(engine.rounds_played[0]), engine.standing()
        engine.step(engine.choose(codes))
        if engine.rounds_played[0] == played:
            continue
        result = engine.round_result()
        if game == "xabitha" and result["reason"] == "normal":  # X11.2: no hand of a loser changes
            loser = 1 - result["winner"] % 2
            assert sum(result["penalties"]) == standing[loser]
            checked += 1
        elif game == "xeri":
            last = [new - old for new, old in zip(result["points"], standing, strict=True)]
            assert min(last) >= -3 and max(last) <= 23
            checked += 1


@pytest.mark.parametrize("game", GAMES)
def test_every_cited_rule_has_words(game: str) -> None:
    letter = {"xabitha": "X", "xeri": "R"}[game]
    source = "".join(path.read_text() for path in Path("xabitha_env", game).glob("*.py"))
    cited = set(re.findall(rf'"({letter}[0-9]+(?:\.[0-9]+)?)"', source))
    assert cited
    for number in cited:
        assert rule_text(game, number)
    assert rules_text(game).startswith("# ")


def test_unknown_rule() -> None:
    with pytest.raises(ValueError, match=r"xeri has no rule 'R9.9'; there are R1"):
        rule_text("xeri", "R9.9")
