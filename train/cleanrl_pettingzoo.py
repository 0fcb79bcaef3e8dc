"""PPO in one file over PettingZoo's AEC interface: one network plays and learns all four seats.

In the manner of CleanRL (Huang and others, 2022): everything that PPO does stands here, with plain
loops and no framework. What an AEC environment asks for beyond a single-agent one is in `Tables`:

- whose turn it is says ``agent_selection``; a seat may act many times in a row;
- the mask of legal actions is in the observation, and only legal ones are drawn;
- rewards arrive when a round ends, whoever ends it. ``last()`` gives a seat all that it was given
  since its last decision, so a decision stays *open* until its seat is asked again, and is then
  closed with that reward. A seat's decisions form a chain of its own.

    python -m train.cleanrl_pettingzoo                       # Xeri
    python -m train.cleanrl_pettingzoo --game xabitha --decisions 500000
    python -m train.cleanrl_pettingzoo --smoke               # all of it, in seconds

The policy that it leaves is a player:
``train.cleanrl_pettingzoo:Player?path=runs/cleanrl_xeri/policy.pt``.

Its limits: dense masks (see `train.sb3_maskable`), and a Python loop over the tables, which takes
about as long as the network does. Take `train/ppo.py` for strength.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from pettingzoo import AECEnv
from torch import nn
from torch.distributions import Categorical

from train import options
from train.examples import SavedPlayer, finish
from train.options import option
from train.running import check_seed, one_thread
from xabitha_env import xabitha_v0, xeri_v0
from xabitha_env.envs.aec import SEAT_OF
from xabitha_env.evaluation.deals import FEWEST_DEALS
from xabitha_env.games import GAMES, engine_class
from xabitha_env.players import load_player

AEC = {"xabitha": xabitha_v0.env, "xeri": xeri_v0.env}


@dataclass
class Args:
    """What the script is to do."""

    game: str = option("xeri", f"which game: {', '.join(GAMES)}")
    out: str = option("", "folder for the policy and the results (default: runs/cleanrl_GAME)")
    seed: int = option(0, "of every random choice; the same seed gives the same policy", 0)
    decisions: int = option(300_000, "decisions to learn from, of all seats together", 1)
    against: str = option("greedy", "the team that a team of the policy is measured against")
    envs: int = option(64, "tables side by side", 1)
    steps: int = option(48, "decisions at each table between two updates", 1)
    batch: int = option(512, "decisions in a minibatch", 2)
    epochs: int = option(4, "passes over the decisions of an update", 1)
    learning_rate: float = option(1e-3, "learning rate, falling to nothing", 0)
    gae_lambda: float = option(0.95, "how far advantages look ahead", 0)
    clip: float = option(0.2, "how far an update may change a probability", 0)
    entropy: float = option(0.005, "what keeping the choice open is worth", 0)
    width: int = option(256, "units of each of two hidden layers, of policy and of critic", 1)
    test_deals: int = option(1000, "mirrored deals of the final measurement", FEWEST_DEALS)
    quiet: bool = option(False, "print nothing but errors")


SMOKE: dict[str, Any] = {
    "decisions": 256,
    "envs": 4,
    "steps": 32,
    "batch": 32,
    "epochs": 1,
    "width": 8,
    "test_deals": 4,
}
"""Options of ``--smoke``."""


def check(args: Args) -> None:
    """Check the arguments.

    Raises:
        ValueError: one is none of what it may be; the message says which and why.
    """
    options.check_numbers(args)
    if args.game not in GAMES:
        raise ValueError(f"--game must be {' or '.join(GAMES)}, not {args.game!r}")
    check_seed(args.seed)
    load_player(args.against, args.game)


# The network.


class Network(nn.Module):
    """Logits of all actions, and the value of what a seat sees."""

    def __init__(self, game: str, width: int) -> None:
        super().__init__()
        kind = engine_class(game)
        inputs = kind.all_features.size
        self.actor = self._layers(inputs, kind.actions.size, width, 0.01)
        self.critic = self._layers(inputs, 1, width, 1.0)

    @staticmethod
    def _layers(inputs: int, outputs: int, width: int, scale: float) -> nn.Sequential:
        last = nn.Linear(width, outputs)
        nn.init.orthogonal_(last.weight, scale)
        nn.init.zeros_(last.bias)
        hidden = (nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        return nn.Sequential(*hidden, last)

    def odds(self, observation: torch.Tensor, mask: torch.Tensor) -> Categorical:
        """Return the distribution of the legal actions of n decisions.

        An illegal action gets the lowest number there is, so that its probability is 0 and its
        share of the entropy, too.
        """
        logits = self.actor(observation)
        return Categorical(
            logits=torch.where(mask, logits, torch.finfo(logits.dtype).min), validate_args=False
        )

    def value(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the rewards that n seats may still expect, (n,)."""
        return self.critic(observation).squeeze(1)


