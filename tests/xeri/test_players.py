"""The compiled players: `random` is uniform, the others do as described."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.xeri.walks import engine_for, pile_of, walk, walks
from xabitha_env.cards import CARD_NAMES, card_text
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.players import COUNTING, EXPERT, GREEDY, PLAYER_CODES, RANDOM
from xabitha_env.xeri.validate import hand_kinds

GREEDY_CODE, COUNTING_CODE, EXPERT_CODE, RANDOM_CODE = (
    np.full(1, code, np.int8) for code in (GREEDY, COUNTING, EXPERT, RANDOM)
)
DEALS = 1000
FIRST_SEED = 30_000_000  # no player was tuned on these deals
WORTH = {rank + suit: 1 for rank in "AKQJT" for suit in "CDHS"} | {"2C": 1, "TD": 2}  # R4.2


def chosen(engine: XeriEngine, codes: np.ndarray) -> str:
    """The card that a player plays."""
    return card_text(int(engine.choose(codes)[0]))


def hand_of(engine: XeriEngine) -> list[str]:
    """The cards of the seat to act."""
    return [card_text(kind) for kind in hand_kinds(engine.games[0], int(engine.seats[0]))]


def takers(hand: list[str], pile: list[str]) -> list[str]:
    """The cards that would capture (R3.2)."""
    return [card for card in hand if pile and card[0] in ("J", pile[-1][0])]


def makes_xeri(card: str, pile: list[str]) -> bool:
    """R3.4, apart from R3.6."""
    return len(pile) == 1 and card[0] == pile[0][0]


# --- greedy ---------------------------------------------------------------------------------


def check_empty_pile(hand: list[str], card: str) -> str:
    """It keeps its jacks, and shows of the cards that count alike one it has most often."""
    if any(other[0] != "J" for other in hand):
        assert card[0] != "J"
    counts = Counter(other[0] for other in hand)
    alike = [other for other in hand if other[0] != "J" and WORTH.get(other) == WORTH.get(card)]
    if card[0] != "J":
        assert counts[card[0]] == max(counts[other[0]] for other in alike)
    return "empty"


def check_greedy(engine: XeriEngine) -> str:
    """It captures when it can, prefers xeris, and keeps its jacks."""
    hand, pile, card = hand_of(engine), pile_of(engine), chosen(engine, GREEDY_CODE)
    if not pile:
        return check_empty_pile(hand, card)
    able = takers(hand, pile)
    if not able:
        assert card[0] != "J"
        return "leaves"
    assert card in able
    if any(makes_xeri(other, pile) for other in able):
        assert makes_xeri(card, pile)
        return "xeri"
    if any(other[0] != "J" for other in able) and pile[-1][0] != "J":
        assert card[0] != "J"
        return "keeps a jack"
    return "captures"


def test_greedy_does_as_described() -> None:
    """In situations of all kinds, also those that it would not get into, and in its own games."""
    seen = Counter(check_greedy(engine) for engine, _ in walks(range(24)))
    engine = engine_for()
    engine.reset(seed=1)
    while not engine.over[0]:
        seen[check_greedy(engine)] += 1
        engine.step(engine.choose(GREEDY_CODE))
    assert all(seen[name] > 20 for name in ("empty", "leaves", "xeri", "captures")), seen
    assert seen["keeps a jack"] > 5, seen


# --- counting -------------------------------------------------------------------------------


def unseen_of(engine: XeriEngine, card: str) -> int:
    """How many cards of a rank the seat to act has never seen this round."""
    game = engine.games[0]
    seen = int(game["hand"][engine.seats[0]]) | int(np.bitwise_or.reduce(game["captured"]))
    seen |= int(np.bitwise_or.reduce(game["played"]))
    names = [name for kind, name in enumerate(CARD_NAMES[:52]) if seen >> kind & 1]
    names += pile_of(engine)
    if game["bottom_card"] >= 0:
        names.append(card_text(int(game["bottom_card"])))
    return 4 - len({name for name in names if name[0] == card[0]})


def check_counting(engine: XeriEngine) -> str:
    """Of cards that count alike it leaves alone one of the rank of which fewest are unseen."""
    hand, pile, card = hand_of(engine), pile_of(engine), chosen(engine, COUNTING_CODE)
    if any(makes_xeri(other, pile) for other in hand):
        assert makes_xeri(card, pile)
        return "xeri"
    plain = [other for other in hand if WORTH.get(other) == WORTH.get(card) and other[0] != "J"]
    if pile or card[0] == "J":
        return "captures" if card in takers(hand, pile) else "other"
    assert unseen_of(engine, card) == min(unseen_of(engine, other) for other in plain), card
    return "alone"


def test_counting_does_as_described() -> None:
    """It takes xeris, and on an empty pile it remembers what was seen (the rules as given)."""
    seen: Counter[str] = Counter()
    for rules in ({"num_rounds": 2}, {"num_rounds": 2, "show_bottom_card": True}):
        for seed in range(16):
            for engine, _ in walk(seed, rules, ("uniform", "pairs", "jack_hands")):
                if engine.games["plays"][0] % 24 < 20:  # the others have cards for the count
                    seen[check_counting(engine)] += 1
    assert all(seen[name] > 20 for name in ("xeri", "captures", "alone")), seen


def test_counting_remembers_what_greedy_does_not() -> None:
    """All nines were seen and lie with the captured cards: the last one is safe to leave alone."""
    first = ["7C 9S 3C 6C 4H 5H", "5C 5D 6D 6H 7H 7S", "8C 5S 2D 2H 2S KC", "8D 8H 8S KD KH KS"]
    hands, pile = [hand.split() for hand in first], "9C 9D 9H 4C".split()
    stock = [name for name in CARD_NAMES[:52] if name not in [*pile, *" ".join(first).split()]]
    deal = {"dealer": 3, "hands": hands, "pile": pile, "stock": stock}
    engine = engine_for({"num_rounds": 1, "redeal_pile": False})
    engine.reset(seed=1, deals=[deal])
    for card in "7C 5C 8C 8D".split():  # the last of them captures
        assert not engine.step([engine.parse(f"play:{card}")])[0], card
    assert pile_of(engine) == [] and engine.seats[0] == 0
    assert chosen(engine, COUNTING_CODE) == "9S"
    assert chosen(engine, EXPERT_CODE) == "9S"
    assert chosen(engine, GREEDY_CODE) != "9S"


# --- expert ---------------------------------------------------------------------------------


def table(hands: str, pile: str, plays: str = "", **rules: Any) -> XeriEngine:
    """A game with these hands from seat 0 on (the dealer is seat 3), after some plays.

    The hands are filled up with the lowest cards that are left.
    """
    given = [hand.split() for hand in hands.split("/")]
    rest = [c for c in CARD_NAMES[:52] if c not in [*" ".join(hands.split("/")).split()]]
    rest = [card for card in rest if card not in pile.split() and card[0] != "J"]
    dealt = [[*hand, *(rest.pop(0) for _ in range(6 - len(hand)))] for hand in given]
    used = {card for hand in dealt for card in hand} | set(pile.split())
    stock = [card for card in CARD_NAMES[:52] if card not in used]
    engine = engine_for({"num_rounds": 1, "redeal_pile": False, **rules})
    deal = {"dealer": 3, "hands": dealt, "pile": pile.split(), "stock": stock}
    engine.reset(seed=1, deals=[deal])
    for card in plays.split():
        assert not engine.step([engine.parse(f"play:{card}")])[0], card
    return engine


@pytest.mark.parametrize(
    ("hands", "pile", "plays", "card"),
    [
        ("JS 3C 9D///", "TC KD AD QS", "", "JS"),  # five points: worth a jack
        ("JS 3C QD///", "TC KD AD QS", "", "QD"),  # but the queen takes them, too
        ("2D 4D 5D 7D 7S 8D/JC//", "8C 3D 3H 4C", "4D", ""),  # an empty pile: kept
        ("2D 4D 5D 7D 7S 8D/6S 6H/JC 5S 5C/", "8C 3D 3H 4C", "4D 6S", ""),  # a dull card: kept
    ],
)
def test_expert_spends_jacks_on_rich_piles(hands: str, pile: str, plays: str, card: str) -> None:
    choice = chosen(table(hands, pile, plays), EXPERT_CODE)
    assert choice == card if card else choice[0] != "J"


def check_expert(engine: XeriEngine) -> str:
    """It makes xeris, and takes a pile of points when it can without a jack."""
    hand, pile, card = hand_of(engine), pile_of(engine), chosen(engine, EXPERT_CODE)
    if any(makes_xeri(other, pile) for other in hand):
        assert makes_xeri(card, pile)
        return "xeri"
    able = [other for other in takers(hand, pile) if other[0] != "J"]
    if able and sum(WORTH.get(other, 0) for other in pile) > 1:
        assert card in takers(hand, pile)
        return "captures"
    return "other"


def test_expert_does_as_described() -> None:
    seen: Counter[str] = Counter()
    for seed in range(24):
        for engine, _ in walk(seed, {"num_rounds": 2}):
            if engine.games["plays"][0] < 38:
                seen[check_expert(engine)] += 1
    assert all(seen[name] > 20 for name in ("xeri", "captures")), seen


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
    """Chi-square tests, in states with 2 to 6 cards, however they are listed."""
    checked = 0
    for engine, _ in walk(3, {"num_rounds": 1}, ("uniform",)):
        count = int(engine.legal_count[0])
        if count < 2 or engine.games["plays"][0] % 4:
            continue
        seen = choices_of(engine.get_state(), 500 * count, outputs)
        legal = engine.legal[0, :count].tolist()
        assert set(seen) <= set(legal)
        square = sum((seen[action] - 500) ** 2 / 500 for action in legal)
        freedom = count - 1
        assert square < freedom + 4.5 * (2 * freedom) ** 0.5, (square, freedom)
        checked += 1
    assert checked == 10


# --- all ------------------------------------------------------------------------------------


def test_only_random_draws_on_the_stream_for_players() -> None:
    for engine, _ in walk(2, {"num_rounds": 1}):
        for codes in (GREEDY_CODE, COUNTING_CODE, EXPERT_CODE, RANDOM_CODE):
            before = engine.get_state()
            engine.choose(codes)
            after = engine.get_state()
            drew = after["player_word"] != before["player_word"]
            assert drew == (codes is RANDOM_CODE)
            after["player_word"] = before["player_word"]
            assert after.tobytes() == before.tobytes()


@pytest.mark.interpreted
@pytest.mark.parametrize("name", PLAYER_CODES)
@pytest.mark.parametrize("outputs", [(), ("mask",), ("mask", "legal")])
def test_choices_are_legal(name: str, outputs: tuple[str, ...]) -> None:
    codes = np.full(1, PLAYER_CODES[name], np.int8)
    for seed in range(2):
        for engine, _ in walk(seed, {"num_rounds": 1}, outputs=outputs):
            assert engine.refusal(int(engine.choose(codes)[0])) is None


@pytest.mark.parametrize("name", PLAYER_CODES)
def test_choices_are_legal_under_all_rules(name: str) -> None:
    codes = np.full(1, PLAYER_CODES[name], np.int8)
    for engine, _ in walks(range(16)):
        assert engine.mask[0, engine.choose(codes)[0]]


def lead_of_team(codes: list[int], rules: dict[str, Any]) -> np.ndarray:
    """(rounds,) by how many points team 0 wins each round with these players."""
    engine = engine_for({**rules, "num_rounds": 1}, DEALS, outputs=())
    engine.reset(seed=FIRST_SEED)
    engine.advance(np.tile(np.array(codes, np.int8), (DEALS, 1)))
    assert engine.over.all()
    totals = engine.games["totals"]
    return totals[:, 0] - totals[:, 1]


@pytest.mark.parametrize("rules", [{}, {"show_bottom_card": True}, {"xeri_points": 5}])
@pytest.mark.parametrize(
    ("better", "worse"),
    [(GREEDY, RANDOM), (COUNTING, GREEDY), (COUNTING, RANDOM), (EXPERT, COUNTING)],
    ids=["greedy-random", "counting-greedy", "counting-random", "expert-counting"],
)
def test_players_in_order_of_strength(better: int, worse: int, rules: dict[str, Any]) -> None:
    """The same 1000 deals for both teams: the interval of 95% of the lead is clear of zero."""
    one = lead_of_team([better, worse] * 2, rules)
    other = lead_of_team([worse, better] * 2, rules)
    leads = (one - other) / 2
    mean, error = leads.mean(), leads.std() / len(leads) ** 0.5
    print(f"{better} leads {worse} by {mean:.2f} points a round, +- {1.96 * error:.2f}")
    assert mean - 2.5 * error > 0
