"""The screen: whole matches by keys and mouse, and what is shown on it."""

from __future__ import annotations

import asyncio
import json
import random
import threading
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np
import pytest
from textual.app import App, ComposeResult
from textual.pilot import Pilot

from tests.terminal.driving import (
    app_of,
    as_greedy,
    go,
    may_open,
    new_match,
    screen_text,
    settle,
)
from tests.terminal.test_match import RESAMPLED
from xabitha_env.games import GAMES
from xabitha_env.players import Agent
from xabitha_env.record import verify_file
from xabitha_env.terminal.app import PlayApp
from xabitha_env.terminal.board import Board
from xabitha_env.terminal.match import Match
from xabitha_env.terminal.moves import cards_of, verb_of
from xabitha_env.terminal.saving import load_match
from xabitha_env.terminal.screens import QuestionScreen, TextScreen

Script = Callable[[Pilot[Any]], Awaitable[None]]
KEYS = {"draw:deck": "d", "draw:fire": "f", "open": "o", "formation": "x"}


def run(app: App[Any], script: Script, size: tuple[int, int] = (80, 24)) -> None:
    """Run a program on a screen of this size."""

    async def whole() -> None:
        async with app.run_test(size=size) as pilot:
            if isinstance(app, PlayApp):
                await settle(pilot)
            await script(pilot)

    asyncio.run(whole())


def of(pilot: Pilot[Any]) -> PlayApp:
    assert isinstance(pilot.app, PlayApp)
    return pilot.app


async def pick(pilot: Pilot[Any], cards: tuple[str, ...]) -> None:
    """Pick cards with the keys of the hand."""
    hand = of(pilot).board.hand
    left = Counter(cards)
    if hand.picked:
        await pilot.press("escape")
    for place, card in enumerate(hand.cards):
        if left[card]:
            left[card] -= 1
            by = place - hand.cursor
            await pilot.press(*["right" if by > 0 else "left"] * abs(by), "space")
    assert sorted(hand.picked) == sorted(cards)


async def make(pilot: Pilot[Any], move: str) -> None:
    """Make a move by keys: its own one, or cards that are picked and a choice in the list."""
    app, match = of(pilot), of(pilot).match
    before = match.position
    if move.startswith("declare"):
        await pilot.press(move.partition(":")[2][0])
    elif move in KEYS:
        await pilot.press(KEYS[move])
    else:
        await pick(pilot, cards_of(move))
        await pilot.press("enter")
        if match.position == before:  # several moves fit
            assert app.focused is app.board.listed and move in app.board.offered
            await pilot.press(*["down"] * app.board.offered.index(move), "enter")
    assert match.position != before
    await settle(pilot)


@pytest.mark.parametrize("game", GAMES)
def test_a_whole_match_by_keys(game, tmp_path):
    """An opening is drafted on the way, and the written record verifies."""
    record = tmp_path / "match.jsonl"
    rules = {"opening_points": 25} if game == "xabitha" else {}
    match = new_match(game, seed=26, **rules)
    app = app_of(match, record_path=record)
    drafts = 0

    async def script(pilot: Pilot[Any]) -> None:
        nonlocal drafts
        while not match.over:
            if isinstance(app.screen, TextScreen):
                assert "enter: go on" in screen_text(app)
                await pilot.press("enter")
            else:
                await make(pilot, as_greedy(match))
            await settle(pilot)
            drafts += match.drafting
        assert match.summary()[-1] in screen_text(app)
        await pilot.press("enter")
        await pilot.pause()
        assert "the match is over" in screen_text(app)
        await pilot.press("q")

    run(app, script)
    assert [problem for _, problem in verify_file(record)] == [None]
    assert json.loads(record.read_text())["result"] == match.record["result"] is not None
    assert drafts or game == "xeri"


def test_a_round_ends_with_a_summary_and_the_next_begins():
    match = go(
        new_match("xeri", seed=2, num_rounds=2),
        until=lambda match: match.my_turn and len(match.hand()) == 1 and match.played > 40,
    )
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")  # the card under the cursor, the last one
        while not isinstance(app.screen, TextScreen):
            await app.workers.wait_for_complete()
            await pilot.pause()
        seen = screen_text(app)
        assert "The round is over" in seen and "wins the match" not in seen
        await pilot.press("enter")
        await settle(pilot)
        assert match.my_turn and len(match.hand()) == 6
        assert "round 2 of 2" in screen_text(app)

    run(app, script)


