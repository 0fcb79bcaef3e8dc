"""What is believed of hidden cards, and its scores."""

from __future__ import annotations

import math

import numpy as np
import pytest

from xabitha_env.evaluation.play import one_round
from xabitha_env.games import make_engine
from xabitha_env.players import Agent, CompiledPlayer, Table, draw_worlds
from xabitha_env.players.base import view_of
from xabitha_env.research import task
from xabitha_env.research.beliefs import (
    FLOOR,
    NOBODY,
    Belief,
    Worlds,
    brier,
    find_openers,
    held,
    log_loss,
    next_openers,
    sample_decisions,
    share_held,
)
from xabitha_env.research.formations import near_formation
from xabitha_env.xabitha.state import DECLARING


def test_scores_by_hand() -> None:
    said, true = np.array([0.25, 0.25, 1.0]), np.array([True, False, False])
    assert brier(said, true) == pytest.approx([0.5625, 0.0625, 1.0])
    wanted = [-math.log(0.25), -math.log(0.75), -math.log(FLOOR)]
    assert log_loss(said, true) == pytest.approx(wanted)


def test_scores_are_proper() -> None:
    """What is thought is best said, whatever it is."""
    said = np.linspace(0.01, 0.99, 99)
    for thought in (0.1, 0.5, 0.83):
        for rule in (brier, log_loss):
            yes = rule(said, np.ones(99, np.bool_))
            no = rule(said, np.zeros(99, np.bool_))
            assert said[np.argmin(thought * yes + (1 - thought) * no)] == pytest.approx(thought)


@pytest.mark.parametrize(("game", "cards"), [("xabitha", 106), ("xeri", 52)])
def test_what_is_held_is_what_the_hands_hold(game: str, cards: int) -> None:
    engine = make_engine(game, 3)
    engine.reset(4)
    name = "hand_one" if game == "xabitha" else "hand"
    found = held(game, engine.games)
    for index, seat in enumerate(engine.seats):
        for place in range(3):
            mask = int(engine.games[name][index, (seat + 1 + place) % 4])
            wanted = [kind for kind in range(found.shape[2]) if mask >> kind & 1]
            assert np.flatnonzero(found[index, place]).tolist() == wanted


def test_uniform_shares_are_those_of_counting() -> None:
    """R2.1: six cards in each other hand, any of those that are unseen."""
    engine = make_engine("xeri", 1, rules=one_round("xeri").rules)
    engine.reset(3)
    worlds, weights = draw_worlds(engine, 0, 600)
    shares = share_held("xeri", np.asarray(worlds), weights)
    unseen = np.flatnonzero(shares.sum(axis=0))
    assert unseen.size == 52 - 6 - 4
    assert shares.sum(axis=1) == pytest.approx([6, 6, 6])
    assert shares[:, unseen] == pytest.approx(np.full((3, unseen.size), 6 / unseen.size), abs=0.08)


def test_samples_are_decisions_on_the_way() -> None:
    player = CompiledPlayer("greedy")
    seen = 0
    for number, engine, games in sample_decisions(one_round("xeri"), player, [1, 2], 1.0):
        assert not engine.over[games].any() and (engine.legal_count[games] > 1).all()
        assert not games.size or (engine.games["plays"][games] == number).all()
        seen += games.size
    assert 60 < seen <= 2 * 48
    none = sample_decisions(one_round("xeri"), player, [1], 0.0)
    assert sum(sample.games.size for sample in none) == 0


# --- who opens next -----------------------------------------------------------------------------


