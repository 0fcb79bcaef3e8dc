"""Policies trained with RLlib as players: the network, its file, the player. Needs torch, not Ray.

RLlib's own checkpoints are for going on with training. The file here holds the weights of one
policy and nothing else that is needed to use it, and is loaded without running any code in it.
"""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from xabitha_env.files import write_bytes
from xabitha_env.games import GAMES
from xabitha_env.players.base import View
from xabitha_env.players.opinion import Opinion
from xabitha_env.protocol import Engine

FORMAT = "xabitha-rllib-1"
FORBIDDEN = -1e9
"""Logit of an illegal action: finite, as RLlib subtracts logits, and without any probability."""


class Sizes(NamedTuple):
    """Of a network."""

    features: int
    actions: int
    width: int  # units of each of two hidden layers


def layers(inputs: int, width: int, outputs: int) -> nn.Sequential:
    """Return two hidden layers and a linear one."""
    return nn.Sequential(
        *(nn.Linear(inputs, width), nn.ReLU()),
        *(nn.Linear(width, width), nn.ReLU()),
        nn.Linear(width, outputs),
    )


class MaskedPolicy(nn.Module):
    """A network whose illegal actions have no probability.

    Args:
        sizes: of it.
    """

    def __init__(self, sizes: Sizes) -> None:
        super().__init__()
        self.sizes = sizes
        self.layers = layers(sizes.features, sizes.width, sizes.actions)

    def forward(self, observation: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """Return logits, (n, A), of observations (n, O) and masks (n, A) of any number type."""
        logits: torch.Tensor = self.layers(observation.float())
        return logits.masked_fill(mask == 0, FORBIDDEN)


class Saved(NamedTuple):
    """What a file holds.

    Attributes:
        game: which game it plays.
        policy: the network.
        info: how it was trained, of plain types.
    """

    game: str
    policy: MaskedPolicy
    info: dict[str, Any]


def save_policy(path: Path, game: str, policy: MaskedPolicy, info: dict[str, Any]) -> None:
    """Write a policy; the file appears whole or not at all.

    Raises:
        FileError: it cannot be written.
    """
    content = {
        "format": FORMAT,
        "game": game,
        "sizes": tuple(policy.sizes),
        "weights": policy.state_dict(),
        "info": info,
    }
    buffer = io.BytesIO()
    torch.save(content, buffer)
    write_bytes(path, buffer.getvalue())


def load_policy(path: str | PathLike[str]) -> Saved:
    """Read a policy.

    Raises:
        ValueError: the file holds none.
        OSError: it cannot be read.
    """
    name = str(path)
    if not Path(name).is_file():
        raise FileNotFoundError(f"no policy {name!r}: there is no such file")
    try:
        content = torch.load(name, map_location="cpu", weights_only=True)
        if content["format"] != FORMAT or content["game"] not in GAMES:
            raise ValueError(f"its format is {content['format']}, its game {content['game']}")
        policy = MaskedPolicy(Sizes(*content["sizes"]))
        policy.load_state_dict(content["weights"])
    except OSError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise ValueError(f"{name!r} holds no policy of train.rllib_ppo: {error}") from error
    return Saved(content["game"], policy.eval(), content["info"])


class Player:
    """Plays a policy's likeliest action, or draws one.

    Args:
        path: of the file, or the policy itself.
        sampled: 1 to draw actions with their probabilities.
        game: which game it is to play; empty for the policy's own.

    Raises:
        ValueError: the file holds no policy, or one for another game.
        OSError: it cannot be read.
    """

    def __init__(self, path: str | PathLike[str] | Saved, sampled: int = 0, game: str = "") -> None:
        if isinstance(path, Saved):
            self.saved, self.name = path, "rllib"
        else:
            self.saved, self.name = load_policy(path), Path(path).stem
        if game not in ("", self.saved.game):
            raise ValueError(f"{str(path)!r} plays {self.saved.game}, not {game}")
        self.sampled = bool(sampled)
        self._random = np.random.default_rng(0)

    def reset(self, engine: Engine, seed: int) -> None:
        """Prepare for an engine's games; `seed` fixes what is drawn.

        Raises:
            ValueError: the policy was made for another game, or for other observations.
        """
        sizes = self.saved.policy.sizes
        wants = (self.saved.game, sizes.features, sizes.actions)
        has = (engine.game, engine.features.size, engine.actions.size)
        if wants != has:
            raise ValueError(
                f"policy {self.name!r} was made for {wants[0]} with {wants[1]} features and "
                f"{wants[2]} actions, but here is {has[0]} with {has[1]} and {has[2]}: with or "
                "without the derived sections, or another version of the environment?"
            )
        self._random = np.random.default_rng(seed)

    def act(self, view: View) -> NDArray[np.int64]:
        """Return one legal action a row, (n,)."""
        scores = self._scores(view)
        if self.sampled:  # the largest of logits plus Gumbel noise is a draw from them
            scores = scores + self._random.gumbel(size=scores.shape)
        chosen: NDArray[np.int64] = scores.argmax(axis=1)
        return chosen

    def opinion(self, view: View) -> Opinion:
        """Return the probabilities of the legal actions, the likeliest being the choice."""
        actions = view.legal[0, : view.legal_count[0]].astype(np.int64)
        scores = self._scores(view)[0, actions].astype(np.float64)
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        return Opinion(int(actions[np.argmax(shares)]), actions, shares, None, "probability")

    def get_state(self) -> Any:
        """Return the state of the generator, if actions are drawn."""
        return self._random.bit_generator.state if self.sampled else None

    def set_state(self, state: Any) -> None:
        """Go on from what `get_state` returned.

        Raises:
            ValueError: it is not a state of this player.
        """
        if (state is None) == self.sampled:
            raise ValueError(f"player {self.name!r} has no such state")
        if self.sampled:
            try:
                self._random.bit_generator.state = state
            except (KeyError, TypeError, ValueError) as error:
                raise ValueError(f"player {self.name!r} has no such state: {error!r}") from error

    def _scores(self, view: View) -> NDArray[np.floating[Any]]:
        with torch.no_grad():
            logits = self.saved.policy(
                torch.from_numpy(np.ascontiguousarray(view.observation)),
                torch.from_numpy(np.ascontiguousarray(view.mask)),
            )
        scores: NDArray[np.floating[Any]] = logits.numpy()
        return scores


def player_file(game: str, path: str, sampled: int = 0) -> Player:
    """Return the player of a file, for a game; see `Player`."""
    return Player(path, sampled, game)
