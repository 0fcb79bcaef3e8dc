"""Checks of an agent: legal, the same for the same seed, blind to what is hidden, kept, timed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from xabitha_env.conformance.report import FAIL, PASS, SKIP, Finding
from xabitha_env.conformance.runs import (
    Agents,
    Start,
    choice_in,
    grouped,
    play_groups,
    positions,
    seat_team,
    starts_of,
)
from xabitha_env.players.table import PlayerError
from xabitha_env.players.worlds import draw_worlds

WORLDS = 4
"""In which each position is looked at again."""
HALFWAY = {"xabitha": 20, "xeri": 12}
"""Decisions after which a round is interrupted."""


def check_agent(
    spec: str,
    game: str,
    *,
    deals: int = 20,
    seed: int = 0,
) -> list[Finding]:
    """Check an agent, which sits in team 0 in all of this.

    Args:
        spec: the agent, as `load_player` takes it.
        game: which game.
        deals: how many random deals and how many arranged ones (of the samples) it plays.
        seed: of the random deals.

    Returns:
        A finding for each check. One that failed in the first leaves the others out.

    Raises:
        ValueError: there is no such agent; ImportError: it needs a library that is missing.
    """
    load = Agents(spec, game)
    load()
    starts = starts_of(game, deals, seed)
    findings: list[Finding] = []
    try:
        for done, (name, check) in enumerate(CHECKS, 1):
            if findings and findings[0].result == FAIL:
                result, detail = SKIP, "it does not play legally"
            elif done > 2 and findings[1].result == FAIL and name in NEED_REPEATS:
                result, detail = SKIP, "its choices differ from run to run anyway"
            else:
                result, detail = _tried(check, load, game, starts)
            findings.append(Finding(name, result, detail, game))
    finally:
        load.close()
    return findings


def _tried(
    check: Callable[..., tuple[str, str]], load: Agents, game: str, starts: Sequence[Start]
) -> tuple[str, str]:
    """Return the result of a check; an agent that fails in it has failed it."""
    try:
        return check(load, game, starts)
    except PlayerError as error:
        return FAIL, str(error)
    except Exception as error:  # whatever the agent does in reset, get_state or set_state
        return FAIL, f"{type(error).__name__}: {error}"


# The checks: each returns a result and what it looked at or found.


def _legal(load: Agents, game: str, starts: Sequence[Start]) -> tuple[str, str]:
    played, _ = play_groups(load, game, list(grouped(starts)))
    count = sum(len(log) for logs in played for log in logs)
    arranged = sum(one.deal is not None for one in starts)
    return PASS, f"{count} decisions in {len(starts)} rounds, {arranged} of arranged deals"


def _repeats(load: Agents, game: str, starts: Sequence[Start]) -> tuple[str, str]:
    groups = list(grouped(starts))
    first, _ = play_groups(load, game, groups)
    second, _ = play_groups(load, game, groups)
    differ = sum(one != other for one, other in zip(first, second, strict=True))
    if differ:
        return FAIL, f"{differ} of {len(first)} rounds go otherwise when played again"
    return PASS, f"{len(first)} rounds played twice"


def _batches(load: Agents, game: str, starts: Sequence[Start]) -> tuple[str, str]:
    groups = [group for group in grouped(starts) if len(group) > 1]
    together: list[Any] = []
    alone: list[Any] = []
    for number, group in enumerate(groups):
        for target, parts in ((together, [group]), (alone, [[one] for one in group])):
            for part in parts:
                with load.team() as team:
                    table = seat_team(game, part, team, number)
                    table.play()
                    logs = [agent.by_game() for agent in team]
                    target += [[log.get(index, []) for log in logs] for index in range(len(part))]
    differ = sum(one != other for one, other in zip(together, alone, strict=True))
    if differ:
        return FAIL, f"{differ} of {len(alone)} rounds go otherwise alone than beside others"
    return PASS, f"{len(alone)} rounds alone and beside others"


def _hidden(load: Agents, game: str, starts: Sequence[Start]) -> tuple[str, str]:
    looked = 0
    for position in positions(game, starts):
        engine, seat = position, int(position.seats[0])
        worlds, _ = draw_worlds(engine, 0, WORLDS, seed=looked)
        worlds["player_word"] = engine.games["player_word"][0]  # the dice of players are the same
        states = [engine.get_state(), *(worlds[number : number + 1] for number in range(WORLDS))]
        with load.team() as (agent, _):
            choices = [choice_in(game, engine, state, agent) for state in states]
        looked += 1
        if len(set(choices)) > 1:
            texts = ", ".join(sorted({engine.text(choice) for choice in choices}))
            scene = engine.scene(0, seat)
            return FAIL, f"{scene.place}, seat {seat}: {texts}, as what it cannot see is dealt anew"
    return PASS, f"{looked} positions, each in {WORLDS} other worlds"


def _kept(load: Agents, game: str, starts: Sequence[Start]) -> tuple[str, str]:
    looked = 0
    for number, start in enumerate(starts):
        with load.team() as team:
            table = seat_team(game, [start], team, number)
            half = HALFWAY[game]
            while not table.engine.over[0] and half:
                table.step()
                half -= 1
            if table.engine.over[0]:
                continue
            state, memory = table.engine.get_state(), table.get_state()
            for agent in team:
                agent.decisions.clear()
            table.play()
            expected = [agent.by_game() for agent in team]
        with load.team() as team:
            again = seat_team(game, [start], team, number)
            again.engine.set_state(state)
            again.set_state(memory)
            again.play()
            found = [agent.by_game() for agent in team]
        looked += 1
        if found != expected:
            return FAIL, f"round {number}: it goes on otherwise after set_state(get_state())"
    return PASS, f"{looked} rounds interrupted and continued by other objects"


def _timed(load: Agents, game: str, starts: Sequence[Start]) -> tuple[str, str]:
    _, seconds = play_groups(load, game, [[one] for one in starts])
    if not seconds:
        return SKIP, "it was never asked"
    mean, slowest = 1000 * sum(seconds) / len(seconds), 1000 * max(seconds)
    return PASS, f"{mean:.2f} ms a decision, the slowest {slowest:.1f} ms, of {len(seconds)}"


CHECKS: tuple[tuple[str, Callable[..., tuple[str, str]]], ...] = (
    ("legal moves", _legal),
    ("same seed, same choices", _repeats),
    ("alone as in a batch", _batches),
    ("hidden cards change nothing", _hidden),
    ("state saved and restored", _kept),
    ("time", _timed),
)
"""The checks in their order, by name."""
NEED_REPEATS = ("alone as in a batch", "hidden cards change nothing", "state saved and restored")
"""Those that tell nothing of an agent whose choices differ from run to run."""
