"""How the checks of agents play: where matches begin, who sits where, and what is written down."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np

from xabitha_env.cards import NUM_SEATS
from xabitha_env.conformance.samples import sample_records
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players.base import Agent, View
from xabitha_env.players.loader import load_player
from xabitha_env.players.table import PlayerError, Table, ask
from xabitha_env.protocol import Engine

Decision = tuple[int, int, int]
"""Game, seat and action."""

OTHERS = ("expert", "random")
"""Who plays the other team: one that opens, and one that does anything."""
MOST_TURNS = 120
"""Turns of a round of Xabitha here, so that a player that never wins comes to an end."""
ASIDE = 4
"""Every so many decisions one is looked at again."""
MOST_POSITIONS = 40
BATCH = 4


class Start(NamedTuple):
    """Where a match of the checks begins: rules, a seed, and a deal or None for the seed's."""

    rules: dict[str, Any]
    seed: int
    deal: dict[str, Any] | None


class Watched(Agent):
    """An agent whose decisions are written down and timed.

    Args:
        agent: who decides.
    """

    def __init__(self, agent: Agent) -> None:
        self.agent, self.name = agent, agent.name
        self.decisions: list[Decision] = []
        self.seconds: list[float] = []

    def reset(self, engine: Engine, seed: int) -> None:
        """Reset the agent."""
        self.agent.reset(engine, seed)

    def act(self, view: View) -> Any:
        """Return what the agent decides."""
        started = time.perf_counter()
        answer = self.agent.act(view)
        self.seconds.append((time.perf_counter() - started) / len(view.game))
        actions = np.asarray(answer).ravel().tolist()
        self.decisions += list(zip(view.game.tolist(), view.seat.tolist(), actions))
        return answer

    def get_state(self) -> Any:
        """Return what the agent remembers."""
        return self.agent.get_state() if hasattr(self.agent, "get_state") else None

    def set_state(self, state: Any) -> None:
        """Let the agent go on from what it remembered."""
        if state is not None:
            self.agent.set_state(state)

    def by_game(self) -> dict[int, list[tuple[int, int]]]:
        """Return seats and actions, in order, by game."""
        ordered = sorted(self.decisions, key=lambda one: one[0])  # stable: in order within a game
        return {
            game: [(seat, action) for _, seat, action in some]
            for game, some in groupby(ordered, key=lambda one: one[0])
        }


class Agents:
    """Makes agents of a specification, and ends those that must be ended."""

    def __init__(self, spec: str, game: str) -> None:
        self.spec, self.game = spec, game
        self._made: list[Agent] = []

    def __call__(self) -> Agent:
        """Return a new one."""
        self._made.append(load_player(self.spec, self.game))
        return self._made[-1]

    @contextmanager
    def team(self) -> Iterator[tuple[Watched, Watched]]:
        """Give two watched agents, one for each seat of a team, as `load_team` does."""
        before = len(self._made)
        yield Watched(self()), Watched(self())
        self.close(before)

    def close(self, since: int = 0) -> None:
        """End the agents that were made."""
        for agent in self._made[since:]:
            if hasattr(agent, "close"):
                agent.close()
        del self._made[since:]


def starts_of(game: str, deals: int, seed: int) -> list[Start]:
    """Return random deals by the usual rules, then deals and rules of the samples, of one round."""
    usual = {**make_rules(game).to_dict(), "num_rounds": 1}
    if "max_turns" in usual:
        usual["max_turns"] = MOST_TURNS
    starts = [Start(usual, seed + number, None) for number in range(deals)]
    for record in sample_records(game):
        rules = {**record["rules"], "num_rounds": 1}
        if "max_turns" in rules:
            rules["max_turns"] = min(rules["max_turns"], MOST_TURNS)
        for entry in record["rounds"]:
            head = {name: entry[name] for name in entry if name not in ("events", "result")}
            starts.append(Start(rules, seed + len(starts), head))
    return starts[: 2 * deals]


def seat_team(
    game: str, starts: Sequence[Start], team: tuple[Agent, Agent], number: int = 0
) -> Table:
    """Return a table with a game for each start, which all have the same rules.

    Args:
        game: which game.
        starts: of the matches.
        team: sits in the seats 0 and 2.
        number: says which of `OTHERS` sit in the other seats.
    """
    engine = make_engine(game, len(starts), rules=make_rules(game, starts[0].rules))
    engine.reset(seed=[one.seed for one in starts], deals=[one.deal for one in starts])
    other = load_player(OTHERS[number % len(OTHERS)], game)
    table = Table(engine, [team[0], other, team[1], other])
    table.reset(0)
    return table


def grouped(starts: Sequence[Start], size: int = BATCH) -> Iterator[list[Start]]:
    """Yield starts of the same rules, a few at a time."""
    for _, some in groupby(starts, key=lambda one: str(one.rules)):
        same = list(some)
        for first in range(0, len(same), size):
            yield same[first : first + size]


def play_groups(
    load: Agents, game: str, groups: Sequence[Sequence[Start]]
) -> tuple[list[Any], list[float]]:
    """Play groups of starts; returns each game's decisions and the seconds that they took."""
    played, seconds = [], []
    for number, group in enumerate(groups):
        with load.team() as team:
            table = seat_team(game, group, team, number)
            table.play()
            _see_tally(team)
            logs = [agent.by_game() for agent in team]
            played += [[log.get(index, []) for log in logs] for index in range(len(group))]
            seconds += [one for agent in team for one in agent.seconds]
    return played, seconds


def _see_tally(team: Sequence[Watched]) -> None:
    """Refuse a program that others had to stand in for.

    Raises:
        PlayerError: it was refused or replaced.
    """
    for agent in team:
        tally = getattr(agent.agent, "tally", None)
        if tally is not None and not tally.faultless:
            raise PlayerError(
                f"{agent.name} was refused {tally.refused} times and replaced "
                f"{tally.replaced} times in {tally.decisions} decisions"
            )


def positions(game: str, starts: Sequence[Start]) -> Iterator[Engine]:
    """Yield positions of rounds that `expert` plays, at which there is a choice."""
    found = number = 0
    per_start = -(-MOST_POSITIONS // len(starts))
    for start in starts:
        engine = make_engine(game, 1, rules=make_rules(game, start.rules))
        engine.reset(seed=[start.seed], deals=[start.deal])
        table = Table(engine, [load_player("expert", game)] * NUM_SEATS)
        table.reset(start.seed)
        own = 0
        while not engine.over[0] and found < MOST_POSITIONS and own < per_start:
            number += int(engine.legal_count[0]) > 1
            if engine.legal_count[0] > 1 and number % ASIDE == 0:
                found, own = found + 1, own + 1
                yield engine
            table.step()


def choice_in(game: str, engine: Engine, state: Any, agent: Agent) -> int:
    """Return what an agent chooses in a state of one game, just reset."""
    room = make_engine(game, 1, rules=engine.rules)
    room.set_state(state)
    agent.reset(room, 0)
    return int(ask(room, agent, np.zeros(1, np.int64))[0])
