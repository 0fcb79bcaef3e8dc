"""Frames: the table after each event, what happened, and what it brought."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest

from xabitha_env.games import make_engine, make_rules
from xabitha_env.record import FieldError, record_matches, verify_record
from xabitha_env.replay import RecordDiffers, replay
from xabitha_env.replay.frames import JUMPS, hide_hands
from xabitha_env.replay.text import replay_text
from xabitha_env.replay.words import tell, tell_public

KINDS = ("xabitha", "long", "formation", "xeri", "target")
PACKS = {"xabitha": 106, "xeri": 52}


def _events(record):
    """The record's event of each frame; None for a deal."""
    return [event for entry in record["rounds"] for event in (None, *entry["events"])]


def _count(scene):
    groups = [*scene.piles, *scene.melds, *(seat.hand for seat in scene.seats)]
    return sum(group.count for group in groups) + sum(
        meld.count for seat in scene.seats for meld in seat.staged
    )


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_a_frame_for_each_deal_and_event(records, matches, kind):
    record, match = records[kind], matches[kind]
    events = _events(record)
    assert len(match.frames) == len(events)
    for frame, event in zip(match.frames, events, strict=True):
        told = ("", None) if event is None else (event["move"], event["seat"])
        assert (frame.told.move, frame.seat) == told
        assert (frame.event == 0) == (event is None)
        legal = event and event.get("legal")
        assert frame.legal == (None if legal is None else tuple(legal))
        assert _count(frame.scene) == PACKS[match.game]
    places = [(frame.round, frame.event) for frame in match.frames]
    assert places == sorted(set(places)) and places[0] == (1, 0)
    assert [match.find(*place) for place in places] == list(range(len(places)))


@pytest.mark.parametrize("kind", KINDS)
def test_scenes_and_standings_are_the_engines(records, matches, kind):
    """Each round played again on an engine for the match, from its deals and moves alone."""
    record = records[kind]
    engine = make_engine(record["game"], rules=make_rules(record["game"], record["rules"]))
    engine.reset(seed=1)
    frames = iter(matches[kind].frames)
    for entry in record["rounds"]:
        engine.set_deal({name: entry[name] for name in entry if name not in ("events", "result")})
        dealt = next(frames)
        assert dealt.scene.seats == engine.scene().seats
        for event in entry["events"]:
            played = int(engine.rounds_played[0])
            engine.prepare_event(event)
            engine.step([engine.parse(event["move"])])
            frame = next(frames)
            if engine.rounds_played[0] == played:
                assert frame.scene == engine.scene()
                assert frame.standing == engine.standing()
    assert next(frames, None) is None


@pytest.mark.parametrize("kind", KINDS)
def test_a_round_ends_with_its_own_table(records, matches, kind):
    """Not with the cards that the engine has dealt for the next one by then."""
    record, match = records[kind], matches[kind]
    ends = match.marked("round end")
    assert [match.frames[index].round for index in ends] == list(range(1, len(ends) + 1))
    for index, entry in zip(ends, record["rounds"], strict=True):
        frame, before = match.frames[index], match.frames[index - 1]
        assert frame.standing == (0, 0)
        assert frame.scene.place.split(",")[0] == before.scene.place.split(",")[0]
        assert frame.scene.news.startswith("last round: ")
        for seat in range(4):
            if seat != frame.seat:
                assert frame.scene.seats[seat].hand == before.scene.seats[seat].hand
        if match.game == "xabitha" and entry["result"]["winner"] is not None:
            assert not frame.scene.seats[entry["result"]["winner"]].hand.count
    last = match.frames[-1]
    assert list(last.totals) == record["result"]["totals"]
    assert last.scene.actor is None and last.scene.doing.endswith("is over")


@pytest.mark.parametrize("kind", KINDS)
def test_swings_add_up(records, matches, kind):
    """All swings of a round bring the difference from its deal's standing to its result."""
    match = matches[kind]
    gain = -1 if match.game == "xabitha" else 1
    starts = [index for index, frame in enumerate(match.frames) if frame.event == 0]
    for start, end in zip(starts, match.marked("round end"), strict=True):
        lead = [gain * (first - second) for first, second in
                (match.frames[start].forecast, match.frames[end].forecast)]  # fmt: skip
        swings = [match.frames[index].swing for index in range(start + 1, end + 1)]
        assert sum(swings) == lead[1] - lead[0]
        assert match.frames[start].swing == 0
    largest = [abs(match.frames[index].swing) for index in match.swings(10)]
    rest = sorted((abs(frame.swing) for frame in match.frames), reverse=True)
    assert largest == [swing for swing in rest[:10] if swing]


