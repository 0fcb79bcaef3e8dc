"""Unit tests for every rule of 4-Player Xeri, R1 to R6, on every implementation.

Test names carry the number of the rule.  Unless a test says otherwise seat 3 deals, so seat 0
plays first and the play with number n (from 0 on) is the turn of seat n modulo 4.  How a round is
written down is told in ``tests.xeri.table.tokens``.
"""

from __future__ import annotations

import copy
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.reference.xeri import ALL_CARDS, DEFAULT_RULES, RANKS, SUITS
from tests.xeri.table import (
    PLAYS,
    Checker,
    Game,
    Make,
    Rules,
    cards,
    match_record,
    round_entry,
    snapshot,
    start,
)

# R4.2, written out: the cards that count.
WORTH = {rank + suit: 1 for rank in "AKQJT" for suit in SUITS} | {"2C": 1, "TD": 2}

JACKS = cards("JC JD JH JS")

ONE_ROUND: Rules = {"num_rounds": 1}


def other(rank: str) -> str:
    """A card of another rank."""
    return "8C" if rank != "8" else "9C"


def worth(captured: Sequence[str]) -> int:
    """The points of some cards (R4.2)."""
    return sum(WORTH.get(card, 0) for card in captured)


def tally(game: Game) -> list[list[str]]:
    """Play to the end; the cards of both teams (R3.2, R3.5)."""
    taken: list[list[str]] = [[], []]
    pile = list(game.table.pile)
    last: int | None = None
    while not game.table.over:
        event = game.next()
        pile.append(event["move"][-2:])
        if "captured" in event:
            last = event["seat"] % 2
            taken[last] += pile
            pile = []
    if last is not None:
        taken[last] += pile
    return taken


def plan(dealer: int, last: int, xeris: Sequence[int]) -> str:
    """A round with so many xeris by team, after which one team holds all that counts.

    That team has 25 points and its xeris, the other one its xeris (with cards that do not count).
    """
    pairs = [
        f"{rank}{one} {rank}{two}" for rank in "3456789" for one, two in (("C", "D"), ("H", "S"))
    ]
    singles = ["2D", "2H", "2S"]
    plays = [] if (dealer + 1) % 2 == last else ["."]
    plays.append("JC")
    holder = last
    for team in (last, 1 - last):
        if xeris[team] and holder != team:
            plays += [singles.pop(), pairs.pop()]
            holder = team
        plays += [pairs.pop() for _ in range(xeris[team])]
    if holder != last:
        plays += [singles.pop(), pairs.pop()]
    return " ".join(plays)


Spec = tuple[int, tuple[int, int]]

# Rounds in which team 0 or 1 takes everything, without xeris.
ZERO: Spec = (0, (0, 0))
ONE: Spec = (1, (0, 0))


def planned(
    make: Make, rules: Rules | None, specs: Sequence[Spec], dealer: int = 0
) -> list[dict[str, Any]]:
    """Rounds as in ``plan``, the deal passing clockwise (R1.2)."""
    return [
        round_entry(make, plan((dealer + n) % 4, *spec), "", (dealer + n) % 4, rules)
        for n, spec in enumerate(specs)
    ]


def result(
    totals: Sequence[int], winners: Sequence[int], round_wins: Sequence[int]
) -> dict[str, Any]:
    """The result of a match."""
    return {
        "totals": list(totals),
        "winners": list(winners),
        "round_wins": list(round_wins),
    }


def one_round(entry: dict[str, Any], rules: Rules | None = None) -> dict[str, Any]:
    """The record of a match that is this round."""
    points, winner = entry["result"]["points"], entry["result"]["winner"]
    wins = [int(winner == team) for team in (0, 1)]
    winners = [0, 1] if winner is None else [winner]
    own = result(points, winners, wins)
    return match_record({**ONE_ROUND, **(rules or {})}, [entry], own)


# --- R1: table ------------------------------------------------------------------------------


def test_r1_1_one_pack(make: Make) -> None:
    """All 52 cards are in the hands, the pile and the stock, each once, and are played."""
    assert len(ALL_CARDS) == 52 and len(set(ALL_CARDS)) == 52
    game = start(make, "JC ...", "9C")
    seen = Counter(game.table.pile)
    for _ in range(PLAYS):
        seen.update(game.next()["move"][-2:].split())
    assert seen == Counter(ALL_CARDS)


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("place", range(4))
def test_r1_1_partners_sit_opposite(make: Make, dealer: int, place: int) -> None:
    """The only capture gives all the cards to the capturer's team."""
    text = f".*{place} JC" if place else "JC"
    game = start(make, text, "9C", dealer)
    game.next(place + 1)
    seat = (dealer + 1 + place) % 4
    assert game.finish()["cards"] == ([52, 0] if seat in (0, 2) else [0, 52])


@pytest.mark.parametrize("rank", RANKS)
def test_r1_1_no_order_of_suits(make: Make, rank: str) -> None:
    """Any card of a rank takes any other one."""
    for one, two in itertools.permutations([rank + suit for suit in SUITS], 2):
        jack = next(jack for jack in JACKS if jack not in (one, two))
        game = start(make, f"{jack} {one} {two}", other(rank))
        assert game.next(3)["captured"] == 2


def test_r1_1_no_order_of_ranks(make: Make) -> None:
    """Neither a higher nor a lower card takes another rank; nor does an ace."""
    game = start(make, "9D TC AC 2D AS KD QC KC 3D ... JS", "8C")
    for place in range(9):
        assert "captured" not in game.next()
        assert len(game.table.pile) == 5 + place


@pytest.mark.parametrize("first", range(4))
@pytest.mark.parametrize("second", range(4))
def test_r1_2_the_deal_passes_clockwise(
    make: Make, check: Checker, first: int, second: int
) -> None:
    """Any seat may deal first."""
    rounds = [
        round_entry(make, plan(first, 0, (0, 0)), dealer=first),
        round_entry(make, plan(second, 0, (0, 0)), dealer=second),
    ]
    record = match_record({"num_rounds": 2}, rounds, result([50, 0], [0], [2, 0]))
    assert (check(record) is None) == (second == (first + 1) % 4)


