"""MaskablePPO of sb3-contrib on either game: one seat learns, the rest of the table is built in.

The script to begin with for whoever knows Stable-Baselines3: a `VecEnv` in a `VecMonitor`, another
one for `MaskableEvalCallback`, and a model that is saved at every evaluation and can be resumed.

    python -m train.sb3_maskable                                  # Xeri
    python -m train.sb3_maskable --game xabitha --minutes 10 --tensorboard
    python -m train.sb3_maskable --game xabitha --resume runs/demo/model.zip
    python -m train.sb3_maskable --smoke                          # all of it, in seconds

Its limits:

- One learner a table, and no partner learns with it. As a team, which is what mirrored deals
  measure, it sits opposite itself: a partner that it has never met.
- Masks are dense: a float32 for each action of each decision in an update, and a network that
  computes all logits and discards most of them. Of Xabitha's 1,492 actions some six are legal at a
  time, and its wide head is two thirds of the work of an update.
- Xabitha from nothing hardly gets a signal: rounds of random players take about 240 turns, and most
  are cancelled. With `greedy` in the other seats rounds end and it learns, but slowly: a team of it
  is still 108 points a round behind `greedy` after 150,000 decisions. `train.demo` imitates first.
- Evaluation without masks is meaningless: even after training the likeliest of all actions is
  nearly always illegal. These tables raise an error for one.

Take `train/ppo.py` instead for strength, and for policies that play with themselves: all four seats
learn, and only legal actions are computed.
"""

from __future__ import annotations

import io
import json
import math
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from stable_baselines3.common.utils import LinearSchedule
from stable_baselines3.common.vec_env import VecMonitor
from torch import nn

from train import options, running
from train.options import option
from train.report import Screen
from train.running import CHOOSING, FINAL, check_seed, curve_bytes, line, one_thread
from xabitha_env.contrib.sb3 import SB3Player, TablesVecEnv
from xabitha_env.evaluation.comparison import Comparison
from xabitha_env.evaluation.deals import FEWEST_DEALS, LISTS
from xabitha_env.files import write_bytes
from xabitha_env.games import GAMES
from xabitha_env.players import load_player

LAST_RATE = 0.1  # of the learning rate
MINUTE = 60  # seconds
MODEL, CURVE, RESULTS, LOGS = "model.zip", "curve.csv", "results.json", "tensorboard"


@dataclass
class Args:
    """What the script is to do."""

    game: str = option("xeri", f"which game: {', '.join(GAMES)}")
    out: str = option("", "folder for the model and the results (default: runs/sb3_maskable_GAME)")
    resume: str = option("", "a saved model to go on with; it keeps its network")
    seed: int = option(0, "of every random choice; the same seed gives the same model", 0)
    decisions: int = option(1_500_000, "decisions to learn from; more, if a model is resumed", 1)
    minutes: float = option(0.0, "when to stop learning at the latest; 0: never", 0)
    partner: str = option("greedy", "who sits opposite the learner")
    opponents: str = option("greedy", "the learner's opponents")
    against: str = option("greedy", "the team that a team of the model is measured against")
    envs: int = option(128, "tables side by side", 1)
    steps: int = option(48, "decisions at each table between two updates", 2)
    batch: int = option(1024, "decisions in a minibatch", 2)
    epochs: int = option(4, "passes over the decisions of an update", 1)
    learning_rate: float = option(1e-3, "learning rate, falling to a tenth", 0)
    width: int = option(256, "units of each of two hidden layers, of policy and of critic", 1)
    every: int = option(150_000, "decisions between two evaluations", 1)
    episodes: int = option(256, "rounds of an evaluation", 1)
    dev_deals: int = option(200, "mirrored deals of an evaluation", FEWEST_DEALS)
    test_deals: int = option(2000, "mirrored deals of the final measurement", FEWEST_DEALS)
    tensorboard: bool = option(False, f"log for TensorBoard, in {LOGS}/ of the folder")
    quiet: bool = option(False, "print nothing but errors")


