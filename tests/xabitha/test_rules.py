"""Unit tests for every rule of Xabitha, X1 to X12, on every implementation.

Test names carry the number of the rule.  Unless a test says otherwise, seat 0 starts and seat 1
is the player under test, in the second turn of the round.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from tests.reference.xabitha import ALL_CARDS, JOKER, RANKS
from tests.xabitha.table import (
    Checker,
    Game,
    Make,
    Rules,
    Table,
    cards,
    deal,
    down,
    match_record,
    round_entry,
    snapshot,
    start,
)

FREE: Rules = {"opening_points": 1, "opening_needs_run": False, "climbing_threshold": False}

# Three runs of 13 cards in all, melds 0, 1 and 2 of the player who opens with them.
LONG = ["2H-3H-4H-5H-6H", "8D-9D-TD-JD-QD", "4S-5S-6S"]
LONG_JOKER = ["2H-3H-4H-5H-6H", "8D-9D-TD-JD-QD", "4S-JK-6S"]


def stage_and_open(game: Game, *melds: str) -> None:
    """Lay these melds as the opening."""
    game.do(*(f"meld:{meld}" for meld in melds), "open")


def endgame(
    make: Make,
    last: str,
    fire: str = "9C",
    draw: str = "KC",
    melds: Sequence[str] = LONG,
    rules: Rules | None = None,
) -> Game:
    """Seat 1 is down with the melds and about to draw; it holds one card.

    The top of the fire pile is ``fire``, the next card of the deck ``draw``.
    """
    game = down(make, melds, f"{last} 2C", draw=f"2C TC 6C {fire} {draw}", rules=rules)
    game.do("discard:2C")
    game.idle(3)
    assert game.table.hand(1) == [last] and game.table.fire_top == fire
    return game


def exhaust(game: Game) -> None:
    """Idle turns until the deck is empty."""
    while game.table.deck_size:
        game.idle()


def reshuffled(game: Game) -> list[str]:
    """Draw from the empty deck; the new deck, sorted."""
    assert game.table.deck_size == 0
    return sorted(game.do("draw:deck")["reshuffled"])


def take_and_keep(game: Game) -> None:
    """Take the top of the fire pile and discard another card."""
    taken = game.do("draw:fire")["drawn"]
    game.do(next(move for move in game.listed("discard") if move != f"discard:{taken}"))


def held(table: Table) -> Counter[str]:
    """All the cards in the four hands."""
    return Counter(card for seat in range(4) for card in table.hand(seat))


# --- X1: cards ------------------------------------------------------------------------------


def test_x1_1_two_packs_and_two_jokers() -> None:
    """The cards that the deals of these tests are made of."""
    counts = Counter(ALL_CARDS)
    assert len(ALL_CARDS) == 106 and len(counts) == 53 and set(counts.values()) == {2}


def test_x1_1_copies_cannot_be_told_apart(make: Make) -> None:
    """Two copies of a card give each move once."""
    game = down(make, ["2H-3H-4H"], "4S 4S 5S 5S 6S 6S 7S 7S KD KD", rules=FREE)
    legal = game.table.legal()
    assert len(set(legal)) == len(legal)
    assert game.listed("meld") == ["meld:4S-5S-6S", "meld:4S-5S-6S-7S", "meld:5S-6S-7S"]
    game.do("meld:4S-5S-6S", "meld:4S-5S-6S-7S", "discard:KD")
    assert game.table.hand(1).count("KD") == 1 and game.table.hand(1).count("7S") == 1


def test_x1_2_the_ace_is_high_or_low_in_a_run(make: Make) -> None:
    game = start(make, "AS 2S 3S QS KS", draw="AH", rules=FREE)
    game.do("draw:deck")
    assert game.listed("meld") == ["meld:AS-2S-3S", "meld:QS-KS-AS"]
    game.refuses("meld:KS-AS-2S")


POINTS = [
    ("8C-9C-TC", 27),
    ("KC-KD-KH", 30),
    ("AS-2S-3S", 6),  # example 3
    ("QS-KS-AS", 31),  # example 3
    ("TS-JS-QS-KS-AS", 51),
    ("2H-3H-4H-5H-6H", 20),
    ("TD-JD-QD-KD", 40),
    ("7C-7D-7S", 21),
    ("2C-2D-2H-2S", 8),
    ("AC-AD-AH", 33),
    ("AC-AD-AH-AS", 44),
    ("8C-JK-TC", 27),
    ("JK-9C-TC", 27),
    ("8C-9C-JK", 27),
    ("JK-2S-3S", 6),
    ("AS-JK-3S", 6),
    ("QS-KS-JK", 31),
    ("JK-KS-AS", 31),
    ("QC-QD-JK-JK", 40),  # example 6
    ("AC-AD-JK", 33),
    ("AC-AD-JK-JK", 44),
    ("9H-TH-JK-JK", 39),
    ("JS-QS-JK-JK", 41),
]


@pytest.mark.parametrize(("meld", "points"), POINTS)
def test_x1_3_points_of_a_meld(make: Make, meld: str, points: int) -> None:
    """The bar of the opponents after an opening with one meld is its points and one."""
    rules = {"opening_points": 1, "opening_needs_run": False}
    game = start(make, meld.replace("-", " "), rules=rules)
    game.do("draw:deck")
    stage_and_open(game, meld)
    assert game.table.thresholds == [points + 1, 1, points + 1, 1]


@pytest.mark.parametrize(
    ("meld", "points"),
    [
        ("AS-2S-3S", 10),
        ("JK-2S-3S", 10),
        ("QS-KS-AS", 40),
        ("QS-KS-JK", 40),
        ("AC-AD-AH", 60),
        ("AC-AD-JK-JK", 80),
    ],
)
def test_x1_3_ace_points_are_settings(make: Make, meld: str, points: int) -> None:
    rules = {"opening_points": 1, "opening_needs_run": False}
    rules |= {"ace_high_points": 20, "ace_low_points": 5}
    game = start(make, meld.replace("-", " "), rules=rules)
    game.do("draw:deck")
    stage_and_open(game, meld)
    assert game.table.thresholds[0] == points + 1


def test_x1_4_text_of_cards(make: Make) -> None:
    """Every card of a hand is discarded under its name."""
    hand = "AC 2D 3H 4S 5C 6D 7H 8S 9C TD JH QS KC JK"
    game = start(make, hand, draw="AD")
    game.do("draw:deck")
    assert game.listed("discard") == sorted(f"discard:{card}" for card in cards(hand + " AD"))


# --- X2: seats, teams, match ----------------------------------------------------------------


def no_round(table: Table) -> str:
    """No for every question, then the first discard."""
    return table.legal()[0]


def formation_wins(table: Table) -> str:
    """Lay the formation if it is there, else draw and discard."""
    legal = table.legal()
    if "formation" in legal:
        return "formation"
    return next((move for move in ("declare:yes", "draw:deck") if move in legal), legal[0])


FORMATION = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS"


def won_round(make: Make, rules: Rules, starter: int, winner: int) -> dict[str, Any]:
    """A round that the winner wins with the formation, in its first turn with a draw."""
    return round_entry(make, rules, starter, formation_wins, {winner: FORMATION})


def cancelled_round(make: Make, rules: Rules, starter: int) -> dict[str, Any]:
    """A round that ends with its first discard, under ``max_turns = 1``."""
    return round_entry(make, rules, starter, no_round)


def result(totals: list[int], winners: list[int]) -> dict[str, Any]:
    """The result of a match."""
    return {"totals": totals, "winners": winners}


@pytest.mark.parametrize("winner", [1, 2, 3])
def test_x2_1_partners_sit_opposite(make: Make, winner: int) -> None:
    """The winner's partner shares the zero (X11.1)."""
    entry = won_round(make, {}, 0, winner)
    team = winner % 2
    assert entry["result"]["winner"] == winner
    assert entry["result"]["penalties"] == [200 * (seat % 2 != team) for seat in range(4)]


def test_x2_2_lower_total_wins(make: Make, check: Checker) -> None:
    rules = {"num_rounds": 3}
    rounds = [
        won_round(make, rules, 0, 1),
        won_round(make, rules, 1, 2),
        won_round(make, rules, 2, 3),
    ]
    assert check(match_record(rules, rounds, result([800, 400], [1]))) is None
    assert check(match_record(rules, rounds, result([400, 800], [0]))) is not None
    assert check(match_record(rules, rounds, result([800, 400], [0]))) is not None
    assert check(match_record(rules, rounds, None)) is not None


def test_x2_2_equal_totals_share_the_win(make: Make, check: Checker) -> None:
    rules = {"num_rounds": 2}
    rounds = [won_round(make, rules, 0, 1), won_round(make, rules, 1, 2)]
    assert check(match_record(rules, rounds, result([400, 400], [0, 1]))) is None
    assert check(match_record(rules, rounds, result([400, 400], [0]))) is not None


def test_x2_2_num_rounds(make: Make, check: Checker) -> None:
    """A match has num_rounds rounds, neither more nor fewer, unless it was cut off."""
    one = [won_round(make, {}, 3, 1)]
    two = [*one, won_round(make, {}, 1, 2)]
    assert check(match_record({"num_rounds": 1}, one, result([400, 0], [1]))) is None
    assert check(match_record({"num_rounds": 1}, two, result([400, 400], [0, 1]))) is not None
    assert check(match_record({"num_rounds": 1}, two, None)) is not None
    assert check(match_record({"num_rounds": 3}, two, result([400, 400], [0, 1]))) is not None
    assert check(match_record({"num_rounds": 3}, two, None)) is None


def test_x2_2_a_match_cut_off_within_a_round(make: Make, check: Checker) -> None:
    last = won_round(make, {}, 1, 2)
    last["events"] = last["events"][:-2]
    last["result"] = None
    rounds = [won_round(make, {}, 0, 1), last]
    assert check(match_record({"num_rounds": 2}, rounds, None)) is None
    assert check(match_record({"num_rounds": 2}, rounds, result([400, 0], [1]))) is not None
    assert check(match_record({"num_rounds": 2}, rounds[::-1], None)) is not None


@pytest.mark.parametrize("second", [0, 1, 2, 3])
def test_x2_3_the_winner_starts_the_next_round(make: Make, check: Checker, second: int) -> None:
    rules = {"num_rounds": 2}
    rounds = [won_round(make, rules, 0, 2), won_round(make, rules, second, (second + 1) % 4)]
    # Seat 2 won the first round for team 0, the seat after the second starter the second.
    final = result([0, 800], [0]) if second % 2 else result([400, 400], [0, 1])
    difference = check(match_record(rules, rounds, final))
    assert (difference is None) == (second == 2)


@pytest.mark.parametrize("second", [0, 1, 2, 3])
def test_x2_3_after_a_cancelled_round_the_same_seat(
    make: Make, check: Checker, second: int
) -> None:
    """The cancelled round counts as one of the rounds, and nobody scores."""
    rules = {"num_rounds": 2, "max_turns": 1}
    rounds = [cancelled_round(make, rules, 3), cancelled_round(make, rules, second)]
    difference = check(match_record(rules, rounds, result([0, 0], [0, 1])))
    assert (difference is None) == (second == 3)


# --- X3: deal and declaration ---------------------------------------------------------------


@pytest.mark.parametrize("starter", range(4))
def test_x3_1_deal(make: Make, starter: int) -> None:
    table = deal(make, starter=starter).table
    assert [len(table.hand(seat)) for seat in range(4)] == [
        15 if seat == starter else 14 for seat in range(4)
    ]
    assert table.deck_size == 49 and table.fire_top is None


@pytest.mark.parametrize("starter", range(4))
def test_x3_3_answers_from_the_starter_clockwise(make: Make, starter: int) -> None:
    game = deal(make, starter=starter)
    for turn in range(4):
        assert game.table.seat == (starter + turn) % 4
        assert game.table.legal() == ["declare:no", "declare:yes"]
        event = game.do("declare:yes" if turn % 2 else "declare:no")
        assert event["seat"] == (starter + turn) % 4
    assert game.table.seat == starter
    assert set(move.split(":")[0] for move in game.table.legal()) == {"discard"}
    game.refuses("declare:yes", "declare:no")


