"""Save files: a continued match is the same match, and anything else is refused."""

from __future__ import annotations

import base64
import json
import random

import pytest

from tests.terminal.driving import at_random, go, may_open, new_match
from xabitha_env.games import GAMES
from xabitha_env.record import verify_record
from xabitha_env.terminal.match import Match
from xabitha_env.terminal.moves import verb_of
from xabitha_env.terminal.saving import load_match, save_match


def steady(match: Match) -> str:
    """A choice that depends on the position alone."""
    moves = match.moves()
    return random.Random(f"{match.position} {moves}").choice(moves)


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("players", ["random", "expert,random", "search?worlds=2"])
def test_a_continued_match_is_the_uninterrupted_one(tmp_path, game, players):
    rules = {"max_turns": 40} if game == "xabitha" else {}
    path = tmp_path / "match.json"
    whole = go(new_match(game, seed=8, seat=2, players=players, **rules), steady)
    for stop in (0, 3, 20, 41):
        part = go(
            new_match(game, seed=8, seat=2, players=players, **rules),
            steady,
            lambda match, stop=stop: match.played >= stop,
        )
        save_match(path, part)
        again = load_match(path)
        assert again.story == part.story and again.record == part.record
        assert again.position[0] == part.position[0]
        go(again, steady)
        assert again.record == whole.record and again.story == whole.story
    assert verify_record(whole.record) is None


def test_a_save_while_a_player_thinks_is_that_of_before(tmp_path):
    """Thinking draws on the engine's generator; the save file must not know."""
    match = go(new_match(players="random", seed=1), until=lambda match: not match.my_turn)
    save_match(tmp_path / "before", match)
    match.think()
    save_match(tmp_path / "after", match)
    assert (tmp_path / "before").read_bytes() == (tmp_path / "after").read_bytes()


def test_a_draft_is_not_saved(tmp_path):
    match = go(new_match(seed=3, opening_points=25), until=may_open)
    match.choose(next(move for move in match.moves() if verb_of(move) == "meld"))
    save_match(tmp_path / "m.json", match)
    again = load_match(tmp_path / "m.json")
    assert not again.drafting and may_open(again)


def test_a_finished_match_is_saved_too(tmp_path):
    match = go(new_match("xeri"))
    save_match(tmp_path / "m.json", match)
    again = load_match(tmp_path / "m.json")
    assert again.over and again.summary() == match.summary()


class Forgetful:
    """A player that counts its decisions, in a way that is given."""

    name = "counting"

    def __init__(self, form) -> None:
        self.form, self.count = form, 0

    def reset(self, engine, seed):
        self.count = 0

    def act(self, view):
        self.count += 1
        places = [self.count % int(count) for count in view.legal_count]
        return [int(row[place]) for row, place in zip(view.legal, places, strict=True)]

    def get_state(self):
        return {"json": {"count": self.count}, "object": object(), "tuple": (self.count,)}[
            self.form
        ]

    def set_state(self, state):
        self.count = state["count"]


SPEC = "tests.terminal.test_saving:Forgetful?form="


def test_what_players_remember_is_kept(tmp_path):
    whole = go(new_match("xeri", players=SPEC + "json"), steady)
    part = go(new_match("xeri", players=SPEC + "json"), steady, lambda match: match.played >= 17)
    save_match(tmp_path / "m.json", part)
    assert go(load_match(tmp_path / "m.json"), steady).record == whole.record


@pytest.mark.parametrize("form", ["object", "tuple"])
def test_players_that_json_cannot_hold_are_named(tmp_path, form):
    match = new_match("xeri", players=SPEC + form)
    with pytest.raises(ValueError, match=r"player 'counting' in seat 1 remembers what JSON"):
        save_match(tmp_path / "m.json", match)
    assert not list(tmp_path.iterdir())


def damaged(content: dict, what: str) -> str:
    state, record = content["state"], content["record"]
    data = base64.b64decode(state["data"])
    events = record["rounds"][0]["events"]
    match what:
        case "format":
            content["format"] = "other"
        case "version":
            content["version"] = 2
        case "game":
            content["game"] = "whist"
        case "rules":
            content["rules"]["num_rounds"] = 0
        case "seat":
            content["seat"] = 4
        case "players":
            content["players"] = ["nobody"]
        case "memory":
            content["memory"] = [None]
        case "no memory":
            del content["memory"]
        case "type":
            state["type"] = "0" * 16
        case "short":
            state["data"] = base64.b64encode(data[:-1]).decode()
        case "base64":
            state["data"] = "?" + state["data"]
        case "impossible":
            state["data"] = base64.b64encode(b"\xff" * len(data)).decode()
        case "record":
            events[0]["seat"] = (events[0]["seat"] + 1) % 4
        case "story":
            events.pop()
        case "list":
            return "[]"
    return json.dumps(content)


@pytest.mark.parametrize(
    ("what", "message"),
    [
        ("format", "its format is not 'xabitha-match'"),
        ("version", "version 2 is not known"),
        ("game", "game must be one of xabitha, xeri, not 'whist'"),
        ("rules", "num_rounds must be"),
        ("seat", "seat 4"),
        ("players", "no player 'nobody'"),
        ("memory", "4 states"),
        ("no memory", "'memory' is missing"),
        ("type", "another version"),
        ("short", "damaged"),
        ("base64", "damaged: no base64"),
        ("impossible", "."),
        ("record", r"breaks the rules at rounds\[0\].events\[0\].seat"),
        ("story", "does not lead to its state"),
        ("list", "no saved match"),
    ],
)
@pytest.mark.parametrize("game", GAMES)
def test_damaged_files_are_told_in_one_line(tmp_path, game, what, message):
    path = tmp_path / "m.json"
    save_match(path, go(new_match(game), at_random(random.Random(1)), lambda m: m.played >= 12))
    path.write_text(damaged(json.loads(path.read_text()), what))
    with pytest.raises(ValueError, match=message) as caught:
        load_match(path)
    assert "\n" not in str(caught.value) and str(path) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"null"])
def test_foreign_files(tmp_path, content):
    path = tmp_path / "m.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match="no saved match"):
        load_match(path)
    with pytest.raises(OSError, match="cannot read"):
        load_match(tmp_path / "missing.json")