def test_openers_are_counted_from_the_own_seat() -> None:
    before = np.array([[1, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    after = np.array([[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 0, 0]])
    found = np.array([NOBODY, NOBODY, 1])
    find_openers(found, before, after, np.array([3, 0, 0]))
    assert found.tolist() == [3, NOBODY, 1]  # seat 2 from seat 3; nobody; known before


def test_who_opens_next_is_seen_by_playing_on() -> None:
    """In worlds that are the game itself, what `expert` then does is what was seen."""
    engine = make_engine("xabitha", 12, rules=one_round("xabitha").rules)
    engine.reset(40)
    table = Table(engine, [CompiledPlayer("expert")] * 4)
    for _ in range(9):
        table.step()
    going = np.flatnonzero(~engine.over)
    seats, before = engine.seats.copy(), engine.games["opened"].copy()
    said = [next_openers(engine, engine.games[[game]])[0] for game in going]
    found = np.full(engine.num_games, NOBODY)
    while not engine.over.all():
        table.step()
        find_openers(found, before, engine.games["opened"], seats)
    assert said == found[going].tolist()
    assert set(said) - {NOBODY}


# --- the task -----------------------------------------------------------------------------------


class Knowing(Agent):
    """Says what is so at the table that it is shown."""

    name = "knowing"

    def reset(self, engine, seed) -> None:
        self.engine = engine

    def act(self, view):
        raise NotImplementedError

    def beliefs(self, view) -> Belief:
        games = self.engine.games[view.game]
        self.shown = games["seat"]
        return Belief(held(self.engine.game, games).astype(float))


class Sure(Knowing):
    """Is always sure of the same."""

    name = "sure"

    def beliefs(self, view) -> Belief:
        count = len(view.seat)
        opener = np.tile(np.eye(NOBODY + 1)[2], (count, 1))
        return Belief(None, np.zeros(count), opener)


def test_nobody_is_shown_what_is_hidden() -> None:
    """Who believes what lies open at the table shown to it is worse than who knows nothing."""
    made = task("belief", game="xeri", deals=6, percent=30, worlds=40)
    found = made.run(Knowing())
    assert found.score < 0 and found.interval.high < 0


def test_a_believer_is_scored_by_what_it_says() -> None:
    made = task("belief", deals=20, percent=4, worlds=4)
    found = made.run(Sure())
    names = [one.name for one in found.lines]
    assert np.isnan(found.score)  # it says nothing of cards
    assert "partner's cards, Brier" not in names and "partner's cards, Brier (uniform)" in names
    assert found.line("partner's declaration, Brier").interval.mean == 0  # `expert` never declares
    errors = found.line("who opens next, Brier").values
    errors = errors[~np.isnan(errors)]
    assert ((errors >= 0) & (errors <= 2)).all() and errors.mean() > 0.5
    least = found.line("who opens next, log").interval
    assert 0 < least.mean <= -math.log(FLOOR)


def test_near_deals_have_declarations() -> None:
    made = task("belief", deals=60, percent=6, worlds=2, near=1)
    found = made.run(Sure())
    line = found.line("partner's declaration, Brier")
    assert 0 < line.interval.mean < 0.5


def test_deals_near_formations_are_whole_deals() -> None:
    import random

    engine = make_engine("xabitha", 1)
    for missing in (None, 0, 3):
        deal = near_formation(random.Random(1), missing, 2, 1)
        engine.reset(0, deals=[deal])
        assert engine.games["phase"][0] == DECLARING and engine.games["starter"][0] == 1


def test_the_same_worlds_gain_nothing() -> None:
    found = task("belief", deals=8, percent=5, worlds=6).run("uniform")
    assert (found.lines[0].values[~np.isnan(found.lines[0].values)] == 0).all()


def test_believers_are_told_apart_from_players() -> None:
    made = task("belief", game="xeri", deals=2)
    with pytest.raises(ValueError, match="player 'greedy' has no beliefs"):
        made.run("greedy")
    with pytest.raises(RuntimeError, match="needs reset"):
        engine = make_engine("xeri")
        Worlds("uniform", False, 2).beliefs(view_of(engine, np.zeros(1, np.int64)))
    with pytest.raises(NotImplementedError):
        Worlds("uniform", False, 2).act(None)
    with pytest.raises(ValueError, match="no decision was looked at"):
        task("belief", game="xeri", deals=2, percent=1, seeds="2").run("uniform")
