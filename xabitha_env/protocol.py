"""What the environments, players, records and commands need of a game's engine.

Both games satisfy `Engine`; nothing above the engines imports a game by name except `games.py`,
which finds them. Shapes: N games, A actions, O observation features, L the longest legal list.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xabitha_env.layout import ActionLayout, ObsLayout
from xabitha_env.scene import Scene

Seed: TypeAlias = int | Sequence[int] | NDArray[np.integer[Any]] | None
Which: TypeAlias = Sequence[int] | NDArray[np.integer[Any]] | NDArray[np.bool_] | None

EXTERNAL = -1
"""In an array of player codes: a seat whose decisions come from outside the engine."""


class Refusal(NamedTuple):
    """Why an action was refused (X4.6, R6).

    Attributes:
        rule: the rule's number, such as ``X4.5``.
        message: the move in text form, what is wrong with it and what would be legal.
    """

    rule: str
    message: str


class Rules(Protocol):
    """A game's rules configuration: a frozen dataclass whose fields are named in the rules."""

    def to_dict(self) -> dict[str, Any]:
        """Return every field by name, as records hold them."""

    @property
    def num_rounds(self) -> int:
        """Rounds in a match."""

    def hash(self) -> str:
        """Return a short hash of all fields, for checkpoints."""


class Engine(Protocol):
    """N games of one kind, played in step.

    The four buffers describe the seats to act and are rewritten by every `reset`, `step`, `advance`
    and `set_state` (those that `outputs` names); `seats`, `over`, `rewards`, `rounds_played` and
    `refused` are live, too. Copy what must be kept, and write into none of them (the buffers are
    read-only). In a finished match the mask is zero and the legal list empty.
    """

    num_games: int
    reward: str
    games: NDArray[Any]  # (N,) the records; live, for reading
    features: ObsLayout
    mask: NDArray[np.int8]  # (N, A)
    legal: NDArray[np.int32]  # (N, L), ids ascending, the first `legal_count` of a row
    legal_count: NDArray[np.int32]  # (N,)
    observation: NDArray[np.int8]  # (N, O), features 0 or 1

    @property
    def game(self) -> str:
        """The game's name."""

    @property
    def actions(self) -> ActionLayout:
        """The numbering of actions, A in all."""

    @property
    def max_legal(self) -> int:
        """L, a bound of the number of legal actions."""

    @property
    def player_codes(self) -> Mapping[str, int]:
        """The compiled players, by name."""

    @property
    def rules(self) -> Rules:
        """The rules configuration, the same for all games."""

    @property
    def seats(self) -> NDArray[np.int64]:
        """(N,) the seats to act, 0-3."""

    @property
    def over(self) -> NDArray[np.bool_]:
        """(N,) True where the match is over."""

    @property
    def rewards(self) -> NDArray[np.float32]:
        """(N, 4) by seat, what the last step, or all of the last advance, gave."""

    @property
    def rounds_played(self) -> NDArray[np.int64]:
        """(N,) rounds finished in the current match."""

    @property
    def refused(self) -> NDArray[np.bool_]:
        """(N,) True where the last step or advance refused its action."""

    def reset(
        self, seed: Seed = None, *, which: Which = None, deals: Sequence[Any] | None = None
    ) -> None:
        """Start new matches.

        Args:
            seed: an integer s seeds the k-th of the games that are reset with s + k; a sequence
                gives one seed a game; None goes on with each game's own generator.
            which: games to reset (indices or a boolean mask); all by default.
            deals: for each game that is reset, the first round's deal (as in `set_deal`) or None.
        """

    def step(self, actions: Any) -> NDArray[np.bool_]:
        """Apply one action a game; returns (N,) True where it was refused and nothing changed.

        Games that are over ignore their action (and count as refused) unless the engine was made
        with ``auto_restart=True``, when they start their next match instead.

        Raises:
            ValueError: wrong shape or not integers; nothing changed.
        """

    def advance(self, codes: NDArray[np.int8], actions: Any = None) -> None:
        """Apply the actions, if given, then let compiled players act until others must.

        Args:
            codes: (N, 4) a compiled player's code for each seat, or `EXTERNAL`.
            actions: (N,) actions of the external seats to act. A refused one (-1 always is) leaves
                its game as it is. Rewards of all that happened are added up in `rewards`.
        """

    def choose(self, codes: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return what compiled players would do: (N,) actions, given (N,) player codes.

        Draws on each game's own generator for players, so that matches are the same in any batch.
        """

    def observe(
        self, index: int, seat: int, out: NDArray[np.int8] | None = None
    ) -> NDArray[np.int8]:
        """Return the (O,) observation of any seat of one game, to act or not."""

    def global_state(self, index: int) -> NDArray[np.int8]:
        """Return everything of one game, hidden cards included, as `global_features` says."""

    @property
    def global_features(self) -> ObsLayout:
        """The layout of `global_state`."""

    def text(self, action: int, index: int = 0) -> str:
        """Return an action's text form in one game (X12, R6)."""

    def parse(self, text: str, index: int = 0) -> int:
        """Return the action that a text form names in one game; the inverse of `text`.

        Raises:
            ValueError: no move is written like this, or it names a meld that is not there.
        """

    def legal_texts(self, index: int = 0) -> list[str]:
        """Return the legal moves of one game in text form, sorted as strings."""

    def refusal(self, action: int, index: int = 0) -> Refusal | None:
        """Return why an action is illegal in one game, or None when it is legal."""

    def scene(self, index: int = 0, seat: int | None = None) -> Scene:
        """Return the table as one seat sees it, or with all hands open (None), as plain data."""

    def standing(self, index: int = 0) -> tuple[int, int]:
        """Return what the round would bring each team if it ended now (all hands count).

        Xabitha: the penalty that a team would pay if the other went out now, without a formation
        (X11.2). Xeri: a team's points (R4), what lies on the table left out.
        """

    def render(self, index: int = 0, seat: int | None = None) -> str:
        """Return `scene` as lines of text."""

    def copy(self) -> Self:
        """Return an independent engine in the same state (also `copy.deepcopy` and pickle)."""

    def get_state(self) -> NDArray[Any]:
        """Return a copy of the N records that hold everything."""

    def set_state(self, state: NDArray[Any]) -> None:
        """Go on from records of `get_state`.

        Raises:
            ValueError: wrong type or number of records, or a record that no game can be in;
                nothing changed.
        """

    # Records (formats: see `record.py`).

    def deal_record(self, index: int = 0) -> dict[str, Any]:
        """Return the head of a round's record; valid before its first decision."""

    def set_deal(self, deal: Mapping[str, Any], index: int = 0) -> None:
        """Put a given deal in place of the current round's; valid before its first decision.

        Args:
            deal: the head of a round's record, or the same fields without the inner ``deal``.

        Raises:
            ValueError: not a deal of the whole pack in the right sizes; nothing changed.
        """

    def prepare_event(self, event: Mapping[str, Any], index: int = 0) -> None:
        """Fix what chance will do in the next step, as a record's event says (a reshuffle).

        Raises:
            ValueError: that cannot happen now; nothing changed.
        """

    def event_record(self, before: NDArray[Any], action: int, index: int = 0) -> dict[str, Any]:
        """Return the record of the step just made.

        Args:
            before: `get_state` ahead of the step (and of `prepare_event`, if that was called).
            action: what was done.
            index: the game.
        """

    def round_result(self, index: int = 0) -> dict[str, Any]:
        """Return the result record of the last finished round."""

    def match_result(self, index: int = 0) -> dict[str, Any]:
        """Return the result record of a finished match."""
