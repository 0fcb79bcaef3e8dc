"""Plays one seeded match in each interface and writes down what an agent is told, step by step.

The page on turn-based agents shows it; ``python -m tools.docs_pages`` writes it there.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import pettingzoo

from xabitha_env.protocol import Engine

SEED = 7
PLAYER = "greedy"  # chooses for all seats, so that both interfaces show the same match
RULES = {"num_rounds": 2}
ENV = "xabitha_env/Xabitha-v0"
LEARNER = 0

OPENING = range(21)  # steps of the first trace: declarations, a discard, openings, an addition
STAGING = (8, 9, 11)  # decisions whose legal moves are listed
STEAL = range(27, 31)
AROUND_ROUND_END = 7  # steps before the first round's end, and a few after it
SHOWN_MOVES = 6


class Step(NamedTuple):
    """One pass of the loop over agents."""

    number: int
    agent: str
    reward: float  # what `last` told before it
    move: str  # "None" for an agent that is done
    legal: tuple[str, ...]  # the moves that the mask allowed
    paid: tuple[float, ...]  # `env.rewards` after it, by seat
    done: bool  # terminated, as `last` told


def choice(engine: Engine) -> int:
    """Return what the player would do."""
    return int(engine.choose(np.array([engine.player_codes[PLAYER]], np.int8))[0])


@cache
def aec_steps() -> tuple[Step, ...]:
    """Play the match in PettingZoo."""
    env = pettingzoo.make("aec", ENV, rules=RULES)
    env.reset(seed=SEED)
    engine = env.unwrapped.engine
    steps = []
    for number, agent in enumerate(env.agent_iter()):
        seen, reward, terminated, _, _ = env.last()
        legal = tuple(engine.legal_texts())
        if len(legal) != int(seen["action_mask"].sum()):
            raise ValueError(f"step {number}: the mask is not the list of legal moves")
        action = None if terminated else choice(engine)
        move = "None" if action is None else engine.text(action)
        env.step(action)
        paid = tuple(env.rewards.get(other, 0.0) for other in env.possible_agents)
        steps.append(Step(number, agent, float(reward), move, legal, paid, terminated))
    return tuple(steps)


def first_round_end() -> int:
    """Return the step that ended the first round."""
    return next(step.number for step in aec_steps() if any(step.paid))


def _amount(reward: float) -> str:
    return f"{reward:+.2f}".replace("-", "−") if reward else "0"


def steps_table(numbers: Sequence[int]) -> str:
    steps = aec_steps()
    rows = [
        "| step | agent | reward by `last()` | legal moves | its move | `env.rewards` after it |",
        "| ---: | --- | ---: | ---: | --- | --- |",
    ]
    for number in numbers:
        step = steps[number]
        paid = ", ".join(map(_amount, step.paid)) if any(step.paid) else "0"
        rows.append(
            f"| {number} | `{step.agent}` | {_amount(step.reward)} | {len(step.legal)} | "
            f"`{step.move}` | {paid} |"
        )
    return "\n".join(rows)


def legal_lists() -> str:
    """List the legal moves of a seat that opens, before, while and after it stages melds."""
    rows = ["| step | all legal moves | chosen |", "| ---: | --- | --- |"]
    for number in STAGING:
        step = aec_steps()[number]
        moves = ", ".join(f"`{move}`" for move in step.legal)
        rows.append(f"| {number} | {moves} | `{step.move}` |")
    return "\n".join(rows)


def refused() -> str:
    """Show what is told of an illegal action: an opening before any meld is staged."""
    env = pettingzoo.make("aec", ENV, rules=RULES)
    env.reset(seed=SEED)
    engine = env.unwrapped.engine
    for _ in range(STAGING[0]):
        env.step(choice(engine))
    before = env.agent_selection
    env.step(engine.parse("open"))
    _, reward, terminated, truncated, info = env.last()
    shown = {"agent": env.agent_selection, "reward": reward, "terminated": terminated}
    shown |= {"truncated": truncated, "info": info}
    if before != env.agent_selection:
        raise ValueError("another agent is to act after an illegal action")
    return f"```json\n{json.dumps(shown, indent=2)}\n```"


class Turn(NamedTuple):
    """One step of the learner."""

    first: int  # the step of the other interface
    move: str
    legal: int
    between: tuple[str, ...]  # what the others did before the learner was asked again
    reward: float
    terminated: bool


@cache
def learner_steps() -> tuple[Turn, ...]:
    """Play the same match in Gymnasium, from one seat."""
    env: Any = gymnasium.make(ENV, partner=PLAYER, opponents=PLAYER, seat=LEARNER, rules=RULES)
    _, info = env.reset(seed=SEED)
    acted = [step for step in aec_steps() if not step.done]
    own = [step for step in acted if step.agent == f"player_{LEARNER}"]
    turns = []
    for step, after in zip(own, [*(one.number for one in own[1:]), len(acted)]):
        action = env.unwrapped.engine.parse(step.move)
        legal = int(info["action_mask"].sum())
        if legal != len(step.legal):
            raise ValueError(f"step {step.number}: the two interfaces play different matches")
        _, reward, terminated, _, info = env.step(action)
        between = tuple(f"{one.agent[-1]} {one.move}" for one in acted[step.number + 1 : after])
        turns.append(Turn(step.number, step.move, legal, between, float(reward), terminated))
    return tuple(turns)


def learner_table(turns: Sequence[tuple[int, Turn]]) -> str:
    rows = [
        "| call | the learner's move | legal moves | the others, inside the call | reward | "
        "`terminated` |",
        "| ---: | --- | ---: | --- | ---: | --- |",
    ]
    for call, turn in turns:
        shown = [f"`{move}`" for move in turn.between[:SHOWN_MOVES]]
        more = len(turn.between) - len(shown)
        between = ", ".join(shown) + (f" and {more} more" if more else "") or "nothing"
        rows.append(
            f"| {call} | `{turn.move}` | {turn.legal} | {between} | {_amount(turn.reward)} | "
            f"{turn.terminated} |"
        )
    return "\n".join(rows)


def tables() -> dict[str, str]:
    """Return the traces by the name that their marks have."""
    steps, end = aec_steps(), first_round_end()
    calls = list(enumerate(learner_steps()))
    ends = [call for call, turn in calls if turn.reward]
    dead = [step.number for step in steps if step.done]
    return {
        "trace of an opening": steps_table(OPENING),
        "trace of legal moves": legal_lists(),
        "trace of a steal": steps_table(STEAL),
        "trace of a round's end": steps_table(range(end - 2, end + AROUND_ROUND_END)),
        "trace of the last steps": steps_table(range(dead[0] - 2, len(steps))),
        "trace of a refusal": refused(),
        "trace of a learner": learner_table(calls[:8]),
        "trace of a learner's rewards": learner_table([calls[call] for call in ends]),
    }