def test_by_mouse():
    """A card is picked by a click, and a move chosen by another."""
    match = new_match("xeri", seed=5, seat=1)
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        first, second = app.board.hand.cards[:2]
        await pilot.click("#hand", offset=(7, 0))
        assert app.board.hand.picked == [second]
        assert app.board.offered == [f"play:{second}"]
        await pilot.click("#hand", offset=(7, 1))
        assert app.board.hand.picked == []
        await pilot.click("#hand", offset=(2, 0))
        assert "^" in screen_text(app) and f"play:{first}" in screen_text(app)
        await pilot.click("#moves", offset=(2, 0))
        await settle(pilot)
        assert match.record["rounds"][0]["events"][0] == {"seat": 1, "move": f"play:{first}"}
        assert match.played >= 4

    run(app, script)


def test_an_opening_is_drafted_taken_back_and_committed():
    match = go(new_match(seed=3, opening_points=25), until=may_open)
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        events = match.played
        meld = next(move for move in match.moves() if verb_of(move) == "meld")
        await pick(pilot, cards_of(meld))
        assert f"picked {len(cards_of(meld))}: a " in screen_text(app)
        await make(pilot, meld)
        assert "staged: " + meld.partition(":")[2] in screen_text(app)
        assert "of 25" in screen_text(app)
        await pilot.press("u")
        assert "staged" not in screen_text(app) and match.played == events
        while "open" not in match.moves():
            await make(pilot, next(m for m in match.moves() if verb_of(m) == "meld"))
        await pilot.press("o")
        assert "  down" in screen_text(app) and match.played > events + 1
        assert any(line.startswith("You open with") for line in match.story)

    run(app, script)


def test_an_illegal_move_that_is_typed_is_refused_in_the_rules_words():
    match = go(new_match(seed=3), until=lambda match: match.my_turn and match.played > 8)
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("colon", *"meld:ks-as-2s", "enter")
        await pilot.pause()
        assert "meld:KS-AS-2S" in screen_text(app) and "X5: Melds" in screen_text(app)
        await pilot.press("enter")
        assert not isinstance(app.screen, TextScreen)
        await pilot.press("o")  # a key for a move that is not legal
        await pilot.pause()
        assert "X4.1: A turn" in screen_text(app) and "legal: draw:deck" in screen_text(app)
        await pilot.press("escape")
        await pilot.press("colon", *"draw:deck", "enter")
        assert match.moves() and match.story[-1].startswith("You draw")
        await pilot.press("colon", *"disc", "escape")  # nothing is typed after all
        assert not app.board.prompt.display

    run(app, script)


def test_the_time_to_declare_ends():
    match = new_match(seed=3, seat=3)
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        assert match.seconds_to_answer() == 10
        app.deadline -= 6.5
        app.look_at_time()
        await pilot.pause()
        assert "Xabitha mode? y or n: 4 s left" in screen_text(app)
        await pilot.press("question_mark")  # it runs on meanwhile
        app.deadline -= 4
        app.look_at_time()
        answer = {"seat": 3, "move": "declare:no"}
        assert answer in match.record["rounds"][0]["events"]
        await pilot.press("escape")
        await settle(pilot)
        assert "s left" not in screen_text(app) and match.seconds_to_answer() is None

    run(app, script)


def test_the_time_runs_by_itself():
    match = new_match(seed=3, seat=3, declare_seconds=1)
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        asked = match.played
        await pilot.pause(1.5)
        assert match.record["rounds"][0]["events"][asked]["move"] == "declare:no"

    run(app, script)


def test_a_yes_stays_a_secret_of_ones_own():
    match = new_match(seed=3, seat=3)

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("y")
        await settle(pilot)
        assert match.scene().seats[3].secret == "Xabitha mode"
        assert "Xabitha mode" in screen_text(pilot.app)

    run(app_of(match), script)


# Hints.


def test_a_hint_with_its_reasons():
    match = go(new_match(seed=3), until=lambda match: match.my_turn and match.played > 8)
    app = app_of(match, "search?worlds=8")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("d", "h")
        await app.workers.wait_for_complete()
        await pilot.pause()
        seen = screen_text(app)
        assert "search?worlds=8: discard:" in seen and "in points a round" in seen
        assert seen.count("+-") >= 2

    run(app, script)


def test_a_hint_of_an_agent_without_reasons_is_its_choice():
    match = go(new_match("xeri"), until=lambda match: match.my_turn)
    app = app_of(match, "expert")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("h")
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert "expert: play:" in screen_text(app)

    run(app, script)