def test_x3_2_yes_binds_for_the_whole_round(make: Make) -> None:
    """In every later turn there is no opening; a seat that said no has none of the formation."""
    game = start(make, "QS KS AS 2H 3H 4H", rules=FREE, declared=(1,))
    for _ in range(3):
        game.draw()
        assert game.listed("meld", "open", "add", "steal") == []
        game.throw()
        game.idle(3)


def test_x3_2_no_is_normal_mode(make: Make) -> None:
    game = start(make, FORMATION, rules=FREE)
    game.draw()
    assert not game.allows("formation") and game.listed("meld")


def test_x3_2_the_choice_resets_every_round(make: Make, check: Checker) -> None:
    """Each round has four answers of its own: a record without them is no match."""
    rules = {"num_rounds": 2, "max_turns": 1}
    rounds = [cancelled_round(make, rules, 0), cancelled_round(make, rules, 0)]
    rounds[1]["events"] = rounds[1]["events"][4:]
    assert check(match_record(rules, rounds, result([0, 0], [0, 1]))) is not None


def test_x3_3_answers_show_nowhere(make: Make) -> None:
    """Nothing but the seat's own legal moves, in its own turn, depends on its answer."""
    views = []
    for declared in ((), (1,), (0, 2, 3)):
        game = start(make, "4S 5S 6S", declared=declared)
        view = snapshot(game.table)
        game.idle()
        views.append((view, snapshot(game.table)))
    assert views[0] == views[1] == views[2]


# --- X4: a turn -----------------------------------------------------------------------------


def test_x4_1_draw_then_discard_then_the_next_seat(make: Make) -> None:
    game = start(make, "4H", fire="9C", draw="KD 3C")
    assert game.table.seat == 1 and game.table.legal() == ["draw:deck", "draw:fire"]
    game.refuses("discard:4H")
    assert game.do("draw:deck") == {"seat": 1, "move": "draw:deck", "drawn": "KD"}
    assert game.table.deck_size == 48 and "KD" in game.table.hand(1)
    game.refuses("draw:deck", "draw:fire")
    assert game.do("discard:4H") == {"seat": 1, "move": "discard:4H"}
    assert game.table.fire_top == "4H" and len(game.table.hand(1)) == 14
    assert game.table.seat == 2 and game.do("draw:deck")["drawn"] == "3C"


def test_x4_1_draw_from_the_fire_pile(make: Make) -> None:
    game = start(make, "4H", fire="9C")
    assert game.do("draw:fire") == {"seat": 1, "move": "draw:fire", "drawn": "9C"}
    assert game.table.deck_size == 49 and "9C" in game.table.hand(1)
    assert game.table.fire_top is None
    game.refuses("draw:deck", "draw:fire")
    game.do("discard:4H")
    assert game.table.fire_top == "4H" and game.table.seat == 2


def test_x4_1_seats_go_round(make: Make) -> None:
    game = start(make)
    for turn in range(9):
        assert game.table.seat == (1 + turn) % 4
        game.idle()


@pytest.mark.parametrize("declared", [(), (0,)])
def test_x4_2_the_starters_first_turn_is_only_a_discard(
    make: Make, declared: Sequence[int]
) -> None:
    game = deal(make, {0: FORMATION + " 4D"}, rules=FREE)
    game.declare(*declared)
    assert game.table.legal() == sorted({f"discard:{card}" for card in game.table.hand(0)})
    game.refuses("draw:deck", "draw:fire", "formation", "open", "meld:2S-3S-4S")
    game.throw()
    assert len(game.table.hand(0)) == 14 and game.table.seat == 1
    game.idle(3)
    assert game.table.seat == 0 and game.table.legal() == ["draw:deck", "draw:fire"]


def test_x4_3_only_the_top_of_the_fire_pile(make: Make) -> None:
    game = start(make, "3D", fire="2C")
    game.draw()
    game.do("discard:3D")
    assert game.table.fire_top == "3D"
    assert game.do("draw:fire")["drawn"] == "3D"
    assert game.table.fire_top == "2C"


def test_x4_3_taking_is_safe(make: Make) -> None:
    """No penalty and no change of mode: everything else stays as it was."""
    game = start(make, "4S 5S", fire="6S", rules={"opening_points": 15})
    before = snapshot(game.table)
    game.do("draw:fire")
    after = snapshot(game.table)
    for field in ("seat", "thresholds", "opened", "deck_size", "result"):
        assert after[field] == before[field]
    assert game.listed("meld") == ["meld:4S-5S-6S"]


def check_undone(game: Game, card: str, event: dict[str, Any]) -> None:
    """The take of this card has just been undone by seat 1."""
    assert event == {"seat": 1, "move": f"discard:{card}", "undo": True}
    assert game.table.seat == 1 and game.table.fire_top == card
    assert game.table.legal() == ["draw:deck"]
    game.refuses("draw:fire")


@pytest.mark.parametrize("declared", [(), (1,)])
def test_x4_4_undo(make: Make, declared: Sequence[int]) -> None:
    game = start(make, "4H", fire="9C", draw="KD", declared=declared)
    before = game.table.hand(1)
    game.do("draw:fire")
    check_undone(game, "9C", game.do("discard:9C"))
    assert game.table.hand(1) == before and game.table.deck_size == 49
    assert game.do("draw:deck")["drawn"] == "KD"
    assert game.do("discard:4H") == {"seat": 1, "move": "discard:4H"}
    assert game.table.seat == 2 and game.table.fire_top == "4H"


def test_x4_4_any_copy_undoes(make: Make) -> None:
    """Copies cannot be told apart: the own copy of the taken kind undoes the take, too."""
    game = start(make, "9C", fire="9C")
    game.do("draw:fire")
    assert game.table.hand(1).count("9C") == 2
    check_undone(game, "9C", game.do("discard:9C"))
    assert game.table.hand(1).count("9C") == 1


def test_x4_4_after_an_undo_the_copy_may_be_discarded(make: Make) -> None:
    game = start(make, "9C", fire="9C")
    game.do("draw:fire", "discard:9C", "draw:deck")
    assert "undo" not in game.do("discard:9C")
    assert game.table.seat == 2 and game.table.fire_top == "9C"


def test_x4_4_after_an_undo_the_same_kind_drawn_may_be_discarded(make: Make) -> None:
    game = start(make, fire="9C", draw="9C")
    game.do("draw:fire", "discard:9C")
    assert game.do("draw:deck")["drawn"] == "9C"
    assert "undo" not in game.do("discard:9C")
    assert game.table.seat == 2


def test_x4_4_a_deck_draw_of_the_top_kind_is_no_take(make: Make) -> None:
    game = start(make, fire="9C", draw="9C")
    game.draw()
    assert "undo" not in game.do("discard:9C")
    assert game.table.seat == 2


def test_x4_4_another_card_discarded_ends_the_turn(make: Make) -> None:
    game = start(make, "4H", fire="9C")
    game.do("draw:fire")
    assert "undo" not in game.do("discard:4H")
    assert game.table.seat == 2 and "9C" in game.table.hand(1)


def test_x4_4_the_lock_is_for_this_turn_only(make: Make) -> None:
    """The next seat may take the card, and the same seat may take in its next turn."""
    game = start(make, "4H", fire="9C")
    game.do("draw:fire", "discard:9C", "draw:deck", "discard:4H")
    assert game.table.legal() == ["draw:deck", "draw:fire"]
    game.idle(3)
    assert game.table.seat == 1 and game.allows("draw:fire")
    taken = game.do("draw:fire")["drawn"]
    check_undone(game, taken, game.do(f"discard:{taken}"))


def test_x4_4_the_undone_card_can_be_taken_by_nobody_but_the_next(make: Make) -> None:
    """Once another card lies on it, the undone card is covered."""
    game = start(make, "4H", fire="9C")
    game.do("draw:fire", "discard:9C", "draw:deck", "discard:4H")
    assert game.do("draw:fire")["drawn"] == "4H"
    assert game.table.fire_top == "9C"


def test_x4_4_table_actions_stand_after_an_undo(make: Make) -> None:
    """Opening, meld, add and steal all stay."""
    melds = ["2H-3H-4H-5H-6H", "4S-JK-6S"]
    keep = "5S 7H TD JD QD 9C KC"
    game = down(make, melds, keep, draw="3C KD", fire="9C", take=True)
    game.do("add:7H@0:high", "meld:TD-JD-QD", "steal:5S@1")
    check_undone(game, "9C", game.do("discard:9C"))
    hand = game.table.hand(1)
    assert JOKER in hand and not {"5S", "7H", "TD", "9C"} & set(hand)
    assert game.table.opened == [False, True, False, False]
    game.do("draw:deck")
    assert game.allows("add:JK@0:high") and game.allows("add:JK@2:low")
    assert not game.allows("steal:5S@1")
    game.do("add:JK@0:high", "discard:KC")
    assert game.table.seat == 2


def test_x4_4_the_opening_stands_after_an_undo(make: Make) -> None:
    game = start(make, "8C 9C TC KD KH KS 4H", fire="2H")
    game.do("draw:fire")
    stage_and_open(game, "8C-9C-TC", "KD-KH-KS")
    check_undone(game, "2H", game.do("discard:2H"))
    assert game.table.opened[1] and game.table.thresholds == [58, 51, 58, 51]


def test_x4_4_actions_go_on_after_an_undo(make: Make) -> None:
    """The redrawn turn is a whole one: melds, then the discard."""
    game = start(make, "4S 5S KC", fire="9C", draw="6S", rules=FREE)
    game.do("draw:fire", "discard:9C", "draw:deck")
    stage_and_open(game, "4S-5S-6S")
    game.do("discard:KC")
    assert game.table.seat == 2


STANDS = [
    # melds of the opening, other cards, the taken card, the moves that bring it to the table
    (["4S-5S-6S"], "6S KC", "6S", []),  # by the opening itself
    (["2H-3H-4H"], "6S 6S 4S 5S KC", "6S", ["meld:4S-5S-6S"]),
    (["3S-4S-5S"], "6S 6S KC", "6S", ["add:6S@0:high"]),
    (["QD-QH-QS"], "QC QC KD", "QC", ["add:QC@0"]),
    (["4S-JK-6S"], "5S 5S KC", "5S", ["steal:5S@0"]),
    (["QD-QH-JK"], "QC QC KD", "QC", ["steal:QC@0"]),
    (["2H-3H-4H"], "JK JK 6S 7S KC", "JK", ["meld:JK-6S-7S"]),
    (["2H-3H-4H"], "JK JK KC", "JK", ["add:JK@0:high"]),
    (["4S-JK-6S"], "JK KC", "JK", []),
]


@pytest.mark.parametrize(("melds", "keep", "taken", "moves"), STANDS)
def test_x4_4_a_take_stands_once_a_card_of_its_kind_is_on_the_table(
    make: Make, melds: list[str], keep: str, taken: str, moves: list[str]
) -> None:
    """Then a remaining copy may be discarded, and that ends the turn."""
    game = down(make, melds, keep, fire=taken, take=True)
    game.do(*moves)
    assert game.table.hand(1).count(taken) == 1
    assert game.do(f"discard:{taken}") == {"seat": 1, "move": f"discard:{taken}"}
    assert game.table.seat == 2 and game.table.fire_top == taken


def test_x4_4_a_meld_without_the_kind_does_not_make_the_take_stand(make: Make) -> None:
    game = down(make, ["2H-3H-4H"], "6S 6S 8D 9D TD KC", fire="6S", take=True)
    game.do("meld:8D-9D-TD")
    check_undone(game, "6S", game.do("discard:6S"))


