"""PPO of RLlib on either game: partners share a policy that plays itself, its past, and others.

For whoever outgrows one machine: runners play on all machines of a Ray cluster, and a league of
rivals keeps the policy from learning to beat itself alone. RLlib's new API stack throughout.

    python -m train.rllib_ppo                                     # Xeri, two runners here
    python -m train.rllib_ppo --game xabitha --league self,past,greedy,expert
    python -m train.rllib_ppo --ray auto --runners 64             # on a cluster that runs here
    python -m train.rllib_ppo --resume runs/rllib_xeri/checkpoint
    python -m train.rllib_ppo --smoke                             # all of it, in a minute

What it leaves: `policy.rllib`, a player of this project wherever one is named; `checkpoint/`, to go
on from with --resume; `curve.csv` and `results.json`.

Its limits:

- An eighth of the decisions a second of `train.ppo` on the same two cores: RLlib moves every
  decision through Python objects. It is worth its price only on a cluster.
- Masks are dense, as in `train.sb3_maskable`, and Xabitha from nothing hardly gets a signal.
- Decisions of frozen rivals are played, sent, and thrown away; players inside the environment
  (`greedy`) are played at engine speed.
- With one runner or none the same seed gives the same policy. Several runners finish in any order,
  and learning follows it.
"""

from __future__ import annotations

import json
import logging
import math
import os
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import torch
from ray.rllib.core import COMPONENT_RL_MODULE

from train import options
from train.options import option
from train.report import Screen
from train.running import (
    CHOOSING,
    FINAL,
    MOST_SEED,
    check_seed,
    curve_bytes,
    line,
    measured,
    one_thread,
)
from xabitha_env.contrib.ray import LOCAL, cluster
from xabitha_env.contrib.rllib import (
    APART,
    LEARNER,
    PAST,
    LearningModule,
    MaskedModule,
    TableMultiAgentEnv,
    module_of,
    past_module,
)
from xabitha_env.contrib.rllib_player import MaskedPolicy, Player, Saved, Sizes, save_policy
from xabitha_env.evaluation.comparison import Comparison
from xabitha_env.evaluation.deals import FEWEST_DEALS
from xabitha_env.files import FileError, reason, write_bytes
from xabitha_env.games import GAMES
from xabitha_env.players import load_player

MINUTE = 60  # seconds
PATIENCE = 5
"""Updates without a decision, while runners are replaced, after which the run gives up."""
PLAYER, CHECKPOINT, STATE = "policy.rllib", "checkpoint", "xabitha.json"
CURVE, RESULTS = "curve.csv", "results.json"


@dataclass
class Args:
    """What the script is to do."""

    game: str = option("xeri", f"which game: {', '.join(GAMES)}")
    out: str = option("", "folder for the policy and the results (default: runs/rllib_GAME)")
    resume: str = option("", "a folder checkpoint/ to go on from; it keeps its networks")
    seed: int = option(0, "of every random choice", 0)
    decisions: int = option(500_000, "decisions to play; more, if a run is resumed", 1)
    minutes: float = option(0.0, "when to stop learning at the latest; 0: never", 0)
    league: str = option(
        "self,past,greedy", "the rivals, each as likely: self, past (frozen versions) or players"
    )
    past: int = option(3, "frozen versions that are kept", 1)
    snapshot: int = option(10, "updates between two snapshots, which replace the oldest", 1)
    against: str = option("greedy", "the team that a team of the policy is measured against")
    ray: str = option(LOCAL, "the cluster: its address, auto, or local for one of this run's own")
    runners: int = option(2, "processes that play; 0: this one plays", 0)
    envs: int = option(16, "tables side by side in each", 1)
    batch: int = option(4096, "decisions of an update", 2)
    minibatch: int = option(512, "decisions in a minibatch", 2)
    epochs: int = option(4, "passes over the decisions of an update", 1)
    learning_rate: float = option(5e-4, "learning rate", 0)
    entropy: float = option(0.005, "bonus for entropy", 0)
    width: int = option(256, "units of each of two hidden layers, of policy and of critic", 1)
    every: int = option(10, "updates between two evaluations, each of which saves all", 1)
    dev_deals: int = option(200, "mirrored deals of an evaluation", FEWEST_DEALS)
    test_deals: int = option(2000, "mirrored deals of the final measurement", FEWEST_DEALS)
    quiet: bool = option(False, "print nothing but errors")