def test_a_swing_favours_who_gains(matches):
    """Laying cards lowers the own penalties; a xeri brings points."""
    for kind in ("xabitha", "long"):
        match = matches[kind]
        for index in match.marked("opening"):
            frame = match.frames[index]
            assert frame.swing * (1 if frame.seat % 2 == 0 else -1) > 0
    for index in matches["xeri"].marked("xeri"):
        frame = matches["xeri"].frames[index]
        assert frame.swing * (1 if frame.seat % 2 == 0 else -1) >= 10


@pytest.mark.parametrize("kind", KINDS)
def test_marks_are_where_the_record_has_them(records, matches, kind):
    wanted = {
        "opening": lambda event: event["move"] == "open",
        "steal": lambda event: event["move"].startswith("steal:"),
        "formation": lambda event: event["move"] == "formation",
        "declaration": lambda event: event["move"] == "declare:yes",
        "undo": lambda event: "undo" in event,
        "reshuffle": lambda event: "reshuffled" in event,
        "capture": lambda event: "captured" in event,
        "xeri": lambda event: "xeri" in event,
    }
    for mark, found in wanted.items():
        where = [
            index for index, event in enumerate(_events(records[kind])) if event and found(event)
        ]
        assert matches[kind].marked(mark) == where, mark


def test_the_samples_have_all_marks(matches):
    seen = {mark for match in matches.values() for frame in match.frames for mark in frame.marks}
    assert seen == {
        *JUMPS["xabitha"],
        *JUMPS["xeri"],
        "declaration",
        "undo",
        "reshuffle",
        "round end",
    }


def test_a_match_cut_off(records):
    for kind in ("xabitha", "xeri"):
        record = copy.deepcopy(records[kind])
        record["result"] = record["rounds"][1]["result"] = None
        del record["rounds"][1]["events"][20:]
        match = replay(record)
        assert match.result == "" and match.frames[-1].place == "2:20"
        assert len(match.marked("round end")) == 1
        assert list(replay_text(match))[-1] == "\nthe match was cut off"


@pytest.mark.parametrize("game", ["xabitha", "xeri"])
def test_results_in_words(matches, game):
    wanted = {"xabitha": r"team [01] wins, penalties \d+ : \d+", "xeri": r".*, rounds won \d : \d"}
    assert re.fullmatch(wanted[game], matches[game].result)
    assert re.fullmatch(r"team [01] wins, points \d+ : \d+", matches["target"].result)


def test_a_record_that_departs_from_the_rules_is_refused(records):
    record = copy.deepcopy(records["xabitha"])
    record["rounds"][1]["events"][8]["seat"] = (record["rounds"][1]["events"][8]["seat"] + 1) % 4
    with pytest.raises(
        RecordDiffers, match=r"rounds\[1\].events\[8\].seat: record \d, rules \d"
    ) as error:
        replay(record)
    assert error.value.difference == verify_record(record)
    del record["rules"]
    with pytest.raises(FieldError, match="rules: missing"):
        replay(record)


def test_frames_that_are_not_there(matches):
    match = matches["xabitha"]
    with pytest.raises(ValueError, match="no round 3; there are 1 to 2"):
        match.find(3)
    with pytest.raises(ValueError, match=r"round 1 has no event 999; it has 1 to \d+"):
        match.find(1, 999)


def test_names_cannot_command_a_terminal(records):
    record = records["xeri"] | {"agents": ["a\x1b[2Jb", "tab\t", "ok", "\ud800"]}
    assert replay(record).agents == (r"a\x1b[2Jb", r"tab\t", "ok", r"\ud800")


# What is told, and to whom.


