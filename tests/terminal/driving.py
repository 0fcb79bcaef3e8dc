"""Matches with a person, played without a screen, and screens as text."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
from textual.app import App
from textual.pilot import Pilot

from xabitha_env.games import make_rules
from xabitha_env.players import load_player
from xabitha_env.terminal.app import PlayApp
from xabitha_env.terminal.keeping import Keeping
from xabitha_env.terminal.match import Match, Setup
from xabitha_env.terminal.moves import verb_of

Choice = Callable[[Match], str]
GREEDY = 1


def new_match(
    game: str = "xabitha", seed: int = 5, seat: int = 0, players: str = "greedy", **rules: Any
) -> Match:
    """A match of one round."""
    values = {"num_rounds": 1, **rules}
    return Match(Setup(game, make_rules(game, values), seed, seat, tuple(players.split(","))))


def app_of(match: Match, hints: str = "greedy", **files: Any) -> PlayApp:
    """The program around a match."""
    adviser = load_player(hints, match.setup.game)
    return PlayApp(Keeping(match, **files), adviser, hints, letters=True)


def as_greedy(match: Match) -> str:
    """What `greedy` would do in the person's place."""
    sight = match.sight.copy()
    return sight.text(int(sight.choose(np.array([GREEDY], np.int8))[0]))


def at_random(rng: random.Random) -> Choice:
    """Any legal move."""
    return lambda match: rng.choice(match.moves())


def go(match: Match, choose: Choice = as_greedy, until: Callable[[Match], bool] | None = None):
    """Play until something holds, or to the end."""
    while not match.over and not (until is not None and until(match)):
        if match.my_turn:
            match.choose(choose(match))
        else:
            match.play(match.think())
    return match


def may_open(match: Match) -> bool:
    """Whether the person may begin an opening."""
    down = match.scene().seats[match.seat].status == "down"
    return match.my_turn and not down and any(verb_of(move) == "meld" for move in match.moves())


def screen_text(app: App[Any]) -> str:
    """What is on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


async def settle(pilot: Pilot[Any]) -> None:
    """Wait until the person is asked for something."""
    app = pilot.app
    assert isinstance(app, PlayApp)
    while True:
        await pilot.pause()
        if app.match.my_turn or app.match.over or len(app.screen_stack) > 1:
            return
        await app.workers.wait_for_complete()