def test_x4_4_a_taken_joker_is_undone_by_any_joker(make: Make) -> None:
    """A joker stolen this turn cannot be told from the one that was taken."""
    game = down(make, ["4S-JK-6S"], "5S KC", draw="KC TC 9H JK")
    game.do("discard:KC")
    game.idle(3)
    game.do("draw:fire", "steal:5S@0")
    assert game.table.hand(1).count(JOKER) == 2
    check_undone(game, JOKER, game.do("discard:JK"))
    assert game.table.hand(1).count(JOKER) == 1
    game.do("draw:deck")
    assert "undo" not in game.do("discard:JK")
    assert game.table.seat == 2


def test_x4_4_a_taken_joker(make: Make) -> None:
    game = start(make, "4H", fire="JK")
    assert game.do("draw:fire")["drawn"] == JOKER
    check_undone(game, JOKER, game.do("discard:JK"))


def test_x4_4_the_turn_before_does_not_count(make: Make) -> None:
    """A card of the kind that went to the table in an earlier turn lets no take stand."""
    game = down(make, ["4S-5S-6S"], "KC 2D", draw="KC TH 8H 5S")
    game.do("discard:KC")
    game.idle(3)
    assert game.do("draw:fire")["drawn"] == "5S"
    check_undone(game, "5S", game.do("discard:5S"))


# --- X4.5: a card is kept -------------------------------------------------------------------


def test_x4_5_no_add_with_the_last_card(make: Make) -> None:
    game = endgame(make, "7S", draw="7D")
    game.draw()
    game.do("add:7S@2:high")
    game.refuses("add:7D@1:low")
    assert game.table.legal() == ["discard:7D"]


def test_x4_5_no_meld_with_the_last_cards(make: Make) -> None:
    melds = ["2H-3H-4H-5H-6H", "8D-9D-TD-JD"]
    game = down(make, [*melds, "2C-3C-4C"], "7S 8S 9S", draw="9S")
    game.refuses("meld:7S-8S-9S")
    game = down(make, [*melds, "KC-KD-KH"], "7S 8S 9S", draw="9S")
    game.refuses("meld:7S-8S-9S")


def test_x4_5_meld_that_leaves_one(make: Make) -> None:
    melds = ["2H-3H-4H-5H-6H", "8D-9D-TD-JD-QD"]
    game = down(make, melds, "6S 7S 8S 9S KC", draw="KC")
    game.do("meld:6S-7S-8S-9S")
    assert game.table.legal() == ["discard:KC"]
    game = down(make, melds, "6S 7S 8S 9S TS", draw="TS")
    assert "meld:6S-7S-8S-9S" in game.listed("meld")
    game.refuses("meld:6S-7S-8S-9S-TS")
    game = down(make, melds, "6S 7S 8S 9S 6S", draw="6S")
    assert game.listed("meld") == ["meld:6S-7S-8S", "meld:6S-7S-8S-9S", "meld:7S-8S-9S"]


def test_x4_5_a_steal_never_empties_the_hand(make: Make) -> None:
    """The joker comes back, so the last card may be given."""
    game = endgame(make, "5S", draw="7D", melds=LONG_JOKER)
    game.draw()
    game.do("add:7D@1:low", "steal:5S@2")
    assert game.table.hand(1) == [JOKER] and game.table.legal() == ["discard:JK"]
    game.do("discard:JK")
    assert game.table.over


def test_x4_5_add_that_leaves_only_the_taken_card(make: Make) -> None:
    game = endgame(make, "7S", fire="9C")
    game.do("draw:fire")
    game.refuses("add:7S@2:high")
    assert game.table.legal() == ["discard:7S", "discard:9C"]
    check_undone(game, "9C", game.do("discard:9C"))


def test_x4_5_the_same_card_from_the_deck_may_be_left(make: Make) -> None:
    game = endgame(make, "7S", draw="9C", fire="TD")
    game.draw()
    game.do("add:7S@2:high", "discard:9C")
    assert game.table.over


def test_x4_5_add_of_the_taken_card(make: Make) -> None:
    game = endgame(make, "9C", fire="7S")
    game.do("draw:fire", "add:7S@2:high")
    assert game.table.legal() == ["discard:9C"]


def test_x4_5_add_of_one_of_two_of_the_taken_kind(make: Make) -> None:
    """Two copies in hand: with one on the table the take stands, and the other can go."""
    game = endgame(make, "7S", fire="7S")
    game.do("draw:fire", "add:7S@2:high")
    assert game.table.legal() == ["discard:7S"]
    assert "undo" not in game.do("discard:7S")
    assert game.table.over and game.table.result is not None
    assert game.table.result["winner"] == 1


def test_x4_5_taken_joker(make: Make) -> None:
    game = endgame(make, "7S", fire="JK")
    game.do("draw:fire")
    game.refuses("add:7S@2:high")
    assert game.allows("add:JK@2:high") and game.allows("add:JK@2:low")
    game.do("add:JK@2:low")
    assert game.table.legal() == ["discard:7S"]


def test_x4_5_steal_that_leaves_only_jokers_with_a_joker_taken(make: Make) -> None:
    game = endgame(make, "5S", fire="JK", melds=LONG_JOKER)
    game.do("draw:fire")
    game.refuses("steal:5S@2")
    game = down(make, LONG_JOKER, "5S JK", draw="JK")
    assert game.allows("steal:5S@2")
    game = down(make, ["4S-JK-6S"], "5S KC", draw="KC TC 9H JK")
    game.do("discard:KC")
    game.idle(3)
    game.do("draw:fire")
    assert game.allows("steal:5S@0")  # other cards are left


def test_x4_5_steal_with_the_taken_card(make: Make) -> None:
    game = endgame(make, "9C", fire="5S", melds=LONG_JOKER)
    game.do("draw:fire", "steal:5S@2")
    assert game.table.legal()[-2:] == ["discard:9C", "discard:JK"]
    game.do("add:JK@0:high")
    assert game.table.legal() == ["discard:9C"]


def test_x4_5_steal_that_leaves_the_taken_card_and_a_joker(make: Make) -> None:
    """The steal is good, for the joker can be discarded; adding the joker is not."""
    game = endgame(make, "5S", fire="9C", melds=LONG_JOKER)
    game.do("draw:fire", "steal:5S@2")
    assert game.table.legal() == ["discard:9C", "discard:JK"]
    game.refuses("add:JK@0:high", "add:JK@1:low")


def test_x4_5_steal_with_both_copies_in_hand(make: Make) -> None:
    game = endgame(make, "5S", fire="5S", melds=LONG_JOKER)
    game.do("draw:fire", "steal:5S@2", "add:JK@0:high")
    assert game.table.legal() == ["discard:5S"]
    game.do("discard:5S")
    assert game.table.over


TWO_RUNS = ["2H-3H-4H-5H-6H", "8D-9D-TD-JD-QD"]


def test_x4_5_meld_that_leaves_only_the_taken_kind(make: Make) -> None:
    game = down(make, TWO_RUNS, "4S 5S 6S 9C 9C", fire="9C", take=True)
    game.refuses("meld:4S-5S-6S")
    game = down(make, TWO_RUNS, "4S 5S 6S 9C KC", fire="9C", take=True)
    game.do("meld:4S-5S-6S")
    assert game.table.legal() == ["discard:9C", "discard:KC"]
    game = down(make, TWO_RUNS, "4S 5S 6S 9C 9C", draw="9C")
    assert game.allows("meld:4S-5S-6S")


def test_x4_5_meld_of_the_taken_kind(make: Make) -> None:
    game = down(make, TWO_RUNS, "4S 4S 5S 6S 7S", fire="4S", take=True)
    game.refuses("meld:5S-6S-7S")
    assert game.listed("meld") == ["meld:4S-5S-6S", "meld:4S-5S-6S-7S"]
    game.do("meld:4S-5S-6S-7S", "discard:4S")
    assert game.table.over


def test_x4_5_after_an_undo_nothing_is_taken(make: Make) -> None:
    """After the undo the fire card binds no longer, not even a copy of it from the deck."""
    game = endgame(make, "7S", fire="9C", draw="9C")
    game.do("draw:fire", "discard:9C", "draw:deck", "add:7S@2:high", "discard:9C")
    assert game.table.over


STAGED_15 = "2H 3H 4H 5H 6H 8D 9D TD JD QD 3S 4S 5S 6S 7S"  # 20, 47 and 25 points


@pytest.mark.parametrize(
    ("points", "melds"),
    [
        (92, []),
        (91, []),
        (90, ["3H-4H-5H-6H", "3S-4S-5S-6S-7S", "8D-9D-TD-JD-QD"]),
        (
            89,
            ["2H-3H-4H-5H-6H", "3H-4H-5H-6H"] + ["3S-4S-5S-6S-7S", "4S-5S-6S-7S", "8D-9D-TD-JD-QD"],
        ),
    ],
)
def test_x4_5_staging_keeps_a_card(make: Make, points: int, melds: list[str]) -> None:
    """All fifteen cards would make 92 points, but one must stay: 90 at most."""
    hand = STAGED_15.replace("3S ", "")
    game = start(make, hand, draw="3S", rules={"opening_points": points})
    game.draw()
    assert game.listed("meld") == [f"meld:{meld}" for meld in melds]


def test_x4_5_no_staging_beyond_the_last_card(make: Make) -> None:
    """Above the threshold, too, a meld that would leave nothing is refused."""
    hand = STAGED_15.replace("3S ", "")
    game = start(make, hand, draw="3S", rules=FREE)
    game.draw()
    game.do("meld:2H-3H-4H-5H-6H", "meld:8D-9D-TD-JD-QD")
    game.refuses("meld:3S-4S-5S-6S-7S")
    game.do("meld:4S-5S-6S-7S")
    assert game.table.legal() == ["open"]


STAGED_14 = "2H 3H 4H 5H 6H 8D 9D TD JD QD 4S 5S 6S 7S"  # 20, 47 and 22 points
STAGED_14_MELDS = ["meld:2H-3H-4H-5H-6H", "meld:4S-5S-6S-7S", "meld:8D-9D-TD-JD-QD"]


def test_x4_5_staging_that_leaves_only_the_taken_card(make: Make) -> None:
    rules = {"opening_points": 89}
    game = start(make, STAGED_14, fire="9C", draw="9C", rules=rules)
    game.do("draw:fire")
    assert game.listed("meld") == []
    game.do("discard:9C", "draw:deck")  # the same card from the deck may be left
    assert game.listed("meld") == STAGED_14_MELDS
    stage_and_open(game, *(meld[5:] for meld in STAGED_14_MELDS))
    game.do("discard:9C")
    assert game.table.over


def test_x4_5_staging_that_leaves_only_copies_of_the_taken_card(make: Make) -> None:
    hand = STAGED_14.replace("4S", "9C")
    game = start(make, hand, fire="9C", rules={"opening_points": 85})
    game.do("draw:fire")
    assert game.listed("meld") == []
    game = start(make, hand, fire="9C", rules={"opening_points": 67})
    game.do("draw:fire")
    game.do("meld:2H-3H-4H-5H-6H", "meld:8D-9D-TD-JD-QD")
    game.refuses("meld:5S-6S-7S")
    assert game.table.legal() == ["open"]
    game.do("open")
    game.refuses("meld:5S-6S-7S")


def test_x4_5_staging_with_the_taken_kind_among_the_melds(make: Make) -> None:
    """The commit brings the kind to the table, so the take stands and the copy may be left."""
    game = start(make, STAGED_14, fire="7S", rules={"opening_points": 89})
    game.do("draw:fire")
    assert game.listed("meld") == STAGED_14_MELDS
    stage_and_open(game, *(meld[5:] for meld in STAGED_14_MELDS))
    assert game.table.legal() == ["discard:7S"]
    assert "undo" not in game.do("discard:7S")
    assert game.table.over


def test_x4_5_formation_that_leaves_only_the_taken_card(make: Make) -> None:
    game = start(make, FORMATION, fire="3D", draw="3D", declared=(1,))
    game.do("draw:fire")
    game.refuses("formation")
    game.do("discard:3D", "draw:deck")
    game.do("formation")
    assert game.table.legal() == ["discard:3D"]


