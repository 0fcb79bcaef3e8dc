"""The documentation is true: what its pages take from the code is as in the code, what they name is
there, and the site builds without a warning. (`test_readme.py` runs the pages' Python.)"""

from __future__ import annotations

import html
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from tools import docs_pages, docs_pictures, docs_table, docs_traces
from xabitha_env import make_engine, xabitha_v0
from xabitha_env.cards import CARD_NAMES
from xabitha_env.cli.main import app
from xabitha_env.evaluation.deals import LISTS
from xabitha_env.games import GAMES
from xabitha_env.rulebook import rules_text

ROOT, DOCS = docs_pages.ROOT, docs_pages.DOCS
PAGES = sorted(DOCS.glob("**/*.md"))
TEXTS = {page.name: page.read_text(encoding="utf-8") for page in PAGES}
EVERYTHING = "\n".join(TEXTS.values())
COMMAND = typer.main.get_command(app)

FENCED = re.compile(r"^```([a-z]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONSOLE = [  # what is typed, in blocks of any language but Python
    re.split(r"\s+(?:#|\||>|&&)\s", line.removeprefix("$ "))[0].strip()
    for text in TEXTS.values()
    for language, block in FENCED.findall(text)
    for line in block.replace("\\\n", " ").splitlines()
    if language not in ("py", "python") and re.match(r"(\$ |xabitha )", line)
]
PROSE = FENCED.sub("", EVERYTHING)
SPANS = re.findall(r"(?<!`)`([^`]+)`(?!`)", PROSE)
LINES = sorted({*CONSOLE, *(" ".join(span.split()) for span in SPANS)})
XABITHA = [line for line in LINES if line.startswith("xabitha ")]


def navigation(item: Any) -> list[str]:
    """All pages of the navigation, in order."""
    if isinstance(item, str):
        return [item]
    parts = item.values() if isinstance(item, dict) else item
    return [page for part in parts for page in navigation(part)]


# What pages take from elsewhere.


