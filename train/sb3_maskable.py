"""MaskablePPO of sb3-contrib on either game: one seat learns, the rest of the table is built in.

The script that people look for first. Its limits: one learner a table, so that nothing is learnt
about playing with oneself; masks are dense, so that the wide head of Xabitha is slow; and Xabitha
is hard to begin from nothing (`train.demo` imitates first).

    python -m train.sb3_maskable --game xeri
    python -m train.sb3_maskable --game xabitha --opponents random --minutes 5
    python -m train.sb3_maskable --help
"""

from __future__ import annotations

import json
import time
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import torch
import typer
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor
from torch import nn

from xabitha_env.cli.output import progress_bar
from xabitha_env.contrib.sb3 import SB3Player, TablesVecEnv
from xabitha_env.evaluation.comparison import Comparison, compare
from xabitha_env.evaluation.deals import FEWEST_DEALS, seeds_of
from xabitha_env.evaluation.play import one_round
from xabitha_env.files import write_text
from xabitha_env.games import GAMES
from xabitha_env.players import load_player

SECONDS = 60


class Progress(BaseCallback):
    """Stops at the time limit, moves the bar, and measures the policy now and then.

    Args:
        minutes: when to stop.
        every: decisions between two measurements.
        measure: returns a line about the policy.
        move: moves the bar, in seconds.
    """

    def __init__(self, minutes: float, every: int, measure: Any, move: Any) -> None:
        super().__init__()
        self.limit = minutes * SECONDS
        self.every, self.measure, self.move = every, measure, move
        self.start = time.perf_counter()
        self.due = every

    def _on_step(self) -> bool:
        spent = time.perf_counter() - self.start
        self.move(int(spent))
        return spent < self.limit

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.due:
            self.due += self.every
            spent = time.perf_counter() - self.start
            print(f"{self.num_timesteps:,} decisions, {spent:.0f} s: {self.measure()}", flush=True)


def line(found: Comparison) -> str:
    """Return a margin and its interval as text."""
    return f"{found.margin:+.2f} points a round (95% {found.low:+.2f} to {found.high:+.2f})"


def make_model(tables: Any, seed: int, steps: int, batch: int, width: int) -> MaskablePPO:
    """Return a MaskablePPO with the settings of the script."""
    return MaskablePPO(
        "MlpPolicy",
        tables,
        learning_rate=lambda left: 1e-3 * max(left, 0.1),
        n_steps=steps,
        batch_size=batch,
        n_epochs=4,
        gamma=1.0,  # a round's reward is worth as much now as at its end
        gae_lambda=0.95,
        ent_coef=0.005,
        policy_kwargs={"net_arch": [width, width], "activation_fn": nn.ReLU},
        seed=seed,
        device="cpu",
    )


def main(
    game: Annotated[str, typer.Option(help=f"Which game: {', '.join(GAMES)}.")] = "xeri",
    minutes: Annotated[float, typer.Option(min=0.0, help="When to stop learning.")] = 12.0,
    decisions: Annotated[int, typer.Option(min=1, help="When to stop at the latest.")] = 20_000_000,
    partner: Annotated[str, typer.Option(help="Who sits opposite the learner.")] = "greedy",
    opponents: Annotated[str, typer.Option(help="The learner's opponents.")] = "greedy",
    against: Annotated[str, typer.Option(help="Whose team it is measured against.")] = "greedy",
    envs: Annotated[int, typer.Option(min=1, help="Tables side by side.")] = 128,
    steps: Annotated[int, typer.Option(min=2, help="Decisions a table between updates.")] = 48,
    batch: Annotated[int, typer.Option(min=2, help="Decisions in a minibatch.")] = 1024,
    width: Annotated[int, typer.Option(min=1, help="Units of each of two hidden layers.")] = 256,
    deals: Annotated[
        int, typer.Option(min=FEWEST_DEALS, help="Mirrored deals of the last measurement.")
    ] = 2000,
    every: Annotated[int, typer.Option(min=1, help="Decisions between measurements.")] = 500_000,
    seed: Annotated[int, typer.Option(min=0, help="Of every random choice.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder of the model and its results.")] = Path("runs"),
) -> None:
    """Train MaskablePPO at one seat and measure a team of it on mirrored deals."""
    torch.set_num_threads(1)  # more threads than free cores are many times slower
    tables = TablesVecEnv(
        envs, game, partner=partner, opponents=opponents, seat="random", episode="round"
    )
    model = make_model(VecMonitor(tables), seed, steps, batch, width)
    rivals = (load_player(against, game),) * 2

    def measured(source: str, number: int) -> Comparison:
        team = (SB3Player(model),) * 2
        return compare(team, rivals, seeds_of(source, number), one_round(game))

    folder = out / f"sb3_maskable_{game}"
    folder.mkdir(parents=True, exist_ok=True)
    with progress_bar("learning", int(minutes * SECONDS), False) as move:
        progress = Progress(
            minutes, every, lambda: line(measured("development", min(deals, 500))), move
        )
        model.learn(decisions, callback=progress)
    spent = time.perf_counter() - progress.start
    found = measured("test", deals)
    model.save(folder / "model.zip")
    results = {
        "game": game,
        "seed": seed,
        "decisions": model.num_timesteps,
        "learning_seconds": round(spent, 1),
        "against": against,
        "test": asdict(found),
    }
    write_text(folder / "results.json", json.dumps(results, indent=2) + "\n")
    print(f"{model.num_timesteps:,} decisions in {spent:.0f} s; against {against}: {line(found)}")
    print(f"model: {folder / 'model.zip'}")


if __name__ == "__main__":
    typer.run(main)
