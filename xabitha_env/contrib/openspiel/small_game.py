"""Cut-down Xeri as a Python game of OpenSpiel with explicit chance, small enough to solve.

Chance deals a hand to each seat in turn, then the pile. What a seat knows is its hand and all that
was played, in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict
from itertools import combinations_with_replacement, product
from math import comb, perm, prod
from typing import Any

import numpy as np
import pyspiel
from numpy.typing import NDArray

from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.contrib.openspiel.observer import Observer, Piece, recalls
from xabitha_env.contrib.openspiel.small import Hand, Round, SmallRules, final_points, play

PLAY = "play:"
_TYPE = pyspiel.GameType(
    short_name="python_small_xeri",
    long_name="Small Xeri",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=NUM_SEATS,
    min_num_players=NUM_TEAMS,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification=asdict(SmallRules()),
)


class SmallXeriGame(pyspiel.Game):  # type: ignore[misc]
    """``python_small_xeri``: utilities are points, the opponents' subtracted.

    Args:
        params: values of `SmallRules`, by name.

    Attributes:
        kinds: the kinds of the pack; a kind's place is its action.
        deals: hands, in the numbering of chance.
        piles: piles, in the numbering of chance.

    Raises:
        ValueError: values that no game can be played with.
    """

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        self.rules = rules = SmallRules(**dict(params or {}))
        self.kinds = sorted(rules.pack, key=lambda kind: (rules.ranks.index(kind[0]), kind))
        hands = combinations_with_replacement(self.kinds, rules.hand_cards)
        self.deals = [hand for hand in hands if not Counter(hand) - rules.pack]
        piles = product(self.kinds, repeat=rules.pile_cards)
        self.piles = [pile for pile in piles if not Counter(pile) - rules.pack]
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.kinds),
            max_chance_outcomes=max(len(self.deals), len(self.piles)),
            num_players=rules.seats,
            min_utility=-float(rules.most_points),
            max_utility=float(rules.most_points),
            utility_sum=0.0,
            max_game_length=rules.plays,
        )
        super().__init__(_TYPE, info, dict(params or {}))

    def new_initial_state(self) -> SmallXeriState:
        """Return a game that is not dealt yet."""
        return SmallXeriState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return the hands, and the pile."""
        return self.rules.seats + 1

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Any = None
    ) -> Observer:
        """Return what shows a seat's view: all that it knows, or what lies open now."""
        rules, kinds = self.rules, len(self.kinds)
        pieces: list[Piece] = [("seat", (rules.seats,)), ("hand", (rules.hand_cards, kinds))]
        if recalls(iig_obs_type, params):
            pieces += [("pile", (rules.pile_cards, kinds)), ("plays", (rules.plays, kinds))]
            return Observer(pieces, self._write_knowledge, knowledge)
        most = rules.plays + rules.pile_cards
        pieces += [("top", (kinds,)), ("pile", (most,)), ("cards", (NUM_TEAMS, most))]
        return Observer(pieces, self._write_view, view)

    def _write_hand(
        self, parts: Mapping[str, NDArray[np.float32]], state: SmallXeriState, seat: int
    ) -> None:
        parts["seat"][seat] = 1
        for kind, count in Counter(state.hand(seat)).items():
            parts["hand"][:count, self.kinds.index(kind)] = 1

    def _write_knowledge(
        self, parts: Mapping[str, NDArray[np.float32]], state: SmallXeriState, seat: int
    ) -> None:
        self._write_hand(parts, state, seat)
        for name, kinds in (("pile", state.dealt_pile), ("plays", state.plays)):
            for place, kind in enumerate(kinds):
                parts[name][place, self.kinds.index(kind)] = 1

    def _write_view(
        self, parts: Mapping[str, NDArray[np.float32]], state: SmallXeriState, seat: int
    ) -> None:
        self._write_hand(parts, state, seat)
        if state.round is None:
            return
        parts["pile"][: len(state.round.pile)] = 1
        if state.round.pile:
            parts["top"][self.kinds.index(state.round.pile[-1])] = 1
        for team, cards in enumerate(state.round.cards):
            parts["cards"][team, :cards] = 1


