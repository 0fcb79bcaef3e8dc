"""The batched engine of Xeri: N games at once over the compiled kernels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from xabitha_env.batched import BatchedEngine
from xabitha_env.cards import JACK, NUM_SEATS, NUM_TEAMS, card_text, parse_card, rank_of
from xabitha_env.scene import Scene
from xabitha_env.xeri import batch
from xabitha_env.xeri.actions import ACTIONS, MAX_LEGAL, NUM_CARDS, PLAYS
from xabitha_env.xeri.observation import FEATURES, GLOBAL_FEATURES, RAW_FEATURES
from xabitha_env.xeri.players import PLAYER_CODES
from xabitha_env.xeri.rules import XeriRules
from xabitha_env.xeri.scene import scene_of, standing
from xabitha_env.xeri.state import JACK_XERI, NO_KIND, NO_TEAM, REWARDS, STATE
from xabitha_env.xeri.validate import Deal, hand_kinds, read_deal, state_problem

PLAY = "play:"


class XeriEngine(BatchedEngine):
    """N games of Xeri played in step; see `xabitha_env.protocol.Engine` for every method.

    Args:
        num_games: N.
        rules: the rules configuration, the same for all games.
        reward: one of ``team_difference`` (default: team points minus the opponents', over 25, at
            each round's end), ``round_result`` (1, 0 or -1 at each round's end) or
            ``game_result`` (1, 0 or -1 at the game's end). Equal for partners, zero-sum.
        outputs: which buffers are kept up to date.
        derived: whether observations have the derived sections.
        threads: how many threads share the batch; results do not depend on it.
        auto_restart: whether a step on a finished game starts the next one.

    Raises:
        ValueError: an option that is out of range; the message names it.
    """

    game = "xeri"
    state_type = STATE
    rules_type = XeriRules
    kernels: ClassVar[Any] = batch
    rewards_by_name = REWARDS
    all_features = FEATURES
    raw_features = RAW_FEATURES
    global_features = GLOBAL_FEATURES
    actions = ACTIONS
    max_legal = MAX_LEGAL
    player_codes = PLAYER_CODES

    def text(self, action: int, index: int = 0) -> str:
        """Return an action's text form (R6)."""
        self._known(index)
        if not 0 <= action < NUM_CARDS:
            return f"action {action}"
        return PLAY + card_text(int(action))

    def parse(self, text: str, index: int = 0) -> int:
        """Return the action of a text form (R6); see `Engine.parse`."""
        self._known(index)
        if not text.startswith(PLAY) or text == f"{PLAY}JK":
            raise ValueError(f"{text!r} is no move (R6)")
        return parse_card(text.removeprefix(PLAY))

    def scene(self, index: int = 0, seat: int | None = None) -> Scene:
        """Return what a seat sees of the table; see `Engine.scene`."""
        return scene_of(self.games[self._known(index)], seat)

    def standing(self, index: int = 0) -> tuple[int, int]:
        """Return what the round stands at; see `Engine.standing`."""
        return standing(self.games[self._known(index)])

    def _reason(self, action: int, index: int) -> tuple[str, str]:
        if self.games["over"][index]:
            return "R5.1", "the game is over"
        if not 0 <= action < NUM_CARDS:
            return "R6", f"actions are numbered 0 to {NUM_CARDS - 1}"
        return "R6", f"{card_text(action)} is not in hand"

    def _state_problem(self, game: Any) -> str:
        return state_problem(game)

    def _read_deal(self, deal: Any) -> Deal:
        return read_deal(deal, self.rules)

    def _is_fresh(self, game: Any) -> bool:
        return bool(game["plays"] == 0)

    def _place_deal(self, index: int, deal: Deal) -> None:
        self.kernels.place_deal(
            self._records,
            index,
            deal.dealer,
            np.array([sum(1 << kind for kind in hand) for hand in deal.hands], np.int64),
            np.array(deal.pile, np.int64),
            np.array(deal.stock, np.int64),
            deal.bottom_card,
        )

    # Records.

    def deal_record(self, index: int = 0) -> dict[str, Any]:
        """Return the head of a round's record; see `Engine.deal_record`."""
        game = self.games[index]
        stock = game["stock"][: int(game["stock_count"])][::-1].tolist()
        head: dict[str, Any] = {
            "dealer": int(game["dealer"]),
            "deal": {
                "hands": [
                    [card_text(kind) for kind in hand_kinds(game, seat)]
                    for seat in range(NUM_SEATS)
                ],
                "pile": [card_text(int(kind)) for kind in game["pile"][: int(game["pile_count"])]],
                "stock": [card_text(kind) for kind in stock],
            },
        }
        if game["bottom_card"] != NO_KIND:
            head["bottom_card"] = card_text(int(game["bottom_card"]))
        return head

    def prepare_event(self, event: Mapping[str, Any], index: int = 0) -> None:
        """Do nothing: no play of a round depends on chance."""

    def event_record(self, before: NDArray[Any], action: int, index: int = 0) -> dict[str, Any]:
        """Return the record of the play just made; see `Engine.event_record`."""
        old = before[index]
        event: dict[str, Any] = {"seat": int(old["seat"]), "move": self.text(action)}
        count = int(old["pile_count"])
        if count == 0:
            return event
        same = rank_of(int(action)) == rank_of(int(old["pile"][count - 1]))
        jack = rank_of(int(action)) == JACK
        if same or jack:
            event["captured"] = count + 1
        last = old["plays"] == PLAYS - 1 and not old["dealer_last_card_xeri"]  # R3.6
        if count == 1 and same and not last:
            event["xeri"] = int(old["jack_xeri_points" if jack else "xeri_points"])
        return event

    def round_result(self, index: int = 0) -> dict[str, Any]:
        """Return the result record of the last finished round."""
        game = self.games[index]
        plain, jack = int(game["xeri_points"]), int(game["jack_xeri_points"])
        xeris = [
            game["last_xeris"][team, : int(game["last_xeri_count"][team])].tolist()
            for team in range(NUM_TEAMS)
        ]
        return {
            "points": game["last_points"].tolist(),
            "cards": game["last_cards"].tolist(),
            "xeris": [[jack if one == JACK_XERI else plain for one in team] for team in xeris],
            "winner": None if game["last_winner"] == NO_TEAM else int(game["last_winner"]),
        }

    def match_result(self, index: int = 0) -> dict[str, Any]:
        """Return the result record of a finished game (R5)."""
        game = self.games[index]
        totals, wins = game["totals"].tolist(), game["round_wins"].tolist()
        decides = wins if self.rules.target_score is None else totals
        return {
            "totals": totals,
            "round_wins": wins,
            "winners": [team for team in range(NUM_TEAMS) if decides[team] == max(decides)],
        }
