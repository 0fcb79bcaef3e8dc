"""Four players at a batch of games."""

import numpy as np
import pytest

from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import PlayerError, Table, load_player, load_players

ROUNDS = make_rules("xabitha", {"num_rounds": 1, "max_turns": 60})


class Lowest:
    """Plays the first legal action and keeps what it was shown."""

    name = "lowest"

    def __init__(self):
        self.views, self.seeds = [], []

    def reset(self, engine, seed):
        self.seeds.append(seed)

    def act(self, view):
        self.views.append(view)
        return view.legal[:, 0]


class Answering:
    """Answers with whatever it is given."""

    name = "answering"

    def __init__(self, answer):
        self.answer = answer

    def reset(self, engine, seed): ...

    def act(self, view):
        return self.answer(view) if callable(self.answer) else self.answer


def _table(players, num_games=6):
    engine = make_engine("xabitha", num_games, rules=ROUNDS)
    engine.reset(seed=11)
    table = Table(engine, players)
    table.reset(5)
    return table


def _results(table):
    return [table.engine.match_result(index) for index in range(table.engine.num_games)]


@pytest.mark.parametrize("specs", [["random"], ["greedy", "random"]])
def test_step_by_step_is_the_same_match_as_at_once(specs):
    slow, quick = _table(load_players(specs)), _table(load_players(specs))
    while not slow.engine.over.all():
        slow.step()
    quick.play()
    assert _results(slow) == _results(quick)


def test_a_player_is_asked_for_its_own_seats_only_and_sees_what_they_see():
    lowest = Lowest()
    table = _table([lowest, load_player("random"), lowest, load_player("greedy")])
    engine = table.engine
    while not engine.over.all():
        seats = engine.seats.copy()
        wanted = np.flatnonzero(~engine.over & (seats % 2 == 0))
        shown = [engine.observe(int(game), int(seats[game])) for game in wanted]
        before = len(lowest.views)
        table.step()
        if not wanted.size:
            assert len(lowest.views) == before
            continue
        view = lowest.views[-1]
        np.testing.assert_array_equal(view.game, wanted)
        np.testing.assert_array_equal(view.seat, seats[wanted])
        np.testing.assert_array_equal(view.observation, shown)
        for mask, legal, count in zip(view.mask, view.legal, view.legal_count, strict=True):
            np.testing.assert_array_equal(np.flatnonzero(mask), legal[:count])


def test_every_action_taken_was_legal_and_finished_games_rest():
    table = _table([Lowest(), load_player("random"), load_player("greedy"), Lowest()])
    engine = table.engine
    while not engine.over.all():
        mask, over = engine.mask.copy(), engine.over.copy()
        actions = table.step()
        assert (mask[np.arange(6), actions] != 0)[~over].all()
        assert (actions[over] == 0).all()


def test_play_reaches_the_end_with_players_from_outside():
    table = _table([Lowest(), load_player("random")] * 2)
    table.play()
    assert table.engine.over.all()


def test_each_player_is_reset_once_with_its_own_seed():
    shared, other = Lowest(), Lowest()
    _table([shared, other, shared, load_player("random")])
    assert len(shared.seeds) == len(other.seeds) == 1
    assert shared.seeds != other.seeds
    again = Lowest()
    _table([again, Lowest(), again, load_player("random")])
    assert again.seeds == shared.seeds


@pytest.mark.parametrize("count", [0, 3, 5])
def test_a_table_needs_four(count):
    with pytest.raises(ValueError, match=f"needs 4 players by seat, not {count}"):
        Table(make_engine("xabitha", 1), [Lowest()] * count)


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ([0, 1], r"array of int\d+ of shape \(2,\).*shape \(6,\)"),
        (0, r"shape \(\).*shape \(6,\)"),
        (None, "array of object"),
        (np.zeros(6), "array of float64"),
        (np.ones(6, bool), "array of bool"),
        (np.full(6, -1), "answered with action -1, but actions are 0 to"),
        (np.full(6, 10**6), "answered with action 1000000, but actions are 0 to"),
        (lambda view: 1 // 0, "failed: ZeroDivisionError"),
        ([[1], [1, 2]], "failed: ValueError"),
    ],
)
def test_a_bad_answer_names_the_player_and_what_is_wrong(answer, message):
    table = _table([Answering(answer)] * 4)
    before = table.engine.get_state()
    with pytest.raises(PlayerError, match=f"player 'answering' .*seats? .*{message}"):
        table.step()
    np.testing.assert_array_equal(table.engine.get_state(), before)


def test_an_illegal_action_is_refused_with_the_engine_s_reason():
    table = _table([Answering(lambda view: [*view.legal[:-1, 0], illegal])] * 4)
    engine = table.engine
    illegal = engine.parse("draw:deck")  # before the declarations
    with pytest.raises(PlayerError) as error:
        table.step()
    seat = int(engine.seats[5])
    assert f"player 'answering' in seat {seat} answered with action {illegal}" in str(error.value)
    assert str(error.value).endswith(engine.refusal(illegal, 5).message)
