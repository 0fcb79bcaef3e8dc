"""The main job: an agent learns Xabitha by imitation and MaskablePPO, and is measured.

1. Imitation. Tables of `greedy` players, some of whom slip now and then so that states vary, play
   complete rounds; the policy learns what `greedy` would do, the critic how the rounds ended.
2. MaskablePPO. The learner has one seat, a partner, and opponents of growing strength; the rest of
   the table is played inside the batched engine. Of all the policies on the way the one that does
   best on the development deals is kept.
3. Measurement on mirrored deals that nothing was chosen by (see `train.evaluate`).

    python -m train.demo                   # the whole job, some minutes
    python -m train.demo --smoke           # every stage, in seconds, to no effect
    python -m train.demo --help
"""

from __future__ import annotations

import argparse
import copy
import csv
import io
import json
import math
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import torch
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from train.evaluate import FEWEST_DEALS, GAME, Comparison, compare
from xabitha_env.cli.output import print_table
from xabitha_env.contrib.sb3 import SB3Player, TablesVecEnv
from xabitha_env.files import NewFile
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players import load_player
from xabitha_env.protocol import Engine

YARDSTICKS = ("random", "greedy")
"""The players that the agent is measured against."""
DEVELOPMENT_SEED = 1_000_000_000
"""The first of the deals that policies are chosen by."""
TEST_SEED = 2_000_000_000
"""The first of the deals of the final figures; nothing is chosen by them."""
HELD_OUT_SEED = 3_000_000_000
"""The first of the rounds in which imitation is measured."""
MOST_SEED = 2**31 - 1

POINTS = 100.0  # of penalty in one unit of reward
WATCHED = 256  # rounds that are watched side by side
HELD_OUT = 64  # rounds, for the agreement with the teacher
SLIPPING, SLIPS = 0.15, 0.3  # the share of seats that slip; and of decisions, how often they do
IMITATION_BATCH = 256
SMALLEST_RATE = 0.02  # where learning rates end, as a share of where they begin
IMITATION_SHARE = 0.4  # of the time limit that imitation may take
RESERVE = 1.5  # how much longer than expected the final measurement may take
MODEL, CURVE, PICTURE, RESULTS = "model.zip", "curve.csv", "curve.png", "results.json"


def option(default: Any, text: str) -> Any:
    """Return a dataclass field with a help text."""
    return field(default=default, metadata={"help": text})


@dataclass
class Args:
    """What the job is to do."""

    out: str = option("runs/demo", "folder for the model, the learning curve and the results")
    seed: int = option(0, "of every random choice; the same seed gives the same result")
    time_limit: float = option(9.0, "minutes after which learning stops and measuring begins")
    imitation_decisions: int = option(600_000, "decisions of greedy to learn from")
    imitation_rate: float = option(2e-3, "learning rate of imitation, falling to zero")
    steps: int = option(300_000, "decisions of the learner in MaskablePPO")
    partner: str = option("greedy", "who sits opposite the learner")
    opponents: str = option("random,greedy", "the learner's opponents, one after another")
    shares: str = option("1,9", "how the steps are shared among the opponents")
    envs: int = option(128, "tables side by side")
    n_steps: int = option(64, "decisions at each table between two updates")
    batch_size: int = option(1024, "decisions in a minibatch")
    epochs: int = option(4, "passes over the decisions of an update")
    learning_rate: float = option(5e-4, "learning rate of MaskablePPO, falling to zero")
    clip_range: float = option(0.2, "how far an update may move probabilities")
    gae_lambda: float = option(0.8, "how far ahead advantages look before they trust the critic")
    entropy: float = option(0.0, "bonus for entropy; it also rewards declaring, which loses")
    width: int = option(384, "units of the policy's hidden layer")
    critic_width: int = option(128, "units of the critic's hidden layer")
    evaluations: int = option(6, "how often to measure while learning")
    dev_deals: int = option(400, "mirrored deals of each of these measurements")
    test_deals: int = option(2000, "mirrored deals of the final measurement")
    quiet: bool = option(False, "print nothing but errors")


SMOKE: dict[str, Any] = {
    "imitation_decisions": 2_000,
    "steps": 256,
    "envs": 8,
    "n_steps": 16,
    "batch_size": 64,
    "epochs": 1,
    "width": 64,
    "critic_width": 16,
    "evaluations": 1,
    "dev_deals": 4,
    "test_deals": 8,
}
"""Options of ``--smoke``."""

