"""Xabitha and Xeri as Python games of OpenSpiel, over one table of the compiled engine.

All chance of a match is drawn at its first state, a chance node with a single outcome: OpenSpiel
calls such games sampled stochastic. What observers show comes from the engine, as a seat may see
it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import pyspiel
from numpy.typing import NDArray

from xabitha_env.cards import JOKER, NUM_SEATS, NUM_TEAMS, TEN
from xabitha_env.contrib.openspiel.observer import Observer, recalls
from xabitha_env.contrib.openspiel.story import deal_line, knowledge, move_line, result_line, view
from xabitha_env.games import make_engine, make_rules
from xabitha_env.players.worlds import draw_worlds
from xabitha_env.protocol import Engine, Rules

RANDOM = -1
"""As `rng_seed`: nobody chooses the deals."""
MOST_LENGTH = 2**31 - 1
"""What OpenSpiel can hold as the length of a game."""
_SEED_BITS = 53  # of a random number between 0 and 1
_CARD_POINTS = 25  # Xeri R4.2: of a round, apart from xeris
_TARGETS = ("target_score", "extended_target_score")
"""Rules values of games whose length has no bound (Xeri R5.2)."""


def _type(game: str, long_name: str) -> pyspiel.GameType:
    rules = make_rules(game).to_dict().items()
    return pyspiel.GameType(
        short_name=f"python_{game}",
        long_name=long_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.REWARDS,
        max_num_players=NUM_SEATS,
        min_num_players=NUM_SEATS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"rng_seed": RANDOM}
        | {name: value for name, value in rules if name not in _TARGETS},
    )


class TableGame(pyspiel.Game):  # type: ignore[misc]
    """A game of this library at one table; `XabithaGame` and `XeriGame` say which.

    Utilities are the engine's rewards, added up: at each round's end the difference of the teams'
    points by its scale, equal for partners, zero-sum.

    Args:
        params: ``rng_seed``, which seeds the deals of all its states one after another (-1: nobody
            chooses them), and the rules values by their names.

    Raises:
        ValueError: a value out of its range; the message names it.
    """

    game: ClassVar[str]
    type: ClassVar[pyspiel.GameType]

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        values = self.type.parameter_specification | dict(params or {})
        seed = values.pop("rng_seed")
        if seed < RANDOM:
            raise ValueError(f"rng_seed must be {RANDOM} or a seed of at least 0, not {seed}")
        self.rules: Rules = make_rules(self.game, values)
        points, length = self._bounds()
        rounds = self.rules.num_rounds
        self.template: Engine = make_engine(self.game, rules=self.rules, outputs=("legal",))
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.template.actions),
            max_chance_outcomes=1,
            num_players=NUM_SEATS,
            min_utility=-points * rounds,
            max_utility=points * rounds,
            utility_sum=0.0,
            max_game_length=min(length * rounds, MOST_LENGTH),
        )
        super().__init__(self.type, info, dict(params or {}))
        self.generator = np.random.default_rng(None if seed == RANDOM else seed)

    def _bounds(self) -> tuple[float, int]:
        """Return the most that a round can bring a team, and its most decisions."""
        raise NotImplementedError

    def new_initial_state(self) -> TableState:
        """Return a match that is not dealt yet."""
        return TableState(self)

    def max_chance_nodes_in_history(self) -> int:
        """Return 1: the first state."""
        return 1

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Any = None
    ) -> Observer:
        """Return what shows a seat's view: its features, and its text or all that it knows."""
        words = knowledge if recalls(iig_obs_type, params) else view
        return Observer([("features", (len(self.template.features),))], _write_features, words)

    def __reduce__(self) -> tuple[Any, ...]:
        return _make_game, (type(self), self.get_parameters(), self.generator)


class XabithaGame(TableGame):
    """``python_xabitha``: rewards are penalty points by 100."""

    game = "xabitha"
    type = _type("xabitha", "Xabitha")

    def _bounds(self) -> tuple[float, int]:
        from xabitha_env.xabitha.melds import NUM_CARDS, PACK, rank_points
        from xabitha_env.xabitha.scoring import POINTS_PER_REWARD
        from xabitha_env.xabitha.state import HAND_CARDS

        rules: Any = self.rules
        jokers, card = PACK[JOKER], max(rank_points(TEN), rules.ace_high_points)
        left = (HAND_CARDS - jokers) * card + jokers * max(card, rules.joker_penalty)
        closed = max(rules.closed_penalty, rules.xabitha_closed_penalty)
        points = NUM_TEAMS * max(closed, left)  # X11.2, X11.3: two opponents
        # A turn: two draws and two discards (X4.4), a move of the card that it brought, and one of
        # a joker that this gave (X8.1). The cards dealt are good for two moves each.
        return points / float(POINTS_PER_REWARD), 6 * rules.max_turns + 2 * NUM_CARDS