# The tables.


class Decision(NamedTuple):
    """What a seat saw and did, and what the network made of it."""

    observation: NDArray[np.int8]  # (O,)
    mask: NDArray[np.int8]  # (A,)
    action: int
    log_prob: float
    value: float


class Closed(NamedTuple):
    """A decision, and what came of it until its seat was asked again."""

    decision: Decision
    reward: float
    over: bool  # the round ended before the seat was asked again
    bootstrap: float  # else: the value of what it then saw


class Tables:
    """Many AEC environments in one process, each with the open decisions of its four seats.

    Args:
        envs: the tables; an episode is a round.
        seed: of the first table, the others' count up from it.
    """

    def __init__(self, envs: Sequence[AECEnv], seed: int) -> None:
        self.envs = list(envs)
        for place, env in enumerate(self.envs):
            env.reset(seed=seed + place)
        self._open: list[dict[int, Decision]] = [{} for _ in envs]  # by seat
        self.chains: dict[tuple[int, int], list[Closed]] = {}  # by table and seat
        self.paid: list[tuple[float, ...]] = []  # rewards of finished rounds, by seat

    def look(self) -> list[tuple[int, dict[str, NDArray[np.int8]], float]]:
        """Return for each table the seat to act, what it sees, and its reward since it acted last.

        A round that is over pays all seats first, and the next one begins.
        """
        found = []
        for place, env in enumerate(self.envs):
            if env.terminations[env.agent_selection] or env.truncations[env.agent_selection]:
                self._finish(place, env)
            seen, reward, *_ = env.last()
            found.append((SEAT_OF[env.agent_selection], seen, reward))
        return found

    def act(
        self,
        seen: Sequence[tuple[int, dict[str, NDArray[np.int8]], float]],
        actions: Sequence[int],
        log_probs: Sequence[float],
        values: Sequence[float],
    ) -> None:
        """Close what the seats to act had left open, and let them act."""
        rows = zip(self.envs, seen, actions, log_probs, values, strict=True)
        for place, (env, (seat, view, reward), action, log_prob, value) in enumerate(rows):
            if seat in self._open[place]:
                self._close(place, seat, reward, over=False, bootstrap=value)
            self._open[place][seat] = Decision(
                view["observation"], view["action_mask"], action, log_prob, value
            )
            env.step(action)

    def take(self) -> list[list[Closed]]:
        """Return the chains of closed decisions since the last call; open ones wait for the next.

        A chain goes on where its last decision was not the last of a round.
        """
        chains = [chain for chain in self.chains.values() if chain]
        self.chains = {}
        return chains

    def _finish(self, place: int, env: AECEnv) -> None:
        """Pay all four seats, and begin the next round."""
        rewards = [0.0] * len(SEAT_OF)
        while env.agents:  # each that is done is asked once more, and has nothing to do
            seat = SEAT_OF[env.agent_selection]
            _, rewards[seat], terminated, *_ = env.last()
            if seat in self._open[place]:
                self._close(place, seat, rewards[seat], over=terminated, bootstrap=0.0)
            env.step(None)
        self.paid.append(tuple(rewards))
        env.reset()

    def _close(self, place: int, seat: int, reward: float, *, over: bool, bootstrap: float) -> None:
        closed = Closed(self._open[place].pop(seat), reward, over, bootstrap)
        self.chains.setdefault((place, seat), []).append(closed)


def make_tables(args: Args) -> Tables:
    """Return the tables of a job; with masks no action is illegal."""
    made = [AEC[args.game](episode="round", illegal="raise") for _ in range(args.envs)]
    return Tables(made, args.seed)


def advantages(chain: Sequence[Closed], gae_lambda: float) -> NDArray[np.float32]:
    """Return generalised advantages (Schulman and others, 2016) of a chain of one seat, (n,).

    A round's reward is worth as much now as at its end.
    """
    found = np.zeros(len(chain), np.float32)
    later = 0.0
    for place in reversed(range(len(chain))):
        decision, reward, over, bootstrap = chain[place]
        if over:
            later, bootstrap = 0.0, 0.0
        later = reward + bootstrap - decision.value + gae_lambda * later
        found[place] = later
    return found


