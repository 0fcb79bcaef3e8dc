"""Policies in files: the weights, and all that is needed to use and to judge them."""

from __future__ import annotations

import io
from os import PathLike
from pathlib import Path
from typing import Any, NamedTuple

import torch

from agents.encoding import Encoder
from agents.network import Policy, Shape
from xabitha_env.files import write_bytes
from xabitha_env.games import GAMES

FORMAT = 1


class Checkpoint(NamedTuple):
    """A policy and where it comes from.

    Attributes:
        policy: the network.
        encoder: of its game.
        info: how it was trained: arguments, seed, decisions, the hash of the rules, versions.
    """

    policy: Policy
    encoder: Encoder
    info: dict[str, Any]


def to_bytes(content: dict[str, Any]) -> bytes:
    """Return what `torch.load` reads."""
    buffer = io.BytesIO()
    torch.save(content, buffer)
    return buffer.getvalue()


def save_policy(path: Path, policy: Policy, encoder: Encoder, info: dict[str, Any]) -> None:
    """Write a policy; the file appears whole or not at all.

    Args:
        path: a name that ends in ``.pt``.
        policy, encoder: the policy.
        info: about it, of plain types.

    Raises:
        FileError: it cannot be written.
    """
    content = {
        "format": FORMAT,
        "game": encoder.game,
        "blind": encoder.blind,
        "inputs": encoder.sizes,
        "shape": tuple(policy.shape),
        "weights": policy.state_dict(),
        "info": info,
    }
    write_bytes(path, to_bytes(content))


def load_policy(path: str | PathLike[str]) -> Checkpoint:
    """Read a policy.

    Raises:
        ValueError: the file holds no policy, or one for other inputs than this version has.
        OSError: it cannot be read.
    """
    name = str(path)
    if not Path(name).is_file():
        raise FileNotFoundError(f"no policy {name!r}: there is no such file")
    try:
        content = torch.load(name, map_location="cpu", weights_only=True)
        if content["format"] != FORMAT or content["game"] not in GAMES:
            raise ValueError(f"its format is {content['format']}, its game {content['game']}")
        encoder = Encoder(content["game"], content.get("blind", False))
        if tuple(content["inputs"]) != encoder.sizes:
            raise ValueError(
                f"it was trained with {content['inputs']} inputs, here are {encoder.sizes}: "
                "use the version of the library that it was trained with"
            )
        policy = Policy(encoder, Shape(*content["shape"]))
        policy.load_state_dict(content["weights"])
    except OSError:
        raise
    except Exception as error:  # a damaged archive fails in many ways
        raise ValueError(f"{name!r} holds no policy: {error}") from error
    return Checkpoint(policy.eval(), encoder, content["info"])
