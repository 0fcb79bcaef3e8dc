"""What the engines of both games share: a batch of records, its buffers, seeds, threads, copies.

It knows no rule. A game's engine names its record type, layouts and kernels, and adds how its
moves are written, why one is illegal, and what its records hold.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from xabitha_env._jit import announce_compilation, records
from xabitha_env._random import seed_streams
from xabitha_env.cards import NUM_SEATS
from xabitha_env.layout import ActionLayout, ObsLayout
from xabitha_env.protocol import Refusal, Seed, Which
from xabitha_env.rules import RulesFields
from xabitha_env.scene import Scene

OUTPUTS = ("mask", "legal", "observation")
UNSET = -1
"""In a record, a rules value that is None."""
_NO_ACTIONS = np.empty(0, np.int64)
SLICES_PER_THREAD = 4
_SHOWN_LEGAL = 8  # moves named in a refusal


class BatchedEngine(ABC):
    """N games played in step; see `xabitha_env.protocol.Engine` for every method.

    A game's engine sets the class attributes. `kernels` is its module of compiled loops:
    ``start_matches``, ``step``, ``advance``, ``choose``, ``observe``, ``observe_all`` and
    ``list_one``, all with the arguments that they have for Xabitha.

    Args:
        num_games: N.
        rules: the rules configuration, the same for all games.
        reward: the name of a reward scheme.
        outputs: which buffers are kept up to date.
        derived: whether observations have the derived sections.
        threads: how many threads share the batch; results do not depend on it.
        auto_restart: whether a step on a finished match starts the next one.

    Raises:
        ValueError: an option that is out of range; the message names it.
    """

    game: ClassVar[str]
    state_type: ClassVar[np.dtype[Any]]
    rules_type: ClassVar[type[RulesFields]]
    kernels: ClassVar[Any]
    rewards_by_name: ClassVar[tuple[str, ...]]
    all_features: ClassVar[ObsLayout]
    raw_features: ClassVar[ObsLayout]
    global_features: ClassVar[ObsLayout]
    actions: ClassVar[ActionLayout]
    max_legal: ClassVar[int]
    player_codes: ClassVar[Mapping[str, int]]

    def __init__(
        self,
        num_games: int = 1,
        *,
        rules: RulesFields | None = None,
        reward: str = "team_difference",
        outputs: Sequence[str] = OUTPUTS,
        derived: bool = True,
        threads: int = 1,
        auto_restart: bool = False,
    ) -> None:
        rules = self.rules_type() if rules is None else rules
        if not isinstance(rules, self.rules_type):
            raise ValueError(f"rules must be a {self.rules_type.__name__}, not {rules!r}")
        if reward not in self.rewards_by_name:
            raise ValueError(f"no reward {reward!r}; there are {', '.join(self.rewards_by_name)}")
        if not set(outputs) <= set(OUTPUTS):
            raise ValueError(f"outputs must be among {', '.join(OUTPUTS)}, not {outputs}")
        for name, value in (("num_games", num_games), ("threads", threads)):
            if not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")
        announce_compilation(self.game)
        self.num_games = num_games
        self.rules: Any = rules
        self.reward = reward
        self.outputs = tuple(outputs)
        self.derived = derived
        self.threads = threads
        self.auto_restart = auto_restart
        self.features = self.all_features if derived else self.raw_features
        self.games: NDArray[Any] = np.zeros(num_games, self.state_type)
        self.games["reward_scheme"] = self.rewards_by_name.index(reward)
        for name, value in rules.to_dict().items():
            self.games[name] = UNSET if value is None else value
        self._make_buffers()
        self.reset()

    # What a game adds.

    @abstractmethod
    def text(self, action: int, index: int = 0) -> str:
        """Return an action's text form."""

    @abstractmethod
    def parse(self, text: str, index: int = 0) -> int:
        """Return the action of a text form."""

    @abstractmethod
    def scene(self, index: int = 0, seat: int | None = None) -> Scene:
        """Return what a seat sees of the table, as plain data."""

    @abstractmethod
    def standing(self, index: int = 0) -> tuple[int, int]:
        """Return what the round stands at, by team."""

    @abstractmethod
    def _reason(self, action: int, index: int) -> tuple[str, str]:
        """Return the rule that forbids an illegal action, and what is wrong."""

    @abstractmethod
    def _state_problem(self, game: Any) -> str:
        """Say what is wrong with a record that claims to be a game's state; empty if nothing."""

    @abstractmethod
    def _read_deal(self, deal: Any) -> Any:
        """Return a deal given as text in a form of the game's own, checked."""

    @abstractmethod
    def _place_deal(self, index: int, deal: Any) -> None:
        """Put what `_read_deal` returned in place of the current round's deal."""

    @abstractmethod
    def _is_fresh(self, game: Any) -> bool:
        """Return whether no decision of the round was made yet."""

    def _make_buffers(self) -> None:
        count = self.num_games
        rows = {name: count if name in self.outputs else 0 for name in OUTPUTS}
        listed = max(rows["mask"], rows["legal"])  # what a mask marks is cleared by the list
        self._mask = np.zeros((rows["mask"], len(self.actions)), np.int8)
        self._legal = np.zeros((listed, self.max_legal), np.int32)
        self._legal_count = np.zeros(count, np.int32)
        self._observation = np.zeros((rows["observation"], len(self.features)), np.int8)
        self.mask: NDArray[np.int8] = _shown(self._mask)
        self.legal: NDArray[np.int32] = _shown(self._legal[: rows["legal"]])
        self.legal_count: NDArray[np.int32] = _shown(self._legal_count)
        self.observation: NDArray[np.int8] = _shown(self._observation)
        self.refused: NDArray[np.bool_] = np.zeros(count, np.bool_)
        self.seats: NDArray[np.int64] = self.games["seat"]
        self.over: NDArray[np.bool_] = self.games["over"]
        self.rewards: NDArray[np.float32] = self.games["reward"]
        self.rounds_played: NDArray[np.int64] = self.games["rounds"]
        self._records = records(self.games)
        self._all = np.arange(count)
        self._slices = np.array_split(self._all, self.threads * SLICES_PER_THREAD)
        self._pool: ThreadPoolExecutor | None = None

    # Play.

    def reset(
        self, seed: Seed = None, *, which: Which = None, deals: Sequence[Any] | None = None
    ) -> None:
        """Start new matches; see `Engine.reset`."""
        indices = self._all
        if which is not None and len(which) > 0:
            indices = indices[np.asarray(which)]
        elif which is not None:
            indices = indices[:0]
        if deals is not None and len(deals) != len(indices):
            raise ValueError(f"{len(indices)} games are reset, but {len(deals)} deals are given")
        read = [None if deal is None else self._read_deal(deal) for deal in deals or ()]
        self._seed(seed, indices)
        self.kernels.start_matches(self._records, indices)
        for index, deal in zip(indices, read, strict=False):
            if deal is not None:
                self._place_deal(int(index), deal)
        self._run(self.kernels.step, indices, _NO_ACTIONS, restart=False)

    def _seed(self, seed: Seed, indices: NDArray[Any]) -> None:
        if seed is None:
            unseeded = indices[self.games["deal_word"][indices] == 0]
            entropy = [int(word) for word in np.random.SeedSequence().generate_state(1, np.uint64)]
            seeds = [entropy[0] + place for place in range(len(unseeded))]
            indices = unseeded
        elif isinstance(seed, (int, np.integer)):
            seeds = [int(seed) + place for place in range(len(indices))]
        else:
            seeds = [int(one) for one in seed]
        if len(seeds) != len(indices) or any(one < 0 for one in seeds):
            raise ValueError(
                f"seed must be None, a non-negative integer or {len(indices)} of them, not {seed!r}"
            )
        for index, one in zip(indices, seeds, strict=True):
            self.games["deal_word"][index], self.games["player_word"][index] = seed_streams(one, 2)

    def refresh(self) -> None:
        """Describe the seats to act anew, after a change of `games` from outside."""
        self._run(self.kernels.step, self._all, _NO_ACTIONS, restart=False)

    def step(self, actions: Any) -> NDArray[np.bool_]:
        """Apply one action a game; see `Engine.step`."""
        self._run(self.kernels.step, self._all, self._checked(actions), restart=self.auto_restart)
        return self.refused

    def advance(self, codes: NDArray[np.int8], actions: Any = None) -> None:
        """Act and let compiled players act; see `Engine.advance`."""
        if codes.shape != (self.num_games, NUM_SEATS):
            raise ValueError(f"codes must be ({self.num_games}, {NUM_SEATS}), not {codes.shape}")
        given = _NO_ACTIONS if actions is None else self._checked(actions)
        self._run(self.kernels.advance, self._all, given, codes, restart=self.auto_restart)

    def _checked(self, actions: Any) -> NDArray[np.int64]:
        array = np.asarray(actions)
        if array.shape != (self.num_games,) or array.dtype.kind not in "iu":
            raise ValueError(
                f"actions must be {self.num_games} integers, one a game, "
                f"not an array of shape {array.shape} and type {array.dtype}"
            )
        return array.astype(np.int64, copy=False)

    def _run(
        self,
        function: Callable[..., Any],
        indices: NDArray[np.int64],
        actions: NDArray[np.int64],
        *codes: NDArray[np.int8],
        restart: bool,
    ) -> None:
        self._spread(
            function,
            indices,
            actions,
            restart,
            self.refused,
            self._mask,
            self._legal,
            self._legal_count,
            self._observation,
            *codes,
        )

    def _spread(self, function: Callable[..., Any], indices: NDArray[np.int64], *rest: Any) -> None:
        """Call a compiled function on some games, by slices at once where threads are wanted.

        A thread takes the next slice when it is done with one, so that a busy core holds nobody
        up; threads that come too late are called off.
        """
        if self.threads == 1 or len(indices) < self.threads:
            function(self._records, indices, *rest)
            return
        whole = indices is self._all
        slices = iter(self._slices if whole else np.array_split(indices, self.threads))

        def work() -> None:
            for some in slices:
                function(self._records, some, *rest)

        if self._pool is None:
            self._pool = ThreadPoolExecutor(self.threads - 1)
        jobs = [self._pool.submit(work) for _ in range(self.threads - 1)]
        work()
        for job in jobs:
            if not job.cancel():
                job.result()

    def choose(self, codes: NDArray[np.int8]) -> NDArray[np.int64]:
        """Return what compiled players would do; see `Engine.choose`."""
        if codes.shape != (self.num_games,):
            raise ValueError(f"codes must be ({self.num_games},), not {codes.shape}")
        actions = np.empty(self.num_games, np.int64)
        buffers = (self._mask, self._legal[: len(self.legal)], self._legal_count)
        self.kernels.choose(self._records, codes, *buffers, actions)  # too quick to be shared
        return actions

    # Views.

    def _known(self, index: int) -> int:
        if not 0 <= index < self.num_games:
            raise IndexError(f"no game {index}; there are 0 to {self.num_games - 1}")
        return index

    def observe(
        self, index: int, seat: int, out: NDArray[np.int8] | None = None
    ) -> NDArray[np.int8]:
        """Return the observation of any seat; see `Engine.observe`."""
        if not 0 <= seat < NUM_SEATS:
            raise ValueError(f"no seat {seat}; there are 0 to {NUM_SEATS - 1}")
        size = len(self.features)
        if out is None:
            out = np.empty(size, np.int8)
        elif out.shape != (size,) or out.dtype != np.int8:
            raise ValueError(f"out must be ({size},) int8, not {out.shape} {out.dtype}")
        self.kernels.observe(self._records, self._known(index), seat, out)
        return out

    def global_state(self, index: int) -> NDArray[np.int8]:
        """Return everything of one game; see `Engine.global_state`."""
        out = np.empty(len(self.global_features), np.int8)
        self.kernels.observe_all(self._records, self._known(index), out)
        return out

    def render(self, index: int = 0, seat: int | None = None) -> str:
        """Return the table as text; see `Engine.render`."""
        return self.scene(index, seat).text()

    def _legal_ids(self, index: int) -> NDArray[np.int32]:
        self._known(index)
        if len(self.legal):
            return self.legal[index, : self.legal_count[index]]
        ids = np.empty(self.max_legal, np.int32)
        return ids[: self.kernels.list_one(self._records, index, ids)]

    def legal_texts(self, index: int = 0) -> list[str]:
        """Return the legal moves as text, sorted."""
        return sorted(self.text(int(action), index) for action in self._legal_ids(index))

    def refusal(self, action: int, index: int = 0) -> Refusal | None:
        """Return why an action is illegal; see `Engine.refusal`."""
        if int(action) in self._legal_ids(index):
            return None
        rule, what = self._reason(int(action), index)
        legal = self.legal_texts(index)
        shown = ", ".join(legal[:_SHOWN_LEGAL]) or "none"
        more = f" and {len(legal) - _SHOWN_LEGAL} more" if len(legal) > _SHOWN_LEGAL else ""
        move = self.text(action, index)
        return Refusal(rule, f"{move} is illegal ({rule}): {what}; legal: {shown}{more}")

    # State.

    def get_state(self) -> NDArray[Any]:
        """Return a copy of the records; equal games have equal bytes."""
        raw = self.games.view(np.uint8).copy()  # a copy of records leaves gaps undefined
        return raw.view(self.state_type)

    def set_state(self, state: NDArray[Any]) -> None:
        """Go on from records of `get_state`; see `Engine.set_state`."""
        if not isinstance(state, np.ndarray) or state.dtype != self.state_type:
            raise ValueError("a state is an array of records as get_state returns it")
        if state.shape != self.games.shape:
            raise ValueError(f"the state has {state.shape} games, the engine {self.games.shape}")
        own = [*self.rules.to_dict(), "reward_scheme"]
        for index, game in enumerate(state):
            other = [name for name in own if game[name] != self.games[name][0]]
            if other:
                raise ValueError(f"game {index} of the state has other rules: {', '.join(other)}")
            problem = self._state_problem(game)
            if problem:
                raise ValueError(f"game {index} of the state is damaged: {problem}")
        self.games.view(np.uint8)[:] = np.ascontiguousarray(state).view(np.uint8)
        self.refresh()

    def copy(self) -> Self:
        """Return an independent engine in the same state."""
        twin = object.__new__(type(self))
        twin.__setstate__(self.__getstate__())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __getstate__(self) -> dict[str, Any]:
        names = ("num_games", "rules", "reward", "outputs", "derived", "threads", "auto_restart")
        return {name: getattr(self, name) for name in names} | {
            "features": self.features,
            "games": self.get_state(),
            "refused": self.refused.copy(),
        }

    def __setstate__(self, state: dict[str, Any]) -> None:
        refused = state["refused"]
        self.__dict__.update({name: value for name, value in state.items() if name != "refused"})
        self._make_buffers()
        self.refresh()
        self.refused[:] = refused

    def set_deal(self, deal: Mapping[str, Any], index: int = 0) -> None:
        """Put a given deal in place of the current round's; see `Engine.set_deal`."""
        if self.games["over"][self._known(index)] or not self._is_fresh(self.games[index]):
            raise ValueError("a deal can be given only before the first decision of a round")
        self._place_deal(index, self._read_deal(deal))
        self.refresh()


def _shown(buffer: NDArray[Any]) -> NDArray[Any]:
    """Return a buffer as users see it: they may read it, and not write."""
    view = buffer.view()
    view.flags.writeable = False
    return view