SMALLEST = {
    "imitation_decisions": 0,
    "steps": 0,
    "envs": 1,
    "n_steps": 2,
    "batch_size": 2,
    "epochs": 1,
    "width": 1,
    "critic_width": 1,
    "evaluations": 1,
    "dev_deals": FEWEST_DEALS,
    "test_deals": FEWEST_DEALS,
}


class Opponents(NamedTuple):
    """Who the learner meets, and until which share of its steps."""

    name: str
    until: float


def checked(args: Args) -> list[Opponents]:
    """Check the arguments and return the opponents in their order.

    Raises:
        ValueError: an argument is none of what it may be; the message says which and why.
    """
    for name, least in SMALLEST.items():
        if getattr(args, name) < least:
            raise ValueError(f"{_flag(name)} must be at least {least}, not {getattr(args, name)}")
    if not 0 <= args.seed <= MOST_SEED:
        raise ValueError(f"--seed must be 0 to {MOST_SEED}, not {args.seed}")
    for name in ("time_limit", "imitation_rate", "learning_rate", "clip_range"):
        if not 0 < getattr(args, name) < math.inf:
            raise ValueError(f"{_flag(name)} must be above 0, not {getattr(args, name)}")
    if not 0 <= args.gae_lambda <= 1:
        raise ValueError(f"--gae-lambda must be 0 to 1, not {args.gae_lambda}")
    if not 0 <= args.entropy < math.inf:
        raise ValueError(f"--entropy must be at least 0, not {args.entropy}")
    load_player(args.partner, GAME)
    return _schedule(args)


def _schedule(args: Args) -> list[Opponents]:
    names = [name.strip() for name in args.opponents.split(",")]
    try:
        shares = [float(share) for share in args.shares.split(",")]
    except ValueError:
        raise ValueError(f"--shares must be numbers with commas, not {args.shares!r}") from None
    if len(names) == 1:
        shares = [1.0]
    if len(shares) != len(names):
        raise ValueError(f"--shares has {len(shares)} numbers for {len(names)} opponents")
    if not all(0 < share < math.inf for share in shares):
        raise ValueError(f"--shares must be above 0, not {args.shares}")
    for name in names:
        load_player(name, GAME)
    ends = np.cumsum(shares) / sum(shares)
    return [Opponents(name, float(end)) for name, end in zip(names, ends)]


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


# What is shown and written down on the way.