def test_r1_2_each_seat_deals_once(make: Make, check: Checker) -> None:
    """In four rounds, the default."""
    assert DEFAULT_RULES["num_rounds"] == 4
    rounds = planned(make, None, [ZERO, ONE, ZERO, ZERO], dealer=2)
    assert [entry["dealer"] for entry in rounds] == [2, 3, 0, 1]
    own = result([75, 25], [0], [3, 1])
    assert check(match_record(None, rounds, own)) is None
    assert check(match_record(None, rounds[:3], result([50, 25], [0], [2, 1]))) is not None


def test_r1_2_num_rounds(make: Make, check: Checker) -> None:
    """A match has num_rounds rounds, neither more nor fewer, unless it was cut off."""
    two = planned(make, None, [ONE, ONE])
    own = result([0, 50], [1], [0, 2])
    assert check(match_record({"num_rounds": 2}, two, own)) is None
    assert check(match_record({"num_rounds": 2}, two, None)) is not None
    assert check(match_record({"num_rounds": 1}, two, own)) is not None
    assert check(match_record({"num_rounds": 1}, two, None)) is not None
    assert check(match_record({"num_rounds": 3}, two, own)) is not None
    assert check(match_record({"num_rounds": 3}, two, None)) is None


@pytest.mark.parametrize("left", [1, 24, 47, 48])
def test_r1_2_a_match_cut_off_within_a_round(make: Make, check: Checker, left: int) -> None:
    rounds = planned(make, None, [ONE, ZERO])
    last = rounds[1]
    last["events"] = last["events"][: PLAYS - left]
    assert check(match_record({"num_rounds": 2}, rounds, None)) is not None
    last["result"] = None
    assert check(match_record({"num_rounds": 2}, rounds, None)) is None
    assert check(match_record({"num_rounds": 2}, rounds, result([0, 25], [1], [0, 1]))) is not None
    rounds = planned(make, None, [ONE, ZERO])
    rounds[0]["events"] = rounds[0]["events"][: PLAYS - left]
    rounds[0]["result"] = None
    assert check(match_record({"num_rounds": 2}, rounds, None)) is not None


# --- R2: deal -------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
def test_r2_1_six_cards_each_and_four_in_the_pile(make: Make, dealer: int) -> None:
    """The pile is open, its last card on top; the rest is the stock."""
    game = start(make, "3D JC JD JH JS ...", "6C 7S 9C KC", dealer, {"redeal_pile": True})
    assert game.table.pile == cards("6C 7S 9C KC")
    assert game.table.stock_size == 24
    for place in range(4):
        assert game.table.hand(game.seat_of(place)) == sorted(game.plays[place:24:4])


@pytest.mark.parametrize("dealer", range(4))
def test_r2_1_second_deal(make: Make, dealer: int) -> None:
    """One card at a time, clockwise from the dealer's left; the last one to the dealer."""
    game = start(make, "JC ...", "9C", dealer)
    stock = game.plays[24:]
    game.next(24)
    assert game.table.stock_size == 0
    for place in range(4):
        assert game.table.hand(game.seat_of(place)) == sorted(stock[place::4])
    assert stock[-1] in game.table.hand(dealer)


