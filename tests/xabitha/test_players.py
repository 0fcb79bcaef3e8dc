"""The compiled players: `random` is uniform, `greedy` does what its description says."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any

import numpy as np
import pytest

from tests.reference.xabitha import JOKER, as_meld, as_run, as_set, grown, meld_points, swapped
from tests.xabitha.test_observation import potential
from tests.xabitha.walks import engine_for, walk, walks
from xabitha_env.cards import CARD_NAMES, card_text
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.players import GREEDY, PLAYER_CODES, RANDOM
from xabitha_env.xabitha.state import DECLARING, DRAWING
from xabitha_env.xabitha.validate import hand_kinds, table_cards

GREEDY_CODE, RANDOM_CODE = (np.full(1, code, np.int8) for code in (GREEDY, RANDOM))


def greedy_move(engine: XabithaEngine) -> str:
    return engine.text(int(engine.choose(GREEDY_CODE)[0]))


def listed(engine: XabithaEngine, *names: str) -> list[str]:
    """The legal moves of these kinds."""
    return [move for move in engine.legal_texts() if move.split(":")[0] in names]


def hand_of(game: Any) -> list[str]:
    """The cards of the seat to act that are not staged."""
    return [card_text(kind) for kind in hand_kinds(game, int(game["seat"]))]


def takes(game: Any, card: str) -> bool:
    """Whether some meld on the table takes the card, added or for a joker (X7, X8)."""
    for slot in range(int(game["num_melds"])):
        if game["slot_type"][slot] == 0:
            continue
        cards = [card_text(kind) for kind in table_cards(game, slot)]
        meld = as_run(cards) or as_set(cards)
        assert meld is not None
        ends = (":low", ":high") if meld.kind == "run" else ("",)
        if any(grown(meld, card, end) for end in ends) or swapped(meld, card):
            return True
    return False


# --- greedy ---------------------------------------------------------------------------------


def check_draw(engine: XabithaEngine) -> str:
    """It takes a fire card that completes a meld, fits the table, or is a joker."""
    game = engine.games[0]
    if engine.legal_count[0] == 1:
        assert greedy_move(engine) == "draw:deck"
        return "must draw"
    top = card_text(int(game["fire"][game["fire_count"] - 1]))
    completes = dict(zip(CARD_NAMES, potential(hand_of(game))))[top]
    fits = bool(game["opened"][game["seat"]]) and takes(game, top)
    wanted = completes or fits or top == JOKER
    assert greedy_move(engine) == ("draw:fire" if wanted else "draw:deck")
    return "takes" if wanted else "draws"


def value_of(move: str, game: Any) -> tuple[int, int]:
    """Of a meld move: cards, points."""
    meld = as_meld(move.removeprefix("meld:").split("-"))
    assert meld is not None
    return len(meld.cards), meld_points(meld, game["ace_high_points"], game["ace_low_points"])


def check_table(engine: XabithaEngine) -> str:
    """It lays the largest meld, opens, adds and steals, and discards when all that is done."""
    move = greedy_move(engine)
    if melds := listed(engine, "meld"):
        values = {meld: value_of(meld, engine.games[0]) for meld in melds}
        assert values[move] == max(values.values())
        return "meld"
    for names in (("open",), ("add", "steal")):
        if moves := listed(engine, *names):
            assert move in moves
            return names[0]
    check_discard(engine, move.removeprefix("discard:"))
    return "discard"


def check_discard(engine: XabithaEngine, card: str) -> None:
    """It keeps melds, then jokers; it undoes a take only when nothing else is left (X4.4)."""
    game = engine.games[0]
    taken = card_text(int(game["taken"])) if game["taken"] >= 0 else None
    hand = [other for other in hand_of(game) if other != taken]
    if not hand:
        assert card == taken
        return
    melded = dict(zip(CARD_NAMES, potential(hand_of(game))))
    loose = [other for other in hand if not melded[other] and other != JOKER]
    assert card in (loose or [other for other in hand if other != JOKER] or hand)


def check_greedy(engine: XabithaEngine) -> str:
    """Where it has declared it plays as `chase`, which has tests of its own."""
    game = engine.games[0]
    if game["phase"] == DECLARING:
        assert greedy_move(engine) == "declare:no"
        return "declare"
    if game["declared"][game["seat"]]:
        return "declared"
    return check_draw(engine) if game["phase"] == DRAWING else check_table(engine)


def test_greedy_does_as_described() -> None:
    """In situations of all kinds, also those that it would not get into."""
    seen: Counter[str] = Counter()
    for engine, _ in chain(walks(range(20)), walks(range(20, 28), kinds=("near_formation",))):
        seen[check_greedy(engine)] += 1
    common = ("declare", "must draw", "takes", "draws", "meld", "open", "add", "discard")
    assert all(seen[name] > 20 for name in common) and seen["declared"], seen


def test_greedy_does_as_described_in_its_own_games() -> None:
    seen: Counter[str] = Counter()
    for seed in range(6):
        engine = engine_for({"num_rounds": 1})
        engine.reset(seed=seed)
        while not engine.over[0]:
            seen[check_greedy(engine)] += 1
            engine.step(engine.choose(GREEDY_CODE))
    assert seen["takes"] > 10 and seen["open"] > 5 and seen["add"] > 5


def test_greedy_uses_no_chance() -> None:
    for engine, _ in walk(1, {"num_rounds": 1}):
        before = engine.get_state()
        greedy_move(engine)
        assert engine.get_state().tobytes() == before.tobytes()


# --- random ---------------------------------------------------------------------------------


def choices_of(state: np.ndarray, count: int, outputs: tuple[str, ...]) -> Counter[int]:
    """What `random` does in one state, with many streams of its own."""
    engine = engine_for({"num_rounds": 1}, count, outputs=outputs)
    states = np.repeat(state, count)
    words = np.random.SeedSequence(1).generate_state(count, np.uint64)
    states["player_word"] = words | np.uint64(1)
    engine.games.view(np.uint8)[:] = states.view(np.uint8)
    engine.refresh()
    return Counter(engine.choose(np.full(count, RANDOM, np.int8)).tolist())


@pytest.mark.parametrize("outputs", [(), ("mask",), ("legal",)], ids=["none", "mask", "list"])
def test_random_is_uniform(outputs: tuple[str, ...]) -> None:
    """Chi-square tests, in a few states with many legal actions, however they are listed."""
    checked = 0
    for engine, _ in walk(3, {"num_rounds": 1}):
        count = int(engine.legal_count[0])
        if count < 12 or engine.games["turn"][0] % 4:
            continue
        draws = 200 * count
        seen = choices_of(engine.get_state(), draws, outputs)
        legal = engine.legal[0, :count].tolist()
        assert set(seen) <= set(legal)
        square = sum((seen[action] - 200) ** 2 / 200 for action in legal)
        freedom = count - 1
        assert square < freedom + 4 * (2 * freedom) ** 0.5, (square, freedom)
        checked += 1
        if checked == 4:
            break
    assert checked == 4


def test_random_draws_on_the_stream_for_players_alone() -> None:
    for engine, _ in walk(2, {"num_rounds": 1, "max_turns": 20}):
        before = engine.get_state()
        engine.choose(RANDOM_CODE)
        after = engine.get_state()
        assert after["player_word"] != before["player_word"]
        after["player_word"] = before["player_word"]
        assert after.tobytes() == before.tobytes()


# --- both -----------------------------------------------------------------------------------


@pytest.mark.interpreted
@pytest.mark.parametrize("name", PLAYER_CODES)
@pytest.mark.parametrize("outputs", [(), ("mask",), ("mask", "legal")])
def test_choices_are_legal(name: str, outputs: tuple[str, ...]) -> None:
    codes = np.full(1, PLAYER_CODES[name], np.int8)
    rules = {"num_rounds": 1, "max_turns": 12}
    for seed in range(3):
        for engine, _ in walk(seed, rules, outputs=outputs):
            assert engine.refusal(int(engine.choose(codes)[0])) is None


def lead_of_team(codes: list[int], rounds: int) -> np.ndarray:
    """(rounds,) by how many points team 0 wins each round with these players."""
    engine = engine_for({"num_rounds": 1}, rounds, outputs=())
    engine.reset(seed=1000)
    engine.advance(np.tile(np.array(codes, np.int8), (rounds, 1)))
    assert engine.over.all()
    totals = engine.games["totals"]
    return totals[:, 1] - totals[:, 0]


def test_greedy_beats_random() -> None:
    """The same 200 deals for both teams; nearly every round goes to the greedy team."""
    one = lead_of_team([GREEDY, RANDOM, GREEDY, RANDOM], 200)
    other = lead_of_team([RANDOM, GREEDY, RANDOM, GREEDY], 200)
    leads = (one - other) / 2
    mean, error = leads.mean(), leads.std() / len(leads) ** 0.5
    print(f"greedy leads random by {mean:.0f} points a round, +- {1.96 * error:.0f}")
    assert mean - 3 * error > 50
