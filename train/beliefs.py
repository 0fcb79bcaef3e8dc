"""What players believe of hidden hands, over the turns of a round, against what is true.

A policy guesses which kinds of cards the other seats hold (its auxiliary head); beside it stand two
beliefs by worlds: all placements of the unseen cards as likely, and hands weighed by how likely
`expert` would have played so with them. They are scored by the squared errors of the probabilities
(Brier 1950), over all kinds: less is better.

    python -m train.beliefs                              # the shipped policy of Xabitha
    python -m train.beliefs --policies a.pt,b.pt --rounds 100
    python -m train.beliefs --smoke                      # all of it, in seconds
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from agents.beliefs import guess_hands
from agents.checkpoint import load_policy
from agents.encoding import Encoder
from agents.network import Policy
from agents.policy import FOLDER
from train import options
from train.options import option
from xabitha_env.cli.output import print_table, progress_bar
from xabitha_env.evaluation.deals import FEWEST_DEALS, seeds_of
from xabitha_env.evaluation.intervals import Interval, interval
from xabitha_env.evaluation.play import one_round
from xabitha_env.evaluation.plots import save_picture
from xabitha_env.files import write_text
from xabitha_env.games import GAMES
from xabitha_env.players import draw_worlds, load_player
from xabitha_env.protocol import Engine
from xabitha_env.research.beliefs import (
    PARTNER,
    brier,
    held,
    sample_decisions,
    share_held,
)

SHOWN = 0.1
"""Share of the decisions that are scored."""
SPAN = {"xabitha": 12, "xeri": 4}
"""Decisions of a round that make a step of the table."""
FEWEST = 20
"""Decisions below which no mean is shown."""
UNIFORM, WEIGHED = "unseen cards alike", "as expert plays"
RESULTS, PICTURE = "beliefs.json", "beliefs.png"


@dataclass
class Args:
    """What to score."""

    game: str = option("xabitha", "which game")
    out: str = option("runs/beliefs", "folder of the results")
    policies: str = option("learned", "policy files, with commas between them")
    player: str = option("learned", "who plays")
    rounds: int = option(200, "rounds of test deals", FEWEST_DEALS)
    worlds: int = option(100, "worlds of a belief", 1)
    quiet: bool = option(False, "print nothing but errors")


SMOKE = {"player": "expert", "rounds": 4, "worlds": 4}
"""Options of ``--smoke``."""


class Scores(NamedTuple):
    """Scores of n decisions by b beliefs."""

    decision: NDArray[np.int64]  # (n,) of its round
    deal: NDArray[np.int64]  # (n,)
    brier: NDArray[np.float64]  # (n, b, 3) by belief and other seat, in order of play


def worlds_say(
    game: str, engine: Engine, games: Any, size: int, weighted: bool, seed: int
) -> NDArray[np.float64]:
    """Return in which share of worlds the other seats hold each kind, (n, 3, K)."""
    drawn = (
        draw_worlds(engine, int(one), size, weighted=weighted, seed=seed + int(one))
        for one in games
    )
    return np.array([share_held(game, np.asarray(worlds), weights) for worlds, weights in drawn])


def score(args: Args, policies: dict[str, tuple[Policy, Encoder]]) -> Scores:
    """Play rounds and score all beliefs in a part of the decisions."""
    setup, player = one_round(args.game), load_player(args.player, args.game)
    seeds = seeds_of("test", args.rounds)
    parts: list[Scores] = []
    with progress_bar("beliefs", args.rounds, args.quiet) as show:
        for number, engine, games in sample_decisions(setup, player, seeds, SHOWN):
            show(int(engine.over.sum()))
            if not games.size:
                continue
            seed = number * args.rounds
            said = [guess_hands(*one, engine, games) for one in policies.values()]
            for weighted in (False, True):
                said.append(worlds_say(args.game, engine, games, args.worlds, weighted, seed))
            truth = held(args.game, engine.games[games])
            errors = brier(np.stack(said, axis=1), truth[:, None]).mean(axis=-1)
            parts.append(Scores(np.full(games.size, number), games, errors))
    return Scores(*(np.concatenate(column) for column in zip(*parts)))


def by_time(scores: Scores, span: int, belief: int, partner: bool) -> list[dict[str, float]]:
    """Return the mean scores of a belief by the time of the round."""
    seats = [PARTNER] if partner else [0, 2]
    values, step = scores.brier[:, belief, seats].mean(axis=1), scores.decision // span
    return [
        {"decision": float(number * span), **interval(values[own])._asdict()}
        for number in np.unique(step)
        if (own := step == number).sum() >= FEWEST
    ]


def main(args: Args) -> dict[str, Any]:
    """Do the whole job.

    Args:
        args: what to do.

    Returns:
        What ``beliefs.json`` holds.

    Raises:
        ValueError: a bad argument.
        OSError: a file cannot be read or written.
    """
    options.check_numbers(args)
    if args.game not in GAMES:
        raise ValueError(f"--game must be {' or '.join(GAMES)}, not {args.game!r}")
    names = [name.strip() for name in args.policies.split(",") if name.strip()]
    policies = {}
    for name in names:
        file = FOLDER / f"{args.game}.pt" if name == "learned" else Path(name)
        policy, encoder, _ = load_policy(file)
        if encoder.game != args.game:
            raise ValueError(f"--policies {name} plays {encoder.game}, not {args.game}")
        policies[Path(name).stem] = (policy, encoder)
    scores = score(args, policies)
    beliefs = (*policies, UNIFORM, WEIGHED)
    info = {
        "arguments": vars(args),
        "decisions": len(scores.deal),
        "scores": {
            belief: {
                who: by_time(scores, SPAN[args.game], place, who == "partner")
                for who in ("partner", "opponents")
            }
            for place, belief in enumerate(beliefs)
        },
    }
    out = Path(args.out)
    out.mkdir(parents=True, exist_ok=True)
    write_text(out / RESULTS, json.dumps(info, indent=2) + "\n")
    draw(out / PICTURE, info["scores"])
    if not args.quiet:
        show_scores(scores, beliefs)
    return info


def show_scores(scores: Scores, beliefs: Sequence[str]) -> None:
    """Print the scores of whole rounds."""
    lines = []
    for place, belief in enumerate(beliefs):
        cells = []
        for seats in ([PARTNER], [0, 2]):
            mean, low, high = interval(scores.brier[:, place, seats].mean(axis=1))
            cells.append(f"{mean:.4f} ({low:.4f} to {high:.4f})")
        lines.append((belief, *cells))
    print_table(f"Brier scores, {len(scores.deal):,} decisions", HEAD, lines)


HEAD = ("belief", "partner's hand", "opponents' hands")


def draw(path: Path, scores: dict[str, dict[str, list[dict[str, float]]]]) -> None:
    """Draw the scores over the round."""
    figure = Figure(figsize=(12, 4.4), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    for axis, who in zip(axes, ("partner", "opponents")):
        for belief, own in scores.items():
            place = [one["decision"] for one in own[who]]
            mean, low, high = ([one[key] for one in own[who]] for key in Interval._fields)
            (line,) = axis.plot(place, mean, marker="o", markersize=3, label=belief)
            axis.fill_between(place, low, high, color=line.get_color(), alpha=0.2)
        axis.set_title(f"the {who}'s hand" if who == "partner" else "the opponents' hands")
        axis.set_xlabel("decisions of the round so far")
        axis.grid(alpha=0.3)
    axes[0].set_ylabel("Brier score (less is better)")
    axes[0].legend()
    save_picture(figure, path)


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status: 0, 2 for wrong use, 130 when interrupted."""
    description = __doc__ or ""
    return options.guarded(
        lambda: main(options.parse(Args, "train.beliefs", description, arguments, SMOKE))
    )


if __name__ == "__main__":
    sys.exit(run())
