"""What the two short examples share: a policy in a file, as a player, and its measurement."""

from __future__ import annotations

import io
import json
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from train.running import FINAL, line, measured
from xabitha_env.files import write_bytes
from xabitha_env.players import Agent, View
from xabitha_env.protocol import Engine

POLICY, RESULTS = "policy.pt", "results.json"


class SavedPlayer(Agent):
    """A policy of an example: the likeliest legal action.

    Args:
        path: of the policy.
    """

    def __init__(self, path: str) -> None:
        saved = torch.load(path, weights_only=True)
        self.game = saved["game"]
        self.network = self.make(self.game, saved["width"])
        self.network.load_state_dict(saved["weights"])

    @staticmethod
    @abstractmethod
    def make(game: str, width: int) -> nn.Module:
        """Return the network of a game, with new weights."""

    @abstractmethod
    def logits(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return the logits (n, A) of n decisions, of illegal actions the lowest."""

    def reset(self, engine: Engine, seed: int) -> None:
        """Check that the policy plays this game."""
        if engine.game != self.game:
            raise ValueError(f"the policy plays {self.game}, not {engine.game}")

    def act(self, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,)."""
        with torch.no_grad():
            logits = self.logits(
                torch.from_numpy(view.observation), torch.from_numpy(view.mask != 0)
            )
        return logits.argmax(dim=1).numpy()


def finish(
    args: Any,
    out: Path,
    network: nn.Module,
    player: type[SavedPlayer],
    decisions: int,
    seconds: float,
    libraries: Sequence[str] = ("torch",),
) -> dict[str, Any]:
    """Keep a policy, measure it on test deals, and write and print what came of it.

    Args:
        args: of the script.
        out: the folder.
        network: what has learnt.
        player: how it is played.
        decisions: that it learnt from.
        seconds: of learning.
        libraries: whose versions are kept.

    Returns:
        What ``results.json`` holds.

    Raises:
        OSError: a file cannot be written.
    """
    buffer = io.BytesIO()
    kept = {"game": args.game, "width": args.width, "weights": network.state_dict()}
    torch.save(kept, buffer)
    write_bytes(out / POLICY, buffer.getvalue())
    one = player(str(out / POLICY))
    test = measured((one, one), args.against, args.game, FINAL, args.test_deals)
    results = {
        "arguments": asdict(args),
        "decisions": decisions,
        "learning_seconds": round(seconds, 3),
        "decisions_per_second": round(decisions / seconds, 1),
        "test": asdict(test),
        "versions": {name: version(name) for name in libraries},
    }
    write_bytes(out / RESULTS, (json.dumps(results, indent=2) + "\n").encode())
    if not args.quiet:
        speed = f"{results['decisions_per_second']:,} decisions a second"
        print(f"a team of the policy: {line(test, args.against)}; {speed}; in {out}")
    return results