# Learning.


def play(tables: Tables, network: Network, steps: int) -> list[list[Closed]]:
    """Let the network decide so many times at each table; returns the chains of what was closed."""
    for _ in range(steps):
        seen = tables.look()
        observation = np.stack([view["observation"] for _, view, _ in seen])
        mask = np.stack([view["action_mask"] for _, view, _ in seen])
        with torch.no_grad():
            inputs = torch.from_numpy(observation).float()
            odds = network.odds(inputs, torch.from_numpy(mask != 0))
            actions = odds.sample()
            values = network.value(inputs)
        tables.act(seen, actions.tolist(), odds.log_prob(actions).tolist(), values.tolist())
    return tables.take()


def update(
    network: Network,
    optimiser: torch.optim.Optimizer,
    chains: Sequence[Sequence[Closed]],
    args: Args,
) -> None:
    """Improve the network by what was played."""
    decisions = [one.decision for chain in chains for one in chain]
    observation = torch.from_numpy(np.stack([one.observation for one in decisions]))
    mask = torch.from_numpy(np.stack([one.mask for one in decisions]) != 0)
    action, log_prob, value = (
        torch.tensor([getattr(one, name) for one in decisions])
        for name in ("action", "log_prob", "value")
    )
    gain = torch.from_numpy(np.concatenate([advantages(one, args.gae_lambda) for one in chains]))
    returns = gain + value
    for _ in range(args.epochs):
        for rows in torch.randperm(len(decisions)).split(args.batch):
            if len(rows) < 2:
                continue  # its advantage cannot be normalised
            inputs = observation[rows].float()
            odds = network.odds(inputs, mask[rows])
            ratio = (odds.log_prob(action[rows]) - log_prob[rows]).exp()
            own = (gain[rows] - gain[rows].mean()) / (gain[rows].std() + 1e-8)
            clipped = ratio.clamp(1 - args.clip, 1 + args.clip)
            policy_loss = -torch.minimum(own * ratio, own * clipped).mean()
            value_loss = (network.value(inputs) - returns[rows]).square().mean()
            loss = policy_loss + 0.5 * value_loss - args.entropy * odds.entropy().mean()
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 0.5)
            optimiser.step()


def learn(args: Args) -> tuple[Network, int, float]:
    """Learn; returns the network, the decisions that were played, and the seconds."""
    torch.manual_seed(args.seed)
    network = Network(args.game, args.width)
    optimiser = torch.optim.Adam(network.parameters(), args.learning_rate, eps=1e-5)
    tables = make_tables(args)
    size = args.envs * args.steps
    updates = -(-args.decisions // size)
    began = time.perf_counter()
    for number in range(updates):
        optimiser.param_groups[0]["lr"] = args.learning_rate * (1 - number / updates)
        chains = play(tables, network, args.steps)
        if chains:  # at first all decisions may be open
            update(network, optimiser, chains, args)
        if not args.quiet:
            paid, tables.paid = tables.paid, []
            size_of = np.abs(paid).mean() if paid else 0.0
            print(
                f"   {(number + 1) * size:,} decisions: {len(paid)} rounds ended, "
                f"reward of either sign {size_of:.3f}"
            )
    return network, updates * size, time.perf_counter() - began


# The player.


class Player(SavedPlayer):
    """A policy of this script; see `SavedPlayer`."""

    name = "cleanrl"
    make = Network

    def logits(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the logits; see `SavedPlayer.logits`."""
        return self.network.odds(observation.float(), mask).logits


def main(args: Args) -> dict[str, Any]:
    """Learn, save and measure.

    Returns:
        What ``results.json`` holds.

    Raises:
        ValueError: a bad argument.
        OSError: a file cannot be written.
    """
    check(args)
    with one_thread():
        return _run(args)


def _run(args: Args) -> dict[str, Any]:
    out = Path(args.out or f"runs/cleanrl_{args.game}")
    out.mkdir(parents=True, exist_ok=True)
    network, done, seconds = learn(args)
    return finish(args, out, network, Player, done, seconds)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.cleanrl_pettingzoo", description, arguments, SMOKE))
    )


if __name__ == "__main__":
    sys.exit(run())