def test_r2_1_second_deal_comes_when_all_hands_are_empty(make: Make) -> None:
    """Not before, and the pile stays as it is."""
    game = start(make, "JC ...", "9C")
    for played in range(1, 24):
        game.next()
        sizes = [len(game.table.hand(seat)) for seat in range(4)]
        assert sizes == [6 - (played + 3 - seat) // 4 for seat in range(4)]
        assert game.table.stock_size == 24
    game.next()
    assert [len(game.table.hand(seat)) for seat in range(4)] == [6, 6, 6, 6]
    assert game.table.pile == game.plays[1:24]


def test_r2_1_a_round_is_two_deals(make: Make) -> None:
    """48 plays, then nothing is legal."""
    game = start(make, "JC ...", "9C")
    for _ in range(PLAYS):
        assert not game.table.over and game.table.result is None
        game.next()
    assert game.table.over and game.table.result is not None
    assert game.table.legal() == []
    assert [game.table.hand(seat) for seat in range(4)] == [[], [], [], []]
    game.refuses("play:JC", f"play:{game.plays[-1]}")


def break_deal(entry: dict[str, Any], how: str) -> None:
    """Spoil the deal without touching the events."""
    deal = entry["deal"]
    if how == "twice":
        deal["pile"][0] = "JC"  # the first card that is played
    elif how == "unknown":
        deal["pile"][0] = "JK"
    elif how == "stock short":
        deal["stock"].pop()
    elif how == "pile long":
        deal["pile"].insert(0, deal["stock"].pop())
    elif how == "hands uneven":
        deal["hands"][1].append(deal["hands"][0].pop())
    elif how == "three hands":
        deal["stock"] += deal["hands"].pop()
    elif how == "dealer":
        entry["dealer"] = 4


@pytest.mark.parametrize(
    "how",
    ["", "twice", "unknown", "stock short", "pile long", "hands uneven", "three hands", "dealer"],
)
def test_r2_1_deals_in_records(make: Make, check: Checker, how: str) -> None:
    entry = round_entry(make, "JC ...", "9C")
    break_deal(entry, how)
    assert (check(one_round(entry)) is None) == (not how)


PILES = [
    ("JC 2D 3H 4S", True),
    ("2D JC 3H 4S", True),
    ("2D 3H JC 4S", True),
    ("2D 3H 4S JC", False),
    ("AC 3D KH TS", True),
    ("2D 2H 4S 5C", False),
    ("2D 4S 2H 5C", False),
    ("2D 4S 5C 2H", False),
    ("4S 2D 2H 5C", False),
    ("4S 2D 5C 2H", False),
    ("4S 5C 2D 2H", False),
    ("2D 2H 2S 5C", False),
    ("2C 2D 2H 2S", False),
    ("2D 2H 5C 5D", False),
    ("JC JD 3H 4S", False),
    ("JC 2D 3H JS", False),
    ("JC JD JH 4S", False),
    ("JC JD JH JS", False),
]


def pile_round(make: Make, pile: str, rules: Rules | None = None) -> dict[str, Any]:
    """A round with this pile; the jacks that are not in it are played last."""
    jacks = [jack for jack in JACKS if jack not in pile]
    return round_entry(make, " ".join(["...", *jacks]), pile, rules=rules)


@pytest.mark.parametrize(("pile", "stays"), PILES)
def test_r2_2_piles_that_are_dealt_again(
    make: Make, check: Checker, pile: str, stays: bool
) -> None:
    """They stand in no record, unless any four are accepted."""
    entry = pile_round(make, pile)
    assert check(one_round(entry)) is None
    assert (check(one_round(entry, {"redeal_pile": True})) is None) == stays


@pytest.mark.parametrize("pile", [pile for pile, stays in PILES if stays])
def test_r2_2_a_jack_may_lie_under_the_top(make: Make, pile: str) -> None:
    """By the default rules."""
    assert DEFAULT_RULES["redeal_pile"] is True
    entry = pile_round(make, pile, {"redeal_pile": True})
    assert entry["deal"]["pile"] == cards(pile)


@pytest.mark.parametrize("pile", [pile for pile, stays in PILES if not stays])
def test_r2_2_any_four_are_accepted(make: Make, pile: str) -> None:
    """Variation: equal ranks in the pile capture nothing, a jack on top may be taken."""
    game = start(make, " ".join(["...", *(jack for jack in JACKS if jack not in pile)]), pile)
    assert game.table.pile == cards(pile)
    game.next()
    assert game.table.pile == [*cards(pile), game.plays[0]]


def test_r2_2_a_jack_on_top_is_taken_by_a_jack(make: Make) -> None:
    """No xeri: the pile is four cards."""
    game = start(make, "JS ...", "JC JD JH 4S")
    assert game.next() == {"seat": 0, "move": "play:JS", "captured": 5}
    game = start(make, "JS ...", "3C JC JD JH")
    assert game.next() == {"seat": 0, "move": "play:JS", "captured": 5}


BOTTOM: Rules = {"show_bottom_card": True}


def bottom_round(make: Make, last: str, rules: Rules | None) -> dict[str, Any]:
    """A round whose stock ends with this card."""
    return round_entry(make, f"... {last}", rules=rules)


def test_r2_3_the_bottom_card_is_shown(make: Make, check: Checker) -> None:
    """It is the last of the stock, and stands in the record, only with the variation."""
    assert DEFAULT_RULES["show_bottom_card"] is False
    entry = bottom_round(make, "6H", BOTTOM)
    assert entry["bottom_card"] == "6H" == entry["deal"]["stock"][-1]
    assert check(one_round(entry, BOTTOM)) is None
    assert check(one_round(entry)) is not None
    other = {**entry, "bottom_card": entry["deal"]["stock"][-2]}
    assert check(one_round(other, BOTTOM)) is not None
    del entry["bottom_card"]
    assert check(one_round(entry)) is None
    assert check(one_round(entry, BOTTOM)) is not None


@pytest.mark.parametrize("dealer", range(4))
def test_r2_3_the_bottom_card_goes_to_the_dealer(make: Make, dealer: int) -> None:
    game = start(make, "... 6H", "", dealer, BOTTOM)
    game.next(24)
    assert "6H" in game.table.hand(dealer)


def test_r2_3_the_bottom_card_is_no_jack(make: Make, check: Checker) -> None:
    """A jack may be the last of the stock only when it is not shown."""
    entry = bottom_round(make, "JH", None)
    assert check(one_round(entry)) is None
    entry["bottom_card"] = "JH"
    assert check(one_round(entry, BOTTOM)) is not None


def test_r2_3_the_bottom_card_and_the_pile(make: Make, check: Checker) -> None:
    """R2.2 holds as without the variation."""
    for pile, stays in PILES:
        jacks = [jack for jack in JACKS if jack not in pile]
        text = " ".join(["...", *jacks, "6H"])
        entry = round_entry(make, text, pile, rules=BOTTOM)
        assert (check(one_round(entry, {**BOTTOM, "redeal_pile": True})) is None) == stays


# --- R3: play -------------------------------------------------------------------------------


@pytest.mark.parametrize("dealer", range(4))
def test_r3_1_turns_go_clockwise_from_the_dealers_left(make: Make, dealer: int) -> None:
    """In both deals, whoever captures; each turn is one card from the hand to the pile."""
    game = start(make, "JC . . = . . JD ...", "9C", dealer)
    for place in range(PLAYS):
        seat = (dealer + 1 + place) % 4
        assert game.table.seat == seat
        hand, card = game.table.hand(seat), game.plays[place]
        assert game.next()["seat"] == seat
        hand.remove(card)
        if place != 23:  # else the second hands have been dealt
            assert game.table.hand(seat) == hand


def test_r3_1_any_card_of_the_hand_may_be_played(make: Make) -> None:
    """Capturing is no duty, and a card that captures nothing is no fault."""
    game = start(make, "9D ... JC JD JH JS", "9C")
    while not game.table.over:
        hand = game.table.hand(game.table.seat)
        assert game.table.legal() == [f"play:{card}" for card in hand]
        game.do(game.table.legal()[-1])


@pytest.mark.parametrize("rank", RANKS.replace("J", ""))
def test_r3_2_the_rank_of_the_top_card_takes_the_pile(make: Make, rank: str) -> None:
    game = start(make, f"{rank}D ... JC", f"{rank}C")
    assert game.next() == {"seat": 0, "move": f"play:{rank}D", "captured": 5}
    assert game.table.pile == []


@pytest.mark.parametrize("above", [1, 2, 5, 20, 40])
def test_r3_2_the_whole_pile_is_taken(make: Make, above: int) -> None:
    """Its number counts the card that takes it."""
    game = start(make, f".*{above} 9D 9H ... JC", "3C")
    game.next(above + 1)
    assert len(game.table.pile) == 5 + above
    assert game.next()["captured"] == 6 + above
    assert game.table.pile == []


def test_r3_2_another_rank_stays_on_top(make: Make) -> None:
    """And is the card that counts from then on; the ranks beneath do not."""
    game = start(make, "5D 9D 4D 5H 5S ... JC JD", "4S 9C")
    pile = game.table.pile
    for card in cards("5D 9D 4D 5H"):
        assert game.next() == {"seat": len(pile) % 4, "move": f"play:{card}"}
        pile = [*pile, card]
        assert game.table.pile == pile
    assert game.next()["captured"] == 9


@pytest.mark.parametrize("size", [4, 5, 6, 10, 30])
@pytest.mark.parametrize("top", cards("3D KS TD AC 2C"))
def test_r3_2_a_jack_takes_any_pile(make: Make, size: int, top: str) -> None:
    pile = "" if size > 4 else top
    text = f".*{size - 5} {top} JC" if size > 5 else f"{top} JC" if size == 5 else "JC"
    game = start(make, text, pile)
    game.next(size - 4)
    assert game.next()["captured"] == size + 1
    assert game.table.pile == []


@pytest.mark.parametrize("rank", RANKS)
def test_r3_2_on_an_empty_pile_any_card_starts_a_pile(make: Make, rank: str) -> None:
    """A jack too."""
    game = start(make, f"JC {rank}D ...", other(rank))
    game.next()
    assert game.table.pile == []
    assert game.next() == {"seat": 1, "move": f"play:{rank}D"}
    assert game.table.pile == [f"{rank}D"]


def test_r3_2_a_jack_that_starts_a_pile_is_a_card_like_others(make: Make) -> None:
    """Other ranks stay on it, and only a jack takes it."""
    game = start(make, "JC JD 5D 5H ...", "9C")
    game.next(2)
    assert "captured" not in game.next()
    assert game.table.pile == ["JD", "5D"]
    assert game.next() == {"seat": 3, "move": "play:5H", "captured": 3}


def test_r3_2_a_jack_takes_a_pile_with_a_jack_within(make: Make) -> None:
    game = start(make, "JC JD 5D JH ...", "9C")
    game.next(3)
    assert game.next() == {"seat": 3, "move": "play:JH", "captured": 3}


def test_r3_3_captured_cards_are_gone(make: Make) -> None:
    """Nothing that is shown holds them, though xeris and their number count in the end."""
    game = start(make, "JC 5D 5H 6D 7D 7H ...", "9C")
    taken = list(game.table.pile)
    for _ in range(6):
        taken.append(game.next()["move"][-2:])
    shown = snapshot(game.table)
    assert shown["pile"] == []
    assert not set(taken) & {card for hand in shown["hands"] for card in hand}
    assert len(game.finish()["xeris"][0]) == 1


# --- R3.4: xeri -----------------------------------------------------------------------------


@pytest.mark.parametrize("rank", RANKS)
def test_r3_4_xeri(make: Make, rank: str) -> None:
    """A single card, taken by the next player with the same rank."""
    game = start(make, f"JC {rank}D {rank}H", other(rank))
    game.next(2)
    points = 20 if rank == "J" else 10
    move = f"play:{rank}H"
    assert game.next() == {"seat": 2, "move": move, "captured": 2, "xeri": points}
    assert game.table.pile == []
    assert game.finish()["xeris"] == [[points], []]


@pytest.mark.parametrize("rank", RANKS.replace("J", ""))
def test_r3_4_a_jack_on_a_single_card_is_no_xeri(make: Make, rank: str) -> None:
    """It captures, but is not of the same rank."""
    game = start(make, f"JC {rank}D JD", other(rank))
    game.next(2)
    assert game.next() == {"seat": 2, "move": "play:JD", "captured": 2}
    assert game.table.pile == []
    assert game.finish()["xeris"] == [[], []]


@pytest.mark.parametrize(
    ("text", "place", "size"),
    [
        ("9D ... JC", 0, 5),  # the four cards of the deal
        ("JC 5D 6D 6H", 3, 3),  # two cards
        ("JC 5D 5H 6D 7D 7H", 5, 3),  # two cards after a xeri
        ("JC 6D JD 7D 8D 8H", 5, 3),
        ("JC JD 6D 6H", 3, 3),
        ("JC 5D .*5 6D 6H", 8, 8),
        ("JC 3D 4D JD", 3, 3),
        ("JC JD 4D JH", 3, 3),
    ],
)
def test_r3_4_more_than_a_single_card_is_no_xeri(
    make: Make, text: str, place: int, size: int
) -> None:
    game = start(make, text, "9C")
    game.next(place)
    event = game.next()
    assert event["captured"] == size and "xeri" not in event


def test_r3_4_xeris_in_a_row(make: Make) -> None:
    """Each after an empty pile; they count for the team that makes them."""
    game = start(make, "JC 5D 5H 6D 6H 7D 8D 8H 9D 9H", "KC")
    for place in range(10):
        event = game.next()
        assert ("xeri" in event) == (place in (2, 4, 9))
    assert game.finish()["xeris"] == [[10, 10], [10]]


def test_r3_4_jack_xeri_after_a_capture(make: Make) -> None:
    """Of the jacks that follow each other every second one starts a pile."""
    game = start(make, "9D JC JD JH JS", "9C")
    assert game.next()["captured"] == 5
    assert game.next() == {"seat": 1, "move": "play:JC"}
    assert game.next() == {"seat": 2, "move": "play:JD", "captured": 2, "xeri": 20}
    assert game.next() == {"seat": 3, "move": "play:JH"}
    assert game.next() == {"seat": 0, "move": "play:JS", "captured": 2, "xeri": 20}
    assert game.finish()["xeris"] == [[20, 20], []]


def test_r3_4_xeri_across_the_second_deal(make: Make) -> None:
    """A single card stays on the table while the second hands are dealt."""
    game = start(make, ".*22 JC 5D 5H")
    game.next(24)
    assert game.table.pile == ["5D"] and game.table.stock_size == 0
    assert game.next() == {"seat": 0, "move": "play:5H", "captured": 2, "xeri": 10}


def test_r3_4_four_of_a_rank(make: Make) -> None:
    """Two xeris."""
    game = start(make, "JC 5C 5D 5H 5S", "9C")
    assert ["xeri" in game.next() for _ in range(5)] == [False, False, True, False, True]


# --- R3.5: the cards that are left -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("JC", [52, 0]),
        (". JC", [0, 52]),
        ("JC . . =", [5, 47]),
        ("JC . . = . . =", [49, 3]),
        ("JC . . = . =", [5, 47]),  # the same team twice
        ("JC . =", [52, 0]),
        ("... JC 4C", [52, 0]),  # a single card is left
        ("... JC 4C 5D", [0, 52]),
        ("... JC", [0, 52]),  # none is left
        ("... JC .", [52, 0]),
        ("... JC JD", [52, 0]),  # the jack at the end starts a pile
        (". JC ... JD .*3", [46, 6]),
        ("JC ... JD", [5, 47]),
    ],
)
def test_r3_5_what_is_left_goes_to_the_team_that_captured_last(
    make: Make, text: str, numbers: list[int]
) -> None:
    """Among its points, too."""
    game = start(make, text, "8C")
    taken = tally(game)
    outcome = game.table.result
    assert outcome is not None
    assert outcome["cards"] == numbers == [len(taken[0]), len(taken[1])]
    assert sum(outcome["points"]) == 25 + sum(map(sum, outcome["xeris"]))


