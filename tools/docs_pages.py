"""Writes what the documentation's pages take from elsewhere: tables, traces, pictures, sections.

A page says where something belongs with two marks, ``<!-- NAME:begin -->`` and
``<!-- NAME:end -->``. ``python -m tools.docs_pages`` writes what belongs between all of them, and
the pictures; with ``--check`` it only says which files differ.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

from tools import docs_pictures, docs_session, docs_table, docs_traces, readme_tables
from xabitha_env.files import write_text
from xabitha_env.games import GAMES, engine_class

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
IMAGES = DOCS / "images"

_BEGIN = re.compile(r"^<!-- (.+):begin -->$", re.MULTILINE)
_PICTURE = re.compile(r"\(images/(melds-[^)]+\.svg)\)")
_LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")
_ARGUMENT = re.compile(r"^    (\w+): (.*)$")


# Tables of options, from signatures and docstrings.


def arguments(thing: Any) -> dict[str, str]:
    """Return what a docstring says of each argument."""
    lines = (inspect.getdoc(thing) or "").partition("Args:\n")[2].splitlines()
    found: dict[str, str] = {}
    for line in lines:
        if match := _ARGUMENT.match(line):
            found[match[1]] = match[2]
        elif line.startswith("     "):
            found[list(found)[-1]] += f" {line.strip()}"
        else:
            break
    return found


def options_table(thing: Any, signature: Any = None, leave_out: tuple[str, ...] = ()) -> str:
    """Return a table of a callable's options, their defaults and what they mean."""
    told = arguments(thing)
    rows = ["| option | default | meaning |", "| --- | --- | --- |"]
    for name, parameter in inspect.signature(signature or thing).parameters.items():
        if name in ("self", "game", "name", *leave_out):
            continue
        default = parameter.default
        needed = default is inspect.Parameter.empty
        text = "needed" if needed else f"`{getattr(default, 'value', default)!r}`"
        meaning = told[name].replace("|", "\\|")
        rows.append(f"| `{name}` | {text} | {meaning[0].upper()}{meaning[1:]} |")
    return "\n".join(rows)


def options_tables() -> dict[str, str]:
    from xabitha_env.batched import BatchedEngine
    from xabitha_env.contrib.sb3 import TablesVecEnv
    from xabitha_env.envs.entry import EnvFunction
    from xabitha_env.envs.single_agent import SingleAgentEnv
    from xabitha_env.envs.vector import TablesVectorEnv

    shared = tuple(inspect.signature(SingleAgentEnv).parameters)
    return {
        "options of the AEC environment": options_table(EnvFunction.__call__),
        "options of the single-agent environment": options_table(SingleAgentEnv),
        "options of the vector environment": options_table(
            TablesVectorEnv, leave_out=tuple(set(shared) - {"render_mode"})
        ),
        "options of the VecEnv": options_table(
            TablesVecEnv, leave_out=tuple(set(shared) - {"render_mode"})
        ),
        "options of the engine": options_table(BatchedEngine, leave_out=("reward",)),
    }


def rewards_table(game: str) -> str:
    """Return a game's rewards by name, as its engine describes them."""
    told = arguments(engine_class(game))["reward"]
    rows = ["| reward | what it is |", "| --- | --- |"]
    for name in engine_class(game).rewards_by_name:
        meaning = re.search(rf"``{name}`` \(([^)]*)\)", told)
        if meaning is None:
            raise ValueError(f"the engine of {game} does not say what the reward {name} is")
        rows.append(f"| `{name}` | {meaning[1].removeprefix('default: ')} |")
    return "\n".join(rows)


# Sections of other files, which keep their home there.


def section(path: Path, title: str) -> str:
    """Return what stands below a title, up to the next one of its level.

    Raises:
        ValueError: there is no such title.
    """
    text = path.read_text(encoding="utf-8")
    start = re.search(rf"^(#+) {re.escape(title)}$", text, re.MULTILINE)
    if start is None:
        raise ValueError(f"{path.name} has no title {title!r}")
    rest = text[start.end() :]
    end = re.search(rf"^#{{1,{len(start[1])}}} ", rest, re.MULTILINE)
    return _LINK.sub(_moved, rest[: end.start()] if end else rest).strip()


def _moved(link: re.Match[str]) -> str:
    """Return a link as it is seen from the documentation; only the words, if it leads out of it."""
    picture, words, target = link.groups()
    if target.startswith("docs/"):
        return f"{picture}[{words}]({target.removeprefix('docs/')})"
    return link[0] if "://" in target or target.startswith("#") else words


def tables() -> dict[str, str]:
    """Return everything that pages can hold, by name."""
    readme, changes, guide = (
        ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING")
    )
    found = {**readme_tables.tables(), **options_tables()}
    found |= {**docs_pictures.tables(), **docs_traces.tables(), **docs_session.tables()}
    for game in GAMES:
        found[f"{game} state"] = engine_class(game).global_features.table()
        found[f"{game} rewards"] = rewards_table(game)
    found["players"] = section(readme, "Players").partition("\n\n")[2].partition("\n\n")[0]
    found["speed"] = section(readme, "Speed")
    found["strength"] = section(readme, "Strength")
    for title in ("Adding a player", "Adding a rules field", "Tests", "Versions of environments"):
        found[f"contributing: {title.lower()}"] = section(guide, title)
    found["changes of environments"] = section(changes, "Environments")
    return found


@cache
def wanted() -> dict[Path, str]:
    """Return the text of every page with marks, and of every picture that pages show.

    Raises:
        ValueError: a mark names nothing, or something is shown nowhere.
    """
    found = tables()
    pages = {IMAGES / docs_table.FILE: docs_table.table_svg()}
    shown: set[str] = set()
    for page in sorted(DOCS.glob("*.md")):
        text = page.read_text(encoding="utf-8")
        names = _BEGIN.findall(text)
        if unknown := set(names) - set(found):
            raise ValueError(f"{page.name}: nothing is called {', '.join(sorted(unknown))}")
        if names:
            text = readme_tables.filled(text, {name: found[name] for name in names}, page.name)
            pages[page] = text
            shown |= set(names)
        pictures = docs_pictures.pictures(_PICTURE.findall(text))
        pages |= {IMAGES / name: svg for name, svg in pictures.items()}
    if unused := set(found) - shown:
        raise ValueError(f"no page shows {', '.join(sorted(unused))}")
    return pages


def stale_pictures() -> list[Path]:
    """Return pictures of cards that no page shows any more."""
    return [path for path in sorted(IMAGES.glob("melds-*.svg")) if path not in wanted()]


def main() -> int:
    check = "--check" in sys.argv[1:]
    different = list(stale_pictures())
    for path, text in wanted().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            different.append(path)
            if not check:
                write_text(path, text)
    if not check:
        for path in stale_pictures():
            path.unlink()
        return 0
    for path in different:
        print(f"{path.relative_to(ROOT)} differs from the code; run make docs-tables")
    return int(bool(different))


if __name__ == "__main__":
    sys.exit(main())
