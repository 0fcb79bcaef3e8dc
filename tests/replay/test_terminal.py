"""Stepping through a match in the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import OptionList, Static

from xabitha_env.record import write_records
from xabitha_env.replay import Replay, list_matches, read_match, replay
from xabitha_env.terminal.replay import MatchList, ReplayApp, Source
from xabitha_env.terminal.table import TableView, table_content

Script = Callable[[ReplayApp, Pilot[Any]], Awaitable[None]]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory, records: dict[str, Any]) -> Source:
    path = Path(tmp_path_factory.mktemp("records")) / "games.jsonl"
    write_records(path, [records[kind] for kind in ("xabitha", "xeri", "formation")])
    with path.open("a") as lines:
        lines.write("{}\n")
    return Source(lambda number: replay(read_match(path, number)), partial(list_matches, path))


def run(source: Source, match: Replay, script: Script, number: int = 1, index: int = 0) -> None:
    """Run the program in a terminal of the usual size, and a script of keys in it."""

    async def drive() -> None:
        app = ReplayApp(source, number, match, index, letters=True)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await pilot.pause()
            await script(app, pilot)

    asyncio.run(drive())


def _text(app: ReplayApp, name: str) -> str:
    return str(app.query_one(f"#{name}", Static).content)


def _table(app: ReplayApp) -> str:
    return str(app.query_one(TableView).content)


def test_stepping_shows_each_frame(source, matches):
    match = matches["xabitha"]

    async def script(app, pilot):
        for keys, index in ((("right",), 41), (("left", "left"), 39), (("end",), -1),
                            (("right",), -1), (("home",), 0), (("left",), 0)):  # fmt: skip
            await pilot.press(*keys)
            frame = match.frames[index]
            assert app.frame is frame
            assert _text(app, "event").startswith(f"{frame.place}  {frame.told.words}")
            wanted = table_content(frame.scene, match.agents, letters=True)
            assert _table(app) == str(wanted)
            assert f"frame {index % len(match.frames) + 1} of {len(match.frames)}" in _text(
                app, "state"
            )

    run(source, match, script, index=40)


def test_jumps_go_where_the_frames_say(source, matches):
    match = matches["xabitha"]
    openings, swings = match.marked("opening"), match.swings()

    async def script(app, pilot):
        for opening in openings:
            await pilot.press("o")
            assert app.index == opening
        await pilot.press("o", "f")
        assert app.index == openings[-1]
        await pilot.press("home")
        for swing in [*swings, swings[0]]:
            await pilot.press("w")
            assert app.index == swing
        await pilot.press("home", "n")
        assert app.index == match.find(2)
        await pilot.press("right", "p")
        assert app.index == match.find(2)
        await pilot.press("p")
        assert app.index == 0
        await pilot.press("p", "n", "n", "n")
        assert app.index == len(match.frames) - 1

    run(source, match, script)


@pytest.mark.parametrize(("kind", "keys"), [
    ("long", {"s": "steal", "o": "opening"}),
    ("formation", {"f": "formation"}),
    ("xeri", {"x": "xeri", "c": "capture"}),
])  # fmt: skip
def test_each_game_has_its_own_jumps(source, matches, kind, keys):
    match = matches[kind]

    async def script(app, pilot):
        for key, mark in keys.items():
            await pilot.press("home", key)
            assert app.index == match.marked(mark)[0], mark
            assert f"* {mark}" in _text(app, "event") or f", {mark}" in _text(app, "event")
        other = "x" if match.game == "xabitha" else "o"
        await pilot.press("home", other)
        assert app.index == 0

    run(source, match, script)


def test_hands_are_hidden_by_seat_with_what_they_tell(source, matches):
    match = matches["xabitha"]
    index = next(index for index, frame in enumerate(match.frames)
                 if frame.told.move == "draw:deck" and frame.seat == 1)  # fmt: skip
    frame = match.frames[index]

    async def script(app, pilot):
        cards = " ".join(frame.scene.seats[1].hand.cards)
        assert cards in _table(app) and "legal: " in _text(app, "legal")
        assert "round stands at" in _text(app, "event")
        await pilot.press("1")
        assert cards not in _table(app) and "15 cards" in _table(app)
        assert " ".join(frame.scene.seats[2].hand.cards) in _table(app)
        assert "Seat 1 draws a card from the deck" in _text(app, "event")
        assert _text(app, "legal") == "" and "stands at" not in _text(app, "event")
        assert "hidden: 1" in _text(app, "state")
        await pilot.press("w")
        assert app.index == index
        await pilot.press("1")
        assert cards in _table(app) and "legal: " in _text(app, "legal")

    run(source, match, script, index=index)


def test_playing_goes_on_by_itself(source, matches):
    match = matches["xeri"]

    async def script(app, pilot):
        await pilot.press("plus", "plus", "plus")
        assert "paused, 10 a second" in _text(app, "state")
        await pilot.press("space")
        assert app.playing and "playing" in _text(app, "state")
        for _ in range(100):
            await pilot.pause(0.05)
            if not app.playing:
                break
        assert app.index == len(match.frames) - 1 and not app.playing  # stops at the end
        await pilot.press(*["minus"] * 5, "space")
        assert app.index == 0 and app.playing  # and starts again
        await pilot.press("space")
        assert not app.playing and "paused, 0.5 a second" in _text(app, "state")

    run(source, match, script, number=2, index=len(match.frames) - 4)


def test_another_match_is_chosen_from_the_list(source, matches):
    async def script(app, pilot):
        await pilot.press("m")
        await _until(pilot, lambda: _options(app) == 4)
        shown = app.screen.query_one(OptionList)
        assert shown.highlighted == 0
        assert "expert + expert against greedy + greedy" in str(shown.get_option("2").prompt)
        assert "line 4: format: missing" in str(shown.get_option("4").prompt)
        await pilot.press("right", "space", "w")  # keys of the table below
        assert app.index == 5 and not app.playing
        await pilot.press("down", "enter")
        await _until(pilot, lambda: app.number == 2)
        assert app.match == matches["xeri"] and app.index == 0
        assert "match 2" in _text(app, "state")
        await pilot.press("m")
        await _until(pilot, lambda: _options(app) == 4)
        await pilot.press("escape")
        assert app.number == 2 and len(app.screen_stack) == 1
        await pilot.press("m")
        await _until(pilot, lambda: _options(app) == 4)
        await pilot.press("end", "enter")  # no record: is told, and nothing changes
        await _until(pilot, lambda: bool(app.screen.query("Toast")))
        assert app.number == 2

    run(source, matches["xabitha"], script, index=5)


def _options(app: ReplayApp) -> int:
    return app.screen.query_one(OptionList).option_count if isinstance(app.screen, MatchList) else 0


async def _until(pilot: Pilot[Any], reached: Callable[[], bool]) -> None:
    for _ in range(200):
        if reached():
            return
        await pilot.pause(0.02)
    raise AssertionError("did not come about")


def test_keys_are_listed(source, matches):
    async def script(app, pilot):
        await pilot.press("question_mark")
        await pilot.pause()
        assert app.screen.query("HelpPanel")
        await pilot.press("question_mark")
        await pilot.pause()
        assert not app.screen.query("HelpPanel")

    run(source, matches["xabitha"], script)


def test_names_are_no_markup(source, records):
    record = records["xeri"] | {"agents": ["[red]x[/]", "[", "[/nothing]", "ok"]}

    async def script(app, pilot):
        assert "[red]x[/]" in _text(app, "heading") and "[/nothing]" in _table(app)

    run(source, replay(record), script)