def test_x4_5_formation_with_the_taken_kind_in_it(make: Make) -> None:
    game = start(make, FORMATION, fire="6S", declared=(1,))
    game.do("draw:fire", "formation")
    assert game.table.legal() == ["discard:6S"]
    assert "undo" not in game.do("discard:6S")
    assert game.table.over


# --- X4.6, X4.7 -----------------------------------------------------------------------------

NONSENSE = ["", "pass", "draw", "draw:", "draw:table", "discard", "discard:", "discard:ZZ"]
NONSENSE += ["meld:", "meld:4S", "add:4S", "add:4S@", "add:4S@x:high", "steal:4S@99"]
NONSENSE += ["discard:4s", "declare:maybe", "draw:deck:deck", " draw:deck", "OPEN", "undo"]


def test_x4_6_an_illegal_move_changes_nothing(make: Make) -> None:
    game = deal(make, {1: "4S 5S 6S"})
    game.refuses("draw:deck", "discard:4S", *NONSENSE)
    game.declare()
    game.refuses("draw:deck", "declare:yes", *NONSENSE)
    game.throw()
    game.refuses("discard:4S", "open", "formation", *NONSENSE)
    game.draw()
    game.refuses("draw:deck", "meld:4S-5S-6S", "open", "formation", "add:4S@0", *NONSENSE)
    card = next(card for card in ALL_CARDS if card not in game.table.hand(1))
    game.refuses(f"discard:{card}")
    game.throw()  # the seat goes on as if nothing had been


def test_x4_6_refusals_of_a_player_who_is_down(make: Make) -> None:
    game = down(make, ["4S-5S-6S", "QC-QD-QH"], "7S 8S QS JK KC")
    game.refuses("add:8S@0:high", "add:7S@0:low", "add:7S@0", "add:QS@1:high", "add:KC@1")
    game.refuses("add:7S@2:high", "steal:5S@0", "steal:QS@1", "open", "formation", *NONSENSE)
    game.refuses("meld:7S-8S-9S", "add:JK@0", "add:JK@1:low", "add:3S@0:low")


def test_x4_7_the_last_discard_wins(make: Make) -> None:
    game = endgame(make, "7S", draw="KC")
    game.draw()
    game.do("add:7S@2:high", "discard:KC")
    assert game.table.over and game.table.legal() == []
    assert game.table.result == {
        "reason": "normal",
        "winner": 1,
        "penalties": [100, 0, 100, 0],
    }
    game.refuses("draw:deck", "discard:KC")


def test_x4_7_one_card_is_not_none(make: Make) -> None:
    """A player with one card goes on; an undo with an empty hand to come is no win."""
    game = endgame(make, "9C", fire="9C")
    game.do("draw:fire")
    assert game.table.legal() == ["discard:9C"]
    check_undone(game, "9C", game.do("discard:9C"))
    assert not game.table.over and game.table.hand(1) == ["9C"]


# --- X5: melds ------------------------------------------------------------------------------

GOOD_MELDS = """
    AS-2S-3S QS-KS-AS 4S-5S-6S 4S-5S-6S-7S 2S-3S-4S-5S-6S TS-JS-QS-KS-AS AS-2S-3S-4S-5S 9D-TD-JD
    4S-JK-6S JK-5S-6S 4S-5S-JK 4S-5S-JK-JK 4S-JK-6S-JK JK-5S-6S-JK JK-5S-6S-7S 4S-JK-6S-7S
    4S-5S-JK-7S 4S-5S-6S-JK JK-5S-6S-7S-8S 4S-JK-6S-7S-8S 4S-5S-JK-7S-8S 4S-5S-6S-JK-8S
    4S-5S-6S-7S-JK 4S-5S-6S-JK-JK 4S-5S-JK-7S-JK 4S-5S-JK-JK-8S 4S-JK-6S-7S-JK 4S-JK-6S-JK-8S
    JK-5S-6S-7S-JK JK-5S-6S-JK-8S JK-KS-AS QS-JK-AS JK-2S-3S AS-JK-3S AS-2S-JK
    AS-2S-JK-JK AS-JK-3S-JK JK-2S-3S-JK JS-QS-KS-JK JS-QS-JK-JK JS-JK-KS-JK JK-QS-KS-JK
    JK-2S-3S-4S-5S JK-JS-QS-KS-AS TS-JS-QS-JK-JK JK-3S-4S QS-KS-JK
    QC-QD-QH QC-QD-QS QC-QH-QS QD-QH-QS QC-QD-QH-QS AC-AD-AH 2C-2D-2H TC-TD-TH
    QC-QD-JK QC-QH-JK QC-QS-JK QD-QH-JK QD-QS-JK QH-QS-JK QC-QD-JK-JK QH-QS-JK-JK
    QC-QD-QH-JK QC-QD-QS-JK QC-QH-QS-JK QD-QH-QS-JK AC-AD-JK AH-AS-JK-JK
""".split()

# (the meld, the cards that the player holds if others)
BAD_MELDS = """
    KS-AS-2S QS-KS-AS-2S JS-QS-KS-AS-2S KS-AS-JK KS-JK-2S JK-AS-2S AS-KS-QS KS-AS-JK-JK
    4S-JK-JK JK-4S-JK JK-JK-4S JK-JK-6S-7S 4S-JK-JK-7S JK-5S-JK-7S 4S-JK-JK-7S-8S JK-JK-6S-7S-8S
    JK-5S-JK-7S-8S AS-JK-JK JK-JK-AS AS-JK-JK-4S JK-JK-3S JK-QS-JK-AS TS-JK-JK-KS-AS
    4S 4S-5S JK JK-JK 4S-JK JK-4S 4S-5S-7S 4S-6S-8S 4S-5S-6H 4S-5S-6S-8S 4S-5D-6S 4S-4S-5S
    2S-3S-4S-5S-6S-7S 2S-3S-4S-5S-6S-JK JK-2S-3S-4S-5S-6S 2S-3S-4S-5S-6S-JK-JK
    QC QC-QD QC-JK QC-JK-JK QC-QC-QD QC-QC-JK QC-QC-QD-QH QC-QC-QD-JK QC-QD-KH QC-QD-KH-JK
    QC-KD-JK QC-KD-JK-JK QC-QD-QH-QS-JK QC-QD-QH-JK-JK QC-QD-QD-QH QC-QC-QD-QD QC-QC-QC
    QC-QD-QH-QS-QC AC-AD-2H
""".split()

# Melds, but not in the text form of X12: never listed.
MISWRITTEN = """
    6S-5S-4S 4S-6S-5S 4S-6S-JK JK-4S-6S 2S-3S-AS AS-QS-KS AS-KS-QS KS-QS-AS QD-QC-QH QH-QD-QC
    KS-KD-KH QC-JK-QH JK-QC-QH QC-JK-QD-QH QC-JK-QH-JK 4S-5S-jk 4S5S6S 4S-5S-6S- -4S-5S-6S
""".split()


def hand_for(meld: str) -> str:
    """The cards of the meld, but no more copies than there are."""
    wanted = Counter(card for card in cards(meld) if card in ALL_CARDS)
    return " ".join(card for card in wanted for _ in range(min(2, wanted[card])))


@pytest.mark.parametrize("meld", GOOD_MELDS)
def test_x5_good_melds(make: Make, meld: str) -> None:
    """X5.1 to X5.4: these can be laid, in the opening and by a player who is down."""
    game = start(make, hand_for(meld), rules=FREE)
    game.draw()
    stage_and_open(game, meld)
    if "H" not in meld:
        game = down(make, ["4H-5H-6H"], hand_for(meld))
        game.do(f"meld:{meld}")


@pytest.mark.parametrize("meld", BAD_MELDS + MISWRITTEN)
def test_x5_bad_melds(make: Make, meld: str) -> None:
    """X5.1 to X5.4, X12: these cannot."""
    game = start(make, hand_for(meld), rules=FREE)
    game.draw()
    assert not game.allows(f"meld:{meld}")
    if meld in BAD_MELDS:
        game.refuses(f"meld:{meld}")
    if "H" not in meld:
        game = down(make, ["4H-5H-6H"], hand_for(meld))
        assert not game.allows(f"meld:{meld}")
        if meld in BAD_MELDS:
            game.refuses(f"meld:{meld}")


def test_x5_all_melds_of_a_run_and_a_joker(make: Make) -> None:
    game = start(make, "4S 5S 6S JK", rules=FREE)
    game.draw()
    melds = "4S-5S-6S 4S-5S-6S-JK 4S-5S-JK 4S-JK-6S 5S-6S-JK JK-4S-5S JK-4S-5S-6S JK-5S-6S"
    assert game.listed("meld") == [f"meld:{meld}" for meld in melds.split()]


def test_x5_all_melds_of_two_cards_and_two_jokers(make: Make) -> None:
    game = start(make, "4S 6S JK JK", rules=FREE)
    game.draw()
    melds = "4S-JK-6S 4S-JK-6S-JK"  # JK-4S-JK-6S has one real card among its first three
    assert game.listed("meld") == [f"meld:{meld}" for meld in melds.split()]
    game = start(make, "4S 5S JK JK", rules=FREE)
    game.draw()
    melds = "4S-5S-JK 4S-5S-JK-JK JK-4S-5S JK-4S-5S-JK"
    assert game.listed("meld") == [f"meld:{meld}" for meld in melds.split()]


def test_x5_all_melds_at_the_ends_of_a_suit(make: Make) -> None:
    game = start(make, "AS 2S JK", rules=FREE)
    game.draw()
    assert game.listed("meld") == ["meld:AS-2S-JK"]
    game = start(make, "KS AS JK JK", rules=FREE)
    game.draw()
    assert game.listed("meld") == ["meld:JK-KS-AS"]
    game = start(make, "AS 3S JK JK", rules=FREE)
    game.draw()
    assert game.listed("meld") == ["meld:AS-JK-3S", "meld:AS-JK-3S-JK"]
    game = start(make, "QS KS JK JK", rules=FREE)
    game.draw()
    assert game.listed("meld") == ["meld:JK-QS-KS", "meld:JK-QS-KS-JK", "meld:QS-KS-JK"]


def test_x5_all_melds_of_four_of_a_rank_and_two_jokers(make: Make) -> None:
    game = start(make, "QC QD QH QS JK JK", rules=FREE)
    game.draw()
    melds = """
        QC-QD-JK QC-QH-JK QC-QS-JK QD-QH-JK QD-QS-JK QH-QS-JK
        QC-QD-JK-JK QC-QH-JK-JK QC-QS-JK-JK QD-QH-JK-JK QD-QS-JK-JK QH-QS-JK-JK
        QC-QD-QH QC-QD-QS QC-QH-QS QD-QH-QS QC-QD-QH-QS
        QC-QD-QH-JK QC-QD-QS-JK QC-QH-QS-JK QD-QH-QS-JK
    """.split()
    assert game.listed("meld") == sorted(f"meld:{meld}" for meld in melds)


def test_x5_3_a_run_grows_to_fourteen(make: Make) -> None:
    """At most five from the hand, but on the table a run takes every card of its suit."""
    keep = "AS 2S 3S 4S 8S 9S TS JS QS KS AS KC"
    game = down(make, ["5S-6S-7S"], keep, draw="KC")
    for low in ("4S", "3S", "2S", "AS"):
        assert game.listed("add") == sorted([f"add:{low}@0:low", "add:8S@0:high"])
        game.do(f"add:{low}@0:low")
    for high in ("8S", "9S", "TS", "JS", "QS", "KS", "AS"):
        assert game.listed("add") == [f"add:{high}@0:high"]
        game.do(f"add:{high}@0:high")
    assert game.table.legal() == ["discard:KC"]


def test_x5_4_binds_melds_laid_not_later_additions(make: Make) -> None:
    game = down(make, ["JK-5S-6S"], "JK 3S 4S KC")
    game.do("add:JK@0:low")
    assert game.allows("steal:3S@0") and game.allows("steal:4S@0")
    game = down(make, ["4S-5S-JK"], "JK KC 9D")
    game.do("add:JK@0:high")