XABITHA: dict[str, Any] = {"decisions": 500_000, "learning_rate": 5e-4, "every": 50_000}
"""Where Xabitha's defaults differ."""
SMOKE: dict[str, Any] = {
    "decisions": 64,
    "envs": 4,
    "steps": 8,
    "batch": 16,
    "epochs": 1,
    "width": 8,
    "every": 32,
    "episodes": 4,
    "dev_deals": 2,
    "test_deals": 4,
}
"""Options of ``--smoke``."""


def check(args: Args) -> None:
    """Check the arguments.

    Raises:
        ValueError: one is none of what it may be; the message says which and why.
    """
    options.check_numbers(args)
    check_seed(args.seed)
    if args.envs * args.steps % args.batch == 1:
        raise ValueError(
            f"--envs {args.envs} times --steps {args.steps} leaves a minibatch of one decision "
            f"with --batch {args.batch}: its advantage cannot be normalised"
        )
    for player in (args.partner, args.opponents, args.against):
        load_player(player, args.game)


def make_tables(args: Args, count: int) -> VecMonitor:
    """Return tables with a learner each, for learning or for evaluation; an episode is a round."""
    return VecMonitor(
        TablesVecEnv(
            count,
            args.game,
            partner=args.partner,
            opponents=args.opponents,
            seat="random",
            episode="round",
            illegal="raise",  # with masks nothing is illegal
        )
    )


def make_model(args: Args, tables: VecMonitor, logs: str | None) -> MaskablePPO:
    """Return a new model, or the one that is resumed.

    Raises:
        ValueError: no model, or one of another game.
        OSError: it cannot be read.
    """
    settings: dict[str, Any] = {
        "learning_rate": LinearSchedule(args.learning_rate, LAST_RATE * args.learning_rate, 1.0),
        "n_steps": args.steps,
        "batch_size": args.batch,
        "n_epochs": args.epochs,
        "gamma": 1.0,  # a round's reward is worth as much now as at its end
        "gae_lambda": 0.95,
        "ent_coef": 0.005,
        "seed": args.seed,
        "tensorboard_log": logs,
        "device": "cpu",
    }
    if not args.resume:
        network = {"net_arch": [args.width, args.width], "activation_fn": nn.ReLU}
        return MaskablePPO("MlpPolicy", tables, policy_kwargs=network, **settings)
    saved = SB3Player(args.resume)
    saved.reset(tables.venv.engine, args.seed)  # says so if it was made for another game
    settings["seed"] += saved.model.num_timesteps  # other deals than before
    return MaskablePPO.load(args.resume, tables, **settings)