@pytest.mark.parametrize("text", ["... JC 4C", "... JC 4C 5D", "... JC JD", "JC ..."])
def test_r3_5_it_is_no_capture_and_no_xeri(make: Make, text: str) -> None:
    """No event shows it, not even when it is a single card or a jack."""
    game = start(make, text, "8C")
    game.until(1)
    event = game.next()
    assert event == {"seat": 3, "move": f"play:{game.plays[-1]}"}
    assert game.table.result is not None
    assert game.table.result["xeris"] == [[], []]


@pytest.mark.parametrize("dealer", range(4))
def test_r3_5_nobody_captured(make: Make, check: Checker, dealer: int) -> None:
    """Nobody gets what is left: no cards, no points, and the round is won by neither."""
    entry = round_entry(make, "...", "JC JD JH JS", dealer)
    assert all("captured" not in event for event in entry["events"])
    assert entry["result"] == {
        "points": [0, 0],
        "cards": [0, 0],
        "xeris": [[], []],
        "winner": None,
    }
    own = result([0, 0], [0, 1], [0, 0])
    assert check(match_record(ONE_ROUND, [entry], own)) is None


# --- R3.6: the last card of the dealer -------------------------------------------------------

NO_LAST: Rules = {"dealer_last_card_xeri": False}


def last_event(
    make: Make, text: str, left: int, rules: Rules | None, dealer: int = 3
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The event after which so many plays are left, and the result."""
    game = start(make, text, "", dealer, rules)
    game.until(left + 1)
    event = game.next()
    return event, game.finish()


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize(("pair", "points"), [("4C 4D", 10), ("JD JH", 20), ("TC TD", 10)])
def test_r3_6_the_last_card_may_make_a_xeri(
    make: Make, dealer: int, pair: str, points: int
) -> None:
    """The default."""
    assert DEFAULT_RULES["dealer_last_card_xeri"] is True
    event, outcome = last_event(make, f"... JC {pair}", 0, None, dealer)
    assert event["seat"] == dealer and event["captured"] == 2 and event["xeri"] == points
    assert outcome["xeris"][dealer % 2] == [points]


@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("pair", ["4C 4D", "JD JH", "TC TD"])
def test_r3_6_the_last_card_makes_no_xeri(make: Make, dealer: int, pair: str) -> None:
    """With the variation; it captures all the same."""
    move = f"play:{pair[-2:]}"
    event, outcome = last_event(make, f"... JC {pair}", 0, NO_LAST, dealer)
    assert event == {"seat": dealer, "move": move, "captured": 2}
    assert outcome["xeris"] == [[], []]
    # Its team made the capture before, too.
    assert outcome["cards"][dealer % 2] == 52 and outcome["points"][dealer % 2] == 25


def test_r3_6_the_last_card_is_the_last_capture(make: Make) -> None:
    """Without a xeri, the two cards are its team's and no more."""
    event, outcome = last_event(make, "... JC 3C 5D JD TC TD", 0, NO_LAST)
    assert event == {"seat": 3, "move": "play:TD", "captured": 2}
    # Seat 2 takes all with JC, seat 1 three cards with JD, and seat 3 the tens.
    assert outcome["cards"] == [47, 5] and outcome["points"][1] == 4


@pytest.mark.parametrize("pair", ["4C 4D", "JD JH"])
@pytest.mark.parametrize("dealer", range(4))
def test_r3_6_the_last_card_of_the_first_deal_is_another_matter(
    make: Make, pair: str, dealer: int
) -> None:
    """The dealer's sixth card is not its last one in the round."""
    event, outcome = last_event(make, f".*21 JC {pair}", 24, NO_LAST, dealer)
    assert event["seat"] == dealer and "xeri" in event
    assert outcome["xeris"][dealer % 2] == [event["xeri"]]


@pytest.mark.parametrize("left", [1, 2, 3, 4, 8, 20])
def test_r3_6_other_cards_in_the_second_deal(make: Make, left: int) -> None:
    """The last cards of the other seats (1, 2, 3), and earlier ones of the dealer (4, 8, 20)."""
    event, _ = last_event(make, f"... JC 4C 4D .*{left}", left, NO_LAST)
    assert event["seat"] == (3 - left) % 4 and event["xeri"] == 10


def test_r3_6_in_records(make: Make, check: Checker) -> None:
    """The variation changes the points."""
    xeri = round_entry(make, "... JC 4C 4D")
    none = round_entry(make, "... JC 4C 4D", rules=NO_LAST)
    assert check(one_round(xeri)) is None and check(one_round(none, NO_LAST)) is None
    assert check(one_round(none)) is not None and check(one_round(xeri, NO_LAST)) is not None


# --- R4: score of a round ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "numbers", "more"),
    [
        ("JC .*24 = . . = ...", [27, 25], [3, 0]),
        ("JC .*26 = . . = ...", [25, 27], [0, 3]),
        ("JC .*12 = . . = .*12 = . . = ...", [26, 26], [0, 0]),
        ("JC", [52, 0], [3, 0]),
        (". JC", [0, 52], [0, 3]),
        ("", [0, 0], [0, 0]),  # nobody captured
        ("JC . . = . . = ...", [49, 3], [3, 0]),
    ],
)
@pytest.mark.parametrize("dealer", [1, 3])
def test_r4_1_three_points_for_more_cards(
    make: Make, text: str, numbers: list[int], more: list[int], dealer: int
) -> None:
    """A tie gives nobody the three."""
    game = start(make, text, dealer=dealer)
    taken = tally(game)
    outcome = game.table.result
    assert outcome is not None and outcome["cards"] == numbers
    assert outcome["points"] == [worth(taken[team]) + more[team] for team in (0, 1)]


