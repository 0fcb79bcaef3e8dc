"""Matches with a person, without a screen."""

from __future__ import annotations

import json
import random
from collections import Counter
from itertools import combinations

import pytest

from tests.terminal.driving import as_greedy, at_random, go, may_open, new_match
from tests.xabitha.hidden import resampled as xabitha_resampled
from tests.xeri.hidden import resampled as xeri_resampled
from xabitha_env.games import GAMES
from xabitha_env.record import verify_record
from xabitha_env.terminal.marks import IN_MELD, NEARLY, meld_marks, opening_note, pick_note
from xabitha_env.terminal.match import PERSON, Match, Refused
from xabitha_env.terminal.moves import ORDER, cards_of, containing, in_order, taking, verb_of
from xabitha_env.terminal.telling import Teller, tell_record
from xabitha_env.xabitha.melds import ROW_OF

RESAMPLED = {"xabitha": xabitha_resampled, "xeri": xeri_resampled}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seat", range(4))
def test_a_match_at_any_seat_has_a_record_that_holds(game, seat):
    match = go(new_match(game, seed=seat, seat=seat), at_random(random.Random(seat)))
    assert verify_record(match.record) is None
    assert match.record["agents"].count(PERSON) == 1 and match.record["agents"][seat] == PERSON
    assert match.moves() == [] and match.record["result"] is not None


def test_two_rounds_are_told_one_after_the_other():
    match = new_match("xeri", num_rounds=2)
    ended = []
    while not match.over:
        ended.append(match.choose(as_greedy(match)) if match.my_turn else match.play(match.think()))
        if ended[-1] and not match.over:
            assert match.summary()[0].startswith("The round is over")
            assert "match" not in " ".join(match.summary())
    assert sum(ended) == 2 and ended[-1]
    assert sum("--- round" in line for line in match.story) == 2
    assert any("the match" in line for line in match.summary())


@pytest.mark.parametrize(
    ("players", "named"),
    [
        ("random", ["random", PERSON, "random", "random"]),
        ("random,greedy", ["random", PERSON, "random", "greedy"]),
        ("random,no such player,expert,greedy", ["random", PERSON, "expert", "greedy"]),
    ],
)
def test_who_sits_where(players, named):
    assert new_match(seat=1, players=players).names == named


def test_wrong_players_and_seats():
    with pytest.raises(ValueError, match="3 players"):
        new_match(players="random,random,random")
    with pytest.raises(ValueError, match="seat must be 0 to 3, not 4"):
        new_match(seat=4)


# Openings are drafted.


def opening() -> Match:
    return go(new_match(seed=3, opening_points=25), until=may_open)


def test_a_drafted_meld_is_taken_back():
    match = opening()
    before, moves, events = match.engine.get_state(), match.moves(), match.played
    melds = [move for move in moves if verb_of(move) == "meld"]
    for move in melds:
        assert not match.choose(move)
        assert match.drafting and match.position == (events, 1)
        staged = match.scene().seats[match.seat].staged
        assert ["-".join(group.cards) for group in staged] == [move.partition(":")[2]]
        assert not Counter(cards_of(move)) - (
            Counter(match.engine.scene(0, 0).seats[0].hand.cards) - Counter(match.hand())
        )
        assert {verb_of(more) for more in match.moves()} <= {"meld", "open"}
        match.undo()
        assert match.moves() == moves
    assert match.engine.get_state().tobytes() == before.tobytes() and match.played == events
    with pytest.raises(Refused, match="no drafted meld"):
        match.undo()


def test_an_opening_is_committed_as_it_was_drafted():
    match = opening()
    while "open" not in match.moves():
        match.choose(next(move for move in match.moves() if verb_of(move) == "meld"))
        assert "of 25" in match.draft_note()
    drafted = [group.cards for group in match.scene().seats[0].staged]
    events = match.played
    match.choose("open")
    assert not match.drafting and match.played == events + len(drafted) + 1
    assert match.engine.scene(0, 0).seats[0].status == "down"
    laid = " and ".join(" ".join(cards) for cards in drafted)
    assert match.story[-1] == f"You open with {laid}."
    assert verify_record(match.record) is None