SMOKE: dict[str, Any] = {
    "decisions": 128,
    "past": 1,
    "snapshot": 1,
    "runners": 1,
    "envs": 2,
    "batch": 64,
    "minibatch": 32,
    "epochs": 1,
    "width": 8,
    "every": 1,
    "dev_deals": 2,
    "test_deals": 4,
}
"""Options of ``--smoke``."""


def check(args: Args) -> None:
    """Check the arguments.

    Raises:
        ValueError: one is none of what it may be; the message says which and why.
        OSError: there is no checkpoint to go on from.
    """
    options.check_numbers(args)
    check_seed(args.seed, MOST_SEED - APART * args.runners)
    if args.minibatch > args.batch:
        raise ValueError(f"--minibatch {args.minibatch} is more than --batch {args.batch}")
    load_player(args.against, args.game)
    TableMultiAgentEnv(env_config(args))
    if args.resume:
        check_resumed(args)


def check_resumed(args: Args) -> dict[str, Any]:
    """Return the state of the run that is resumed, once it is seen to fit.

    Raises:
        ValueError: it does not.
        OSError: there is none.
    """
    file = Path(args.resume) / STATE
    try:
        state = json.loads(file.read_text())
        told = {name: state[name] for name in ("game", "width", "past", "decisions", "updates")}
    except OSError as error:
        raise FileError(f"no checkpoint {args.resume!r}: {reason(error)}: {STATE}") from error
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{str(file)!r} is damaged: {error!r}") from error
    for name in ("game", "width", "past"):
        if told[name] != getattr(args, name):
            raise ValueError(
                f"checkpoint {args.resume!r} was made with {options.flag(name)} {told[name]}, "
                f"not {getattr(args, name)}"
            )
    return told


# The algorithm.


def league_of(args: Args) -> tuple[str, ...]:
    """Return the rivals."""
    names = tuple(name.strip() for name in args.league.split(","))
    if not all(names):
        raise ValueError(f"--league {args.league!r}: a name is missing between the commas")
    return names


def env_config(args: Args) -> dict[str, Any]:
    """Return the configuration of `TableMultiAgentEnv`."""
    league = league_of(args)
    past = args.past if PAST in league else 0
    return {"game": args.game, "league": league, "past": past, "illegal": "raise"}


def algorithm_of(args: Args, seed: int) -> Any:
    """Return RLlib's PPO; the seed is of this run."""
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec

    logging.getLogger("ray.rllib").setLevel(logging.ERROR)  # it warns of its own defaults
    given = env_config(args)
    made = {"model_config": {"width": args.width}}
    specs = {LEARNER: RLModuleSpec(module_class=LearningModule, **made)}
    for number in range(given["past"]):
        specs[past_module(number)] = RLModuleSpec(module_class=MaskedModule, **made)
    config = (
        PPOConfig()
        .environment(TableMultiAgentEnv, env_config=given, disable_env_checking=True)
        .env_runners(num_env_runners=args.runners, num_envs_per_env_runner=args.envs)
        .learners(num_learners=0)
        .multi_agent(policies=list(specs), policy_mapping_fn=module_of, policies_to_train=[LEARNER])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=specs))
        .training(
            lr=args.learning_rate,
            gamma=1.0,  # a round's reward is worth as much now as at its end
            lambda_=0.95,
            clip_param=0.2,
            use_kl_loss=False,
            entropy_coeff=args.entropy,
            grad_clip=0.5,
            num_epochs=args.epochs,
            minibatch_size=args.minibatch,
            train_batch_size_per_learner=args.batch,
        )
        .fault_tolerance(restart_failed_env_runners=True)
        .debugging(seed=seed, log_level="ERROR")
    )
    algorithm = config.build_algo()
    with suppress(OSError):
        Path(algorithm.logdir).rmdir()  # a folder in ~/ray_results that nothing is written to
    return algorithm