def test_r4_1_a_tie_leaves_22_points(make: Make) -> None:
    outcome = start(make, "JC .*12 = . . = .*12 = . . = ...").finish()
    assert outcome["cards"] == [26, 26] and sum(outcome["points"]) == 22


@pytest.mark.parametrize("rank", RANKS)
def test_r4_2_the_cards_that_count(make: Make, rank: str) -> None:
    """Team 1 has three cards only: two of the rank, and one that does not count."""
    dull = "3S" if rank != "3" else "5S"
    for one, two in itertools.permutations([rank + suit for suit in SUITS], 2):
        pair = f"{dull} {one} {two}" if rank != "J" else f"{one} {dull} {two}"
        jack = next(jack for jack in JACKS if jack not in (one, two))
        game = start(make, f"{jack} {pair} . . = ...", other(rank))
        outcome = game.finish()
        counted = {"2C": 1, "TD": 2}
        own = sum(counted.get(card, int(rank in "AKQJT")) for card in (one, two))
        assert outcome["cards"] == [49, 3]
        assert outcome["points"] == [25 - own, own], pair


def test_r4_2_the_ten_of_diamonds_counts_twice(make: Make) -> None:
    """One for the ten, one for itself."""
    points = [
        start(make, f"JC 3S {pair} . . = ...", "9C").finish()["points"][1]
        for pair in ("TC TH", "TC TD", "TD TS", "TS TH")
    ]
    assert points == [2, 3, 3, 2]


