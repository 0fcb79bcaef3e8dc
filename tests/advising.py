"""How tests ask for advice: with buffers full of rubbish, so that what is not written shows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from xabitha_env._jit import records

RUBBISH = 7


class Advice(NamedTuple):
    """What `advise` writes of the games of an engine."""

    insight: np.ndarray  # (n, features)
    tokens: np.ndarray  # (m,)
    traits: np.ndarray  # (m, traits)
    actions: np.ndarray  # (m,)
    starts: np.ndarray  # (n + 1,)

    def of(self, game: int) -> tuple[bytes, bytes, bytes, bytes]:
        """What the seat to act in a game is told, as bytes."""
        own = slice(self.starts[game], self.starts[game + 1])
        parts = (self.insight[game], self.tokens[own], self.traits[own], self.actions[own])
        return tuple(part.tobytes() for part in parts)  # type: ignore[return-value]


def ask(advice: Any, engine: Any) -> Advice:
    """Let a game's module of advice tell of all games of an engine; none is over."""
    assert not engine.over.any()
    count = engine.num_games
    starts = np.concatenate([[0], np.cumsum(engine.legal_count, dtype=np.int64)])
    insight = np.full((count, advice.INSIGHT.size), RUBBISH, np.int8)
    tokens = np.full(starts[-1], -RUBBISH, np.int64)
    traits = np.full((starts[-1], advice.TRAITS.size), np.nan, np.float32)
    before = engine.games.tobytes()
    games = np.arange(count)
    advice.advise(records(engine.games), games, engine.legal, starts, insight, tokens, traits)
    assert engine.games.tobytes() == before
    assert np.isin(insight, (0, 1)).all() and np.isfinite(traits).all()
    assert (tokens >= 0).all() and (tokens < advice.TOKENS.size).all()
    actions = [engine.legal[game, : engine.legal_count[game]] for game in games]
    return Advice(insight, tokens, traits, np.concatenate(actions), starts)


def tell(advice: Any, engine: Any) -> tuple[np.ndarray, np.ndarray]:
    """What is hidden from the seats to act: features, and masks of the other hands."""
    secrets = np.full((engine.num_games, advice.SECRETS.size), RUBBISH, np.int8)
    hidden = np.full((engine.num_games, 3), RUBBISH, np.int64)
    before = engine.games.tobytes()
    advice.tell(records(engine.games), np.arange(engine.num_games), secrets, hidden)
    assert engine.games.tobytes() == before and np.isin(secrets, (0, 1)).all()
    return secrets, hidden


def section(layout: Any, features: np.ndarray, name: str) -> np.ndarray:
    """A block of features or traits, in its shape; the layout is the last dimension."""
    shape = (*features.shape[:-1], *layout[name].shape)
    return features[..., layout.slice(name)].reshape(shape)


def trait(advice: Any, told: Advice, action: int, name: str) -> float:
    """One trait of a legal action, of an engine with one game."""
    (place,) = np.flatnonzero(told.actions == action)
    return float(told.traits[place, advice.TRAITS.offset(name)])
