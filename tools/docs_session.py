"""The example session of a program at a seat, as docs/stdio.md shows it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from xabitha_env.games import make_rules
from xabitha_env.players import load_player
from xabitha_env.stdio import StdioAgent, play_matches

BOT = Path(__file__).parents[1] / "examples" / "stdio_bot.sh"
SHOWN = 12
"""Lines from the beginning; after a gap come the last ones."""
LAST = 5


def lines() -> list[str]:
    """Return what is said in a round of Xeri with the shell's bot, `>` to it and `<` from it."""
    said: list[str] = []

    def hear(mark: str, text: bytes) -> None:
        said.append(f"{mark} {text.decode().rstrip()}")

    one = StdioAgent(["sh", str(BOT)], load_player("greedy", "xeri"), seats=[0], sink=hear)
    players = [one, *[load_player("greedy", "xeri")] * 3]
    list(play_matches(players, [7], game="xeri", rules=make_rules("xeri", {"num_rounds": 1})))
    one.close()
    return said


def session() -> str:
    """Return the session as a block of Markdown: the first question whole, others shortened."""
    said = lines()
    first = next(place for place, line in enumerate(said) if '"decide"' in line)
    shown = []
    for place, line in enumerate(said):
        if place > first and '"decide"' in line:
            line = re.sub(r'"observation":\{.*\},"legal"', '"observation":{…},"legal"', line)
        if SHOWN <= place < len(said) - LAST:
            if place == SHOWN:
                shown.append("…")
            continue
        if place == first:
            head, message = line[:2], json.loads(line[2:])
            line = head + json.dumps(message, indent=1)
            line = re.sub(
                r"\[\s+([^\[\]{}]*?)\s+\]", lambda m: "[" + re.sub(r"\s+", " ", m[1]) + "]", line
            )
        shown.append(line)
    return "```text\n" + "\n".join(shown) + "\n```"


def tables() -> dict[str, str]:
    """Return what the page holds, by the name that its marks have."""
    return {"session": session()}