class Screen:
    """Stages, their progress, and lines between them.

    Args:
        quiet: show nothing.
    """

    def __init__(self, quiet: bool) -> None:
        self._console = Console(quiet=quiet, highlight=False)

    def say(self, text: str) -> None:
        """Print a line (above the bar, if there is one)."""
        self._console.print(text, markup=False, soft_wrap=True)

    @contextmanager
    def stage(self, title: str, total: int) -> Iterator[Callable[[int], None]]:
        """Announce a stage and show its bar; gives the function that moves it."""
        self.say(f"== {title}")
        columns = (BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
        with Progress(
            *columns,
            console=self._console,
            transient=True,
            disable=self._console.quiet or not self._console.is_terminal,
        ) as bar:
            task = bar.add_task("", total=total)
            yield lambda done: bar.update(task, completed=min(done, total))


CURVE_FIELDS = (
    "stage",  # imitation, ppo or test
    "decisions",  # of the stage so far
    "seconds",  # since the job began
    "agreement",  # share of held-out decisions in which the policy would do what greedy does
    *(f"{name}_{figure}" for name in YARDSTICKS for figure in ("margin", "low", "high")),
    "declared",  # share of seats in Xabitha mode, against the last of the yardsticks
)


class Journal:
    """The rows of the learning curve, and the clock."""

    def __init__(self, time_limit: float) -> None:
        self.start = time.perf_counter()
        self.limit = 60 * time_limit
        self.rows: list[dict[str, Any]] = []

    @property
    def seconds(self) -> float:
        """Seconds since the job began."""
        return time.perf_counter() - self.start

    def note(self, stage: str, decisions: int, **figures: Any) -> None:
        """Add a row."""
        row = {"stage": stage, "decisions": decisions, "seconds": round(self.seconds, 1)}
        self.rows.append({**row, **figures})

    def note_margins(self, stage: str, decisions: int, found: dict[str, Comparison]) -> None:
        """Add a row of margins."""
        figures: dict[str, Any] = {}
        for name, one in found.items():
            for figure in ("margin", "low", "high"):
                figures[f"{name}_{figure}"] = round(getattr(one, figure), 2)
            figures["declared"] = one.declared
        self.note(stage, decisions, **figures)

    def points(self, stage: str, name: str) -> list[dict[str, Any]]:
        """Return the rows of a stage that have a figure of this name."""
        return [row for row in self.rows if row["stage"] == stage and name in row]


# The model.


def make_model(args: Args, env: TablesVecEnv) -> MaskablePPO:
    """Return a MaskablePPO model of stock parts, with detectors for the fire pile."""
    model = MaskablePPO(
        "MlpPolicy",
        env,
        learning_rate=_falling(args.learning_rate),
        n_steps=args.n_steps,
        batch_size=args.batch_size,
        n_epochs=args.epochs,
        gamma=1.0,  # a round's reward is worth as much now as at its end
        gae_lambda=args.gae_lambda,
        clip_range=args.clip_range,
        ent_coef=args.entropy,
        policy_kwargs={
            "net_arch": {"pi": [args.width], "vf": [args.critic_width]},
            "activation_fn": nn.ReLU,
        },
        seed=args.seed,
        device="cpu",
    )
    watch_fire_pile(model, env.engine)
    return model


def _falling(rate: float) -> LinearSchedule:
    return LinearSchedule(rate, SMALLEST_RATE * rate, 1.0)


class Layers(nn.Module):
    """Two layers of the model with a ReLU between them, from observations to outputs.

    Args:
        hidden: what the model made of its hidden layer: the layer and the ReLU.
        outputs: the layer of logits, or of the value.
    """

    def __init__(self, hidden: Any, outputs: Any) -> None:
        super().__init__()
        self.hidden: nn.Linear = hidden[0]
        self.outputs: nn.Linear = outputs

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        """Return the outputs, (n, ...), for observations (n, O)."""
        found: torch.Tensor = self.outputs(torch.relu(self.hidden(observation.float())))
        return found


def actor(model: MaskablePPO) -> Layers:
    """Return the policy's layers, whose outputs are logits (n, A)."""
    return Layers(model.policy.mlp_extractor.policy_net, model.policy.action_net)


def critic(model: MaskablePPO) -> Layers:
    """Return the critic's layers, whose outputs are values (n, 1)."""
    return Layers(model.policy.mlp_extractor.value_net, model.policy.value_net)


def watch_fire_pile(model: MaskablePPO, engine: Engine) -> None:
    """Start a hidden unit for each kind as the detector of a conjunction.

    It fires when the top of the fire pile is of this kind and would complete a meld. That is what
    `greedy` draws by; gradient descent finds these products of features only after a few hundred
    thousand decisions. From here on the units learn like all others.
    """
    top, wanted = (engine.features.slice(name) for name in ("fire_card", "potential"))
    hidden, outputs = actor(model).hidden, actor(model).outputs
    kinds = torch.arange(min(top.stop - top.start, hidden.out_features))
    take = engine.actions.offset("draw") + 1
    with torch.no_grad():
        nn.init.orthogonal_(outputs.weight)
        hidden.weight[kinds] = 0
        hidden.weight[kinds, top.start + kinds] = 1
        hidden.weight[kinds, wanted.start + kinds] = 1
        hidden.bias[kinds] = -1
        outputs.weight[take, kinds] = 2
        outputs.weight[take - 1, kinds] = -2
        outputs.bias[take - 1] = 2


MATCH_SECTIONS = ("rounds", "lead", "last_reason", "last_winner", "last_declared")
"""Sections of the observation that never change in matches of a single round."""


def blind_to_match(model: MaskablePPO, observation: NDArray[np.int8], engine: Engine) -> None:
    """Make a model that saw matches of one round only play every round of a match like those.

    What it never saw change must not move it: those inputs are cut off, and the value that they
    had is added to the biases. In matches of one round nothing changes.

    Args:
        model: the model.
        observation: any observation of such a match, (O,).
        engine: for the layout.
    """
    columns = np.concatenate(
        [np.arange(engine.features.size)[engine.features.slice(name)] for name in MATCH_SECTIONS]
    )
    seen = torch.from_numpy(observation[columns]).float()
    with torch.no_grad():
        for layers in (actor(model), critic(model)):
            layers.hidden.bias.add_(layers.hidden.weight[:, columns] @ seen)
            layers.hidden.weight[:, columns] = 0


# Imitation.


class Decisions(NamedTuple):
    """Decisions that were watched, n of them; forced ones are left out."""

    observation: NDArray[np.int8]  # (n, O)
    mask: NDArray[np.bool_]  # (n, A)
    action: NDArray[np.int64]  # (n,) what greedy would do
    outcome: NDArray[np.float32]  # (n,) the round's reward for the seat's team

    def rows(self, rows: NDArray[np.int64]) -> Decisions:
        """Return some of the decisions."""
        return Decisions(
            self.observation[rows], self.mask[rows], self.action[rows], self.outcome[rows]
        )


def watch(first_seed: int, rounds: int, generator: np.random.Generator) -> Decisions:
    """Watch four `greedy` players at each of many tables; some seats slip at times.

    A slip is a random legal action. What is learned is always what `greedy` would have done, so
    that slips only lead to more varied states. Declarations are never slips: Xabitha mode would
    shut the player out.
    """
    engine = make_engine(GAME, rounds, rules=make_rules(GAME, {"num_rounds": 1}))
    engine.reset(first_seed)
    codes = {name: np.full(rounds, code, np.int8) for name, code in engine.player_codes.items()}
    slipping = generator.random((rounds, 4)) < SLIPPING
    last_declaration = engine.actions.offset("draw") - 1
    parts = []
    while not engine.over.all():
        wanted = engine.choose(codes["greedy"])
        rows = np.flatnonzero(~engine.over & (engine.legal_count > 1))
        mask = engine.mask[rows] != 0
        parts.append((engine.observation[rows], mask, wanted[rows], rows, engine.seats[rows]))
        slip = slipping[np.arange(rounds), engine.seats] & (generator.random(rounds) < SLIPS)
        slip &= engine.legal[:, 0] > last_declaration
        engine.step(np.where(slip, engine.choose(codes["random"]), wanted))
    observation, mask, action, table, seat = (np.concatenate(part) for part in zip(*parts))
    return Decisions(observation, mask, action, engine.rewards[table, seat])


def logits_of(layers: Layers, decisions: Decisions) -> torch.Tensor:
    """Return the logits of legal actions, all others far below, (n, A)."""
    logits: torch.Tensor = layers(torch.from_numpy(decisions.observation))
    return logits.masked_fill(~torch.from_numpy(decisions.mask), -1e8)


def agreement(model: MaskablePPO, decisions: Decisions) -> float:
    """Return in which share of decisions the model would do what `greedy` does."""
    with torch.no_grad():
        best = logits_of(actor(model), decisions).argmax(dim=1).numpy()
    return float((best == decisions.action).mean())


def imitate(model: MaskablePPO, args: Args, journal: Journal, screen: Screen) -> int:
    """Let the policy learn what `greedy` does, and the critic how its rounds end.

    Returns:
        The number of decisions it learned from.
    """
    generator = np.random.default_rng([args.seed, 1])
    held_out = watch(HELD_OUT_SEED, HELD_OUT, np.random.default_rng(HELD_OUT_SEED))
    layers = (actor(model), critic(model))
    optimizer = torch.optim.Adam(
        [weight for part in layers for weight in part.parameters()], lr=args.imitation_rate
    )
    total, done, noted = args.imitation_decisions, 0, 0
    journal.note("imitation", 0, agreement=agreement(model, held_out))
    with screen.stage(f"1/3 imitation of greedy, {total:,} decisions", total) as move:
        while done < total and journal.seconds < IMITATION_SHARE * journal.limit:
            watched = watch(int(generator.integers(2**62)), WATCHED, generator)
            order = generator.permutation(len(watched.action))[: total - done]
            for start in range(0, len(order), IMITATION_BATCH):
                rows = order[start : start + IMITATION_BATCH]
                _set_rate(optimizer, args.imitation_rate, done / total)
                _imitation_step(layers, watched.rows(rows), optimizer)
                done += len(rows)
                move(done)
            if done - noted >= total / 12 or done >= total:
                noted = done
                journal.note("imitation", done, agreement=agreement(model, held_out))
    share = journal.rows[-1]["agreement"]
    screen.say(f"   it would do what greedy does in {share:.1%} of held-out decisions")
    return done


def _set_rate(optimizer: torch.optim.Optimizer, rate: float, done: float) -> None:
    for group in optimizer.param_groups:
        group["lr"] = rate * max(SMALLEST_RATE, 1 - done)


def _imitation_step(
    layers: tuple[Layers, Layers], decisions: Decisions, optimizer: torch.optim.Optimizer
) -> None:
    policy, value = layers
    target = torch.from_numpy(decisions.action)
    loss = nn.functional.cross_entropy(logits_of(policy, decisions), target)
    values: torch.Tensor = value(torch.from_numpy(decisions.observation)).flatten()
    loss = loss + nn.functional.mse_loss(values, torch.from_numpy(decisions.outcome))
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()


# MaskablePPO.


class Lessons(BaseCallback):
    """What happens around the updates: opponents change, the policy is measured, the best is kept.

    Args:
        args: the job's arguments.
        schedule: the opponents.
        journal: for the curve and the time.
        screen: for what is to be seen.
        move: moves the bar.
    """

    def __init__(
        self,
        args: Args,
        schedule: list[Opponents],
        journal: Journal,
        screen: Screen,
        move: Callable[[int], None],
    ) -> None:
        super().__init__()
        self.args, self.schedule, self.journal = args, schedule, journal
        self.screen, self.move = screen, move
        self.best = -math.inf
        self.weights: dict[str, Any] = {}
        self.kept_at = 0
        self.episodes = self.declarations = self.declared = 0
        self.measuring = 0.0  # seconds
        self.stop_at = math.inf  # seconds; known after the first measurement
        self.stopped = False
        self._next = 0.0
        self._met = ""

    def _on_rollout_start(self) -> None:
        done = self.num_timesteps / max(self.args.steps, 1)
        now = next((one for one in self.schedule if done < one.until), self.schedule[-1])
        if now.name != self._met:
            self._met = now.name
            self.training_env.set_players(opponents=now.name)  # type: ignore[attr-defined]
            self.screen.say(f"   opponents: {now.name}")
        if done >= self._next:
            self._next += 1 / self.args.evaluations
            self.measure()

    def _on_step(self) -> bool:
        done, actions = self.locals["dones"], np.asarray(self.locals["actions"])
        self.episodes += int(done.sum())
        declaring = actions < self.training_env.engine.actions.offset("draw")  # type: ignore[attr-defined]
        self.declarations += int(declaring.sum())
        self.declared += int((declaring & (actions > 0)).sum())
        self.move(self.num_timesteps)
        self.stopped = self.journal.seconds > self.stop_at
        return not self.stopped

    def _on_training_end(self) -> None:
        self.measure()

    def measure(self) -> None:
        """Measure the policy on the development deals and keep it if it is the best so far."""
        began = time.perf_counter()
        found = measured(self.model, DEVELOPMENT_SEED, self.args.dev_deals)  # type: ignore[arg-type]
        took = time.perf_counter() - began
        self.measuring += took
        self.journal.note_margins("ppo", self.num_timesteps, found)
        self._show(found)
        reserve = RESERVE * took * self.args.test_deals / self.args.dev_deals
        self.stop_at = self.journal.limit - reserve
        hardest = found[YARDSTICKS[-1]]
        if hardest.margin > self.best:
            self.best, self.kept_at = hardest.margin, self.num_timesteps
            self.weights = copy.deepcopy(self.model.policy.state_dict())

    def _show(self, found: dict[str, Comparison]) -> None:
        margins = ", ".join(
            f"{one.margin:+.1f} ({one.low:+.1f} to {one.high:+.1f}) against {name}"
            for name, one in found.items()
        )
        self.screen.say(f"   {self.num_timesteps:,} decisions: points a round {margins}")


def measured(model: MaskablePPO, first_seed: int, deals: int) -> dict[str, Comparison]:
    """Return how a team of the model does against each of the yardsticks."""
    player = SB3Player(model)
    return {
        name: compare(player, load_player(name, GAME), first_seed, deals) for name in YARDSTICKS
    }


def practise(
    model: MaskablePPO,
    args: Args,
    schedule: list[Opponents],
    journal: Journal,
    screen: Screen,
) -> dict[str, Any]:
    """Let the model learn by MaskablePPO, and leave it with the best weights on the way.

    Returns:
        Figures about it.
    """
    began = time.perf_counter()
    with screen.stage(f"2/3 MaskablePPO, {args.steps:,} decisions", args.steps) as move:
        lessons = Lessons(args, schedule, journal, screen, move)
        if args.steps:
            model.learn(args.steps, callback=lessons, log_interval=args.steps)
        else:
            lessons.init_callback(model)
            lessons.measure()
    seconds = time.perf_counter() - began
    learning = seconds - lessons.measuring
    model.policy.load_state_dict(lessons.weights)
    model.policy.optimizer.state.clear()  # it belongs to other weights
    if lessons.stopped:
        screen.say("   the time limit is near: learning ends here")
    screen.say(f"   kept: the policy after {lessons.kept_at:,} decisions")
    return {
        "decisions": model.num_timesteps,
        "episodes": lessons.episodes,
        "decisions_per_second": round(model.num_timesteps / learning, 1),
        "seconds": round(seconds, 1),
        "seconds_measuring": round(lessons.measuring, 1),
        "declared": lessons.declared / max(lessons.declarations, 1),
        "kept_at": lessons.kept_at,
        "stopped_by_time": lessons.stopped,
    }


# What is left behind.


def write(path: Path, content: bytes) -> None:
    """Write a file, which appears only when it is whole.

    Raises:
        OSError: it cannot be written; the message names it.
    """
    file = NewFile(path)
    try:
        file.open()
        file.write(content)
        file.commit()
    except BaseException:  # KeyboardInterrupt too
        file.discard()
        raise


def model_bytes(model: MaskablePPO) -> bytes:
    """Return the model as `MaskablePPO.load` reads it."""
    buffer = io.BytesIO()
    model.save(buffer)
    return buffer.getvalue()


def curve_bytes(journal: Journal) -> bytes:
    """Return the learning curve as CSV."""
    buffer = io.StringIO(newline="")
    writer = csv.DictWriter(buffer, CURVE_FIELDS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(journal.rows)
    return buffer.getvalue().encode()


def picture_bytes(journal: Journal) -> bytes:
    """Return the learning curve as a picture (PNG)."""
    figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
    _draw_agreement(axes[0], journal)
    for axis, name in zip(axes[1:], YARDSTICKS):
        _draw_margin(axis, journal, name)
    figure.suptitle("Learning Xabitha: imitation of greedy, then MaskablePPO")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=110, metadata={"Software": None})
    plt.close(figure)
    return buffer.getvalue()


def _draw_agreement(axis: Any, journal: Journal) -> None:
    rows = journal.points("imitation", "agreement")
    shares = [100 * row["agreement"] for row in rows]
    axis.plot([row["decisions"] / 1000 for row in rows], shares, marker="o", color="tab:green")
    axis.set_title("1. Imitation")
    axis.set_xlabel("decisions of greedy seen (thousands)")
    axis.set_ylabel("held-out decisions like greedy's (%)")
    axis.set_ylim(0, 100)
    axis.grid(alpha=0.3)


def _draw_margin(axis: Any, journal: Journal, name: str) -> None:
    rows = journal.points("ppo", f"{name}_margin")
    decisions = [row["decisions"] / 1000 for row in rows]
    margin, low, high = (
        [row[f"{name}_{one}"] for row in rows] for one in ("margin", "low", "high")
    )
    axis.plot(decisions, margin, marker="o", color="tab:blue", label="development deals")
    axis.fill_between(decisions, low, high, color="tab:blue", alpha=0.2, label="95% interval")
    for row in journal.points("test", f"{name}_margin"):
        mean = row[f"{name}_margin"]
        half = [[mean - row[f"{name}_low"]], [row[f"{name}_high"] - mean]]
        place = [row["decisions"] / 1000]
        style = {"fmt": "s", "color": "tab:red", "capsize": 4, "label": "kept policy, test deals"}
        axis.errorbar(place, [mean], half, **style)
    axis.axhline(0, color="black", linewidth=1, linestyle="--", label=f"level with {name}")
    axis.set_title(f"2. MaskablePPO: team against {name}")
    axis.set_xlabel("decisions of the learner (thousands)")
    axis.set_ylabel("margin (points a round)")
    axis.grid(alpha=0.3)
    axis.legend(loc="best", fontsize=8)


def results_of(
    args: Args,
    journal: Journal,
    imitated: int,
    practice: dict[str, Any],
    found: dict[str, Comparison],
) -> dict[str, Any]:
    """Return everything that is worth keeping, for JSON."""
    agreed = journal.points("imitation", "agreement")[-1]["agreement"]
    return {
        "game": GAME,
        "arguments": asdict(args),
        "imitation": {"decisions": imitated, "agreement": agreed},
        "ppo": practice,
        "test": {name: asdict(one) for name, one in found.items()},
        "first_seeds": {"development": DEVELOPMENT_SEED, "test": TEST_SEED},
        "seconds": round(journal.seconds, 1),
        "versions": {name: version(name) for name in ("torch", "stable-baselines3", "sb3-contrib")},
    }


def show(screen: Screen, args: Args, results: dict[str, Any]) -> None:
    """Print the figures, and how to go on."""
    if args.quiet:
        return
    rows = [
        (
            name,
            f"{one['margin']:+.1f}",
            f"{one['low']:+.1f} to {one['high']:+.1f}",
            f"{one['won']:.1%}",
            f"{one['cancelled']:.1%}",
            f"{one['declared']:.2%}",
        )
        for name, one in results["test"].items()
    ]
    head = ("against", "points a round", "95% interval", "won", "cancelled", "declared")
    print_table(f"A team of the agent, {args.test_deals:,} mirrored test deals", head, rows)
    model = Path(args.out) / MODEL
    screen.say(f"{results['seconds'] / 60:.1f} minutes; everything is in {args.out}")
    screen.say("Record matches of it with")
    target = Path(args.out) / "matches.jsonl.gz"
    screen.say(f"  xabitha record --players {model},greedy --matches 20 --out {target}")


# The job.


def main(args: Args) -> dict[str, Any]:
    """Do the whole job.

    Args:
        args: what to do.

    Returns:
        What ``results.json`` holds.

    Raises:
        ValueError: a bad argument.
        OSError: the folder cannot be written to.
    """
    schedule = checked(args)
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # more threads than free cores are many times slower
    try:
        return _run(args, schedule, out)
    finally:
        torch.set_num_threads(threads)


def _run(args: Args, schedule: list[Opponents], out: Path) -> dict[str, Any]:
    journal, screen = Journal(args.time_limit), Screen(args.quiet)
    env = TablesVecEnv(
        args.envs,
        GAME,
        partner=args.partner,
        opponents=schedule[0].name,
        seat="random",
        episode="round",
    )
    model = make_model(args, env)
    imitated = imitate(model, args, journal, screen)
    practice = practise(model, args, schedule, journal, screen)
    blind_to_match(model, env.reset()[0], env.engine)
    with screen.stage(f"3/3 measurement, {args.test_deals:,} mirrored deals", 1):
        found = measured(model, TEST_SEED, args.test_deals)
    journal.note_margins("test", practice["kept_at"], found)
    results = results_of(args, journal, imitated, practice, found)
    write(out / MODEL, model_bytes(model))
    write(out / CURVE, curve_bytes(journal))
    write(out / PICTURE, picture_bytes(journal))
    write(out / RESULTS, (json.dumps(results, indent=2) + "\n").encode())
    show(screen, args, results)
    return results


# The command line.


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        print(f"error: {message} (see --help)", file=sys.stderr)
        sys.exit(2)


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Return the arguments of the command line (those of the process by default)."""
    parser = _Parser(
        prog="python -m train.demo",
        description=(__doc__ or "").partition("\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
        allow_abbrev=False,
    )
    for one in fields(Args):
        flag, text = _flag(one.name), one.metadata["help"]
        if isinstance(one.default, bool):
            parser.add_argument(flag, action="store_true", help=text)
        else:
            parser.add_argument(flag, type=type(one.default), default=one.default, help=text)
    parser.add_argument("--smoke", action="store_true", help="defaults that take only seconds")
    given = list(sys.argv[1:] if arguments is None else arguments)
    if "--smoke" in given:
        parser.set_defaults(**SMOKE)
    chosen = vars(parser.parse_args(given))
    chosen.pop("smoke")
    return Args(**chosen)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    try:
        main(parse(arguments))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except (ValueError, OSError, ImportError) as error:
        print("error:", " ".join(str(error).split("\n")), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(run())