class Evaluation(MaskableEvalCallback):
    """The stock callback, on the same deals each time, with what else happens at an evaluation.

    A team of the model is measured on mirrored deals too, the model is saved, and the time of it
    all is kept apart. The first evaluation comes before the first decision.

    Args:
        args: the script's arguments.
        path: of the model.
        screen: for what is to be seen.
        move: moves the bar.
    """

    def __init__(self, args: Args, path: Path, screen: Screen, move: Callable[[int], None]) -> None:
        super().__init__(
            make_tables(args, args.episodes),
            n_eval_episodes=args.episodes,  # one a table
            eval_freq=max(args.every // args.envs, 1),
            deterministic=True,
            verbose=0,
        )
        self.args, self.path, self.screen, self.move = args, path, screen, move
        self.limit = MINUTE * args.minutes or math.inf
        self.found: list[dict[str, Any]] = []
        self.seconds: list[float] = []  # of learning, before each
        self.start = self.evaluating = 0.0

    @property
    def learning(self) -> float:
        """Seconds of learning so far."""
        return time.perf_counter() - self.start - self.evaluating

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The evaluations with the seconds of learning before each."""
        return [{**one, "seconds": clock} for one, clock in zip(self.found, self.seconds)]

    def _on_training_start(self) -> None:
        self.start = time.perf_counter()
        self._evaluate()
        self.start, self.evaluating = time.perf_counter(), 0.0

    def _on_step(self) -> bool:
        self.move(self.num_timesteps)
        if self.n_calls % self.eval_freq == 0:
            self._evaluate()
            write_bytes(self.path, model_bytes(self.model))
        return time.perf_counter() - self.start < self.limit

    def _evaluate(self) -> None:
        began = time.perf_counter()
        self.seconds.append(round(self.learning, 1))
        team = measured(self.model, self.args, CHOOSING, self.args.dev_deals)
        self.logger.record("eval/team_margin", team.margin)
        self.eval_env.seed(LISTS[CHOOSING])
        super()._on_step()  # n_calls tells it, too, that an evaluation is due
        figures = {"margin": team.margin, "low": team.low, "high": team.high}
        reward = round(self.last_mean_reward, 4)
        self.found.append({"decisions": self.num_timesteps, "mean_reward": reward, **figures})
        self.screen.say(
            f"   {self.num_timesteps:,} decisions: mean reward {reward:+.3f}; "
            f"as a team {line(team, self.args.against)}"
        )
        self.evaluating += time.perf_counter() - began


def measured(model: Any, args: Args, source: str, deals: int) -> Comparison:
    """Return how a team of the model does on mirrored deals."""
    player = SB3Player(model)
    return running.measured((player, player), args.against, args.game, source, deals)


def model_bytes(model: Any) -> bytes:
    """Return the model as `MaskablePPO.load` reads it."""
    buffer = io.BytesIO()
    model.save(buffer)
    return buffer.getvalue()


def main(args: Args) -> dict[str, Any]:
    """Learn, save and measure.

    Returns:
        What ``results.json`` holds.

    Raises:
        ValueError: a bad argument.
        OSError: a file that cannot be read or written.
        ImportError: TensorBoard is wanted and not installed.
    """
    check(args)
    with one_thread():
        return _run(args)


def _run(args: Args) -> dict[str, Any]:
    out = Path(args.out or f"runs/sb3_maskable_{args.game}")
    screen = Screen(args.quiet)
    logs = str(out / LOGS) if args.tensorboard else None
    model = make_model(args, make_tables(args, args.envs), logs)
    out.mkdir(parents=True, exist_ok=True)
    before = model.num_timesteps
    with screen.stage(f"MaskablePPO, {args.decisions:,} decisions", args.decisions) as move:
        evaluation = Evaluation(args, out / MODEL, screen, lambda done: move(done - before))
        model.learn(args.decisions, callback=evaluation, reset_num_timesteps=not args.resume)
        seconds = evaluation.learning
    write_bytes(out / MODEL, model_bytes(model))
    with screen.stage(f"measurement, {args.test_deals:,} mirrored deals", 1):
        test = measured(model, args, FINAL, args.test_deals)
    results = {
        "game": args.game,
        "arguments": asdict(args),
        "network": model.policy_kwargs.get("net_arch"),
        "decisions": model.num_timesteps,
        "learning_seconds": round(seconds, 3),  # of this run, without evaluations
        "decisions_per_second": round((model.num_timesteps - before) / seconds, 1),
        "evaluations": evaluation.found,
        "test": asdict(test),
        "versions": {name: version(name) for name in ("torch", "stable-baselines3", "sb3-contrib")},
    }
    write_bytes(out / CURVE, curve_bytes(evaluation.rows))
    write_bytes(out / RESULTS, (json.dumps(results, indent=2) + "\n").encode())
    screen.say(f"   a team of the model: {line(test, args.against)}")
    screen.say(f"   {results['decisions_per_second']:,} decisions a second; all is in {out}")
    return results


# The command line.


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Return the arguments of the command line (those of the process by default)."""
    return options.parse(
        Args, "train.sb3_maskable", __doc__ or "", arguments, SMOKE, {"xabitha": XABITHA}
    )


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    return options.guarded(lambda: main(parse(arguments)))


if __name__ == "__main__":
    sys.exit(run())