def test_x5_5_a_joker_of_a_run_stands_for_one_card(make: Make) -> None:
    game = down(make, ["4S-JK-6S"], "5S 4S 6S 5H 7S KC")
    assert game.listed("steal") == ["steal:5S@0"]
    game = down(make, ["JK-5S-6S-JK"], "3S 4S 5S 6S 7S 8S KC")
    assert game.listed("steal") == ["steal:4S@0", "steal:7S@0"]


def test_x5_5_a_joker_of_a_set_stands_for_either_missing_suit(make: Make) -> None:
    game = down(make, ["QC-QD-JK"], "QC QD QH QS 4H")
    assert game.listed("steal") == ["steal:QH@0", "steal:QS@0"]
    assert game.allows("add:QH@0") and game.allows("add:QS@0")
    game.do("add:QH@0")  # filled: the joker now stands for the last suit (X7.2, X8.2)
    assert game.listed("steal") == [] and not game.allows("add:QS@0")


@pytest.mark.parametrize(
    ("melds", "moves", "buried"),
    [
        (["4S-5S-6S", "QC-QD-QH-QS"], [], "QC QD QH QS"),
        (["4S-5S-6S"], ["meld:QC-QD-QH-QS"], "QC QD QH QS"),
        (["4S-5S-6S", "QC-QD-QH"], ["add:QS@1"], "QC QD QH QS"),
        (["4S-5S-6S", "QC-QD-QH"], ["add:QS@1", "meld:9C-9D-9H-9S"], "QC QD QH QS 9C 9D 9H 9S"),
        (["4S-5S-6S", "QC-QD-QH"], [], ""),
        (["4S-5S-6S", "QC-QD-QH-JK"], [], ""),
        (["4S-5S-6S", "QC-QD-JK"], ["add:QS@1"], ""),
        (["4S-5S-6S", "QC-QD-JK-JK"], [], ""),
        (["4S-5S-6S", "QC-QD-JK"], ["steal:QH@1"], ""),
        (["4S-5S-6S", "QC-QD-JK"], ["steal:QH@1", "add:QS@1"], "QC QD QH QS"),
        (["4S-5S-6S-7S"], [], ""),
    ],
)
def test_x5_6_four_real_cards_are_buried(
    make: Make, melds: list[str], moves: list[str], buried: str
) -> None:
    """At the end of the turn a full set goes under the fire pile, and comes back reshuffled."""
    keep = " ".join(card for move in moves for card in cards(move.split(":")[1].split("@")[0]))
    game = down(make, melds, keep + " KC", fire="2D", draw="KC")
    game.do(*moves)
    assert game.table.fire_top == "2D"
    discards = ["2D", "KC"]
    game.do("discard:KC")
    while game.table.deck_size:
        game.idle()
        discards.append(str(game.table.fire_top))
    assert reshuffled(game) == sorted(discards[:-1] + cards(buried))
    assert game.table.deck_size == 48 + len(cards(buried))


def test_x5_6_buried_at_the_very_bottom(make: Make) -> None:
    """What lay on the fire pile before still lies on top of the buried set."""
    game = down(make, ["4S-5S-6S", "QC-QD-QH-QS"], "KC", fire="2D", draw="KC")
    game.do("discard:KC")
    assert game.table.fire_top == "KC"
    game.do("draw:fire")
    assert game.table.fire_top == "2D"


def test_x5_6_a_buried_set_is_gone_from_the_table(make: Make) -> None:
    """Nothing can be added to it, and its number is never used again (X12)."""
    game = down(make, ["QC-QD-QH-QS", "4S-5S-6S"], "JK KC 8D 9D TD 2H 3H 4H", draw="KC")
    game.do("discard:KC")
    game.idle(3)
    game.draw()
    assert game.listed("add", "steal") == ["add:JK@1:high", "add:JK@1:low"]
    game.do("meld:8D-9D-TD", "meld:2H-3H-4H")
    numbers = {move.split("@")[1][0] for move in game.listed("add")}
    assert numbers == {"1", "2", "3"}


def test_x5_6_a_set_complete_with_a_joker_stays_for_good(make: Make) -> None:
    game = down(make, ["4S-5S-6S", "QC-QD-QH-JK"], "QS QC JK KC 2H", draw="KC")
    assert not [move for move in game.table.legal() if "@1" in move]
    game.do("discard:KC")
    game.idle(3)
    game.draw()
    assert not [move for move in game.table.legal() if "@1" in move]


def test_x5_6_an_undo_does_not_end_the_turn(make: Make) -> None:
    """With the deck empty, the draw after an undo reshuffles the fire pile without the set."""
    game = down(make, ["4S-5S-6S", "QC-QD-QH"], "QS 2H KC", draw="KC")
    game.do("discard:KC")
    exhaust(game)
    while game.table.seat != 1:
        take_and_keep(game)
    taken = game.do("draw:fire")["drawn"]
    game.do("add:QS@1", f"discard:{taken}")
    new_deck = reshuffled(game)
    assert len(new_deck) == 49 and not {"QC", "QD", "QH", "QS"} <= set(new_deck)
    before = game.table.deck_size
    game.throw()
    assert game.table.deck_size == before


# --- X6: opening ----------------------------------------------------------------------------


def test_x6_1_example_1(make: Make) -> None:
    """57 points with a run open."""
    game = start(make, "8C 9C TC KD KH KS")
    game.draw()
    stage_and_open(game, "8C-9C-TC", "KD-KH-KS")
    assert game.table.opened == [False, True, False, False]
    assert game.table.thresholds[0] == 58


def test_x6_1_example_2(make: Make) -> None:
    """60 points without a run do not open."""
    game = start(make, "KC KD KH QC QD QH", draw="2S")
    game.draw()
    game.refuses("meld:KC-KD-KH", "meld:QC-QD-QH", "open")
    assert game.listed("meld", "open") == []


def test_x6_1_opening_needs_run_false(make: Make) -> None:
    """For experiments: the same sets open."""
    game = start(make, "KC KD KH QC QD QH", draw="2S", rules={"opening_needs_run": False})
    game.draw()
    stage_and_open(game, "KC-KD-KH", "QC-QD-QH")
    assert game.table.opened[1] and game.table.thresholds[0] == 61


def test_x6_1_sets_alone_never_open_even_at_one_point(make: Make) -> None:
    game = start(make, "KC KD KH", draw="2S", rules={"opening_points": 1})
    game.draw()
    assert game.listed("meld", "open") == []


@pytest.mark.parametrize(("points", "opens"), [(56, True), (57, True), (58, False)])
def test_x6_1_at_least_the_threshold(make: Make, points: int, opens: bool) -> None:
    game = start(make, "8C 9C TC KD KH KS", draw="2S", rules={"opening_points": points})
    game.draw()
    melds = ["meld:8C-9C-TC", "meld:KD-KH-KS"] if opens else []
    assert game.listed("meld", "open") == melds


def test_x6_1_not_down_no_table_actions(make: Make) -> None:
    """A closed player cannot add or steal, even where the partner is down (X6.5, X8.1)."""
    game = down(make, ["4S-JK-6S", "QC-QD-QH"], "KC", draw="KC", others={2: "5S 7S QS", 3: "5S"})
    game.do("discard:KC")
    for _ in range(2):
        game.draw()
        assert game.listed("add", "steal") == []
        game.refuses("add:7S@0:high", "add:QS@1", "steal:5S@0")
        game.throw()


def test_x6_2_thresholds_at_the_start(make: Make) -> None:
    assert deal(make).table.thresholds == [51, 51, 51, 51]
    assert deal(make, rules={"opening_points": 7}).table.thresholds == [7, 7, 7, 7]


def turn_opening(game: Game, *melds: str) -> None:
    """Draw from the deck, open with these melds, discard something."""
    game.draw()
    stage_and_open(game, *melds)
    game.throw()


def test_x6_3_example_7(make: Make) -> None:
    hands = {0: "TS JS QS AC AD AH", 1: "JD QD KD TH JH QH KH"}
    game = deal(make, hands, starter=3)
    game.declare()
    game.throw()
    turn_opening(game, "TS-JS-QS", "AC-AD-AH")  # 63
    assert game.table.thresholds == [51, 64, 51, 64]
    game.draw()
    game.do("meld:JD-QD-KD", "meld:TH-JH-QH-KH", "open")  # 70
    assert game.table.thresholds == [51, 64, 51, 51]


# Who holds what: 30 points at seat 1, 40 at seat 2, 27 and 33 at seat 3.
HOLDINGS = {1: "JD QD KD", 2: "TH JH QH KH", 3: "8C 9C TC", 0: "TS JS QS"}
OPEN_30, OPEN_40, OPEN_27 = "JD-QD-KD", "TH-JH-QH-KH", "8C-9C-TC"


def closed_three(make: Make, rules: Rules | None = None) -> Game:
    """Seat 1 to draw; seats 1, 2, 3 and 0 hold runs of 30, 40, 27 and 30 points."""
    game = deal(make, HOLDINGS, rules={"opening_points": 10, **(rules or {})})
    game.declare()
    game.do(next(m for m in game.listed("discard") if m[8:] not in cards(HOLDINGS[0])))
    return game


def test_x6_3_opponents_climb_and_the_partner_goes_back(make: Make) -> None:
    game = closed_three(make)
    turn_opening(game, OPEN_30)
    assert game.table.thresholds == [31, 10, 31, 10]
    turn_opening(game, OPEN_40)  # the opponents' team has opened: unaffected
    assert game.table.thresholds == [10, 10, 31, 10]
    turn_opening(game, OPEN_27)  # and so for the closed partner of a team that has opened
    assert game.table.thresholds == [10, 10, 31, 10]


def test_x6_3_the_bar_never_falls(make: Make) -> None:
    """The partner opens with less: the opponents' bar stays at the higher one."""
    game = closed_three(make)
    turn_opening(game, OPEN_30)
    game.idle()
    turn_opening(game, OPEN_27)
    assert game.table.thresholds == [31, 10, 31, 10]


def test_x6_3_the_bar_climbs_with_the_partner_too(make: Make) -> None:
    game = closed_three(make)
    game.idle()
    turn_opening(game, OPEN_40)
    assert game.table.thresholds == [10, 41, 10, 41]
    game.idle()
    turn_opening(game, "TS-JS-QS")  # 30 at seat 0: the bar of 41 stands
    assert game.table.thresholds == [10, 41, 10, 41]
    game.draw()
    assert game.listed("meld") == []  # 30 points do not reach 41


def test_x6_3_only_the_bar_of_the_seat_counts(make: Make) -> None:
    """Seat 0 faces 31 with 30 in hand; once seat 2 is down, 30 are enough."""
    game = closed_three(make)
    turn_opening(game, OPEN_30)
    game.idle()
    game.idle()
    game.draw()
    assert game.listed("meld") == []
    game = closed_three(make)
    turn_opening(game, OPEN_30)
    turn_opening(game, OPEN_40)
    game.idle()
    turn_opening(game, "TS-JS-QS")
    assert game.table.opened == [True, True, True, False]


@pytest.mark.parametrize(("step", "bar"), [(0, 30), (1, 31), (10, 40)])
def test_x6_3_threshold_step(make: Make, step: int, bar: int) -> None:
    game = closed_three(make, {"threshold_step": step})
    turn_opening(game, OPEN_30)
    assert game.table.thresholds == [bar, 10, bar, 10]


def test_x6_3_climbing_threshold_false(make: Make) -> None:
    game = closed_three(make, {"climbing_threshold": False})
    turn_opening(game, OPEN_30)
    assert game.table.thresholds == [10, 10, 10, 10]


def test_x6_3_the_bar_is_never_below_the_old_one(make: Make) -> None:
    """An opening of exactly the threshold with step 0 leaves the bar where it is."""
    game = closed_three(make, {"opening_points": 30, "threshold_step": 0})
    turn_opening(game, OPEN_30)
    assert game.table.thresholds == [30, 30, 30, 30]