class Slow(Agent):
    """A player that waits until it is told to answer."""

    name = "slow"

    def __init__(self) -> None:
        self.go = threading.Event()

    def act(self, view: Any) -> Any:
        assert self.go.wait(20)
        return view.legal[:, 0].astype(np.int64)


@pytest.mark.parametrize("moves_on", [True, False])
def test_the_screen_does_not_wait_and_late_hints_are_dropped(moves_on):
    match = go(new_match(seed=3), until=lambda match: match.my_turn and match.played > 8)
    app, slow = app_of(match), Slow()
    app.adviser, app.advised_by = slow, "slow"

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("h")
        await pilot.pause()
        assert "slow thinks ..." in screen_text(app)
        if moves_on:  # the keys work meanwhile
            await pilot.press("d")
            assert match.story[-1].startswith("You draw")
        slow.go.set()
        await app.workers.wait_for_complete()
        await pilot.pause()
        assert ("slow: draw:deck" in screen_text(app)) is not moves_on

    run(app, script)


def test_a_player_that_fails_is_told():
    match = new_match("xeri", players="tests.terminal.test_app:Failing")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.pause()
        assert "the match cannot go on" in screen_text(pilot.app)

    async def whole() -> None:
        app = app_of(match)
        async with app.run_test(size=(80, 24)) as pilot:
            await pilot.pause(0.5)
            await script(pilot)

    asyncio.run(whole())


class Failing(Agent):
    """A player that cannot play."""

    name = "failing"

    def act(self, view: Any) -> Any:
        raise KeyError("no idea")


# Files.


def test_saving_by_key_and_on_quitting(tmp_path):
    path = tmp_path / "match.json"
    whole = go(new_match("xeri", seed=9))
    app = app_of(new_match("xeri", seed=9))

    async def by_key(pilot: Pilot[Any]) -> None:
        await make(pilot, as_greedy(of(pilot).match))
        await pilot.press("ctrl+s")
        app.board.prompt.value = str(path)
        await pilot.press("enter")
        assert "saved: xabitha play --continue" in screen_text(app)
        await make(pilot, as_greedy(of(pilot).match))
        await pilot.press("q")

    run(app, by_key)
    again = load_match(path)
    assert again.record == app.match.record and 4 < again.played < 48
    assert go(again).record == whole.record


def test_a_file_that_is_there_is_not_written_over(tmp_path):
    (tmp_path / "other").write_text("mine")
    app = app_of(new_match("xeri"))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("ctrl+s")
        app.board.prompt.value = str(tmp_path / "other")
        await pilot.press("enter")
        await pilot.pause()
        assert "there already" in " ".join(screen_text(app).split())
        assert app.keeping.save_path is None

    run(app, script)
    assert (tmp_path / "other").read_text() == "mine"


def test_quitting_without_a_file_asks():
    app = app_of(new_match("xeri"))

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(app.screen, QuestionScreen) and "not saved" in screen_text(app)
        await pilot.press("n")
        assert app.is_running and not isinstance(app.screen, QuestionScreen)
        await pilot.press("q")
        await pilot.pause()
        await pilot.press("y")

    run(app, script)
    assert not app.keeping.saved


def test_quitting_when_the_file_cannot_be_written_asks(tmp_path):
    app = app_of(new_match("xeri"), save_path=tmp_path / "gone" / "match.json")

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("q")
        await pilot.pause()
        assert isinstance(app.screen, QuestionScreen)
        await pilot.press("n")
        await pilot.pause()
        assert "cannot write" in " ".join(screen_text(app).split())

    run(app, script)


# What is shown.


class BoardApp(App[None]):
    """The board of a match that stands still."""

    def __init__(self, match: Match) -> None:
        super().__init__()
        self.board = Board(match, letters=True)

    def compose(self) -> ComposeResult:
        yield self.board


