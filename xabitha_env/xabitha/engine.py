"""The batched engine of Xabitha: N games at once over the compiled kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xabitha_env._jit import announce_compilation, records
from xabitha_env._random import seed_streams
from xabitha_env.cards import NUM_SEATS, card_text
from xabitha_env.protocol import Refusal, Seed, Which
from xabitha_env.xabitha import batch
from xabitha_env.xabitha.actions import ACTIONS, DISCARD, DRAW_DECK, DRAW_FIRE, MAX_LEGAL
from xabitha_env.xabitha.notation import move_text, parse_move
from xabitha_env.xabitha.observation import FEATURES, GLOBAL_FEATURES, RAW_FEATURES
from xabitha_env.xabitha.players import PLAYER_CODES
from xabitha_env.xabitha.refusals import reason
from xabitha_env.xabitha.render import render_table
from xabitha_env.xabitha.rules import XabithaRules
from xabitha_env.xabitha.state import DECLARING, DRAWING, NO_SEAT, REASONS, REWARDS, STATE
from xabitha_env.xabitha.validate import hand_kinds, read_cards, read_deal, state_problem

OUTPUTS = ("mask", "legal", "observation")
_NO_ACTIONS = np.empty(0, np.int64)
_NO_CODES = np.empty((0, NUM_SEATS), np.int8)
SLICES_PER_THREAD = 4
_SHOWN_LEGAL = 8  # moves named in a refusal


class XabithaEngine:
    """N games of Xabitha played in step; see `xabitha_env.protocol.Engine` for every method.

    Args:
        num_games: N.
        rules: the rules configuration, the same for all games.
        reward: one of ``team_difference`` (default: opponents' penalties minus own, over 100, at
            each round's end), ``own_penalties`` (minus own penalties, over 100, at each round's
            end) or ``match_result`` (1, 0 or -1 at the match's end). Equal for partners.
        outputs: which buffers are kept up to date.
        derived: whether observations have the derived sections.
        threads: slices of the batch that run at once; results do not depend on it.
        auto_restart: whether a step on a finished match starts the next one.

    Raises:
        ValueError: an option that is out of range; the message names it.
    """

    game = "xabitha"
    actions = ACTIONS
    max_legal = MAX_LEGAL
    player_codes: Mapping[str, int] = PLAYER_CODES
    global_features = GLOBAL_FEATURES

    def __init__(
        self,
        num_games: int = 1,
        *,
        rules: XabithaRules | None = None,
        reward: str = "team_difference",
        outputs: Sequence[str] = OUTPUTS,
        derived: bool = True,
        threads: int = 1,
        auto_restart: bool = False,
    ) -> None:
        if num_games < 1:
            raise ValueError(f"num_games must be at least 1, not {num_games}")
        if reward not in REWARDS:
            raise ValueError(f"no reward {reward!r}; there are {', '.join(REWARDS)}")
        if not set(outputs) <= set(OUTPUTS):
            raise ValueError(f"outputs must be among {', '.join(OUTPUTS)}, not {outputs}")
        if threads < 1:
            raise ValueError(f"threads must be at least 1, not {threads}")
        announce_compilation()
        self.num_games = num_games
        self.rules = rules or XabithaRules()
        self.reward = reward
        self.outputs = tuple(outputs)
        self.derived = derived
        self.threads = threads
        self.auto_restart = auto_restart
        self.features = FEATURES if derived else RAW_FEATURES
        self.games: NDArray[Any] = np.zeros(num_games, STATE)
        self.games["reward_scheme"] = REWARDS.index(reward)
        for name, value in self.rules.to_dict().items():
            self.games[name] = value
        self._make_buffers()
        self.reset()

    def _make_buffers(self) -> None:
        count = self.num_games
        rows = {name: count if name in self.outputs else 0 for name in OUTPUTS}
        self.mask: NDArray[np.int8] = np.zeros((rows["mask"], len(ACTIONS)), np.int8)
        self.legal: NDArray[np.int32] = np.zeros((rows["legal"], MAX_LEGAL), np.int32)
        self.legal_count: NDArray[np.int32] = np.zeros(count, np.int32)
        self.observation: NDArray[np.int8] = np.zeros(
            (rows["observation"], len(self.features)), np.int8
        )
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
        indices = self._all if which is None else self._all[np.asarray(which)]
        if deals is not None and len(deals) != len(indices):
            raise ValueError(f"{len(indices)} games are reset, but {len(deals)} deals are given")
        read = [None if deal is None else read_deal(deal) for deal in deals or ()]
        self._seed(seed, indices)
        batch.start_matches(self._records, indices)
        for index, deal in zip(indices, read, strict=False):
            if deal is not None:
                self._place_deal(int(index), *deal)
        self._run(indices, _NO_ACTIONS, _NO_CODES, restart=False)

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
        self._run(self._all, _NO_ACTIONS, _NO_CODES, restart=False)

    def step(self, actions: Any) -> NDArray[np.bool_]:
        """Apply one action a game; see `Engine.step`."""
        self._run(self._all, self._checked(actions), _NO_CODES, restart=self.auto_restart)
        return self.refused

    def advance(self, codes: NDArray[np.int8], actions: Any = None) -> None:
        """Act and let compiled players act; see `Engine.advance`."""
        if codes.shape != (self.num_games, NUM_SEATS):
            raise ValueError(f"codes must be ({self.num_games}, {NUM_SEATS}), not {codes.shape}")
        given = _NO_ACTIONS if actions is None else self._checked(actions)
        self._run(self._all, given, codes, restart=self.auto_restart)

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
        indices: NDArray[np.int64],
        actions: NDArray[np.int64],
        codes: NDArray[np.int8],
        restart: bool,
    ) -> None:
        self._spread(
            batch.advance,
            indices,
            actions,
            codes,
            restart,
            self.refused,
            self.mask,
            self.legal,
            self.legal_count,
            self.observation,
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
        actions = np.empty(self.num_games, np.int64)
        buffers = (self.mask, self.legal, self.legal_count)
        self._spread(batch.choose, self._all, codes, *buffers, actions)
        return actions

    # Views.

    def observe(
        self, index: int, seat: int, out: NDArray[np.int8] | None = None
    ) -> NDArray[np.int8]:
        """Return the observation of any seat; see `Engine.observe`."""
        if out is None:
            out = np.empty(len(self.features), np.int8)
        batch.observe(self._records, index, seat, out)
        return out

    def global_state(self, index: int) -> NDArray[np.int8]:
        """Return everything of one game; see `Engine.global_state`."""
        out = np.empty(len(GLOBAL_FEATURES), np.int8)
        batch.observe_all(self._records, index, out)
        return out

    def text(self, action: int, index: int = 0) -> str:
        """Return an action's text form (X12)."""
        return move_text(self.games, index, int(action))

    def parse(self, text: str, index: int = 0) -> int:
        """Return the action of a text form (X12); see `Engine.parse`."""
        return parse_move(self.games, index, text)

    def _legal_ids(self, index: int) -> NDArray[np.int32]:
        if len(self.legal):
            return self.legal[index, : self.legal_count[index]]
        ids = np.empty(MAX_LEGAL, np.int32)
        return ids[: batch.list_one(self._records, index, ids)]

    def legal_texts(self, index: int = 0) -> list[str]:
        """Return the legal moves as text, sorted."""
        return sorted(self.text(int(action), index) for action in self._legal_ids(index))

    def refusal(self, action: int, index: int = 0) -> Refusal | None:
        """Return why an action is illegal; see `Engine.refusal`."""
        if int(action) in self._legal_ids(index):
            return None
        rule, what = reason(self.games, index, int(action))
        legal = self.legal_texts(index)
        shown = ", ".join(legal[:_SHOWN_LEGAL]) or "none"
        more = f" and {len(legal) - _SHOWN_LEGAL} more" if len(legal) > _SHOWN_LEGAL else ""
        move = self.text(action, index)
        return Refusal(rule, f"{move} is illegal ({rule}): {what}; legal: {shown}{more}")

    def render(self, index: int = 0, seat: int | None = None) -> str:
        """Return the table as text; see `Engine.render`."""
        return render_table(self.games[index], seat)

    # State.

    def get_state(self) -> NDArray[Any]:
        """Return a copy of the records; equal games have equal bytes."""
        return self.games.view(np.uint8).copy().view(STATE)  # a plain copy leaves gaps undefined

    def set_state(self, state: NDArray[Any]) -> None:
        """Go on from records of `get_state`; see `Engine.set_state`."""
        if not isinstance(state, np.ndarray) or state.dtype != STATE:
            raise ValueError("a state is an array of records as get_state returns it")
        if state.shape != self.games.shape:
            raise ValueError(f"the state has {state.shape} games, the engine {self.games.shape}")
        own = [*self.rules.to_dict(), "reward_scheme"]
        for index, game in enumerate(state):
            other = [name for name in own if game[name] != self.games[name][0]]
            if other:
                raise ValueError(f"game {index} of the state has other rules: {', '.join(other)}")
            problem = state_problem(game)
            if problem:
                raise ValueError(f"game {index} of the state is damaged: {problem}")
        self.games.view(np.uint8)[:] = np.ascontiguousarray(state).view(np.uint8)
        self.refresh()

    def copy(self) -> XabithaEngine:
        """Return an independent engine in the same state."""
        twin = object.__new__(type(self))
        twin.__setstate__(self.__getstate__())
        return twin

    def __deepcopy__(self, memo: dict[int, Any]) -> XabithaEngine:
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
        rewards = self.games["reward"].copy()
        self._make_buffers()
        self.refresh()
        self.refused[:] = refused
        self.rewards[:] = rewards

    # Records.

    def deal_record(self, index: int = 0) -> dict[str, Any]:
        """Return the head of a round's record; see `Engine.deal_record`."""
        game = self.games[index]
        deck = game["deck"][: int(game["deck_count"])][::-1]
        return {
            "starter": int(game["starter"]),
            "deal": {
                "hands": [
                    [card_text(kind) for kind in hand_kinds(game, seat)]
                    for seat in range(NUM_SEATS)
                ],
                "deck": [card_text(kind) for kind in deck.tolist()],
            },
        }

    def set_deal(self, deal: Mapping[str, Any], index: int = 0) -> None:
        """Put a given deal in place of the current round's; see `Engine.set_deal`."""
        game = self.games[index]
        if game["phase"] != DECLARING or game["seat"] != game["starter"] or game["over"]:
            raise ValueError("a deal can be given only before the first decision of a round")
        self._place_deal(index, *read_deal(deal))
        self.refresh()

    def _place_deal(
        self, index: int, starter: int, hands: list[list[int]], deck: list[int]
    ) -> None:
        batch.place_deal(
            self._records,
            index,
            starter,
            np.array([kind for hand in hands for kind in hand], np.int64),
            np.array([len(hand) for hand in hands], np.int64),
            np.array(deck, np.int64),
        )

    def prepare_event(self, event: Mapping[str, Any], index: int = 0) -> None:
        """Fix the outcome of a reshuffle; see `Engine.prepare_event`."""
        if "reshuffled" not in event:
            return
        game = self.games[index]
        if event.get("move") != "draw:deck" or game["phase"] != DRAWING or game["deck_count"] > 0:
            raise ValueError("reshuffled: a deck is made anew only by draw:deck without a deck")
        if game["reshuffles"] >= game["max_reshuffles"] or game["fire_count"] <= 1:
            raise ValueError("reshuffled: this draw cancels the round (X10)")
        count = int(game["fire_count"]) - 1
        deck = read_cards(event["reshuffled"], "reshuffled", count)
        if Counter(deck) != Counter(game["fire"][:count].tolist()):
            raise ValueError("reshuffled: not the cards of the fire pile without its top (X10.1)")
        batch.place_reshuffle(self._records, index, np.array(deck, np.int64))
        self.refresh()

    def event_record(self, before: NDArray[Any], action: int, index: int = 0) -> dict[str, Any]:
        """Return the record of the step just made; see `Engine.event_record`.

        `before` was copied ahead of `prepare_event`, if that was called.
        """
        old, new = before[index], self.games[index]
        event: dict[str, Any] = {
            "seat": int(old["seat"]),
            "move": move_text(before, index, int(action)),
        }
        if action == DRAW_FIRE:
            event["drawn"] = card_text(int(old["fire"][old["fire_count"] - 1]))
        elif action == DRAW_DECK and new["rounds"] == old["rounds"]:
            # The card drawn still stands where the deck had it.
            left = new["deck"][: int(new["deck_count"]) + 1][::-1].tolist()
            event["drawn"] = card_text(left[0])
            if old["deck_count"] == 0:
                event["reshuffled"] = [card_text(kind) for kind in left]
        elif action >= DISCARD and action - DISCARD == old["taken"]:
            event["undo"] = True
        return event

    def round_result(self, index: int = 0) -> dict[str, Any]:
        """Return the result record of the last finished round."""
        game = self.games[index]
        winner = int(game["last_winner"])
        return {
            "reason": REASONS[int(game["last_reason"])],
            "winner": None if winner == NO_SEAT else winner,
            "penalties": game["last_penalties"].tolist(),
        }

    def match_result(self, index: int = 0) -> dict[str, Any]:
        """Return the result record of a finished match (X2.2)."""
        totals = self.games["totals"][index].tolist()
        return {
            "totals": totals,
            "winners": [team for team, total in enumerate(totals) if total == min(totals)],
        }