class XeriGame(TableGame):
    """``python_xeri``: rewards are points by 25. Games to a target have no bound, and no place."""

    game = "xeri"
    type = _type("xeri", "4-Player Xeri")

    def _bounds(self) -> tuple[float, int]:
        from xabitha_env.xeri.actions import PLAYS
        from xabitha_env.xeri.play import POINTS_PER_REWARD
        from xabitha_env.xeri.state import MOST_XERIS

        rules: Any = self.rules
        xeris = MOST_XERIS * max(rules.xeri_points, rules.jack_xeri_points)
        return (_CARD_POINTS + xeris) / float(POINTS_PER_REWARD), PLAYS


class TableState(pyspiel.State):  # type: ignore[misc]
    """A match in progress.

    Attributes:
        engine: the table; None as long as nothing is dealt.
        story: what everyone knows of the match, a line each.
    """

    def __init__(self, game: TableGame) -> None:
        super().__init__(game)
        self.engine: Engine | None = None
        self.story: tuple[str, ...] = ()
        self._returns = [0.0] * NUM_SEATS

    @property
    def table(self) -> Engine:
        """The table.

        Raises:
            ValueError: nothing is dealt yet.
        """
        if self.engine is None:
            raise ValueError("nothing is dealt yet: the state is a chance node")
        return self.engine

    def current_player(self) -> int:
        """Return the seat to act, or OpenSpiel's marks for chance and the end."""
        if self.engine is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.engine.seats[0])

    def is_terminal(self) -> bool:
        """Return whether the match is over."""
        return self.engine is not None and bool(self.engine.over[0])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the one outcome: the deal."""
        return [(0, 1.0)]

    def returns(self) -> list[float]:
        """Return all rewards so far, by seat."""
        return list(self._returns)

    def rewards(self) -> list[float]:
        """Return what the last action gave, by seat."""
        return [0.0] * NUM_SEATS if self.engine is None else self.engine.rewards[0].tolist()

    def resample_from_infostate(self, player_id: int, rng: Callable[[], float]) -> TableState:
        """Return a state that the seat to act cannot tell from this one, all hidden dealt anew.

        Every placement of the hidden cards is as likely. Its `history` is empty: the true one
        holds what others did in secret.

        Args:
            player_id: the seat to act.
            rng: gives a random number from 0 to 1; the same number gives the same state.

        Raises:
            ValueError: another seat, or nobody is to act.
        """
        if player_id != self.current_player() or player_id < 0:
            raise ValueError(
                f"hidden cards are dealt anew for the seat to act ({self.current_player()}), "
                f"not for {player_id}"
            )
        world, _ = draw_worlds(self.table, 0, 1, seed=int(rng() * 2**_SEED_BITS))
        other: TableState = self.get_game().new_initial_state()
        other.engine = self.table.copy()
        other.engine.set_state(world)
        other.story, other._returns = self.story, list(self._returns)
        return other

    def _legal_actions(self, player: int) -> list[int]:
        table = self.table
        return [int(action) for action in table.legal[0, : table.legal_count[0]]]

    def _apply_action(self, action: int) -> None:
        if self.engine is None:
            self._deal()
            return
        engine, before, rounds = self.engine, self.engine.get_state(), self._rounds()
        text = engine.text(action)
        if engine.step([action])[0]:
            refusal = engine.refusal(action)
            raise ValueError(refusal.message if refusal else f"the match is over: {text}")
        line = move_line(engine, before, action, text)
        self._tell(*([line] if line else []))
        if self._rounds() > rounds:
            self._tell(result_line(engine), *([] if self.is_terminal() else [deal_line(engine)]))
        for seat, reward in enumerate(self.rewards()):
            self._returns[seat] += reward

    def _deal(self) -> None:
        game = self.get_game()
        engine = game.template.copy()
        engine.reset(seed=int(game.generator.integers(2**_SEED_BITS)))
        self.engine = engine
        self._tell(deal_line(engine))

    def _rounds(self) -> int:
        return int(self.table.rounds_played[0])

    def _tell(self, *lines: str) -> None:
        self.story += lines

    def _action_to_string(self, player: int, action: int) -> str:
        return "deal" if self.engine is None else self.engine.text(action)

    def __str__(self) -> str:
        if self.engine is None:
            return "nothing is dealt"
        return "\n".join([*self.story, self.engine.render()])

    def __reduce__(self) -> tuple[Any, ...]:
        return _read_state, (self.get_game(), self.serialize())


def _write_features(parts: Mapping[str, NDArray[np.float32]], state: TableState, seat: int) -> None:
    if state.engine is not None:
        parts["features"][:] = state.engine.observe(0, seat)


def _make_game(
    kind: type[TableGame], params: Mapping[str, Any], generator: np.random.Generator
) -> TableGame:
    """Return a pickled game."""
    game = kind(params)
    game.generator = generator
    return game


def _read_state(game: TableGame, text: str) -> TableState:
    """Return a pickled state."""
    state: TableState = game.deserialize_state(text)
    return state


pyspiel.register_game(XabithaGame.type, XabithaGame)
pyspiel.register_game(XeriGame.type, XeriGame)