TOLD = [
    ({"move": "declare:yes"}, (), "declares Xabitha mode", "answers in secret"),
    ({"move": "declare:no"}, (), "plays in normal mode", "answers in secret"),
    (
        {"move": "draw:deck", "drawn": "TD"},
        (),
        "draws the ten of diamonds from the deck",
        "draws a card",
    ),
    ({"move": "draw:deck", "drawn": "JK"}, (), "draws a joker from the deck", "draws a card"),
    (
        {"move": "draw:deck", "drawn": "2C", "reshuffled": ["2C"]},
        (),
        "draws the two of clubs from the deck, made anew from the fire pile",
        "draws a card from the deck, made anew",
    ),
    ({"move": "draw:deck"}, (), "finds no card to draw: the round is cancelled", "finds no card"),
    (
        {"move": "draw:fire", "drawn": "AS"},
        (),
        "takes the ace of spades from the fire pile",
        "takes the ace",
    ),
    ({"move": "meld:4S-JK-6S"}, (), "lays 4S JK 6S", "lays 4S JK 6S"),
    ({"move": "meld:4S-JK-6S"}, ("4S JK 6S",), "stages 4S JK 6S for an opening", "plays on"),
    (
        {"move": "open"},
        ("4S 5S 6S", "KC KD KH"),
        "opens with 4S 5S 6S and KC KD KH",
        "opens with 4S",
    ),
    ({"move": "formation"}, (), "lays the formation", "lays the formation"),
    (
        {"move": "add:7S@3:high"},
        (),
        "adds the seven of spades to meld 3 at its high end",
        "adds the seven",
    ),
    ({"move": "add:JK@12"}, (), "adds a joker to meld 12", "adds a joker"),
    (
        {"move": "steal:5S@3"},
        (),
        "gives the five of spades for the joker of meld 3",
        "gives the five",
    ),
    ({"move": "discard:JK"}, (), "discards a joker", "discards a joker"),
    (
        {"move": "discard:QH", "undo": True},
        (),
        "puts the queen of hearts back on the fire pile",
        "puts the queen",
    ),
    ({"move": "play:3C"}, (), "plays the three of clubs", "plays the three"),
    (
        {"move": "play:JC", "captured": 5},
        (),
        "captures 5 cards with the jack of clubs",
        "captures 5",
    ),
    (
        {"move": "play:JC", "captured": 2, "xeri": 20},
        (),
        "jack of clubs: a xeri of 20 points",
        "a xeri",
    ),
]


@pytest.mark.parametrize(("event", "staged", "words", "public"), TOLD)
def test_events_in_words(event, staged, words, public):
    event = {"seat": 2, **event}
    told, shown = tell(event, staged), tell_public(event, staged)
    assert told.words.startswith("Seat 2 ") and words in told.words
    assert shown.words.startswith("Seat 2 ") and public in shown.words
    assert told.move == event["move"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_hidden_hand_takes_its_secrets_along(matches, kind):
    """Its cards, declaration, staged melds and legal moves, and what it draws from the deck."""
    for frame in matches[kind].frames:
        if frame.seat is None:
            continue
        hidden = (frame.seat,)
        seat = hide_hands(frame.scene, hidden).seats[frame.seat]
        assert not (seat.hand.cards or seat.staged or seat.secret)
        assert _count(hide_hands(frame.scene, range(4))) == _count(frame.scene)
        told = frame.told_to(hidden)
        secret = (
            frame.told.move in ("declare:yes", "declare:no") or frame.scene.seats[frame.seat].staged
        )
        assert (told.move != frame.told.move) == bool(secret)
        if frame.told.move == "draw:deck":
            drawn = "draws a card from the deck($|, made anew)"
            assert re.search(f"{drawn}|finds no card to draw", told.words)
        assert "declaration" not in frame.marks_to(hidden)
        assert frame.legal_to(hidden) is None and frame.legal_to() == frame.legal
        assert frame.told_to([(frame.seat + 1) % 4]) == frame.told


def test_text_has_every_scene_and_event(matches):
    match = matches["xabitha"]
    blocks = list(replay_text(match, 40))
    assert len(blocks) == len(match.frames) - 40 + 2
    for block, frame in zip(blocks[1:-1], match.frames[40:], strict=True):
        assert frame.scene.text() in block and frame.told.words in block
        assert f"[{frame.told.move}]" in block or not frame.told.move
        assert frame.legal is None or f"legal: {', '.join(frame.legal)}" in block
    assert blocks[0].startswith("xabitha, seed 3: seat 0 expert, seat 1 greedy")
    assert match.result in blocks[-1]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("game", "player"), [("xabitha", "random"), ("xeri", "greedy")])
def test_other_seeds(game: str, player: str, seed: int) -> None:
    record: dict[str, Any] = next(
        record_matches([player], [seed], game=game, rules={"num_rounds": 1})
    )
    match = replay(record)
    assert len(match.frames) == len(_events(record))
    assert all(_count(frame.scene) == PACKS[game] for frame in match.frames)