def test_r4_2_the_two_of_clubs_counts_once(make: Make) -> None:
    """The other twos do not count."""
    points = [
        start(make, f"JC 3S {pair} . . = ...", "9C").finish()["points"][1]
        for pair in ("2C 2H", "2D 2H", "2S 2C", "2S 2D")
    ]
    assert points == [1, 0, 1, 0]


@pytest.mark.parametrize("text", ["JC", ". JC", "JC .*24 = . . = .*3 =", ".*30 JC .*3 = . . ="])
def test_r4_2_25_points_a_round(make: Make, text: str) -> None:
    """Apart from xeris."""
    outcome = start(make, text, "8C").finish()
    assert sum(outcome["points"]) == 25 and outcome["xeris"] == [[], []]


@pytest.mark.parametrize(
    ("rules", "plain", "jack"),
    [
        ({}, 10, 20),
        ({"jack_xeri_points": 25}, 10, 25),
        ({"xeri_points": 5}, 5, 20),
        ({"xeri_points": 15, "jack_xeri_points": 7}, 15, 7),
        ({"xeri_points": 30, "jack_xeri_points": 100}, 30, 100),
    ],
)
def test_r4_3_points_of_xeris(make: Make, rules: Rules, plain: int, jack: int) -> None:
    """In the event, in the list of the team in their order, and among its points."""
    assert (DEFAULT_RULES["xeri_points"], DEFAULT_RULES["jack_xeri_points"]) == (10, 20)
    # Team 0: a xeri, a jack's, a xeri; then team 1, and team 0 takes the rest.
    text = "JC 3C 3D JD JH 4C 4D 2D 5C 5D 6C 6D 2H 7C 7D ..."
    game = start(make, text, "9C", rules=rules)
    seen = [event["xeri"] for _ in range(15) if "xeri" in (event := game.next())]
    assert seen == [plain, jack, plain, plain]
    outcome = game.finish()
    assert outcome["xeris"] == [[plain, jack, plain], [plain]]
    assert outcome["points"] == [25 + 2 * plain + jack, plain]


def test_r4_3_the_order_of_the_xeris(make: Make) -> None:
    """The list of a team has them in the order in which they were made."""
    game = start(make, "9D JC JD 3C 3D 4C 4D", "9C")
    assert game.finish()["xeris"] == [[20, 10, 10], []]


@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("dealer", range(4))
@pytest.mark.parametrize("xeris", [(0, 0), (1, 0), (0, 1), (2, 3), (4, 4), (0, 11), (13, 0)])
def test_r4_3_planned_rounds(make: Make, dealer: int, last: int, xeris: tuple[int, int]) -> None:
    """The rounds that the tests of R5 are made of."""
    wanted = xeris if last == 0 else xeris[::-1]
    outcome = start(make, plan(dealer, last, wanted), "", dealer).finish()
    assert outcome["points"] == [25 * (team == last) + 10 * wanted[team] for team in (0, 1)]
    assert outcome["xeris"] == [[10] * count for count in wanted]


@pytest.mark.parametrize(
    ("xeri_points", "winner"), [(10, 0), (24, 0), (25, None), (26, 1), (100, 1)]
)
def test_r4_4_more_points_win_the_round(
    make: Make, check: Checker, xeri_points: int, winner: int | None
) -> None:
    """Not more cards; with equal points neither does."""
    rules = {"xeri_points": xeri_points}
    entry = planned(make, rules, [(0, (0, 1))], dealer=3)[0]
    assert entry["result"]["points"] == [25, xeri_points]
    assert entry["result"]["cards"][0] > entry["result"]["cards"][1]
    assert entry["result"]["winner"] == winner
    record = one_round(entry, rules)
    assert check(record) is None
    for other in {0, 1, None} - {winner}:
        wrong = copy.deepcopy(record)
        wrong["rounds"][0]["result"]["winner"] = other
        assert check(wrong) is not None