def test_x6_3_further_melds_move_no_bar(make: Make) -> None:
    """Only the opening move counts, not what is laid after it."""
    game = start(make, "JD QD KD 4S 5S 6S", rules={"opening_points": 10})
    game.draw()
    stage_and_open(game, "JD-QD-KD")
    game.do("meld:4S-5S-6S")
    assert game.table.thresholds == [31, 10, 31, 10]


def test_x6_3_bars_of_seats_in_xabitha_mode_move_as_well(make: Make) -> None:
    """A declaration is private (X3.3): it does not show in the thresholds."""
    game = start(make, "JD QD KD", rules={"opening_points": 10}, declared=(0, 2, 3))
    turn_opening(game, "JD-QD-KD")
    assert game.table.thresholds == [31, 10, 31, 10]


def test_x6_4_staging_lists(make: Make) -> None:
    game = start(make, "8C 9C TC KD KH KS 2S 3S 4S", draw="6D")
    game.draw()
    run, kings, small = "meld:8C-9C-TC", "meld:KD-KH-KS", "meld:2S-3S-4S"
    discards = game.listed("discard")
    assert game.table.legal() == discards + [small, run, kings]
    game.do(small)
    assert game.table.legal() == [run, kings]  # 9 points; nothing but melds now
    game.refuses("open", *discards[:2])
    game.do(run)
    assert game.table.legal() == [kings]  # 36 points
    game.refuses("open")
    game.do(kings)
    assert game.table.legal() == ["open"]  # 66 points
    game.do("open")
    assert game.table.thresholds == [67, 51, 67, 51]


def test_x6_4_beyond_the_threshold(make: Make) -> None:
    """Melds staged beyond the threshold count to the total; they need not be staged."""
    game = start(make, "8C 9C TC KD KH KS 2S 3S 4S", draw="6D")
    game.draw()
    game.do("meld:8C-9C-TC", "meld:KD-KH-KS")
    assert game.table.legal() == ["meld:2S-3S-4S", "open"]
    game.do("open")
    assert game.table.thresholds == [58, 51, 58, 51] and game.allows("meld:2S-3S-4S")


def test_x6_4_no_meld_that_blocks_the_opening(make: Make) -> None:
    """Each meld must leave a completion: too short a run is refused."""
    game = start(make, "4S 5S 6S 7S 8S", draw="KD", rules={"opening_points": 30})
    game.draw()
    assert game.listed("meld") == ["meld:4S-5S-6S-7S-8S"]
    game = start(make, "4S 5S 6S 7S 8S", draw="KD", rules={"opening_points": 26})
    game.draw()
    assert game.listed("meld") == ["meld:4S-5S-6S-7S-8S", "meld:5S-6S-7S-8S"]


def test_x6_4_a_set_must_leave_the_run(make: Make) -> None:
    """The three tens would be 30, but then no run is left."""
    game = start(make, "8C 9C TC TD TH", draw="2S", rules={"opening_points": 25})
    game.draw()
    assert game.listed("meld") == ["meld:8C-9C-TC"]
    game = start(make, "8C 9C TC TC TD TH", draw="2S", rules={"opening_points": 25})
    game.draw()
    assert game.listed("meld") == ["meld:8C-9C-TC", "meld:TC-TD-TH"]
    game.do("meld:TC-TD-TH")
    assert game.table.legal() == ["meld:8C-9C-TC"]  # 30 points, but no run yet


def test_x6_4_the_joker_must_go_where_it_completes(make: Make) -> None:
    """31 points need the joker at the top; it makes 27, 24 or 19 elsewhere."""
    game = start(make, "QS KS 7H 8H JK", draw="2D", rules={"opening_points": 30})
    game.draw()
    assert game.listed("meld") == ["meld:JK-QS-KS", "meld:QS-KS-JK"]
    game = start(make, "QS KS 7H 8H JK", draw="2D", rules={"opening_points": 31})
    game.draw()
    assert game.listed("meld") == ["meld:QS-KS-JK"]


def test_x6_4_nothing_is_down_until_the_commit(make: Make) -> None:
    game = start(make, "8C 9C TC KD KH KS", draw="2S")
    game.draw()
    before = snapshot(game.table)
    game.do("meld:8C-9C-TC", "meld:KD-KH-KS")
    after = snapshot(game.table)
    before.pop("legal"), after.pop("legal")
    assert after == before  # hands too: the staged cards still count as held
    game.do("open")
    assert game.table.opened[1] and len(game.table.hand(1)) == 9


def test_x6_4_melds_are_numbered_as_staged(make: Make) -> None:
    game = start(make, "8C 9C TC KD KH KS KC JC")
    game.draw()
    stage_and_open(game, "KD-KH-KS", "8C-9C-TC")
    assert game.allows("add:KC@0") and game.allows("add:JC@1:high")


def test_x6_5_further_melds_and_adds_without_a_minimum(make: Make) -> None:
    """In the same turn and in later ones; sets alone as well."""
    game = down(make, ["TS-JS-QS"], "2S 3S 4S 2C 2D 2H KS KC", draw="KC")
    game.do("meld:2C-2D-2H", "add:KS@0:high", "discard:KC")
    game.idle(3)
    game.draw()
    game.do("meld:2S-3S-4S")


def test_x6_5_adds_to_any_meld_on_the_table(make: Make) -> None:
    """The own, the partner's and an opponent's."""
    hands = {1: "4S 5S 6S", 2: "8D 9D TD", 3: "JH QH KH 7S JD AH"}
    game = deal(make, hands, rules=FREE)
    game.declare()
    game.throw()
    turn_opening(game, "4S-5S-6S")
    turn_opening(game, "8D-9D-TD")
    game.draw()
    stage_and_open(game, "JH-QH-KH")
    game.do("add:7S@0:high", "add:JD@1:high", "add:AH@2:high")


# --- X7: adding -----------------------------------------------------------------------------


def test_x7_1_a_run_grows_at_either_end(make: Make) -> None:
    game = down(make, ["5S-6S-7S"], "3S 4S 5S 6S 8S 9S 4H 8H")
    assert game.listed("add") == ["add:4S@0:low", "add:8S@0:high"]
    game.do("add:4S@0:low")
    assert game.listed("add") == ["add:3S@0:low", "add:8S@0:high"]
    game.do("add:8S@0:high")
    assert game.listed("add") == ["add:3S@0:low", "add:9S@0:high"]


def test_x7_1_never_past_the_low_ace(make: Make) -> None:
    game = down(make, ["AS-2S-3S"], "KS AS JK 7H")
    assert game.listed("add") == ["add:JK@0:high"]
    game = down(make, ["2S-3S-4S"], "KS AS JK 7H")
    assert game.listed("add") == ["add:AS@0:low", "add:JK@0:high", "add:JK@0:low"]
    game.do("add:JK@0:low")
    assert game.listed("add") == []


def test_x7_1_never_past_the_high_ace(make: Make) -> None:
    game = down(make, ["QS-KS-AS"], "2S AS JK 7H")
    assert game.listed("add") == ["add:JK@0:low"]
    game = down(make, ["JS-QS-KS"], "2S AS JK 7H")
    assert game.listed("add") == ["add:AS@0:high", "add:JK@0:high", "add:JK@0:low"]
    game.do("add:JK@0:high")
    assert game.listed("add") == []


def test_x7_1_a_run_with_jokers_at_its_ends_grows_on(make: Make) -> None:
    """A joker at an end holds its position."""
    game = down(make, ["JK-5S-6S-JK"], "3S 4S 7S 8S KC")
    assert game.listed("add") == ["add:3S@0:low", "add:8S@0:high"]


def test_x7_1_a_set_grows_by_a_missing_suit_or_a_joker(make: Make) -> None:
    game = down(make, ["QC-QD-QH"], "QC QD QS KS JK 4H")
    assert game.listed("add") == ["add:JK@0", "add:QS@0"]
    game.do("add:QS@0")
    assert game.listed("add") == []


def test_x7_1_a_four_card_set_takes_nothing(make: Make) -> None:
    game = down(make, ["QC-QD-QH"], "QS JK JK 4H")
    game.do("add:JK@0")
    assert game.listed("add", "steal") == []
    game = down(make, ["QC-QD-JK-JK"], "QH QS 4H")
    assert game.listed("add", "steal") == []
    game = down(make, ["QC-QD-QH-QS"], "QC JK 4H")
    assert game.listed("add", "steal") == []


def test_x7_1_a_joker_beside_a_joker(make: Make) -> None:
    game = down(make, ["QC-QD-JK"], "JK QH 4H")
    game.do("add:JK@0")
    assert game.listed("add", "steal") == []


def test_x7_2_a_real_card_in_a_set_with_a_joker(make: Make) -> None:
    """Four cards, the joker for the last suit: nothing more is added, nothing stolen."""
    game = down(make, ["QC-QD-JK"], "QH QS JK 4H")
    game.do("add:QH@0")
    assert game.listed("add", "steal") == []
    game.refuses("steal:QS@0", "add:QS@0", "add:JK@0")


# --- X8: joker steal ------------------------------------------------------------------------


def test_x8_1_the_joker_goes_to_the_hand(make: Make) -> None:
    game = down(make, ["4S-JK-6S"], "5S KC 9H")
    game.do("steal:5S@0")
    assert JOKER in game.table.hand(1) and "5S" not in game.table.hand(1)
    assert game.listed("steal") == []
    assert game.listed("add") == ["add:JK@0:high", "add:JK@0:low"]


def test_x8_1_used_at_once_or_later(make: Make) -> None:
    game = down(make, ["4S-JK-6S"], "5S TH JH KC", draw="KC")
    game.do("steal:5S@0", "meld:TH-JH-JK")
    game = down(make, ["4S-JK-6S"], "5S TH JH KC", draw="KC")
    game.do("steal:5S@0", "discard:KC")
    game.idle(3)
    game.draw()
    game.do("meld:TH-JH-JK")
    game = down(make, ["4S-JK-6S"], "5S KC 9H")
    game.do("steal:5S@0", "discard:JK")
    assert game.table.fire_top == JOKER


def test_x8_1_out_of_a_set(make: Make) -> None:
    """Three real cards are left; the last suit can then be added."""
    game = down(make, ["QC-QD-JK"], "QH QS 4H")
    game.do("steal:QS@0")
    assert game.listed("steal") == []
    assert game.listed("add") == ["add:JK@0", "add:QH@0"]


def test_x8_1_from_any_meld_on_the_table(make: Make) -> None:
    """A partner's and an opponent's; each run joker for its own card."""
    hands = {1: "4S JK 6S", 2: "8D JK TD", 3: "JH QH KH 5S 9D"}
    game = deal(make, hands, rules=FREE)
    game.declare()
    game.throw()
    turn_opening(game, "4S-JK-6S")
    turn_opening(game, "8D-JK-TD")
    game.draw()
    assert game.listed("steal") == []  # not yet down
    stage_and_open(game, "JH-QH-KH")
    assert game.listed("steal") == ["steal:5S@0", "steal:9D@1"]
    game.do("steal:5S@0", "steal:9D@1")
    assert game.table.hand(3).count(JOKER) == 2


def test_x8_1_jokers_at_the_ends(make: Make) -> None:
    game = down(make, ["JK-2S-3S"], "AS KS JK 4H")
    assert game.listed("steal") == ["steal:AS@0"]
    game = down(make, ["QS-KS-JK"], "AS 2S JK 4H")
    assert game.listed("steal") == ["steal:AS@0"]
    game = down(make, ["QS-KS-AS"], "JS AS JK 4H")
    game.do("add:JK@0:low")
    assert game.listed("steal") == ["steal:JS@0"]


def test_x8_1_a_joker_is_not_given_for_a_joker(make: Make) -> None:
    game = down(make, ["4S-JK-6S"], "JK KC")
    assert game.listed("steal") == []
    game.refuses("steal:JK@0")


