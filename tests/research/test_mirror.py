"""Players that see a changed table: other names for suits, or no plays of their partner."""

from __future__ import annotations

import numpy as np
import pytest

from xabitha_env.cards import NUM_SEATS
from xabitha_env.evaluation.play import one_round
from xabitha_env.games import GAMES, make_engine
from xabitha_env.players import Agent, CompiledPlayer, Table
from xabitha_env.research.blind import PLAYS, BlindAgent
from xabitha_env.research.other_play import renamed
from xabitha_env.research.renaming import maps_of, rename_actions


class Watching(Agent):
    """Plays as a compiled player does, and keeps what it saw."""

    def __init__(self, name: str = "greedy") -> None:
        self.name, self.player = "watching", CompiledPlayer(name)
        self.seen: list = []

    def reset(self, engine, seed) -> None:
        self.player.reset(engine, seed)

    def act(self, view):
        answer = self.player.act(view)
        self.seen.append((view, answer))
        return answer


class Memory(Watching):
    """Remembers how often it was asked."""

    asked = 0

    def act(self, view):
        self.asked += 1
        return super().act(view)

    def get_state(self):
        return self.asked

    def set_state(self, state) -> None:
        self.asked = state


def make(game: str, seeds: list[int], wrap, others: str = "greedy"):
    """A table whose seats 0 and 2 are wrapped, and the players inside."""
    engine = make_engine(game, len(seeds), rules=one_round(game).rules)
    engine.reset(seeds)
    inside = [Watching(), Watching()]
    low, high = (wrap(one) for one in inside)
    table = Table(engine, [low, CompiledPlayer(others), high, CompiledPlayer(others)])
    table.reset(3)
    return table, inside


def totals(table: Table) -> list:
    table.play()
    return table.engine.games["totals"].tolist()


@pytest.mark.parametrize("game", GAMES)
def test_a_renamed_player_sees_and_does_all_in_its_own_names(game: str) -> None:
    """Observation, mask, legal list and action agree with the true table's, renamed."""
    table, inside = make(game, [5, 6, 7, 8], renamed)
    engine, drawn = table.engine, table.players[0].renamings
    assert (drawn[:, 0] != drawn[:, 2]).any()
    changed = 0
    for _ in range(60):
        if engine.over.all():
            break
        before, seats, legal = engine.games.copy(), engine.seats.copy(), engine.legal.copy()
        counts = engine.legal_count.copy()
        seen = [len(one.seen) for one in inside]
        actions = table.choose()
        for watching, asked, seat in zip(inside, seen, (0, 2)):
            if len(watching.seen) == asked:
                continue
            view, answers = watching.seen[-1]
            for row, index in enumerate(view.game):
                own = table.players[seat].renamings[index, seats[index]]
                true = legal[index, : counts[index]].astype(np.int64)
                one = np.full(true.size, index)
                named = rename_actions(game, before[one], np.full(true.size, own), true)
                assert sorted(named) == view.legal[row, : view.legal_count[row]].tolist()
                assert np.flatnonzero(view.mask[row]).tolist() == sorted(named)
                assert answers[row] == named[true.tolist().index(actions[index])]
                changed += answers[row] != actions[index]
                back = maps_of(game).inverse[own]
                assert maps_of(game).inverse[back] == own
        engine.step(actions)
    assert changed > 5


@pytest.mark.parametrize("game", GAMES)
def test_renamings_follow_from_the_match_alone(game: str) -> None:
    """The same in any batch, and another for another seed of the deal or another seat."""
    seeds = [11, 12, 13, 14]
    whole, _ = make(game, seeds, renamed)
    alone = [make(game, [seed], renamed)[0] for seed in seeds]
    drawn = whole.players[0].renamings
    assert drawn.shape == (len(seeds), NUM_SEATS)
    for row, table in enumerate(alone):
        assert (table.players[0].renamings == drawn[row]).all()
    assert len({tuple(row) for row in drawn.tolist()}) > 1 or game == "xeri"
    assert totals(whole) == [total for table in alone for total in totals(table)]