class SmallXeriState(pyspiel.State):  # type: ignore[misc]
    """A cut-down game in progress.

    Attributes:
        hands: dealt so far, by seat.
        dealt_pile: the pile as it was dealt.
        round: the game, once all is dealt.
    """

    def __init__(self, game: SmallXeriGame) -> None:
        super().__init__(game)
        self.hands: tuple[Hand, ...] = ()
        self.dealt_pile: Hand = ()
        self.round: Round | None = None

    @property
    def plays(self) -> Hand:
        """Kinds played, in order."""
        return () if self.round is None else self.round.plays

    def hand(self, seat: int) -> Hand:
        """Return the kinds that a seat holds."""
        hands = self.hands if self.round is None else self.round.hands
        return hands[seat] if seat < len(hands) else ()

    def current_player(self) -> int:
        """Return the seat to play, or OpenSpiel's marks for chance and the end."""
        if self.round is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.round.over else self.round.seat

    def is_terminal(self) -> bool:
        """Return whether all cards are played."""
        return self.round is not None and self.round.over

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the hands of the next seat, or the piles, with their probabilities."""
        game = self.get_game()
        rules, left = game.rules, game.rules.pack - Counter(sum(self.hands, ()))
        if len(self.hands) < rules.seats:
            ways = [_ways(left, hand, comb) for hand in game.deals]
        else:
            every = [_ways(left, pile, perm) for pile in game.piles]
            ways = [way * rules.may_lie(pile) for way, pile in zip(every, game.piles)]
            ways = ways if any(ways) else every
        total = sum(ways)
        return [(outcome, way / total) for outcome, way in enumerate(ways) if way]

    def returns(self) -> list[float]:
        """Return the points by which each seat's team is ahead at the end; zeros before."""
        seats = range(self.num_players())
        if self.round is None or not self.round.over:
            return [0.0 for _ in seats]
        first, second = final_points(self.round)
        return [float((first - second) * (1 - 2 * (seat % NUM_TEAMS))) for seat in seats]

    def _legal_actions(self, player: int) -> list[int]:
        kinds = self.get_game().kinds
        return sorted({kinds.index(kind) for kind in self.hand(player)})

    def _apply_action(self, action: int) -> None:
        game = self.get_game()
        if self.round is not None:
            self.round = play(game.rules, self.round, game.kinds[action])
        elif len(self.hands) < game.rules.seats:
            self.hands += (game.deals[action],)
        else:
            self.dealt_pile = game.piles[action]
            self.round = Round(self.hands, self.dealt_pile)

    def _action_to_string(self, player: int, action: int) -> str:
        game = self.get_game()
        if player != pyspiel.PlayerId.CHANCE:
            return f"{PLAY}{game.kinds[action]}"
        if len(self.hands) < game.rules.seats:
            return f"seat {len(self.hands)} {_words(game.deals[action])}"
        return f"pile {_words(game.piles[action])}"

    def __str__(self) -> str:
        hands = " / ".join(_words(self.hand(seat)) for seat in range(self.num_players()))
        return f"{hands} | pile {_words(self.dealt_pile)} | {_words(self.plays)}"


def knowledge(state: SmallXeriState, seat: int) -> str:
    """Return all that a seat knows: its hand, the pile as it was dealt, what was played."""
    pile, plays = _words(state.dealt_pile), _words(state.plays)
    return f"seat {seat}: {_words(state.hand(seat))} | pile {pile} | {plays}"


def view(state: SmallXeriState, seat: int) -> str:
    """Return what a seat sees now: its hand, the pile, how many cards are captured."""
    pile = () if state.round is None else state.round.pile
    cards = (0,) * NUM_TEAMS if state.round is None else state.round.cards
    captured = " : ".join(map(str, cards))
    return f"seat {seat}: {_words(state.hand(seat))} | pile {_words(pile)} | captured {captured}"


def _ways(left: Counter[str], kinds: Hand, count: Callable[[int, int], int]) -> int:
    """Return in how many ways kinds can be drawn: `comb` for a hand, `perm` for a pile."""
    return prod(count(left[kind], number) for kind, number in Counter(kinds).items())


def _words(kinds: Hand) -> str:
    return " ".join(kinds)


pyspiel.register_game(_TYPE, SmallXeriGame)
