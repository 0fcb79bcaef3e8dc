"""Writes the README's tables from the layouts and the rules configuration.

``python -m tools.readme_tables`` rewrites them, with ``--check`` it only says whether they differ.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

from xabitha_env.games import GAMES, engine_class, rules_class

README = Path(__file__).parents[1] / "README.md"


def rules_table(game: str) -> str:
    rows = ["| field | default | range | meaning |", "| --- | ---: | --- | --- |"]
    for item in fields(rules_class(game)):
        data = item.metadata
        bounds = f"{data['low']} to {data['high']}" if "low" in data else "true, false"
        bounds += ", or none" if data.get("optional") else ""
        default = str(item.default).lower()
        rows.append(f"| `{item.name}` | {default} | {bounds} | {data['meaning']} |")
    return "\n".join(rows)


def tables() -> dict[str, str]:
    """Return each table by the name that its marks in the README have."""
    found = {}
    for game in GAMES:
        engine = engine_class(game)
        found[f"{game} actions"] = engine.actions.table()
        found[f"{game} observations"] = engine.all_features.table()
        found[f"{game} rules"] = rules_table(game)
    return found


def marks(name: str) -> tuple[str, str]:
    """Return what stands before and after a table."""
    return f"<!-- {name}:begin -->", f"<!-- {name}:end -->"


def filled(text: str, found: Mapping[str, str], where: str) -> str:
    """Return a page's text with every table as it should be.

    Raises:
        ValueError: the marks of a table are missing.
    """
    for name, table in found.items():
        begin, end = marks(name)
        if text.count(begin) != 1 or text.count(end) != 1:
            raise ValueError(f"{where} must hold {begin} and {end} once each")
        before, rest = text.split(begin)
        text = f"{before}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return text


def with_tables(text: str) -> str:
    """Return the README's text with every table as it should be.

    Raises:
        ValueError: the marks of a table are missing.
    """
    return filled(text, tables(), README.name)


def main() -> int:
    old = README.read_text(encoding="utf-8")
    new = with_tables(old)
    if "--check" in sys.argv[1:]:
        if new != old:
            print("README.md: tables differ from the code; run make docs-tables", file=sys.stderr)
        return int(new != old)
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