def test_points_and_runs_of_picks_and_openings():
    match = new_match()
    assert pick_note(match.engine, ["QS", "AS", "KS"]) == "a run of 31"
    assert pick_note(match.engine, ["AS", "2S", "3S"]) == "a run of 6"
    assert pick_note(match.engine, ["KS", "KD", "KH"]) == "a set of 30"
    assert pick_note(match.engine, ["4S", "5S", "JK"]) in (
        "a run of 12 or a run of 15",
        "a run of 15 or a run of 12",
    )
    assert pick_note(match.engine, ["4S", "5S"]) == ""
    match = opening()
    match.choose(next(move for move in match.moves() if verb_of(move) == "meld"))
    staged = match.scene().seats[0].staged
    points = int(pick_note(match.engine, staged[0].cards).split()[-1])
    run = "a run is there" if "run" in pick_note(match.engine, staged[0].cards) else "no run yet"
    assert opening_note(match.sight, 0, staged) == f"staged {points} of 25, {run}"


# Every legal move can be chosen, and no other.


@pytest.mark.parametrize("game", GAMES)
def test_every_legal_move_is_offered_and_can_be_picked(game):
    match = new_match(game, opening_points=20) if game == "xabitha" else new_match(game)
    rng, verbs = random.Random(2), set()
    while not match.over:
        if match.my_turn:
            moves = match.moves()
            assert sorted(moves) == match.sight.legal_texts()
            for move in moves:
                verbs.add(verb_of(move))
                picked = cards_of(move)
                assert not Counter(picked) - Counter(match.hand())
                assert move in taking(moves, picked) and move in containing(moves, picked[:1])
            match.choose(rng.choice(moves))
        else:
            match.play(match.think())
    assert verbs <= set(ORDER)
    if game == "xabitha":
        assert verbs >= {"declare", "draw", "meld", "open", "discard"}


def test_the_order_of_moves():
    moves = ["discard:2C", "add:2C@0:low", "meld:2C-3C-4C", "open", "draw:fire"]
    assert in_order(moves) == ["open", "draw:fire", "meld:2C-3C-4C", "add:2C@0:low", "discard:2C"]
    assert cards_of("add:JK@3:high") == ("JK",) and cards_of("draw:deck") == ()


def test_refusals_name_the_rule_in_its_words():
    match = go(new_match(seed=3), until=lambda match: match.my_turn and match.played > 8)
    assert match.moves() == ["draw:deck", "draw:fire"]
    before = match.engine.get_state().tobytes()
    with pytest.raises(Refused, match=r"the turn begins with a draw.*legal: draw:deck") as caught:
        match.choose(f"discard:{match.hand()[0]}")
    assert caught.value.rule == "X4.1" and "discard" in caught.value.words
    for text, rule in (("meld:KS-AS-2S", "X5"), ("nonsense", "X12"), ("open", "X4.1")):
        with pytest.raises(Refused) as caught:
            match.choose(text)
        assert caught.value.rule == rule and caught.value.words, text
    assert match.engine.get_state().tobytes() == before
    assert match.why_not([match.hand()[0]]).rule == "X4.1"
    assert "no legal move takes just" in str(match.why_not(match.hand()[:2]))


def test_nobody_moves_out_of_turn():
    match = go(new_match(seed=3), until=lambda match: not match.my_turn)
    with pytest.raises(Refused, match="not your turn"):
        match.choose("draw:deck")


# Marks.


def test_marks_are_those_of_a_slow_count():
    rng = random.Random(4)
    cards = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"]
    triples = [set(name.split("-")) for name in ROW_OF if name.count("-") == 2]
    triples = [triple for triple in triples if "JK" not in triple]
    for _ in range(20):
        hand = rng.sample(cards, 10) + ["JK"]
        whole, near = set(), set()
        for triple in triples:
            if len(held := triple & set(hand)) == 3:
                whole |= held
            elif len(held) == 2:
                near |= held
        marks = meld_marks(hand)
        assert {card for card in marks if marks[card] == IN_MELD} == whole
        assert {card for card in marks if marks[card] == NEARLY} == near - whole
    longer = [set(name.split("-")) for name in ROW_OF if name.count("-") > 2 and "JK" not in name]
    for meld in longer:  # so that longer melds need no look of their own
        assert any(triple <= meld for triple in triples)
        parts = [set(part) for part in combinations(meld, 3) if set(part) in triples]
        assert set().union(*parts) == meld