# --- R5: end of the game ----------------------------------------------------------------------

DRAWN: Spec = (0, (0, 1))  # with xeris of 25 points: 25 to 25


def ends(
    make: Make,
    check: Checker,
    rules: Rules,
    specs: Sequence[Spec],
    own: dict[str, Any],
    dealer: int = 0,
) -> None:
    """The game has these rounds and this result, and no other number of rounds or winners."""
    rounds = planned(make, rules, [*specs, ZERO], dealer)
    played = rounds[:-1]
    assert check(match_record(rules, played, own)) is None
    assert check(match_record(rules, played, None)) is not None
    assert check(match_record(rules, rounds, None)) is not None
    assert check(match_record(rules, rounds, own)) is not None
    for winners in ([0], [1], [0, 1], []):
        if winners != own["winners"]:
            assert check(match_record(rules, played, {**own, "winners": winners})) is not None
    for count in range(1, len(played)):
        assert check(match_record(rules, played[:count], None)) is None
        assert check(match_record(rules, played[:count], own)) is not None


@pytest.mark.parametrize(
    ("specs", "own"),
    [
        ([ZERO, ZERO, ONE], result([50, 25], [0], [2, 1])),
        ([ONE, ZERO, ONE], result([25, 50], [1], [1, 2])),
        # The points of the game do not matter.
        ([(0, (4, 0)), ONE, ONE], result([125, 50], [1], [1, 2])),
        ([ZERO, ZERO], result([50, 0], [0], [2, 0])),
        # Nor does it matter that the game is decided.
        ([ZERO, ZERO, ZERO, ONE], result([75, 25], [0], [3, 1])),
        # Equal wins share it, whatever the points.
        ([ZERO, ONE], result([25, 25], [0, 1], [1, 1])),
        ([(0, (3, 0)), ONE], result([100, 25], [0, 1], [1, 1])),
        # A round that neither wins counts for neither.
        ([DRAWN], result([25, 25], [0, 1], [0, 0])),
        ([DRAWN, ONE, DRAWN], result([50, 75], [1], [0, 1])),
        ([ZERO, DRAWN, ONE], result([50, 50], [0, 1], [1, 1])),
    ],
)
def test_r5_1_more_round_wins_win_the_game(
    make: Make, check: Checker, specs: list[Spec], own: dict[str, Any]
) -> None:
    rules = {"num_rounds": len(specs), "xeri_points": 25}
    ends(make, check, rules, specs, own)


def target(score: int = 151, extended: int = 251, **fields: Any) -> Rules:
    """Rules with targets, for which the number of rounds plays no part."""
    return {"target_score": score, "extended_target_score": extended, **fields}


TARGETS = [
    # A target is reached at or above it.
    (target(xeri_points=126), [(0, (1, 0))], result([151, 0], [0], [1, 0])),
    (target(xeri_points=127), [(1, (0, 1))], result([0, 152], [1], [0, 1])),
    (target(xeri_points=125), [(0, (1, 0)), ONE, ZERO], result([175, 25], [0], [2, 1])),
    # Points add up; the team that reached it wins, not the one with more round wins.
    (target(25 * 3), [ZERO, ONE, ONE, ONE], result([25, 75], [1], [1, 3])),
    (target(xeri_points=160), [ONE, ONE, (0, (1, 0))], result([185, 50], [0], [1, 2])),
    # A team reaches it while the other has more than nothing, but not the target.
    (target(xeri_points=50), [(0, (3, 2))], result([175, 100], [0], [1, 0])),
    # A team may reach it in a round that the other wins.
    (target(50, xeri_points=45), [ZERO, (0, (0, 1))], result([50, 45], [0], [1, 1])),
    # Both in one round: on to the extended target.
    (target(xeri_points=60), [(0, (3, 3)), ONE, (1, (0, 1))], result([205, 290], [1], [1, 2])),
    (target(50, 100, xeri_points=25), [DRAWN, DRAWN, ZERO, ZERO], result([100, 50], [0], [2, 0])),
    (target(50, 99, xeri_points=26), [(0, (1, 2)), ZERO, ZERO], result([101, 52], [0], [2, 1])),
    # Both at the extended target: the higher total wins at once.
    (target(xeri_points=60), [(0, (3, 3)), (0, (1, 2))], result([290, 300], [1], [1, 1])),
    # Both reach both targets in one round, or one of them does.
    (target(xeri_points=100), [(0, (3, 3))], result([325, 300], [0], [1, 0])),
    (target(xeri_points=100), [(0, (3, 2))], result([325, 200], [0], [1, 0])),
    (target(xeri_points=100), [(1, (3, 2))], result([300, 225], [0], [1, 0])),
    # Equal totals at the extended target play another round.
    (target(50, 75, xeri_points=25), [(0, (2, 3)), ONE], result([75, 100], [1], [0, 1])),
    (target(25, 25, xeri_points=25), [DRAWN, DRAWN, ZERO], result([75, 50], [0], [1, 0])),
    (target(50, 50, xeri_points=25), [DRAWN, DRAWN, ZERO], result([75, 50], [0], [1, 0])),
]


@pytest.mark.parametrize("num_rounds", [1, 4, 30])
@pytest.mark.parametrize(("rules", "specs", "own"), TARGETS)
def test_r5_2_targets(
    make: Make,
    check: Checker,
    rules: Rules,
    specs: list[Spec],
    own: dict[str, Any],
    num_rounds: int,
) -> None:
    """Looked at when a round ends; the number of rounds plays no part."""
    ends(make, check, {**rules, "num_rounds": num_rounds}, specs, own, dealer=num_rounds % 4)


# --- R6: text of moves ------------------------------------------------------------------------


