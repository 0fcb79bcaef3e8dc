"""PPO of TorchRL on either game, with masks; all four seats at a table can learn, too.

The script to begin with for whoever knows TorchRL: an `EnvBase` over many tables with a learner at
each (`TablesEnv`), `MaskedCategorical`, a collector, `GAE` and `ClipPPOLoss`. With ``--seats four``
the environment is TorchRL's `PettingZooWrapper` around the AEC environment: one network plays all
seats, and `own_decisions` gives each seat the rewards that arrived while others acted.

    python -m train.torchrl_ppo                        # Xeri, one learner at each of 64 tables
    python -m train.torchrl_ppo --seats four           # one table, all four seats learn
    python -m train.torchrl_ppo --game xabitha --decisions 500000
    python -m train.torchrl_ppo --smoke                # all of it, in seconds

The policy that it leaves is a player,
``train.torchrl_ppo:Player?path=runs/torchrl_xeri/policy.pt``. The script needs the extra
``torchrl``.

Its limits are those of any dense mask (see `train.sb3_maskable`), and `PettingZooWrapper` steps one
table at a time, some hundred decisions a second: it shows how masks and turns are done.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from tensordict import TensorDict
from tensordict.nn import TensorDictModule, TensorDictModuleBase
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import ActionMask, EnvBase, PettingZooWrapper, TransformedEnv
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from train import options
from train.examples import SavedPlayer, finish
from train.options import option
from train.running import check_seed, one_thread
from xabitha_env import xabitha_v0, xeri_v0
from xabitha_env.envs.aec import AGENTS
from xabitha_env.envs.learner import LearnerTables
from xabitha_env.evaluation.deals import FEWEST_DEALS
from xabitha_env.games import GAMES, engine_class
from xabitha_env.players import load_player

AEC = {"xabitha": xabitha_v0.env, "xeri": xeri_v0.env}
SEATS = ("one", "four")
GROUP = "players"
"""What TorchRL calls the four seats together."""
ENDED = ("done", "terminated", "truncated")


@dataclass
class Args:
    """What the script is to do."""

    game: str = option("xeri", f"which game: {', '.join(GAMES)}")
    out: str = option("", "folder for the policy and the results (default: runs/torchrl_GAME)")
    seats: str = option("one", "who learns: one seat of each table, or all four of a single one")
    seed: int = option(0, "of every random choice; the same seed gives the same policy", 0)
    decisions: int = option(300_000, "decisions to learn from", 1)
    partner: str = option("greedy", "who sits opposite the learner")
    opponents: str = option("greedy", "the learner's opponents")
    against: str = option("greedy", "the team that a team of the policy is measured against")
    envs: int = option(64, "tables side by side, where one seat learns", 1)
    steps: int = option(48, "decisions at each table between two updates", 2)
    batch: int = option(512, "decisions in a minibatch", 1)
    epochs: int = option(4, "passes over the decisions of an update", 1)
    learning_rate: float = option(1e-3, "learning rate", 0)
    width: int = option(256, "units of each of two hidden layers, of policy and of critic", 1)
    test_deals: int = option(1000, "mirrored deals of the final measurement", FEWEST_DEALS)
    quiet: bool = option(False, "print nothing but errors")


SMOKE: dict[str, Any] = {
    "decisions": 64,
    "envs": 4,
    "steps": 8,
    "batch": 16,
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
    if args.seats not in SEATS:
        raise ValueError(f"--seats must be {' or '.join(SEATS)}, not {args.seats!r}")
    check_seed(args.seed)
    for player in (args.partner, args.opponents, args.against):
        load_player(player, args.game)


# The environments.


class TablesEnv(EnvBase):
    """N tables with a learner at each, as one environment of batch size N.

    The reward is all that fell on the learner since its last decision, so nothing that happens
    while others act is lost.

    Args:
        tables: the tables; an episode is one of theirs.
        seed: of the first table, the others' count up from it.
    """

    def __init__(self, tables: LearnerTables, seed: int) -> None:
        super().__init__(batch_size=[tables.num_tables])
        self.tables = tables
        rows, features, actions = tables.num_tables, tables.num_features, tables.num_actions
        self.observation_spec = Composite(
            observation=Binary(features, shape=(rows, features), dtype=torch.int8),
            action_mask=Binary(actions, shape=(rows, actions), dtype=torch.bool),
            shape=(rows,),
        )
        self.action_spec = Categorical(actions, shape=(rows,))
        self.reward_spec = Unbounded((rows, 1))
        ended = {name: Binary(1, (rows, 1), dtype=torch.bool) for name in ENDED}
        self.full_done_spec = Composite(ended, shape=(rows,))
        self.set_seed(seed)

    def _set_seed(self, seed: int | None) -> None:
        self._seeds: list[int | None] | None = None
        if seed is not None:
            self._seeds = [seed + row for row in range(self.tables.num_tables)]

    def _reset(self, tensordict: Any = None, **_: Any) -> TensorDict:
        asked = None if tensordict is None else tensordict.get("_reset", None)
        which = None if asked is None else asked.reshape(-1).numpy()
        whole = which is None or bool(which.all())
        self.tables.reset(which, self._seeds if whole else None)
        self._seeds = None if whole else self._seeds  # from here on by the generators
        return TensorDict({**self._seen(), **self._ended(self.tables.done)}, self.batch_size)

    def _step(self, tensordict: Any) -> TensorDict:
        outcome = self.tables.step(tensordict["action"].numpy())
        ended = self._ended(outcome.terminated, outcome.truncated)
        reward = torch.from_numpy(outcome.rewards.astype(np.float32)).unsqueeze(1)
        return TensorDict({**self._seen(), **ended, "reward": reward}, self.batch_size)

    def _seen(self) -> dict[str, torch.Tensor]:
        masks = torch.from_numpy(self.tables.action_masks())
        masks[torch.from_numpy(self.tables.done)] = True  # nobody acts there; no mask may be empty
        return {"observation": torch.from_numpy(self.tables.observations()), "action_mask": masks}

    @staticmethod
    def _ended(
        terminated: NDArray[np.bool_], truncated: NDArray[np.bool_] | None = None
    ) -> dict[str, torch.Tensor]:
        first = torch.from_numpy(terminated.copy()).unsqueeze(1)
        second = torch.zeros_like(first)
        if truncated is not None:
            second = torch.from_numpy(truncated.copy()).unsqueeze(1)
        return {"terminated": first, "truncated": second, "done": first | second}


def make_tables(args: Args) -> TransformedEnv:
    """Return tables with a learner at each; an episode is a round."""
    tables = LearnerTables(
        args.game,
        args.envs,
        partner=args.partner,
        opponents=args.opponents,
        seat="random",
        episode="round",
        illegal="raise",  # with masks nothing is illegal
    )
    return TransformedEnv(TablesEnv(tables, args.seed), ActionMask())


def make_table(game: str, seed: int | None = None) -> PettingZooWrapper:
    """Return one table at which all four seats learn; an episode is a round."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "PettingZoo in TorchRL is tested using version")
        return PettingZooWrapper(
            AEC[game](episode="round", illegal="raise"),
            use_mask=True,  # tells who is to act
            group_map={GROUP: list(AGENTS)},
            seed=seed,
        )


