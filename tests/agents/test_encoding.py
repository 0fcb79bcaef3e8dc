"""Inputs of the networks: batches joined and picked from, suits renamed, nothing hidden shown."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch")

from agents.encoding import Chains, Encoder, join, lists_of
from tests.agents.helpers import decisions, engine_of
from xabitha_env.cards import NUM_SEATS
from xabitha_env.players import draw_worlds

GAMES = ("xabitha", "xeri")


@pytest.fixture(scope="module", params=GAMES)
def seen(request):
    encoder = Encoder(request.param)
    return encoder, decisions(encoder, 40)


def features(inputs, row, secrets=True):
    end = inputs.begins[row + 1] if secrets else inputs.splits[row]
    return inputs.found[inputs.begins[row] : end].tolist()


def test_joined_batches_keep_their_decisions(seen):
    encoder, inputs = seen
    other = decisions(encoder, 7)
    both = join([inputs, other, inputs])
    assert both.size == 2 * inputs.size + other.size
    for row in range(other.size):
        assert features(both, inputs.size + row) == features(other, row)
        assert features(both, inputs.size + row, False) == features(other, row, False)
        own = other.tokens[other.starts[row] : other.starts[row + 1]]
        start = both.starts[inputs.size + row]
        assert both.tokens[start : start + own.size].tolist() == own.tolist()
    assert both.rows.tolist() == sorted(both.rows.tolist())


@pytest.mark.parametrize("secrets", [True, False])
def test_chains_list_what_changes(seen, secrets):
    """The same lists as from whole decisions, in parts of any size, with other suits."""
    encoder, _ = seen
    engine = engine_of(encoder.game, 6)
    parts, tables = [], []
    for _ in range(12):
        going = np.flatnonzero(~engine.over)
        parts.append(encoder.encode(engine, going, True))
        tables.append(going)
        engine.step(np.where(engine.over, 0, engine.legal[:, 0]))
    inputs, chain = join(parts), np.concatenate(tables)
    some = np.flatnonzero(np.random.default_rng(1).random(inputs.size) < 0.8)
    chains = Chains(inputs, some, chain, secrets)
    assert sorted(chains.rows) == some.tolist() and (np.diff(chains.chain) >= 0).all()
    for renamed in encoder.renamings().features[[0, -1]]:
        for start, stop in ((0, len(some)), (3, 17), (5, 6)):
            places = np.arange(start, stop)
            rows = chains.rows[places]
            follows = np.concatenate([[False], np.diff(chain[rows]) == 0])
            own = chains.lists(places, renamed)
            plain = lists_of(inputs, rows, renamed, secrets, follows)
            assert own.follows.tolist() == plain.follows.tolist()
            assert own.begins.tolist() == plain.begins.tolist()
            assert own.found.tolist() == plain.found[: plain.begins[-1]].tolist()


def test_the_blind_do_not_see_what_their_partner_played(seen):
    """All else they see; both are of one size."""
    encoder, _ = seen
    blind = Encoder(encoder.game, blind=True)
    assert blind.sizes == encoder.sizes
    plays = encoder.observation.slice(encoder.advice.PLAYS)
    size = (plays.stop - plays.start) // NUM_SEATS
    partner = range(plays.start + 2 * size, plays.start + 3 * size)
    one, other = decisions(encoder, 40), decisions(blind, 40)
    hidden = 0
    for row in range(one.size):
        found = features(one, row)
        hidden += len(found) - len(features(other, row))
        assert features(other, row) == [number for number in found if number not in partner]
    assert hidden > 0


def test_actions_of_some_decisions(seen):
    _, inputs = seen
    rows = np.array([5, 2, 30])
    places, group, begins = inputs.actions_of(rows)
    wanted = [np.arange(inputs.starts[row], inputs.starts[row + 1]) for row in rows]
    assert places.tolist() == np.concatenate(wanted).tolist()
    assert group.tolist() == np.repeat(range(3), [part.size for part in wanted]).tolist()
    assert begins.tolist() == np.cumsum([0, wanted[0].size, wanted[1].size]).tolist()


def test_lists_are_what_the_engine_shows(seen):
    encoder, _ = seen
    engine = engine_of(encoder.game)
    games = np.array([3, 0, 7])
    inputs = encoder.encode(engine, games)
    match = [encoder.observation.slice(name) for name in encoder.advice.MATCH_SECTIONS]
    for row, game in enumerate(games):
        shown = engine.observation[game].copy()
        for section in match:
            shown[section] = 0
        own = [one for one in features(inputs, row) if one < encoder.observation.size]
        assert own == np.flatnonzero(shown).tolist()
        legal = engine.legal[game, : engine.legal_count[game]]
        assert (
            inputs.actions[inputs.starts[row] : inputs.starts[row + 1]].tolist() == legal.tolist()
        )


def test_a_survey_lists_what_encode_does(seen):
    encoder, _ = seen
    engine = engine_of(encoder.game)
    games = np.arange(16)
    inputs = encoder.encode(engine, games, secrets=True)
    found, begins, follows = encoder.survey(engine.games, games, True)
    assert (found.tolist(), begins.tolist()) == (inputs.found.tolist(), inputs.begins.tolist())
    found, begins, follows = encoder.survey(engine.games, games, False)
    assert begins.tolist() == np.append(0, np.cumsum(inputs.splits - inputs.begins[:-1])).tolist()
    assert not follows.any()


def test_renamings_are_a_group_that_starts_with_nothing_changed(seen):
    encoder, inputs = seen
    maps = encoder.renamings()
    for table in maps:
        size = table.shape[1]
        assert table[0].tolist() == list(range(size))
        rows = {tuple(row) for row in table.tolist()}
        assert len(rows) == len(table)
        assert all(sorted(row) == list(range(size)) for row in rows)
        assert all(tuple(one[other].tolist()) in rows for one in table for other in table)
    row = np.array([0])
    renamed = lists_of(inputs, row, maps.features[-1], True).found
    assert sorted(renamed.tolist()) != features(inputs, 0)


def test_hidden_hands_are_those_of_the_others(seen):
    encoder, _ = seen
    engine = engine_of(encoder.game)
    inputs = encoder.encode(engine, np.arange(16), secrets=True)
    field = "hand_one" if encoder.game == "xabitha" else "hand"
    for game in range(16):
        hands = engine.games[field][game]
        seats = [(engine.seats[game] + step) % NUM_SEATS for step in (1, 2, 3)]
        assert inputs.hidden[game].tolist() == hands[seats].tolist()


def test_nothing_hidden_reaches_the_policy(seen):
    """Worlds that the seat cannot tell apart give it the same inputs, and critics others."""
    encoder, _ = seen
    engine = engine_of(encoder.game, 4)
    codes = np.full(4, engine.player_codes["expert"], np.int8)
    changed = 0
    for turn in range(24):
        game = turn % 4
        worlds, _ = draw_worlds(engine, game, 3, seed=turn)
        twins = engine_of(encoder.game, 3)
        twins.games[:] = worlds
        twins.refresh()
        own = encoder.encode(engine, np.array([game]), secrets=True)
        theirs = encoder.encode(twins, np.arange(3), secrets=True)
        for row in range(3):
            assert features(theirs, row, False) == features(own, 0, False)
            here = slice(theirs.starts[row], theirs.starts[row + 1])
            assert theirs.tokens[here].tolist() == own.tokens.tolist()
            assert theirs.traits[here].tobytes() == own.traits.tobytes()
            changed += features(theirs, row) != features(own, 0)
        engine.step(np.where(engine.over, 0, engine.choose(codes)))
    assert changed > 60


def test_observations_without_derived_sections_are_refused():
    engine = engine_of("xabitha", 2, derived=False)
    with pytest.raises(ValueError, match="derived sections"):
        Encoder("xabitha").encode(engine, np.arange(2))