def test_r6_text_of_moves(make: Make) -> None:
    """Rank and suit; the list is sorted as strings."""
    text = "AC .*3 2D .*3 9H .*3 TS .*3 JC .*3 QD"
    game = start(make, text, "3C")
    assert game.table.legal() == cards("play:2D play:9H play:AC play:JC play:QD play:TS")


def test_r6_every_event_names_seat_and_move(make: Make) -> None:
    """And what applies, no more."""
    game = start(make, "JC 5D 6D 6H", "9C")
    assert game.next() == {"seat": 0, "move": "play:JC", "captured": 5}
    assert game.next() == {"seat": 1, "move": "play:5D"}
    assert game.next() == {"seat": 2, "move": "play:6D"}
    assert game.next() == {"seat": 3, "move": "play:6H", "captured": 3}


def test_r6_a_card_not_in_hand_is_refused(make: Make) -> None:
    """Another seat's, the stock's, the pile's, one played before; nothing changes."""
    game = start(make, "JC 5D 6D 6H ...", "9C")
    for _ in range(8):
        hand = game.table.hand(game.table.seat)
        game.refuses(*(f"play:{card}" for card in ALL_CARDS if card not in hand))
        game.next()
    game.until(1)
    game.refuses(*(f"play:{card}" for card in game.plays[:-1]))


@pytest.mark.parametrize(
    "move",
    ["", "play", "play:", "TD", "play:td", "PLAY:TD", "play:10D", "play:DT", "play:TD "]
    + ["play: TD", " play:TD", "play:JK", "discard:TD", "draw:deck", "play:TD-TC", "play:TDTC"],
)
def test_r6_no_move(make: Make, move: str) -> None:
    """Seat 0 holds both cards."""
    game = start(make, "TD .*3 TC ... JS", "9C")
    game.refuses(move)
    assert game.do("play:TD") == {"seat": 0, "move": "play:TD"}


# --- records ----------------------------------------------------------------------------------

Mutate = Callable[[dict[str, Any]], None]

# A capture (2), a xeri (4), and cards that take nothing (0, 1, 3), of the one round.
RECORDED = "9D 5D JC 6D 6H ..."


def event_mutation(number: int, **fields: Any) -> Mutate:
    """Set fields of an event, or take those away that are None."""

    def mutate(record: dict[str, Any]) -> None:
        event = record["rounds"][0]["events"][number]
        for field, value in fields.items():
            event.pop(field, None)
            if value is not None:
                event[field] = value

    return mutate


def result_mutation(**fields: Any) -> Mutate:
    """Set fields of the round's result."""
    return lambda record: record["rounds"][0]["result"].update(fields)


def game_mutation(**fields: Any) -> Mutate:
    """Set fields of the result of the match."""
    return lambda record: record["result"].update(fields)


MUTATIONS: dict[str, Mutate] = {
    "captured missing": event_mutation(2, captured=None),
    "captured without its own card": event_mutation(2, captured=6),
    "captured more": event_mutation(2, captured=8),
    "captured nothing": event_mutation(1, captured=1),
    "xeri missing": event_mutation(4, xeri=None),
    "xeri of other points": event_mutation(4, xeri=20),
    "xeri of a jack on a pile": event_mutation(2, xeri=20),
    "xeri without a capture": event_mutation(3, xeri=10),
    "seat": event_mutation(1, seat=2),
    "a card of another hand": event_mutation(0, move="play:5D"),
    "no move": event_mutation(0, move="pass"),
    "legal shorter": lambda record: record["rounds"][0]["events"][9]["legal"].pop(),
    "legal in another order": lambda record: record["rounds"][0]["events"][9]["legal"].reverse(),
    "legal longer": lambda record: record["rounds"][0]["events"][9]["legal"].append("play:TD"),
    "an event less": lambda record: record["rounds"][0]["events"].pop(),
    "an event more": lambda record: record["rounds"][0]["events"].append(
        {"seat": 0, "move": "play:9D"}
    ),
    "points": result_mutation(points=[10, 25]),
    "cards": result_mutation(cards=[51, 1]),
    "xeris of the other team": result_mutation(xeris=[[], [10]]),
    "xeris of other points": result_mutation(xeris=[[20], []]),
    "xeris summed": result_mutation(xeris=[10, 0]),
    "no winner": result_mutation(winner=None),
    "other winner": result_mutation(winner=1),
    "no result": lambda record: record["rounds"][0].update(result=None),
    "totals": game_mutation(totals=[36, 0]),
    "winners": game_mutation(winners=[0, 1]),
    "round_wins": game_mutation(round_wins=[0, 1]),
    "no round_wins": lambda record: record["result"].pop("round_wins"),
    "no result of the match": lambda record: record.update(result=None),
    "version": lambda record: record.update(version=2),
    "format": lambda record: record.update(format="xeri-record"),
    "a missing rule": lambda record: record["rules"].pop("xeri_points"),
    "another rule": lambda record: record["rules"].update(xeri_points=11),
    "more rounds": lambda record: record["rules"].update(num_rounds=2),
    "a target not reached": lambda record: record["rules"].update(target_score=36),
}


def recorded(make: Make) -> dict[str, Any]:
    """A match of one round; team 0 takes everything."""
    return one_round(round_entry(make, RECORDED, "8C"))


def test_record(make: Make, check: Checker) -> None:
    record = recorded(make)
    assert record["result"] == result([35, 0], [0], [1, 0])
    assert check(record) is None
    record["rules"]["target_score"] = 35
    assert check(record) is None


@pytest.mark.parametrize("how", MUTATIONS)
def test_record_that_differs(make: Make, check: Checker, how: str) -> None:
    record = copy.deepcopy(recorded(make))
    MUTATIONS[how](record)
    assert check(record) is not None


def test_record_with_unknown_fields_and_without_legal(make: Make, check: Checker) -> None:
    """Unknown fields are ignored, and the lists need not be there."""
    record = copy.deepcopy(recorded(make))
    for entry in (record, record["rounds"][0], *record["rounds"][0]["events"]):
        entry["note"] = "?"
        entry.pop("legal", None)
    assert check(record) is None
