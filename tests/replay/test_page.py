"""The page in a browser: it shows what the frames say, and asks for nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.replay.conftest import HOSTILE
from tools.replay_picture import BROWSERS, QUIET
from xabitha_env.replay import Replay, page_html, replay
from xabitha_env.replay.frames import JUMPS, Frame, hide_hands
from xabitha_env.replay.text import swing_text

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
BROWSER = next(filter(None, map(shutil.which, BROWSERS)), None)
pytestmark = pytest.mark.skipif(BROWSER is None, reason="no Chromium is installed")

Opener = Callable[..., Any]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=BROWSER, args=QUIET)
        yield started
        started.close()


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Opener]:
    """Open the page of a match; at the end, see that nothing was complained of or asked for."""
    said: list[str] = []
    asked: list[str] = []
    contexts = []

    def open_page(match: Replay, address: str = "", **options: Any) -> Any:
        path = tmp_path / "match.html"
        path.write_text(page_html(match), encoding="utf-8")
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: (said.append(dialog.message), dialog.dismiss()))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(path.as_uri() + address)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert said == []
    assert {url.partition("#")[0] for url in asked} <= {(tmp_path / "match.html").as_uri()}


READ = """() => {
  const cards = (part) =>
    [...part.querySelectorAll("[data-card]")].map((card) => card.dataset.card);
  const text = (id) => document.getElementById(id).textContent;
  return {
    words: text("event"), move: text("move"), place: text("place"), doing: text("doing"),
    news: text("news"), swing: text("swing"), marks: text("marks"),
    hands: [0, 1, 2, 3].map((seat) => cards(document.querySelector(`#seat-${seat} .hand`))),
    staged: [0, 1, 2, 3].map((seat) =>
      [...document.querySelectorAll(`#seat-${seat} .staged .cards`)].map(cards)),
    seats: [0, 1, 2, 3].map((seat) => document.querySelector(`#seat-${seat} .line`).textContent),
    piles: [...document.querySelectorAll(".pile")].map((part) =>
      [part.querySelector("p").textContent, cards(part).filter((card) => card !== "back")]),
    melds: [...document.querySelectorAll(".meld")].map((part) =>
      [part.querySelector("p").textContent, cards(part)]),
    scores: [...document.querySelectorAll("#scores tbody tr")].map((row) =>
      [...row.cells].slice(1).map((cell) => cell.textContent)),
    legal: [...document.querySelectorAll("#legal li")].map((item) => item.textContent),
    slider: Number(document.getElementById("slider").value),
  };
}"""


def _check(page: Any, match: Replay, index: int, hidden: tuple[int, ...] = ()) -> None:
    """Compare what the page shows with a frame."""
    frame, shown = match.frames[index], page.evaluate(READ)
    scene = hide_hands(frame.scene, hidden)
    told = frame.told_to(hidden)
    assert (shown["words"], shown["move"], shown["slider"]) == (told.words, told.move, index)
    for name in ("place", "doing", "news"):
        assert shown[name] == getattr(scene, name)
    for seat in scene.seats:
        backs = ["back"] * seat.hand.hidden
        assert shown["hands"][seat.seat] == [*backs, *seat.hand.cards]
        assert shown["staged"][seat.seat] == [list(meld.cards) for meld in seat.staged]
        line = shown["seats"][seat.seat]
        assert seat.status in line and ("Xabitha mode" in line) == bool(seat.secret)
    for (title, cards), pile in zip(shown["piles"], scene.piles, strict=True):
        assert title.startswith(f"{pile.name} ({pile.count})") and title.endswith(pile.note)
        assert cards == list(pile.cards)
    assert shown["melds"] == [[meld.name, list(meld.cards)] for meld in scene.melds]
    assert all(mark in shown["marks"] for mark in frame.marks_to(hidden))
    assert ("declaration" in shown["marks"]) == ("declaration" in frame.marks_to(hidden))
    _check_numbers(shown, frame, hidden)


def _check_numbers(shown: dict[str, Any], frame: Frame, hidden: tuple[int, ...]) -> None:
    stands = [["–", "–"]] * 2 if hidden else [
        [str(frame.standing[team]), str(frame.forecast[team])] for team in (0, 1)
    ]  # fmt: skip
    counted = [[str(score[team + 1]) for score in frame.scene.scores] for team in (0, 1)]
    assert shown["scores"] == [counted[team] + stands[team] for team in (0, 1)]
    assert shown["swing"] == ("" if hidden or not frame.swing else swing_text(frame.swing))
    if frame.seat in hidden:
        legal = [f"hidden with the hand of seat {frame.seat}"]
    else:
        legal = [f"✓ {move}" if move == frame.told.move else move for move in frame.legal or ()]
    assert shown["legal"] == legal


@pytest.mark.parametrize("kind", ["xabitha", "xeri", "formation"])
def test_every_step_shows_its_frame(opened, matches, kind):
    match = matches[kind]
    page = opened(match)
    last = len(match.frames) - 1
    _check(page, match, 0)
    for index in range(1, min(last, 40) + 1):
        page.click("#step")
        _check(page, match, index)
    for index in reversed(range(min(last, 40) - 8, min(last, 40))):
        page.keyboard.press("ArrowLeft")
        _check(page, match, index)
    page.keyboard.press("End")
    _check(page, match, last)
    page.click("#step")
    _check(page, match, last)
    page.keyboard.press("Home")
    _check(page, match, 0)
    page.click("#next-round")
    _check(page, match, match.find(2))
    page.click("#back-round")
    _check(page, match, 0)


@pytest.mark.parametrize("kind", ["xabitha", "long", "formation", "xeri"])
def test_jumps_lead_where_the_frames_say(opened, matches, kind):
    match = matches[kind]
    page = opened(match)
    lists = {mark: match.marked(mark) for mark in JUMPS[match.game]} | {"swing": match.swings()}
    lists["round"] = [index for index, frame in enumerate(match.frames) if frame.event == 0]
    page.evaluate("document.querySelectorAll('details').forEach((part) => { part.open = true; })")
    for mark, indices in lists.items():
        links = page.locator(f"#jump-{mark} a")
        assert links.count() == len(indices)
        for link in {0, len(indices) // 2, len(indices) - 1} & set(range(len(indices))):
            links.nth(link).click()
            _check(page, match, indices[link])
            assert links.nth(link).get_attribute("aria-current") == "true"
            assert page.locator("#jumps [aria-current]").count() >= 1


@pytest.mark.parametrize("kind", ["xabitha", "xeri"])
def test_hidden_hands_are_hidden_with_what_they_tell(opened, matches, kind):
    match = matches[kind]
    start = match.find(1, 20)
    page = opened(match, "#r1e20")
    _check(page, match, start)
    page.uncheck("#open-1")
    page.uncheck("#open-2")
    for index in range(start, start + 24):
        _check(page, match, index, (1, 2))
        page.click("#step")
    assert page.locator(".forecast").first.is_hidden() and page.locator("#jump-swing").is_hidden()
    page.check("#open-1")
    _check(page, match, start + 24, (2,))
    page.check("#open-2")
    _check(page, match, start + 24)
    assert page.locator(".forecast").first.is_visible() and page.locator("#jump-swing").is_visible()


def test_what_has_just_come_is_marked(opened, matches, records):
    """A card drawn, a meld laid, a card discarded; and nothing of it right after a deal."""
    match, events = matches["xabitha"], records["xabitha"]["rounds"][0]["events"]
    page = opened(match)
    read = """() => [...document.querySelectorAll(".card.new")].map((card) =>
      [card.closest("section[id], #piles, #melds").id, card.dataset.card])"""
    assert page.evaluate(read) == []
    for index, event in enumerate(events[:30], 1):
        page.click("#step")
        move = event["move"]
        if move.startswith("draw:"):
            assert page.evaluate(read) == [[f"seat-{event['seat']}", event["drawn"]]]
        elif move.startswith("discard:"):
            assert page.evaluate(read) == [["piles", move.partition(":")[2]]]
        elif move == "open":
            laid = [card for meld in match.frames[index].scene.melds for card in meld.cards]
            before = [card for meld in match.frames[index - 1].scene.melds for card in meld.cards]
            assert page.evaluate(read) == [["melds", card] for card in laid[len(before) :]]
    page.click("#next-round")
    assert page.evaluate(read) == []


def test_the_declaration_of_a_hidden_hand_is_not_told(opened, matches):
    match = matches["formation"]
    index = match.marked("declaration")[0]
    page = opened(match, f"#r1e{match.frames[index].event}")
    _check(page, match, index)
    page.uncheck(f"#open-{match.frames[index].seat}")
    _check(page, match, index, (match.frames[index].seat,))


def _until(page: Any, reached: Callable[[], bool]) -> None:
    """Wait for something; the page's policy does not let the browser's own wait run."""
    for _ in range(200):
        if reached():
            return
        page.wait_for_timeout(25)
    raise AssertionError("did not come about")


def _index(page: Any) -> int:
    return int(page.input_value("#slider"))


def test_addresses_lead_to_moves_and_follow_them(opened, matches):
    match = matches["xabitha"]
    page = opened(match, "#r2e17")
    index = match.find(2, 17)
    _check(page, match, index)
    page.keyboard.press("ArrowRight")
    _until(page, lambda: page.evaluate("location.hash") == "#r2e18")
    page.reload()
    _check(page, match, index + 1)
    page.evaluate("location.hash = '#r1e3'")
    _until(page, lambda: _index(page) == 3)
    _check(page, match, 3)
    for wrong in ("#r9e9", "#", "#nothing", "#r1e3x", "#%ff", "#__proto__"):
        page.evaluate("(hash) => { location.hash = hash; }", wrong)
        page.wait_for_timeout(30)
        _check(page, match, 3)


@pytest.mark.parametrize("address", ["#r7e1", "#r1e9999", "#constructor", "#r1"])
def test_wrong_addresses_are_ignored(opened, matches, address):
    _check(opened(matches["xeri"], address), matches["xeri"], 0)


def test_the_chart_leads_to_moves(opened, matches):
    match = matches["xabitha"]
    page = opened(match)
    box = page.locator("#chart-picture").bounding_box()
    last = len(match.frames) - 1
    for index in (last // 2, last // 5, last):
        across = (44 + (800 - 44 - 92) * index / last) / 800  # as the chart's margins are
        page.locator("#chart-picture").click(
            position={"x": across * box["width"], "y": box["height"] / 2}
        )
        shown = _index(page)
        assert abs(shown - index) <= 1
        _check(page, match, shown)
    points = page.locator(".total.team-1").get_attribute("points").split()
    heights = [float(point.partition(",")[2]) for point in points]
    assert len(heights) == len(match.frames)
    for before, after in zip(range(last), range(1, last + 1), strict=True):
        rises = match.frames[after].totals[1] > match.frames[before].totals[1]
        assert (heights[after] < heights[before]) == rises


def test_playing_and_its_speed(opened, matches):
    match = matches["xeri"]
    page = opened(match, f"#r2e{match.frames[-4].event}")
    page.select_option("#speed", "5")
    page.locator("body").click(position={"x": 2, "y": 2})
    page.keyboard.press("Space")
    assert page.get_attribute("#play", "aria-pressed") == "true"
    _until(page, lambda: _index(page) == len(match.frames) - 1)
    assert page.text_content("#play") == "Play"
    _check(page, match, len(match.frames) - 1)
    page.click("#play")
    _until(page, lambda: 2 <= _index(page) < 20)
    page.keyboard.press("ArrowLeft")
    _check(page, match, _index(page))
    assert page.text_content("#play") == "Play"
    page.focus("#play")
    page.keyboard.press("Space")  # presses the button, once
    assert page.text_content("#play") == "Pause"


def test_the_slider_and_its_keys(opened, matches):
    match = matches["xeri"]
    page = opened(match)
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    _check(page, match, 1)
    page.keyboard.press("End")
    _check(page, match, len(match.frames) - 1)
    text = page.get_attribute("#slider", "aria-valuetext")
    assert text == f"round 2, event {match.frames[-1].event}"


def test_hostile_names_are_harmless(opened, records):
    record = records["xeri"] | {"agents": [HOSTILE, "{{data}}", "</style><b>x</b>", "&lt;&amp;"]}
    match = replay(record)
    page = opened(match)
    for seat, name in enumerate(record["agents"]):
        assert page.text_content(f"#seat-{seat} h3").endswith(f"Seat {seat} · {name}")
    assert page.locator("img, b").count() == 0
    _check(page, match, 0)
    page.keyboard.press("End")
    _check(page, match, len(match.frames) - 1)


def test_the_policy_forbids_what_the_page_does_not_need(opened, matches):
    page = opened(matches["xeri"])
    policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "script-src 'sha256-" in policy and "unsafe" not in policy and "http" not in policy


@pytest.mark.parametrize("kind", ["xabitha", "long", "xeri"])
def test_nothing_is_wider_than_a_phone(opened, matches, kind):
    match = matches[kind]
    long_name = "a-player-with-a-name-that-nobody-would-ever-break-into-lines" * 3
    match = replace(match, agents=(long_name, "x", long_name, "y"))
    page = opened(match, viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    for index in (0, *match.swings(3), *match.marked("reshuffle")[:1], len(match.frames) - 1):
        page.evaluate(f"go({index})")
        _check(page, match, index)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        parts = "[...document.querySelectorAll('.card, button, .seat, .pile, .meld')]"
        rights = page.evaluate(f"{parts}.map((part) => part.getBoundingClientRect().right)")
        assert max(rights) <= 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_are_readable_on_their_background(opened, matches, scheme):
    """Contrast of at least 4.5 : 1 (WCAG AA), with the colours as the browser has them."""
    page = opened(matches["xabitha"], color_scheme=scheme)
    names = ("--back", "--panel", "--ink", "--quiet", "--accent", "--first", "--second", "--felt",
             "--felt-edge", "--on-felt", "--new")  # fmt: skip
    read = "(name) => getComputedStyle(document.documentElement).getPropertyValue(name)"
    colour = {name: page.evaluate(read, name) for name in names}
    for text in ("--ink", "--quiet", "--accent", "--first", "--second"):
        for ground in ("--back", "--panel"):
            assert _contrast(colour[text], colour[ground]) >= 4.5, (text, ground)
    for text in ("--on-felt", "--new"):
        for ground in ("--felt", "--felt-edge"):
            assert _contrast(colour[text], colour[ground]) >= 4.5, (text, ground)


def _contrast(one: str, other: str) -> float:
    first, second = sorted((_luminance(one), _luminance(other)))
    return (second + 0.05) / (first + 0.05)


def _luminance(colour: str) -> float:
    parts = [int(colour.strip()[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_everything_has_a_name_and_can_be_reached(opened, matches):
    page = opened(matches["xabitha"], "#r2e20")
    nameless = page.evaluate("""() => [...document.querySelectorAll("button, input, select, a")]
      .filter((part) => !(part.getAttribute("aria-label") || part.textContent.trim()
        || (part.labels && part.labels.length))).map((part) => part.outerHTML)""")
    assert nameless == []
    assert page.get_attribute("html", "lang") == "en"
    assert page.get_attribute("#event", "aria-live") == "polite"
    hand = page.get_attribute("#seat-0 .hand .cards", "aria-label")
    assert hand.startswith(f"{page.locator('#seat-0 .hand .card').count()} cards, ")
    reached = set()
    for _ in range(16):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.id"))
    assert {"play", "step", "back", "slider", "speed", "open-0", "open-3"} <= reached