@pytest.mark.parametrize("game", GAMES)
def test_the_screen_shows_nothing_hidden(game):
    """It stays the same when all that the seat cannot know is dealt anew."""
    rng = random.Random(1)
    rules = {"opening_points": 25} if game == "xabitha" else {}
    match = new_match(game, seed=3, seat=1, **rules)
    app = BoardApp(match)
    hands = set()

    async def seen(pilot: Pilot[Any]) -> str:
        app.board.show()
        for _ in range(2):  # panels that grow are laid out anew
            await pilot.pause()
        return screen_text(app)

    async def script(pilot: Pilot[Any]) -> None:
        for stop in range(2, 40, 3):
            go(match, until=lambda match, stop=stop: match.played >= stop)
            kept = match.engine.get_state()
            own = await seen(pilot)
            for _ in range(2):
                match.engine.set_state(RESAMPLED[game](rng, kept, 1))
                hands.add(match.engine.render())
                assert await seen(pilot) == own
            match.engine.set_state(kept)

    run(app, script)
    assert len(hands) > 20


def test_what_a_round_looks_like():
    """Counts, thresholds, scores, deck, fire and melds are on a screen of 80 x 24."""
    match = go(
        new_match(seed=3, opening_points=25),
        until=lambda match: match.my_turn and len(match.scene().melds) >= 6,
    )
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        seen, scene = screen_text(app), match.scene()
        assert "penalties 0 : 0" in seen and scene.place in seen
        for pile in scene.piles:
            assert f"{pile.name} ({pile.count})" in seen
        for seat in scene.seats:
            assert f"{seat.hand.count:2} cards  {seat.status}" in seen
        for meld in scene.melds:
            assert f"{meld.name.split()[1]}:{'-'.join(meld.cards)}" in seen
        for card in match.hand():
            assert card in seen
        assert match.story[-1].split()[-1] in seen and app.board.max_scroll_y == 0
        assert seen.isascii()
        await pilot.press("s")
        ranks = [card[0] for card in app.board.hand.cards]
        assert ranks == sorted(ranks, key="A23456789TJQK".index) and "by rank" in screen_text(app)
        await pilot.press("question_mark")
        await pilot.pause()
        assert "take the top of the fire pile" in screen_text(app)
        await pilot.press("escape", "r")
        await pilot.pause()
        assert "Xabitha" in screen_text(app) and isinstance(app.screen, TextScreen)
        await pilot.press("pagedown", "down", "up", "pageup", "escape")
        assert not isinstance(app.screen, TextScreen)
        await pilot.press("comma", "full_stop", "pageup", "pagedown")

    run(app, script)


@pytest.mark.parametrize("size", [(40, 15), (20, 8), (200, 60)])
def test_other_sizes(size):
    """On a small screen everything is reached by scrolling."""
    match = go(new_match(seed=3, opening_points=25), until=may_open)
    app = app_of(match)

    async def script(pilot: Pilot[Any]) -> None:
        board, hand = app.board, app.board.hand
        assert (board.max_scroll_y > 0) == (size[0] < 70)
        if size == (40, 15):
            assert hand.cards[0] in screen_text(app)  # the hand is in sight
        await pilot.press("end")
        await pilot.pause()
        cursor = hand.region.y + 2 * (hand.cursor // max(1, hand.size.width // 5))
        assert board.region.y <= cursor < board.region.bottom
        await pilot.press("home", "down", "up", "pageup", "pageup", "pageup", "pageup")
        await pilot.pause()
        assert "round 1" in screen_text(app)
        await make(pilot, next(move for move in match.moves() if verb_of(move) == "meld"))
        assert match.drafting
        await pilot.press("question_mark", "pagedown", "escape")

    run(app, script, size)


def test_without_colour(monkeypatch):
    """NO_COLOR leaves no colour, and the marks say the same."""
    monkeypatch.setenv("NO_COLOR", "1")
    match = go(new_match(seed=3, opening_points=25), until=may_open)
    app = app_of(match)
    assert app.no_color

    async def script(pilot: Pilot[Any]) -> None:
        await pilot.press("home", "space")
        seen = screen_text(app)
        assert "=" in seen and "[" in seen and " ^" in seen and "> seat 0" in seen
        for strip in app.screen._compositor.render_strips():
            for segment in strip.apply_filter(app._filters[0], app.screen.background_colors[1]):
                for color in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    assert color is None or len(set(color.get_truecolor())) == 1

    run(app, script)


@pytest.mark.parametrize("letters", [True, False])
def test_suits_are_letters_where_there_are_no_symbols(letters):
    match = go(new_match("xeri"), until=lambda match: match.my_turn)
    app = app_of(match)
    app.board.letters = app.board.hand.letters = app.board._table.letters = letters

    async def script(pilot: Pilot[Any]) -> None:
        app.board.show()
        await pilot.pause()
        assert screen_text(app).isascii() is letters

    run(app, script)