def weights_of(algorithm: Any) -> dict[str, Any]:
    """Return the learner's weights, by name, as arrays."""
    found: dict[str, Any] = algorithm.learner_group.get_weights([LEARNER])[LEARNER]
    return found


def take_snapshot(algorithm: Any, number: int) -> None:
    """Put the learner's policy in the place of a frozen one."""
    kept = {key: one for key, one in weights_of(algorithm).items() if key.startswith("policy.")}
    algorithm.learner_group.set_weights({past_module(number): kept})
    hand_out(algorithm, past_module(number))


def hand_out(algorithm: Any, module: str) -> None:
    """Give all runners a module's weights as they are.

    RLlib's own way (`sync_weights`) counts how often the learner has learnt, and leaves runners as
    they are when it has not.
    """
    state = {COMPONENT_RL_MODULE: algorithm.learner_group.get_weights([module])}
    algorithm.env_runner_group.foreach_env_runner(lambda runner: runner.set_state(state))


def saved_policy(args: Args, weights: dict[str, Any], info: dict[str, Any]) -> Saved:
    """Return the learner's policy as a player has it."""
    own = {
        key.removeprefix("policy."): torch.tensor(one)
        for key, one in weights.items()
        if key.startswith("policy.")
    }
    first, last = own["layers.0.weight"], own["layers.4.weight"]
    policy = MaskedPolicy(Sizes(first.shape[1], last.shape[0], first.shape[0]))
    policy.load_state_dict(own)
    return Saved(args.game, policy.eval(), info)


# The run.


