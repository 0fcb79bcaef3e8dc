"""A small network that estimates numbers from a few features, with what it was made from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.checkpoint import to_bytes
from xabitha_env.files import write_bytes

FORMAT = 1


class Regression(nn.Module):
    """Two hidden layers over features that are brought to mean 0 and deviation 1.

    Args:
        features: names of the inputs.
        outputs: names of what is estimated.
        hidden: units of each hidden layer.
        info: where it comes from, of plain types.
    """

    def __init__(
        self,
        features: Sequence[str],
        outputs: Sequence[str],
        hidden: int = 64,
        info: dict[str, Any] | None = None,
    ) -> None:
        super().__init__()
        self.features, self.outputs, self.hidden = tuple(features), tuple(outputs), hidden
        self.info = info or {}
        self.register_buffer("mean", torch.zeros(len(self.features)))
        self.register_buffer("spread", torch.ones(len(self.features)))
        self.layers = nn.Sequential(
            nn.Linear(len(self.features), hidden),
            nn.ReLU(),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, len(self.outputs)),
        )

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Return the estimates (n, outputs) for (n, features)."""
        return self.layers((inputs - self.mean) / self.spread)  # type: ignore[no-any-return]

    def estimate(self, inputs: NDArray[np.float32]) -> NDArray[np.floating]:
        """Return the same of arrays, without gradients."""
        with torch.no_grad():
            own = torch.from_numpy(inputs).to(self.mean.dtype)
            return self(own).numpy()  # type: ignore[no-any-return]

    def scale_to(self, inputs: NDArray[np.float32]) -> None:
        """Take means and deviations from some inputs."""
        spread = inputs.std(axis=0)
        self.mean.copy_(torch.from_numpy(inputs.mean(axis=0)))
        self.spread.copy_(torch.from_numpy(np.where(spread > 0, spread, 1).astype(np.float32)))

    def save(self, path: Path) -> None:
        """Write it; the file appears whole or not at all."""
        content = {
            "format": FORMAT,
            "features": self.features,
            "outputs": self.outputs,
            "hidden": self.hidden,
            "info": self.info,
            "weights": self.state_dict(),
        }
        write_bytes(path, to_bytes(content))


def load_regression(path: Path, features: Sequence[str], outputs: Sequence[str]) -> Regression:
    """Read a regression with these inputs and outputs.

    Raises:
        ValueError: the file holds none, or one with others.
        OSError: it cannot be read.
    """
    if not path.is_file():
        raise FileNotFoundError(f"no regression {str(path)!r}: there is no such file")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']}")
        found = tuple(content["features"]), tuple(content["outputs"])
        if found != (tuple(features), tuple(outputs)):
            raise ValueError(f"it goes from {found[0]} to {found[1]}")
        made = Regression(features, outputs, content["hidden"], content["info"])
        made.load_state_dict(content["weights"])
    except OSError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise ValueError(f"{str(path)!r} holds no such regression: {error}") from error
    return made.double().eval()  # so that what is best is the same in any batch
