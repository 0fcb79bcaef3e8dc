"""Draws the picture of the terminal that the documentation shows, always of the same match.

``python -m tools.screenshots`` writes ``docs/images/play.svg``.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path

import numpy as np

from xabitha_env.files import write_text
from xabitha_env.games import make_rules
from xabitha_env.players import load_player
from xabitha_env.terminal.app import PlayApp
from xabitha_env.terminal.keeping import Keeping
from xabitha_env.terminal.match import Match, Setup
from xabitha_env.terminal.moves import cards_of

FOLDER = Path(__file__).parents[1] / "docs" / "images"
SIZE = (80, 24)
SEED, SEAT, PLAYERS = 13, 0, ("expert",)
MELDS = 3  # on the table, at least
HINTS = "search?worlds=64"
OUTER_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # nothing is fetched for a picture


def opening_in_sight() -> tuple[Match, str]:
    """Return a match in which the person may open, and the first meld of the opening."""
    match = Match(Setup("xabitha", make_rules("xabitha"), SEED, SEAT, PLAYERS))
    expert = np.full(1, match.engine.player_codes["expert"], np.int8)
    while not match.over:
        if not match.my_turn:
            match.play(match.think())
            continue
        move = match.sight.text(int(match.sight.copy().choose(expert)[0]))
        match.choose(move)
        if match.drafting and len(match.scene().melds) >= MELDS:
            match.undo()
            return match, move
    raise RuntimeError("no such position in this match: take another seed")


async def picture(match: Match, meld: str) -> str:
    """Return what the person sees with these cards picked, and a hint, as an SVG."""
    app = PlayApp(Keeping(match), load_player(HINTS), HINTS, letters=False)
    async with app.run_test(size=SIZE) as pilot:
        await pilot.press("h")
        await app.workers.wait_for_complete()
        left = Counter(cards_of(meld))
        for card in app.board.hand.cards:
            if left[card]:
                left[card] -= 1
                await pilot.press("space")
            await pilot.press("right")
        await pilot.pause()
        return OUTER_FONTS.sub("", app.export_screenshot(title="xabitha play"))


def main() -> None:
    write_text(FOLDER / "play.svg", asyncio.run(picture(*opening_in_sight())))


if __name__ == "__main__":
    main()