class Run:
    """A run: what was done, and the files that it leaves.

    Args:
        args: the script's arguments.
        out: the folder.
        screen: for what is to be seen.
    """

    def __init__(self, args: Args, out: Path, screen: Screen) -> None:
        self.args, self.out, self.screen = args, out, screen
        self.before = check_resumed(args) if args.resume else {"decisions": 0, "updates": 0}
        self.decisions, self.updates = self.before["decisions"], self.before["updates"]
        seed = args.seed + self.decisions  # a run that goes on plays other deals
        self.algorithm = algorithm_of(args, seed)
        self.snapshots = env_config(args)["past"]
        if args.resume:
            self.algorithm.restore_from_path(str(Path(args.resume).resolve()))
            for number in range(self.snapshots):
                hand_out(self.algorithm, past_module(number))
        else:
            for number in range(self.snapshots):
                take_snapshot(self.algorithm, number)
        self.found: list[dict[str, Any]] = []
        self.seconds = 0.0  # of learning

    def learn(self, move: Callable[[int], None]) -> None:
        """Learn from as many decisions as are wanted, or as there is time for."""
        args, idle = self.args, 0
        limit, began = MINUTE * args.minutes or math.inf, time.perf_counter()
        goal = self.before["decisions"] + args.decisions
        self.evaluate()
        while self.decisions < goal and time.perf_counter() - began < limit:
            start = time.perf_counter()
            played = steps_of(self.algorithm.train())
            self.seconds += time.perf_counter() - start
            idle = 0 if played else idle + 1
            if idle == PATIENCE:
                raise ChildProcessError("no runner played: see the logs of Ray for why they fail")
            if not played:
                continue
            self.decisions += played
            self.updates += 1
            if self.snapshots and self.updates % args.snapshot == 0:
                take_snapshot(self.algorithm, self.updates // args.snapshot % self.snapshots)
            if self.updates % args.every == 0:
                self.evaluate()
                self.save()
            move(self.decisions - self.before["decisions"])
        self.save()

    def measured(self, source: str, deals: int) -> Comparison:
        """Return how a team of the policy does on mirrored deals."""
        saved = saved_policy(self.args, weights_of(self.algorithm), {})
        team = Player(saved), Player(saved)
        return measured(team, self.args.against, self.args.game, source, deals)

    def evaluate(self) -> None:
        """Measure the policy on the development deals, and note it."""
        one = self.measured(CHOOSING, self.args.dev_deals)
        figures = {"margin": one.margin, "low": one.low, "high": one.high}
        seconds = round(self.seconds, 1)
        self.found.append({"decisions": self.decisions, **figures, "seconds": seconds})
        self.screen.say(f"   {self.decisions:,} decisions: {line(one, self.args.against)}")

    def save(self) -> None:
        """Write the policy as a player, and a checkpoint; the old one stays until it is whole."""
        new, place = self.out / f".{CHECKPOINT}.new", self.out / CHECKPOINT
        shutil.rmtree(new, ignore_errors=True)
        self.algorithm.save_to_path(str(new.resolve()))
        sizes = {name: getattr(self.args, name) for name in ("game", "width", "past")}
        state = {**sizes, "decisions": self.decisions, "updates": self.updates}
        write_bytes(new / STATE, (json.dumps(state) + "\n").encode())
        if place.exists():
            old = self.out / f".{CHECKPOINT}.old"
            shutil.rmtree(old, ignore_errors=True)
            os.replace(place, old)
            os.replace(new, place)
            shutil.rmtree(old)
        else:
            os.replace(new, place)
        info = {"arguments": asdict(self.args), **state}
        saved = saved_policy(self.args, weights_of(self.algorithm), info)
        save_policy(self.out / PLAYER, saved.game, saved.policy, saved.info)

    def results(self, test: Comparison) -> dict[str, Any]:
        """Return what ``results.json`` holds."""
        done = self.decisions - self.before["decisions"]
        return {
            "game": self.args.game,
            "arguments": asdict(self.args),
            "decisions": self.decisions,
            "updates": self.updates,
            "learning_seconds": round(self.seconds, 3),  # of this run, without evaluations
            "decisions_per_second": round(done / self.seconds, 1) if done else 0.0,
            "evaluations": self.found,
            "test": asdict(test),
            "versions": {name: version(name) for name in ("ray", "torch", "gymnasium")},
        }


def steps_of(result: dict[str, Any]) -> int:
    """Return how many decisions an update has played, as RLlib tells it."""
    return int(result["env_runners"].get("num_env_steps_sampled", 0))


def main(args: Args) -> dict[str, Any]:
    """Learn, save and measure.

    Returns:
        What ``results.json`` holds.

    Raises:
        ValueError: a bad argument.
        OSError: a file that cannot be read or written, or no cluster.
    """
    check(args)
    with one_thread(), cluster(args.ray, max(args.runners, 1)):
        return _run(args)


def _run(args: Args) -> dict[str, Any]:
    out = Path(args.out or f"runs/rllib_{args.game}")
    screen = Screen(args.quiet)
    out.mkdir(parents=True, exist_ok=True)
    run = Run(args, out, screen)
    try:
        with screen.stage(f"PPO of RLlib, {args.decisions:,} decisions", args.decisions) as move:
            run.learn(move)
        with screen.stage(f"measurement, {args.test_deals:,} mirrored deals", 1):
            test = run.measured(FINAL, args.test_deals)
    finally:
        run.algorithm.stop()
    results = run.results(test)
    write_bytes(out / CURVE, curve_bytes(run.found))
    write_bytes(out / RESULTS, (json.dumps(results, indent=2) + "\n").encode())
    screen.say(f"   a team of the policy: {line(test, args.against)}")
    screen.say(f"   {results['decisions_per_second']:,} decisions a second; all is in {out}")
    return results


# The command line.


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Return the arguments of the command line (those of the process by default)."""
    return options.parse(Args, "train.rllib_ppo", __doc__ or "", arguments, SMOKE)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    return options.guarded(lambda: main(parse(arguments)))


if __name__ == "__main__":
    if "PYTHONHASHSEED" not in os.environ:  # RLlib goes through sets of names while it draws
        os.environ["PYTHONHASHSEED"] = "0"
        os.execv(sys.executable, sys.orig_argv)
    sys.exit(run())
