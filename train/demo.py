"""The main job: an agent learns Xabitha by imitation and MaskablePPO, and is measured.

1. Imitation. Tables of `greedy` players, some of whom slip now and then so that states vary, play
   complete rounds; the policy learns what `greedy` would do, the critic how the rounds ended.
2. MaskablePPO. The learner has one seat, a partner, and opponents of growing strength; the rest of
   the table is played inside the batched engine. Of all the policies on the way the one that does
   best on the development deals is kept.
3. Measurement on mirrored deals that nothing was chosen by (see `xabitha_env.evaluation`).

    python -m train.demo                   # the whole job, some minutes
    python -m train.demo --smoke           # every stage, in seconds, to no effect
    python -m train.demo --help
"""

from __future__ import annotations

import copy
import io
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.utils import LinearSchedule
from torch import nn

from train import options
from train.imitation import GAME, SMALLEST_RATE, imitate
from train.network import blind_to_match, watch_fire_pile
from train.options import flag, option
from train.report import YARDSTICKS, Journal, Screen, curve_bytes, picture_bytes
from train.running import CHOOSING, FINAL, check_seed, one_thread
from xabitha_env.cli.output import print_table
from xabitha_env.contrib.sb3 import SB3Player, TablesVecEnv
from xabitha_env.evaluation.comparison import Comparison, compare
from xabitha_env.evaluation.deals import FEWEST_DEALS, LISTS, seeds_of
from xabitha_env.evaluation.play import one_round
from xabitha_env.files import write_bytes
from xabitha_env.players import load_player

RESERVE = 1.5  # how much longer than expected the final measurement may take
MODEL, CURVE, PICTURE, RESULTS = "model.zip", "curve.csv", "curve.png", "results.json"


@dataclass
class Args:
    """What the job is to do."""

    out: str = option("runs/demo", "folder for the model, the learning curve and the results")
    seed: int = option(0, "of every random choice; the same seed gives the same result")
    time_limit: float = option(9.0, "minutes after which learning stops and measuring begins")
    imitation_decisions: int = option(600_000, "decisions of greedy to learn from", 0)
    imitation_rate: float = option(2e-3, "learning rate of imitation, falling to zero")
    steps: int = option(300_000, "decisions of the learner in MaskablePPO", 0)
    partner: str = option("greedy", "who sits opposite the learner")
    opponents: str = option("random,greedy", "the learner's opponents, one after another")
    shares: str = option("1,9", "how the steps are shared among the opponents")
    envs: int = option(128, "tables side by side", 1)
    n_steps: int = option(64, "decisions at each table between two updates", 2)
    batch_size: int = option(1024, "decisions in a minibatch", 2)
    epochs: int = option(4, "passes over the decisions of an update", 1)
    learning_rate: float = option(5e-4, "learning rate of MaskablePPO, falling to zero")
    clip_range: float = option(0.2, "how far an update may move probabilities")
    gae_lambda: float = option(0.8, "how far ahead advantages look before they trust the critic")
    entropy: float = option(0.0, "bonus for entropy; it also rewards declaring, which loses")
    width: int = option(384, "units of the policy's hidden layer", 1)
    critic_width: int = option(128, "units of the critic's hidden layer", 1)
    evaluations: int = option(6, "how often to measure while learning", 1)
    dev_deals: int = option(400, "mirrored deals of each of these measurements", FEWEST_DEALS)
    test_deals: int = option(2000, "mirrored deals of the final measurement", FEWEST_DEALS)
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


class Opponents(NamedTuple):
    """Who the learner meets, and until which share of its steps."""

    name: str
    until: float


def checked(args: Args) -> list[Opponents]:
    """Check the arguments and return the opponents in their order.

    Raises:
        ValueError: an argument is none of what it may be; the message says which and why.
    """
    options.check_numbers(args)
    check_seed(args.seed)
    for name in ("time_limit", "imitation_rate", "learning_rate", "clip_range"):
        if not 0 < getattr(args, name) < math.inf:
            raise ValueError(f"{flag(name)} must be above 0, not {getattr(args, name)}")
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
        found = measured(self.model, CHOOSING, self.args.dev_deals)  # type: ignore[arg-type]
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


def measured(model: MaskablePPO, source: str, deals: int) -> dict[str, Comparison]:
    """Return how a team of the model does against each of the yardsticks."""
    team, setup, seeds = (SB3Player(model),) * 2, one_round(GAME), seeds_of(source, deals)
    return {
        name: compare(team, (load_player(name, GAME),) * 2, seeds, setup) for name in YARDSTICKS
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


def model_bytes(model: MaskablePPO) -> bytes:
    """Return the model as `MaskablePPO.load` reads it."""
    buffer = io.BytesIO()
    model.save(buffer)
    return buffer.getvalue()


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
        "first_seeds": LISTS,
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
            f"{one['means']['cancelled']:.1%}",
            f"{one['means']['declared_a']:.2%}",
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
    with one_thread():
        return _run(args, schedule, out)


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
    imitated = imitate(
        model, args.imitation_decisions, args.imitation_rate, args.seed, journal, screen
    )
    practice = practise(model, args, schedule, journal, screen)
    blind_to_match(model, env.reset()[0], env.engine)
    with screen.stage(f"3/3 measurement, {args.test_deals:,} mirrored deals", 1):
        found = measured(model, FINAL, args.test_deals)
    journal.note_margins("test", practice["kept_at"], found)
    results = results_of(args, journal, imitated, practice, found)
    write_bytes(out / MODEL, model_bytes(model))
    write_bytes(out / CURVE, curve_bytes(journal))
    write_bytes(out / PICTURE, picture_bytes(journal))
    write_bytes(out / RESULTS, (json.dumps(results, indent=2) + "\n").encode())
    show(screen, args, results)
    return results


# The command line.


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Return the arguments of the command line (those of the process by default)."""
    return options.parse(Args, "train.demo", __doc__ or "", arguments, SMOKE)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    return options.guarded(lambda: main(parse(arguments)))


if __name__ == "__main__":
    sys.exit(run())