# The networks.


class Cast(nn.Module):
    """Features, which are kept in a byte each, as numbers."""

    def forward(self, features: torch.Tensor) -> torch.Tensor:
        return features.float()


def layers(inputs: int, outputs: int, width: int) -> nn.Sequential:
    """Return a network of two hidden layers."""
    return nn.Sequential(
        Cast(),
        *(nn.Linear(inputs, width), nn.ReLU()),
        *(nn.Linear(width, width), nn.ReLU()),
        nn.Linear(width, outputs),
    )


def make_actor(game: str, width: int) -> ProbabilisticActor:
    """Return a policy: logits of all actions, of which only legal ones are drawn."""
    kind = engine_class(game)
    logits = layers(kind.all_features.size, kind.actions.size, width)
    return ProbabilisticActor(
        TensorDictModule(logits, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )


class SeatToAct(TensorDictModuleBase):
    """A policy at a `PettingZooWrapper`: it decides for the seat to act, by the table's mask."""

    def __init__(self, actor: ProbabilisticActor) -> None:
        self.in_keys = [(GROUP, "observation", "observation"), (GROUP, "action_mask")]
        self.in_keys += [(GROUP, "mask")]
        self.out_keys = [(GROUP, "action"), (GROUP, "action_log_prob")]
        super().__init__()
        self.actor = actor

    def forward(self, table: TensorDict) -> TensorDict:
        seats = table[GROUP]
        seat = int(seats["mask"].int().argmax())
        with torch.no_grad():
            own = self.actor(
                TensorDict(
                    observation=seats["observation", "observation"][seat],
                    action_mask=seats["action_mask"][seat],
                )
            )
        for name in ("action", "action_log_prob"):
            values = torch.zeros(len(AGENTS), dtype=own[name].dtype)
            values[seat] = own[name]
            table[GROUP, name] = values
        return table


# Decisions to learn from.


def own_decisions(rollout: TensorDict) -> TensorDict:
    """Return the decisions of a rollout of a `PettingZooWrapper`, seat after seat.

    What follows a decision is what its seat sees when it is next to act; the reward is all that the
    seat was given until then. The last decision of a seat in a rollout that breaks off is left out,
    since nobody knows yet what it brings.

    Args:
        rollout: (T,) steps of the table, over any number of episodes.

    Returns:
        (n,) decisions, in the form that losses take.
    """
    acts = rollout[GROUP, "mask"]  # (T, 4)
    rewards = rollout["next", GROUP, "reward"].squeeze(-1)
    ends = rollout["next", "done"].squeeze(-1)
    begins = torch.cat([torch.zeros(1, dtype=torch.long), ends.long().cumsum(0)])[:-1]
    parts = []
    for seat in range(len(AGENTS)):
        steps = torch.nonzero(acts[:, seat]).squeeze(1)
        for episode in begins.unique():
            own = steps[begins[steps] == episode]
            within = torch.nonzero(begins == episode).squeeze(1)
            over = bool(ends[within[-1]])
            parts.append(_chain(rollout, rewards[:, seat], own, int(within[-1]), over, seat))
    return torch.cat([part for part in parts if len(part)])


def _chain(
    rollout: TensorDict, rewards: torch.Tensor, own: torch.Tensor, last: int, over: bool, seat: int
) -> TensorDict:
    """Return the decisions of a seat in an episode that goes as far as the step `last`."""
    kept = own if over else own[:-1]
    if not len(kept):
        return TensorDict({}, [0])
    following = torch.cat([own[1:], torch.tensor([last + 1])])[: len(kept)]
    total = torch.cat([torch.zeros(1), rewards.cumsum(0)])
    seats = rollout[GROUP]
    seen = seats["observation", "observation"][:, seat]
    final = torch.zeros(len(kept), 1, dtype=torch.bool)
    final[-1] = True  # the chain ends, but only a round that is over leaves nothing to come
    after = {
        "observation": seen[following.clamp(max=len(seen) - 1)],
        "reward": (total[following] - total[kept]).unsqueeze(1),
        "done": final,
        "terminated": final & over,
    }
    now = {name: seats[name][kept, seat] for name in ("action_mask", "action", "action_log_prob")}
    return TensorDict(
        {**now, "observation": seen[kept], "next": TensorDict(after, [len(kept)])}, [len(kept)]
    )


def collect(args: Args, actor: ProbabilisticActor) -> Iterator[TensorDict]:
    """Yield decisions played by a policy as it is by then, update after update."""
    if args.seats == "four":
        table, policy = make_table(args.game, args.seed), SeatToAct(actor)
        done, size, begun = 0, args.envs * args.steps, table.reset()
        while done < args.decisions:
            rollout = table.rollout(
                size,
                policy,
                auto_reset=False,
                tensordict=begun,
                break_when_any_done=False,
            )
            begun = table.maybe_reset(table.step_mdp(rollout[-1]))
            played = own_decisions(rollout)
            done += len(played)
            yield played
        return
    size = args.envs * args.steps
    total = -(-args.decisions // size) * size
    collector = Collector(
        make_tables(args),
        actor,
        frames_per_batch=size,
        total_frames=total,
        auto_register_policy_transforms=False,
    )
    try:
        yield from collector
    finally:
        collector.shutdown()


def learn(args: Args, actor: ProbabilisticActor, critic: ValueOperator) -> tuple[int, float]:
    """Learn; returns the decisions that were played, and the seconds."""
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.005, normalize_advantage=True)
    optimiser = torch.optim.Adam(loss.parameters(), args.learning_rate)
    began, done = time.perf_counter(), 0
    for played in collect(args, actor):
        done += played.numel()
        with torch.no_grad():
            advantage(played)
        flat = played.reshape(-1)
        for _ in range(args.epochs):
            for rows in torch.randperm(len(flat)).split(args.batch):
                if len(rows) < 2:
                    continue  # its advantage cannot be normalised
                found = loss(flat[rows])
                whole = found["loss_objective"] + found["loss_critic"] + found["loss_entropy"]
                optimiser.zero_grad()
                whole.backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimiser.step()
        if not args.quiet:
            reward = played["next", "reward"].sum() / max(int(played["next", "done"].sum()), 1)
            print(f"   {done:,} decisions: mean reward {reward:+.3f}")
    return done, time.perf_counter() - began


# The player.


class Player(SavedPlayer):
    """A policy of this script; see `SavedPlayer`."""

    name = "torchrl"

    @staticmethod
    def make(game: str, width: int) -> nn.Module:
        """Return the network; see `SavedPlayer.make`."""
        return make_actor(game, width)

    def logits(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the logits; see `SavedPlayer.logits`."""
        seen = TensorDict({"observation": observation, "action_mask": mask}, [len(observation)])
        return self.network.get_dist(seen).logits


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
    out = Path(args.out or f"runs/torchrl_{args.game}")
    out.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(args.seed)
    actor = make_actor(args.game, args.width)
    inputs = engine_class(args.game).all_features.size
    critic = ValueOperator(layers(inputs, 1, args.width), in_keys=["observation"])
    done, seconds = learn(args, actor, critic)
    libraries = ("torch", "torchrl", "tensordict")
    return finish(args, out, actor, Player, done, seconds, libraries)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.torchrl_ppo", description, arguments, SMOKE))
    )


if __name__ == "__main__":
    sys.exit(run())