def full_run(make: Make) -> Game:
    """Seat 2 is down with a run of 14 (meld 0) of jokers at both ends; it holds both aces."""
    game = down(
        make,
        ["5S-6S-7S"],
        "2S 3S 4S 8S 9S TS JS QS KS JK KC 9H",
        draw="KC 2C",
        others={2: "4D 5D 6D JK AS AS"},
    )
    game.do(*(f"add:{card}@0:low" for card in ("4S", "3S", "2S", "JK")))
    game.do(*(f"add:{rank}S@0:high" for rank in "89TJQK"), "discard:KC", "draw:deck")
    stage_and_open(game, "4D-5D-6D")
    game.do("add:JK@0:high")
    return game


def test_x8_1_a_run_of_fourteen_with_jokers_at_both_ends(make: Make) -> None:
    game = full_run(make)
    assert not [move for move in game.listed("add") if "@0" in move]
    assert game.listed("steal") == ["steal:AS@0"]
    game.do("steal:AS@0")
    assert game.listed("steal") == ["steal:AS@0"]
    game.do("steal:AS@0")
    assert game.listed("steal") == [] and game.table.hand(2).count(JOKER) == 2
    assert not [move for move in game.listed("add") if "@0" in move]


def test_x8_1_the_ace_takes_the_lower_joker(make: Make) -> None:
    """It shows in the cards of the meld only."""
    game = full_run(make)
    game.do("steal:AS@0")
    assert game.table.meld(0) == ["AS"] + [rank + "S" for rank in RANKS[1:]] + [JOKER]


def test_x8_2_never_out_of_a_four_card_set(make: Make) -> None:
    for melds in (["QC-QD-QH-JK"], ["QC-QD-JK-JK"]):
        game = down(make, melds, "QC QD QH QS 4H")
        game.refuses("steal:QS@0", "steal:QH@0", "steal:QC@0")
        assert game.listed("steal") == []


# --- X9: Xabitha mode and the formation -----------------------------------------------------


def xabitha(make: Make, hand: str, draw: str = "", rules: Rules | None = None) -> Game:
    """Seat 1 is in Xabitha mode, holds the 14 cards and has drawn from the deck."""
    game = start(make, hand, draw, rules={**FREE, **(rules or {})}, declared=(1,))
    game.draw()
    return game


def left_after_formation(game: Game) -> str:
    """Lay the formation; the card that is left, whose discard is the only move."""
    event = game.do("formation")
    assert event == {"seat": 1, "move": "formation"}
    (card,) = game.table.hand(1)
    assert game.table.legal() == [f"discard:{card}"]
    return card


def test_x9_1_no_opening_adding_or_stealing(make: Make) -> None:
    """Only the discards, with melds in hand and on the table."""
    hands = {1: "4S JK 6S KC KD KH", 3: "5S 7S AS 2S 3S QC QD QH"}
    game = deal(make, hands, rules=FREE)
    game.declare(3)
    game.throw()
    turn_opening(game, "4S-JK-6S", "KC-KD-KH")
    game.idle()
    game.draw()
    assert game.table.legal() == sorted({f"discard:{card}" for card in game.table.hand(3)})
    game.refuses("meld:AS-2S-3S", "add:7S@0:high", "steal:5S@0", "open", "formation")


def test_x9_1_the_formation_wins(make: Make) -> None:
    game = xabitha(make, FORMATION, "4D")
    assert game.allows("formation") and len(game.listed("discard")) == 15
    assert left_after_formation(game) == "4D"
    game.do("discard:4D")
    assert game.table.result == {
        "reason": "xabitha",
        "winner": 1,
        "penalties": [200, 0, 200, 0],
    }


def test_x9_1_drawn_to_fifteen_from_the_fire_pile(make: Make) -> None:
    """The last card needed comes from the fire pile; it goes to the table, so the take stands."""
    game = start(make, FORMATION.replace("6S", "3D"), fire="6S", declared=(1,))
    assert game.table.legal() == ["draw:deck", "draw:fire"]
    game.refuses("formation")
    game.do("draw:fire")
    assert left_after_formation(game) == "3D"
    game.do("discard:3D")
    assert game.table.over


def test_x9_1_after_an_undo(make: Make) -> None:
    game = start(make, FORMATION.replace("6S", "3D"), fire="9C", draw="6S", declared=(1,))
    game.do("draw:fire", "discard:9C", "draw:deck")
    assert left_after_formation(game) == "3D"


NO_FORMATION = [
    "2S 3S 4S 5S 6S 7S 8S 9S TS KH QC QD QH QS 4D",  # a run of nine
    "2S 3S 4S 5S 6S 7S 8S 9S TS QC QD QH QS KS 4D",  # a gap in the run
    "2S 3S 4S 5S 6S 7S 8S 9S TS JD QC QD QH QS 4D",  # another suit in the run
    "2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QH 4D",  # a suit repeated in the set
    "2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH KS 4D",  # a set of three
    "2S 3S 4S 5S 6S 7S 8S 9S TS JS 5C 5D 5H 4D KD",  # one five for both the run and the set
    "6S 7S 8S 9S TS JS QS KS AS 2S 4C 4D 4H 4S 9D",  # the run does not go round
    "JK JK 7S 8S 9S TS JS QS KS AS 4C 4D 4H 4S 9D",  # X5.4: two jokers among the lowest three
    "5S JK JK 8S 9S TS JS QS KS AS 4C 4D 4H 4S 9D",  # so here
    "JK 6S JK 8S 9S TS JS QS KS AS 4C 4D 4H 4S 9D",  # and here
    "2S 3S 4S 5S 6S 7S 8S 9S TS JS QC JK JK KD 4D",  # one real card in the set
    "JK JK 4S 5S 6S 7S 8S 9S TS KD QC QD QH QS 4D",  # three missing
    "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS 4D 9D",  # no set at all
    "2C 2D 2H 2S 3C 3D 3H 3S 4C 4D 4H 4S 5C 5D 5H",  # no run at all
]


def swap_last(text: str) -> tuple[str, str]:
    """A hand of 15 as the 14 of the deal and the card drawn."""
    hand = text.split()
    return " ".join(hand[:-1]), hand[-1]


@pytest.mark.parametrize("hand", NO_FORMATION)
def test_x9_1_no_formation(make: Make, hand: str) -> None:
    game = xabitha(make, *swap_last(hand))
    game.refuses("formation")
    assert len(game.listed("formation")) == 0


YES_FORMATION = [
    # the hand of fifteen, and the card that is left
    ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS QC QD QH QS 4D", "4D"),  # from the low ace
    ("5S 6S 7S 8S 9S TS JS QS KS AS 3C 3D 3H 3S 4D", "4D"),  # to the high ace
    ("2H 3H 4H 5H 6H 7H 8H 9H TH JH AC AD AH AS 4D", "4D"),
    ("2C 3C 4C 5C 6C 7C 8C 9C TC JC KC KD KH KS 4D", "4D"),
    ("2D 3D 4D 5D 6D 7D 8D 9D TD JD 5C 5D 5H 5S 4D", "4D"),  # both fives of diamonds
    ("JK 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS 4D", "4D"),  # a joker in the run
    ("2S 3S JK 5S 6S 7S 8S 9S TS JS QC QD QH QS 4D", "4D"),
    ("2S 3S 4S 5S 6S JK 8S 9S TS JS QC QD QH QS 4D", "4D"),
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH JK 4D", "4D"),  # a joker in the set
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS KC KD JK JK 4D", "4D"),  # two jokers in the set
    ("2S 3S 4S 5S 6S JK 8S JK TS JS QC QD QH QS 4D", "4D"),  # two in the run
    ("JK 6S 7S 8S JK TS JS QS KS AS 4C 4D 4H 4S 9D", "9D"),  # one of them among the three
    ("2S 3S 4S 5S 6S JK 8S 9S TS JS QC QD QH JK 4D", "4D"),  # one in each
    ("4S 5S 6S 7S 8S 9S TS JS JK JK AC AD AH AS 4D", "4D"),  # 3 to Q: not both below
    ("7S 8S 9S TS JS QS KS JK JK 6S 4C 4D 4H 4S 9D", "9D"),
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS 5C 5D 5H JK 4D", "4D"),  # the five goes to the run
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS 5C 5D JK JK 4D", "4D"),
    # A joker only where a card is not held: it is what is left.
    ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS KC KD KH KS JK", "JK"),
    ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS KC KD KH JK JK", "JK"),
    ("AS 2S JK 4S 5S 6S 7S 8S 9S TS KC KD KH KS JK", "JK"),
    # The lowest start of the run is laid, though it takes a joker that a higher one does not.
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS KC KD KH KS JK", "JS"),
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS KC KD KH JK JK", "JS"),
    ("2S 3S JK 5S 6S 7S 8S 9S TS JS KC KD KH KS JK", "JS"),
    ("5S 6S 7S 8S 9S TS JS QS KS AS 3C 3D 3H 3S JK", "AS"),
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KC KD KH KS", "QS"),
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS 2D QC JK JK", "2D"),
    ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS", "JS"),
    ("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS AC AD AH JK", "JS"),  # the joker for the ace of spades
    # From the low ace two aces of spades would be needed: the run starts at 2.
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS AC AD AH AS", "QS"),
    ("2S 3S 4S 5S 6S 7S 8S 9S TS JS QS AC AD AH JK", "QS"),
    ("4S 5S 6S 7S 8S 9S TS JS QS KS AS 3C 3D 3H 3S", "AS"),  # 3 to Q would need a second three
    ("3S 4S 5S 6S 7S 8S 9S TS JS QS 7C 7D 7H 7S KS", "KS"),
]


@pytest.mark.parametrize(("hand", "left"), YES_FORMATION)
def test_x9_2_the_formation_that_is_laid(make: Make, hand: str, left: str) -> None:
    game = xabitha(make, *swap_last(hand))
    assert left_after_formation(game) == left
    game.do(f"discard:{left}")
    assert game.table.result is not None and game.table.result["reason"] == "xabitha"


def test_x9_2_the_first_that_keeps_a_card(make: Make) -> None:
    """2 to J would leave the taken queen; so 3 to Q is laid, and the two is left."""
    hand = "2S 3S 4S 5S 6S 7S 8S 9S TS JS KC KD KH KS"
    game = start(make, hand, fire="QS", draw="QS", declared=(1,))
    game.do("draw:fire")
    assert left_after_formation(game) == "2S"
    game = start(make, hand, fire="QS", draw="QS", declared=(1,))
    game.do("draw:deck")
    assert left_after_formation(game) == "QS"


def test_x9_2_only_the_discard_after_it(make: Make) -> None:
    game = xabitha(make, FORMATION, "AS")
    assert left_after_formation(game) == "JS"
    game.refuses("add:JS@0:high", "formation", "open", "draw:deck", "meld:JS")


def test_x9_2_not_in_the_starters_first_turn(make: Make) -> None:
    """But in its second, if it is still there."""
    game = deal(make, {0: FORMATION + " 4D"}, rules=FREE)
    game.declare(0)
    game.refuses("formation")
    game.do("discard:4D")
    game.idle(3)
    game.draw()
    game.do("formation")


def test_x9_2_not_by_a_player_in_normal_mode(make: Make) -> None:
    for rules in ({}, FREE):
        game = start(make, FORMATION, rules=rules)
        game.draw()
        game.refuses("formation")
    stage_and_open(game, "2S-3S-4S-5S-6S")
    game.refuses("formation")


# --- X10: deck exhaustion -------------------------------------------------------------------


def exhausted(make: Make, rules: Rules | None = None, cycles: int = 1) -> Game:
    """A round of idle turns in which the deck has run out so many times."""
    game = start(make, rules=rules)
    for cycle in range(cycles):
        if cycle:
            drawn = game.do("draw:deck")["drawn"]
            game.do(f"discard:{drawn}")
        exhaust(game)
    return game