def test_cards_for_the_table_and_captures_are_marked():
    match = go(
        new_match(seed=3, opening_points=25),
        until=lambda match: match.my_turn and any(verb_of(m) == "add" for m in match.moves()),
    )
    adds = {card for move in match.moves() if verb_of(move) == "add" for card in cards_of(move)}
    assert adds == {card for card, mark in match.marks().items() if "+" in mark} and adds
    match = new_match("xeri")
    seen = set()
    while not match.over:
        if not match.my_turn:
            match.play(match.think())
            continue
        pile = match.scene().piles[0].cards
        captures = {
            card for card in match.hand() if pile and (card[0] == "J" or card[0] == pile[-1][0])
        }
        assert set(match.marks()) == captures
        seen |= captures
        match.choose(as_greedy(match))
    assert seen


# Nothing hidden is told.


@pytest.mark.parametrize("game", GAMES)
def test_what_the_person_is_told_does_not_depend_on_hidden_cards(game):
    rng = random.Random(6)
    rules = {"opening_points": 25} if game == "xabitha" else {}
    match = new_match(game, seed=3, seat=1, **rules)
    checked = 0

    def shown() -> list:
        return [match.scene(), match.moves(), match.marks(), match.draft_note()]

    while not match.over:
        kept, told = match.engine.get_state(), shown()
        for _ in range(2):
            match.engine.set_state(RESAMPLED[game](rng, kept, match.seat))
            assert shown() == told
            checked += 1
        match.engine.set_state(kept)
        if match.my_turn:
            match.choose(as_greedy(match))
        else:
            match.play(match.think())
    assert checked > 50


def hide(record, seat):
    """The record with all that a seat does not know put in its most boring form."""
    hidden = json.loads(json.dumps(record))
    for entry in hidden["rounds"]:
        entry["deal"] = {"hands": [[]] * 4}
        for event in entry["events"]:
            if event["seat"] != seat and event["move"] == "draw:deck" and "drawn" in event:
                event["drawn"] = "2C"
            if event["seat"] != seat and event["move"].startswith("declare"):
                event["move"] = "declare:no"
            if "reshuffled" in event:
                event["reshuffled"] = []
    return hidden


@pytest.mark.parametrize("seat", range(4))
def test_the_story_tells_no_secret(seat):
    """Hidden draws, answers and reshuffles are not told, and staged melds only when they lie."""
    match = go(new_match(seed=7, seat=seat, opening_points=25), at_random(random.Random(1)))
    story = tell_record(match.record, seat)[1]
    assert story == match.story == tell_record(hide(match.record, seat), seat)[1]
    assert story != tell_record(match.record, None)[1]
    entry = match.record["rounds"][0]
    openings = [place for place, event in enumerate(entry["events"]) if event["move"] == "open"]
    assert openings
    for place in openings:
        begun = place
        while entry["events"][begun - 1]["move"].startswith("meld"):
            begun -= 1
        told = [
            tell_record({**match.record, "rounds": [{**entry, "events": entry["events"][:end]}]}, 9)
            for end in (begun, place, place + 1)
        ]
        before, staged, laid = (lines[:-2] for _, lines in told)
        assert begun < place and before == staged and len(laid) == len(staged) + 1


@pytest.mark.parametrize(
    ("seat", "reason", "first"),
    [
        (0, "normal", "Seat 3 goes out."),
        (3, "normal", "You go out."),
        (0, "xabitha", "Seat 3 wins by a formation."),
        (3, "xabitha", "You win by a formation."),
        (None, "cancelled", "The round is cancelled: nobody scores."),
    ],
)
def test_the_end_of_a_round_is_told(seat, reason, first):
    winner = None if reason == "cancelled" else 3
    result = {"reason": reason, "winner": winner, "penalties": [100, 0, 19, 0]}
    lines = Teller(seat).result("xabitha", result)
    assert lines[0] == first
    if winner is not None:
        who = "you" if seat == 0 else "seat 0"
        assert lines[1].startswith(f"Penalties: {who} 100, seat 1 0")