def test_pages_hold_what_the_code_says() -> None:
    stale = [
        path.name
        for path, text in docs_pages.wanted().items()
        if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    assert not stale, "run make docs-tables"
    assert not docs_pages.stale_pictures()


def test_sections_lose_links_that_lead_out_of_the_site(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    links = "[a](docs/b.md#c) [d](e.md) ![f](docs/images/g.png) [h](#i)"
    page.write_text(f"# One\n## Two\n{links}\n### In\n## Three\n")
    assert docs_pages.section(page, "Two") == "[a](b.md#c) d ![f](images/g.png) [h](#i)\n### In"
    with pytest.raises(ValueError, match=r"page.md has no title 'Four'"):
        docs_pages.section(page, "Four")


# Pictures: the games agree with what is said of them.


@pytest.mark.parametrize("case", docs_pictures.CASES, ids=lambda case: case.cards)
def test_melds_are_what_the_engine_takes(case: docs_pictures.Case) -> None:
    engine = make_engine("xabitha", 1)
    engine.reset(seed=0)
    try:
        engine.parse(f"meld:{case.cards}")
        taken = True
    except ValueError:
        taken = False
    assert docs_pictures.verdict(case.cards).startswith("yes" if taken else "no")
    assert all(rule in rules_text("xabitha") for rule in case.rule.split(", "))


def test_the_opening_counts_57_and_two_sets_do_not_open() -> None:
    opens, refused = docs_pictures.openings_table().splitlines()[2:]
    assert "27 + 30 = 57" in opens and "opens" in opens
    assert "= 60" in refused and "refused" in refused


def test_the_formation_of_the_picture_can_be_laid() -> None:
    cards = [
        *docs_pictures.FORMATION_RUN.split("-"),
        *docs_pictures.FORMATION_SET.split("-"),
        docs_pictures.LAST_CARD,
    ]
    pack = [*CARD_NAMES[:-1], *CARD_NAMES[:-1], "JK", "JK"]
    for card in cards:
        pack.remove(card)
    hands = [[pack.pop() for _ in range(count)] for count in (15, 0, 14, 14)]
    hands[1], drawn = cards[:-1], cards[-1]
    engine = make_engine("xabitha", 1)
    engine.reset(seed=0, deals=[{"starter": 0, "hands": hands, "deck": [drawn, *pack]}])
    for answer in ("declare:no", "declare:yes", "declare:no", "declare:no"):
        engine.step([engine.parse(answer)])
    engine.step([int(engine.legal[0, 0])])
    for move in ("draw:deck", "formation", f"discard:{drawn}"):
        assert move in engine.legal_texts()
        engine.step([engine.parse(move)])
    assert engine.round_result()["reason"] == "xabitha"


def test_plays_of_xeri() -> None:
    table = docs_pictures.plays_table()
    assert table.count("**xeri** for 10") == table.count("**xeri** for 20") == 1
    assert "a jack captures 2 cards" in table and "captures 5 cards" in table


def test_the_home_page_says_what_its_table_shows() -> None:
    seen = docs_table.scene()
    step = docs_traces.aec_steps()[docs_table.STEP]
    assert (step.agent, step.move) == ("player_0", "add:7H@8:low")
    assert sum(bool(seat.hand.cards) for seat in seen.seats) == 1
    joker = {meld.name: "JK" in meld.cards for meld in seen.melds}
    assert [name for name, has in joker.items() if has] == ["meld 5", "meld 7"]
    assert f"{len(seen.melds)} melds" in docs_table.table_svg()


# The traces, and what the page says of them.


def test_the_page_on_turns_names_the_right_steps() -> None:
    text, end = TEXTS["turns.md"], docs_traces.first_round_end()
    steps = docs_traces.aec_steps()
    assert f"At **step {end}**" in text and f"`player_3` at step {end + 1}" in text
    assert f"then `player_0` at {end + 2}" in text
    done = next(step.number for step in steps if step.done)
    assert f"The discard of step {done - 1} ends the match" in text
    assert next(step.number for step in steps if step.move == "open") == docs_traces.STAGING[-1]
    assert {step.agent for step in steps[7:13]} == {"player_0"}


def test_both_interfaces_pay_the_same() -> None:
    steps, turns = docs_traces.aec_steps(), docs_traces.learner_steps()
    told = sum(step.reward for step in steps if step.agent == "player_0")
    assert sum(turn.reward for turn in turns) == pytest.approx(told)
    assert told == pytest.approx(sum(step.paid[0] for step in steps))
    assert [turn.terminated for turn in turns] == [False] * (len(turns) - 1) + [True]


# What pages name.


@pytest.mark.parametrize("line", XABITHA)
def test_commands_parse(line: str) -> None:
    name, *arguments = shlex.split(line)[1:]
    if name.startswith("-"):
        return
    command = COMMAND.commands[name]  # type: ignore[attr-defined]
    if not arguments or "--help" in arguments:  # only named
        return
    if "…" in arguments:  # cut short
        known = {option for parameter in command.params for option in parameter.opts}
        assert {one for one in arguments if one.startswith("--")} <= known
    else:
        command.make_context(name, arguments)


def test_programs_and_goals_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    programs = [found for line in LINES for found in re.findall(r"python -m ([\w.]+)", line)]
    goals = [line.split()[1] for line in LINES if re.match(r"make [a-z-]+\b", line)]
    assert programs and goals
    assert not [one for one in programs if find_spec(one) is None]
    assert not [goal for goal in goals if not re.search(rf"^{goal}:", makefile, re.MULTILINE)]


def test_files_exist() -> None:
    named = [
        span.partition(" ")[0]
        for span in SPANS
        if re.match(r"(agents|docs|tests|tools|train|xabitha_env)/[\w/.-]+\.(py|md|svg)$", span)
    ]
    assert len(named) > 20
    assert not [name for name in named if not (ROOT / name).is_file()]


def test_figures_of_the_home_page() -> None:
    text = TEXTS["index.md"]
    sizes = {game: make_engine(game, 1).actions.size for game in GAMES}
    assert f"{sizes['xabitha']:,}, of which" in text and f"| {sizes['xeri']}, of which" in text
    env = xabitha_v0.raw_env()
    assert f"{env.max_cycles // env.rules.num_rounds:,} steps a round" in TEXTS["environments.md"]


def test_seeds_of_the_lists() -> None:
    assert all(f"{first:,} + k" in TEXTS["evaluation.md"] for first in LISTS.values())


# The site.


def test_every_page_is_in_the_navigation_once() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    listed = navigation(config["nav"])
    assert sorted(listed) == sorted(page.relative_to(DOCS).as_posix() for page in PAGES)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_pictures_say_what_they_show(page: Path) -> None:
    found = re.findall(r"!\[([^\]]*)\]\(([^)\s]+)[^)]*\)", TEXTS[page.name])
    assert not [target for words, target in found if not words.strip()]
    assert not [target for _, target in found if not (page.parent / target).is_file()]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("material", reason="needs the extra docs")
    pytest.importorskip("mkdocstrings", reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    said = run.stdout + run.stderr
    assert run.returncode == 0, said
    assert "WARNING" not in said, said
    return folder


def test_make_builds_it_as_strictly() -> None:
    """With --quiet mkdocs counts no warnings, and --strict means nothing."""
    (line,) = re.findall(r".*mkdocs build.*", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert "--strict" in line and "--quiet" not in line


def test_it_builds_without_a_warning_and_asks_nobody(site: Path) -> None:
    pages = list(site.glob("**/*.html"))
    assert len(pages) > len(PAGES)
    loaded = re.compile(r"<(?:script|img|iframe|link)\b[^>]*?(?:src|href)=\"?(https?:)?//[^\s>\"]+")
    for page in pages:
        foreign = [
            found[0]
            for found in loaded.finditer(page.read_text(encoding="utf-8"))
            if 'rel="canonical"' not in found[0]
        ]
        assert not foreign, page


@pytest.mark.parametrize("game", GAMES)
def test_the_site_has_every_rule(site: Path, game: str) -> None:
    text = (site / f"rules-{game}" / "index.html").read_text(encoding="utf-8")
    shown = html.unescape(re.sub(r"<[^>]+>", "", text))
    rules = re.findall(r"^- \*\*(\w+\.\d+)\*\* (.+)$", rules_text(game), re.MULTILINE)
    assert len(rules) > 15
    for number, words in rules:
        assert f"{number} {re.sub(r'[*`]', '', words)}"[:60] in shown


def test_the_reference_is_complete(site: Path) -> None:
    """What the package offers by name is described."""
    import xabitha_env
    from xabitha_env import players, record, replay

    text = "".join(page.read_text(encoding="utf-8") for page in site.glob("reference*/index.html"))
    documented = set(re.findall(r'id="xabitha_env\.[\w.]*?(\w+)"', text))
    offered = {*xabitha_env.__all__, *players.__all__, *record.__all__, *replay.__all__}
    plain = {"GAMES", "__version__", "xabitha_v0", "xeri_v0", "FileError"}
    assert not offered - documented - plain