@pytest.mark.parametrize("game", GAMES)
def test_a_blind_player_misses_its_partners_plays_and_nothing_else(game: str) -> None:
    table, inside = make(game, [5, 6], lambda one: BlindAgent(one, "blind"))
    engine = table.engine
    features, name = engine.features, "discarded" if game == "xabitha" else "played"
    rows = features.slice(name)
    unlike = set()
    partner_played = False
    for _ in range(80):
        if engine.over.all():
            break
        true = engine.observation.copy()
        before = [len(one.seen) for one in inside]
        actions = table.choose()
        for watching, asked in zip(inside, before):
            if len(watching.seen) == asked:
                continue
            view, answers = watching.seen[-1]
            assert (answers == actions[view.game]).all()
            for row, index in enumerate(view.game):
                plays = view.observation[row, rows].reshape(NUM_SEATS, -1)
                told = true[index, rows].reshape(NUM_SEATS, -1)
                assert (
                    not plays[2].any() and (np.delete(plays, 2, 0) == np.delete(told, 2, 0)).all()
                )
                partner_played |= bool(told[2].any())
                for place in np.flatnonzero(view.observation[row] != true[index]):
                    unlike.add(features.block_at(int(place))[0].name)
        engine.step(actions)
    assert partner_played and name in unlike
    derived = {"unseen"} if game == "xeri" else set()
    memories = {name, "took", "laid", "known"} if game == "xabitha" else {name}
    assert unlike <= memories | derived


@pytest.mark.parametrize("game", GAMES)
def test_fields_of_a_seats_plays_begin_empty(game: str) -> None:
    engine = make_engine(game, 3)
    engine.reset(1)
    for name, empty in PLAYS[game].items():
        assert engine.games[name].shape == (3, NUM_SEATS) and (engine.games[name] == empty).all()


@pytest.mark.parametrize("wrap", [renamed, lambda one: BlindAgent(one, "blind")])
def test_a_match_can_go_on_from_its_state(wrap) -> None:
    """With what the player inside remembers, and the streams of the mirror."""
    seeds = [21, 22]

    def start(first: int):
        engine = make_engine("xeri", 2, rules=one_round("xeri").rules)
        engine.reset([seed + first for seed in seeds])
        memory = Memory("random")
        players = [wrap(memory), *(CompiledPlayer("random") for _ in range(3))]
        table = Table(engine, players)
        table.reset(9)
        return table, memory

    table, memory = start(0)
    for _ in range(10):
        table.step()
    state, kept = table.engine.get_state(), table.get_state()
    other, later = start(50)
    other.engine.set_state(state)
    other.set_state(kept)
    assert later.asked == memory.asked > 0
    assert totals(other) == totals(table)
    with pytest.raises(ValueError, match="has no such state"):
        other.players[0].set_state(7)


def test_a_mirror_needs_a_reset() -> None:
    engine = make_engine("xeri")
    player = BlindAgent(CompiledPlayer("greedy"), "blind greedy")
    table = Table(engine, [player, *(CompiledPlayer("greedy") for _ in range(3))])
    with pytest.raises(ValueError, match="needs reset"):
        for _ in range(4):
            table.step()


def test_a_compiled_player_draws_lots_of_its_own_at_its_mirror() -> None:
    """Its stream goes on from decision to decision, and the true table's stays as it is."""
    engine = make_engine("xeri", 3, rules=one_round("xeri").rules)
    engine.reset(4)
    player = renamed(CompiledPlayer("random"))
    table = Table(engine, [player] * NUM_SEATS)
    table.reset(0)
    true, words = engine.games["player_word"].copy(), []
    for _ in range(8):
        table.step()
        words.append(player._mirror.games["player_word"].tolist())
    assert (engine.games["player_word"] == true).all()
    assert len({word for row in words for word in row}) == 8 * 3
