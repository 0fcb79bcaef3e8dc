"""Whether to declare Xabitha mode (X3.2), for any player: never, always, or as was learnt.

`train.declaration` learns what both answers are worth; a seat that has declared plays as `chase`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.overriding import OverridingAgent, rows_of
from agents.policy import FOLDER
from agents.regression import Regression, load_regression
from xabitha_env._jit import entry, records
from xabitha_env.cards import JOKER, NUM_SEATS
from xabitha_env.masks import count_bits
from xabitha_env.players import Agent, CompiledPlayer, View
from xabitha_env.protocol import Engine
from xabitha_env.xabitha.actions import DECLARE
from xabitha_env.xabitha.chase import cost, formation_distance, missing_cards, nearest_formation
from xabitha_env.xabitha.expert import WEIGHTS, plan_melds
from xabitha_env.xabitha.hands import add_card, held_jokers
from xabitha_env.xabitha.opening import MOST_MELDS, row_points
from xabitha_env.xabitha.packing import without_melds
from xabitha_env.xabitha.reading import unseen_cards
from xabitha_env.xabitha.scoring import POINTS_PER_REWARD
from xabitha_env.xabitha.state import DECLARING, HAND_CARDS

GAME = "xabitha"
MOST_MISSING = 6
FEATURES = (
    *(f"at most {missing} missing" for missing in range(MOST_MISSING)),
    "unseen cards that bring it nearer",
    "its cost to `chase`",
    "jokers",
    "cards above 14",
    "place in the order",
    "points in melds",
    "points above the bar",
    "cards in no meld",
)
"""What is known of a declaration; "it" is the nearest formation."""
OUTS, COST, JOKERS, MORE, PLACE, BOUND, OVER, SPARE = range(MOST_MISSING, len(FEATURES))
OUTPUTS = ("no", "yes", "closed", "formed")
"""Points in hundreds by which the team wins the round after each answer, after a yes without the
penalties of closed opponents at a formation (X11.3); how many of these there are; and the log-odds
that the formation is laid."""
NO, YES, CLOSED, FORMED = range(len(OUTPUTS))
POINTS = float(POINTS_PER_REWARD)
ANSWERS = ("no", "yes", "learned")
FILE = FOLDER / "declaration.pt"


@entry
def describe_declarations(games, indices, out):
    """Write what the seats to act know of their declarations.

    Args:
        games: (N,) records.
        indices: (n,) games in which a seat is to declare.
        out: (n, FEATURES) float32, written.
    """
    chosen = np.empty(MOST_MELDS, np.int64)
    out[:] = 0.0
    for row in range(indices.size):
        g = games[indices[row]]
        seat = int(g.seat)
        one, two = g.hand_one[seat], g.hand_two[seat]
        once, twice = unseen_cards(g, seat)
        missing = formation_distance(one, two)
        out[row, missing:MOST_MISSING] = 1.0
        for kind in range(JOKER):
            more = add_card(one, two, np.int64(kind))
            if formation_distance(more[0], more[1]) < missing:
                out[row, OUTS] += ((once >> kind) & 1) + ((twice >> kind) & 1)
        suit, low, rank = nearest_formation(one, two, once, twice)
        run, quads = missing_cards(one, two, suit, low, rank)
        out[row, COST] = cost(run, once, twice) + cost(quads, once, twice)
        out[row, JOKERS] = held_jokers(one, two)
        out[row, MORE] = g.hand_count[seat] - HAND_CARDS
        out[row, PLACE] = (seat - g.starter) % NUM_SEATS
        laid, _ = plan_melds(g, seat, WEIGHTS, chosen)
        for place in range(laid):
            high, low_ace = int(g.ace_high_points), int(g.ace_low_points)
            out[row, BOUND] += row_points(np.int64(chosen[place]), high, low_ace)
        out[row, OVER] = out[row, BOUND] - g.threshold[seat]
        loose_one, loose_two = without_melds(one, two, chosen, laid)
        out[row, SPARE] = count_bits(loose_one) + count_bits(loose_two)


def described(engine: Engine, games: NDArray[Any]) -> NDArray[np.float32]:
    """Return the features (n, FEATURES) of the declarations in some games."""
    out = np.empty((len(games), len(FEATURES)), np.float32)
    describe_declarations(records(engine.games), np.asarray(games, np.int64), out)
    return out


def gain_of_yes(estimates: NDArray[np.floating], penalty: float) -> NDArray[np.floating]:
    """Return by how many points a declaration is better than none.

    Args:
        estimates: (n, OUTPUTS).
        penalty: `xabitha_closed_penalty` of the rules.
    """
    yes = POINTS * estimates[:, YES] + penalty * estimates[:, CLOSED]
    return yes - POINTS * estimates[:, NO]


class Answer(Protocol):
    """Says in which of some games the seats to act declare."""

    def __call__(self, engine: Engine, games: NDArray[Any]) -> NDArray[np.bool_]:
        """Return (n,) for n games."""


def always(answer: bool) -> Answer:
    """Return what gives the same answer everywhere."""
    return lambda engine, games: np.full(len(games), answer)


def learned(regression: Regression) -> Answer:
    """Return what declares where that is estimated to be better."""

    def answer(engine: Engine, games: NDArray[Any]) -> NDArray[np.bool_]:
        penalty = float(engine.rules.to_dict()["xabitha_closed_penalty"])
        return gain_of_yes(regression.estimate(described(engine, games)), penalty) > 0

    return answer


class DeclaringAgent(OverridingAgent):
    """Answers for another player whether to declare, and plays as `chase` where it has declared.

    Args:
        base: the other player.
        answer: of both answers, which.
    """

    def __init__(self, base: Agent, answer: Answer) -> None:
        super().__init__(base)
        self.answer, self.chase = answer, CompiledPlayer("chase")

    def reset(self, engine: Engine, seed: int) -> None:
        """Play on this engine's games from now on."""
        super().reset(engine, seed)
        self.chase.reset(engine, seed)

    def override(self, engine: Engine, view: View) -> NDArray[np.int64]:
        """Return the answers to declarations and what `chase` does, -1 elsewhere."""
        actions = np.full(len(view.game), -1)
        asked = engine.games["phase"][view.game] == DECLARING
        if asked.any():
            actions[asked] = DECLARE + self.answer(engine, view.game[asked])
        declared = ~asked & (engine.games["declared"][view.game, view.seat] != 0)
        if declared.any():
            actions[declared] = self.chase.act(rows_of(view, declared))
        return actions


def declaring(agent: Agent, value: str, game: str) -> DeclaringAgent:
    """Return a player that declares as `value` says: ``no``, ``yes``, ``learned`` or a file.

    Raises:
        ValueError: another value, a file that holds something else, or another game.
        OSError: the file cannot be read.
    """
    if game != GAME:
        raise ValueError(f"declare is an option for {GAME}, not for {game}")
    if value in ("no", "yes"):
        return DeclaringAgent(agent, always(value == "yes"))
    if value != "learned" and not value.endswith(".pt"):
        raise ValueError(f"declare={value}: it is {', '.join(ANSWERS)} or FILE.pt")
    path = FILE if value == "learned" else Path(value)
    return DeclaringAgent(agent, learned(load_regression(path, FEATURES, OUTPUTS)))