def test_x10_1_the_fire_pile_becomes_the_deck(make: Make) -> None:
    game = start(make, fire="9C")
    discards = ["9C"]
    while game.table.deck_size:
        game.idle()
        discards.append(str(game.table.fire_top))
    assert game.table.legal() == ["draw:deck", "draw:fire"]
    event = game.do("draw:deck")
    assert sorted(event["reshuffled"]) == sorted(discards[:-1])
    assert event["drawn"] == event["reshuffled"][0] and event["drawn"] in discards
    assert snapshot(game.table)["deck_size"] == 48 and game.table.fire_top == discards[-1]
    for card in event["reshuffled"][1:]:  # drawn in this order
        game.throw()
        assert game.do("draw:deck")["drawn"] == card
    assert snapshot(game.table)["deck_size"] == 0


def test_x10_1_all_cards_are_kept(make: Make) -> None:
    game = exhausted(make)
    hands, top = held(game.table), game.table.fire_top
    deck = game.do("draw:deck")["reshuffled"]
    assert hands + Counter(deck) + Counter([top]) == Counter(ALL_CARDS)


@pytest.mark.parametrize("limit", [0, 1, 2, 3])
def test_x10_1_max_reshuffles(make: Make, limit: int) -> None:
    """One draw too many and the round is cancelled; nobody scores."""
    game = exhausted(make, {"max_reshuffles": limit}, cycles=limit + 1)
    hand = game.table.hand(game.table.seat)
    seat = game.table.seat
    assert game.table.legal() == ["draw:deck", "draw:fire"]
    assert game.do("draw:deck") == {"seat": seat, "move": "draw:deck"}
    assert game.table.over and game.table.legal() == []
    assert game.table.result == {
        "reason": "cancelled",
        "winner": None,
        "penalties": [0, 0, 0, 0],
    }
    assert game.table.hand(seat) == hand


def test_x10_1_default_is_two(make: Make) -> None:
    game = exhausted(make, cycles=3)
    game.do("draw:deck")
    assert game.table.over


def test_x10_2_the_fire_pile_may_be_taken_instead(make: Make) -> None:
    """Play can go on with an empty deck for as long as nobody draws from it."""
    game = exhausted(make, {"max_reshuffles": 0})
    for _ in range(6):
        take_and_keep(game)
        assert not game.table.over and game.table.deck_size == 0
    game.do("draw:deck")
    assert game.table.over


def test_x10_2_after_an_undo_the_undone_card_is_the_top(make: Make) -> None:
    game = exhausted(make)
    top = game.do("draw:fire")["drawn"]
    game.do(f"discard:{top}")
    assert game.table.legal() == ["draw:deck"]
    deck = game.do("draw:deck")["reshuffled"]
    assert len(deck) == 49 and game.table.fire_top == top
    assert held(game.table) + Counter(deck[1:]) + Counter([top]) == Counter(ALL_CARDS)


def test_x10_2_cancelled_by_the_draw_after_an_undo(make: Make) -> None:
    game = exhausted(make, {"max_reshuffles": 0})
    top = game.do("draw:fire")["drawn"]
    game.do(f"discard:{top}", "draw:deck")
    assert game.table.over and game.table.result is not None
    assert game.table.result["reason"] == "cancelled"


@pytest.mark.parametrize("turns", [1, 2, 3, 4, 5, 17])
def test_x10_2_max_turns(make: Make, turns: int) -> None:
    """The starter's first discard is turn 1."""
    game = deal(make, rules={"max_turns": turns})
    game.declare()
    game.throw()
    for _ in range(turns - 1):
        assert not game.table.over
        game.idle()
    assert game.table.over and game.table.legal() == []
    assert game.table.result == {
        "reason": "cancelled",
        "winner": None,
        "penalties": [0, 0, 0, 0],
    }


def test_x10_2_a_turn_with_an_undo_is_one_turn(make: Make) -> None:
    game = start(make, fire="9C", rules={"max_turns": 3})
    game.do("draw:fire", "discard:9C")
    assert not game.table.over
    game.idle()
    assert not game.table.over and game.table.seat == 2
    top = game.do("draw:fire")["drawn"]
    game.do(f"discard:{top}")
    assert not game.table.over
    game.idle()
    assert game.table.over


def test_x10_2_a_win_in_the_last_turn_counts(make: Make) -> None:
    game = xabitha(make, FORMATION, "4D", {"max_turns": 2})
    game.do("formation", "discard:4D")
    assert game.table.result is not None and game.table.result["reason"] == "xabitha"
    game = endgame(make, "7S", rules={"max_turns": 6})
    game.draw()
    game.do("add:7S@2:high", "discard:KC")
    assert game.table.result is not None and game.table.result["reason"] == "normal"
    game = endgame(make, "7S", rules={"max_turns": 6})
    game.draw()
    game.do("discard:KC")
    assert game.table.result is not None and game.table.result["reason"] == "cancelled"


# --- X11: scoring ---------------------------------------------------------------------------


def finish(
    make: Make, seat_2: str, rules: Rules | None = None, declared: Sequence[int] = ()
) -> list[int]:
    """Seat 1 wins while seat 2 is down and seats 0 and 3 are closed; the penalties.

    Seat 2 keeps the two cards ``seat_2``; all its others are on the table or discarded.
    """
    theirs = ["7C-8C-9C-TC-JC", "3D-4D-5D-6D", "TH-JH-QH"]
    draws = "2C 6C 9H KS KC"  # of seats 1, 2, 3, 0 and 1 again
    others = {2: " ".join([*theirs, seat_2])}
    game = down(make, LONG, "7S 2C", draws, rules=rules, others=others, declared=declared)
    game.do("discard:2C")
    game.draw()
    stage_and_open(game, *theirs)
    game.do("discard:6C")
    assert game.table.hand(2) == sorted(cards(seat_2))
    game.idle(2)
    game.draw()
    game.do("add:7S@2:high", "discard:KC")
    assert game.table.result is not None
    assert game.table.result["reason"] == "normal" and game.table.result["winner"] == 1
    penalties: list[int] = game.table.result["penalties"]
    return penalties


@pytest.mark.parametrize(
    ("kept", "points"),
    [
        ("2S 9S", 11),
        ("TS JS", 20),
        ("QS KS", 20),
        ("AS 2S", 13),
        ("AS AH", 22),
        ("JK 3C", 28),
        ("JK JK", 50),
        ("JK AS", 36),
        ("4C 4C", 8),
    ],
)
def test_x11_2_normal_win(make: Make, kept: str, points: int) -> None:
    """Down: the cards in hand; closed: the flat penalty; the winners nothing."""
    assert finish(make, kept) == [100, 0, points, 0]


@pytest.mark.parametrize(
    ("rules", "penalties"),
    [
        ({"ace_high_points": 20}, [100, 0, 45, 0]),
        ({"ace_high_points": 0}, [100, 0, 25, 0]),
        ({"ace_low_points": 9}, [100, 0, 36, 0]),
        ({"joker_penalty": 50}, [100, 0, 61, 0]),
        ({"joker_penalty": 0}, [100, 0, 11, 0]),
        ({"closed_penalty": 7}, [7, 0, 36, 0]),
        ({"closed_penalty": 0}, [0, 0, 36, 0]),
        ({"xabitha_closed_penalty": 7}, [100, 0, 36, 0]),
    ],
)
def test_x11_2_settings(make: Make, rules: Rules, penalties: list[int]) -> None:
    assert finish(make, "JK AS", rules) == penalties


def test_x11_2_closed_pays_flat_jokers_included(make: Make) -> None:
    """Both opponents closed, one of them with both jokers."""
    game = down(make, LONG, "7S 2C", draw="2C 9D 9H KS KC", others={2: "JK JK"})
    game.do("discard:2C")
    game.idle(3)
    game.draw()
    game.do("add:7S@2:high", "discard:KC")
    assert game.table.result is not None
    assert game.table.result["penalties"] == [100, 0, 100, 0]


def test_x11_1_the_partner_of_the_winner_scores_nothing(make: Make) -> None:
    """Down with a full hand, too."""
    game = down(make, LONG, "7S 2C", draw="2C 9D 9H KS KC", others={3: "TH JH QH JK JK AC AD"})
    game.do("discard:2C")
    game.idle()
    game.draw()
    stage_and_open(game, "TH-JH-QH")
    game.do("discard:9H")
    game.idle()
    game.draw()
    game.do("add:7S@2:high", "discard:KC")
    assert game.table.result == {
        "reason": "normal",
        "winner": 1,
        "penalties": [100, 0, 100, 0],
    }


@pytest.mark.parametrize("penalty", [200, 0, 350])
def test_x11_3_xabitha_win(make: Make, penalty: int) -> None:
    """An opponent who is down pays nothing, whatever it holds; a closed one pays double."""
    hands = {1: "4S 5S 6S JK JK AC", 2: FORMATION}
    rules = {**FREE, "xabitha_closed_penalty": penalty}
    game = deal(make, hands, rules=rules)
    game.declare(2)
    game.throw()
    game.draw()
    stage_and_open(game, "4S-5S-6S")
    game.throw()
    game.draw()
    game.do("formation")
    game.throw()
    assert game.table.result == {
        "reason": "xabitha",
        "winner": 2,
        "penalties": [0, 0, 0, penalty],
    }


@pytest.mark.parametrize("declared", [(1,), (0, 1, 2, 3), (0, 1), (1, 3)])
def test_x11_3_closed_is_closed_in_either_mode(make: Make, declared: Sequence[int]) -> None:
    """A Xabitha win against opponents in Xabitha mode costs them the same (X11.4)."""
    game = start(make, FORMATION, declared=declared)
    game.draw()
    game.do("formation")
    game.throw()
    assert game.table.result == {
        "reason": "xabitha",
        "winner": 1,
        "penalties": [200, 0, 200, 0],
    }


def test_x11_4_a_loser_in_xabitha_mode_is_not_down(make: Make) -> None:
    """The flat penalty of a normal win, no more; a partner in Xabitha mode pays nothing."""
    assert finish(make, "JK AS", declared=(0, 3)) == [100, 0, 36, 0]


# --- X12: text of moves ---------------------------------------------------------------------


def test_x12_legal_is_sorted_and_without_doubles(make: Make) -> None:
    game = down(make, ["JK-5S-6S", "QC-QD-JK"], "4S 7S QH QS 8D 9D TD KC")
    legal = game.table.legal()
    assert legal == sorted(set(legal))
    assert [move for move in legal if not move.startswith("discard")] == [
        "add:7S@0:high",
        "add:QH@1",
        "add:QS@1",
        "meld:8D-9D-TD",
        "steal:4S@0",
        "steal:QH@1",
        "steal:QS@1",
    ]


def test_x12_numbers_in_the_order_of_laying(make: Make) -> None:
    """One count for the round, over all seats."""
    hands = {1: "4S 5S 6S 9C TC JC", 2: "8D 9D TD 7S QC JD"}
    game = deal(make, hands, rules=FREE)
    game.declare()
    game.throw()
    game.draw()
    stage_and_open(game, "4S-5S-6S")
    game.do("meld:9C-TC-JC")
    game.throw()
    game.draw()
    stage_and_open(game, "8D-9D-TD")
    for move in ("add:7S@0:high", "add:QC@1:high", "add:JD@2:high"):
        assert game.allows(move)


def test_x12_a_number_stays_with_its_meld(make: Make) -> None:
    """After adds and steals as well."""
    game = down(make, ["4S-JK-6S", "8D-9D-TD"], "5S 7S JD 3S 6D KC")
    game.do("add:JD@1:high", "steal:5S@0", "add:7S@0:high", "add:JK@1:low", "discard:KC")
    game.idle(3)
    game.draw()
    assert game.listed("add") == ["add:3S@0:low", "add:6D@1:low"]


def test_x12_every_event_names_seat_and_move(make: Make) -> None:
    game = deal(make, {1: "8C 9C TC KD KH KS"})
    for seat in range(4):
        assert game.do("declare:no") == {"seat": seat, "move": "declare:no"}
    move = game.listed("discard")[0]
    assert game.do(move) == {"seat": 0, "move": move}
    game.draw()
    for move in ("meld:8C-9C-TC", "meld:KD-KH-KS", "open"):
        assert game.do(move) == {"seat": 1, "move": move}
