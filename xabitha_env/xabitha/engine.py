"""The batched engine of Xabitha: N games at once over the compiled kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from xabitha_env.batched import BatchedEngine
from xabitha_env.cards import NUM_SEATS, card_text, read_cards
from xabitha_env.scene import Scene
from xabitha_env.xabitha import batch
from xabitha_env.xabitha.actions import ACTIONS, DISCARD, DRAW_DECK, DRAW_FIRE, MAX_LEGAL
from xabitha_env.xabitha.notation import move_text, parse_move
from xabitha_env.xabitha.observation import FEATURES, GLOBAL_FEATURES, RAW_FEATURES
from xabitha_env.xabitha.players import PLAYER_CODES
from xabitha_env.xabitha.refusals import reason
from xabitha_env.xabitha.rules import XabithaRules
from xabitha_env.xabitha.scene import scene_of, standing
from xabitha_env.xabitha.state import DECLARING, DRAWING, NO_SEAT, REASONS, REWARDS, STATE
from xabitha_env.xabitha.validate import Deal, hand_kinds, read_deal, state_problem


class XabithaEngine(BatchedEngine):
    """N games of Xabitha played in step; see `xabitha_env.protocol.Engine` for every method.

    Args:
        num_games: N.
        rules: the rules configuration, the same for all games.
        reward: one of ``team_difference`` (default: opponents' penalties minus own, over 100, at
            each round's end), ``own_penalties`` (minus own penalties, over 100, at each round's
            end) or ``match_result`` (1, 0 or -1 at the match's end). Equal for partners.
        outputs: which buffers are kept up to date.
        derived: whether observations have the derived sections.
        threads: how many threads share the batch; results do not depend on it.
        auto_restart: whether a step on a finished match starts the next one.
        fixed_draws: for evaluation only: until a reshuffle each seat's k-th draw from the deck is
            fixed when the cards are dealt, whatever the others draw. Every card is as likely as
            by the rules; but records of such matches cannot be replayed.

    Raises:
        ValueError: an option that is out of range; the message names it.
    """

    game = "xabitha"
    state_type = STATE
    rules_type = XabithaRules
    kernels: ClassVar[Any] = batch
    rewards_by_name = REWARDS
    all_features = FEATURES
    raw_features = RAW_FEATURES
    global_features = GLOBAL_FEATURES
    actions = ACTIONS
    max_legal = MAX_LEGAL
    player_codes = PLAYER_CODES

    def __init__(self, num_games: int = 1, *, fixed_draws: bool = False, **options: Any) -> None:
        super().__init__(num_games, **options)
        if fixed_draws:
            self.games["fixed_draws"] = 1
            self.reset()

    def text(self, action: int, index: int = 0) -> str:
        """Return an action's text form (X12)."""
        return move_text(self.games, self._known(index), int(action))

    def parse(self, text: str, index: int = 0) -> int:
        """Return the action of a text form (X12); see `Engine.parse`."""
        return parse_move(self.games, self._known(index), text)

    def scene(self, index: int = 0, seat: int | None = None) -> Scene:
        """Return what a seat sees of the table; see `Engine.scene`."""
        return scene_of(self.games[self._known(index)], seat)

    def standing(self, index: int = 0) -> tuple[int, int]:
        """Return what the round stands at; see `Engine.standing`."""
        return standing(self.games[self._known(index)])

    def _reason(self, action: int, index: int) -> tuple[str, str]:
        return reason(self.games, index, action)

    def _state_problem(self, game: Any) -> str:
        return state_problem(game)

    def _read_deal(self, deal: Any) -> Deal:
        return read_deal(deal)

    def _is_fresh(self, game: Any) -> bool:
        return bool(game["phase"] == DECLARING and game["seat"] == game["starter"])

    def _place_deal(self, index: int, deal: Deal) -> None:
        starter, hands, deck = deal
        self.kernels.place_deal(
            self._records,
            index,
            starter,
            np.array([kind for hand in hands for kind in hand], np.int64),
            np.array([len(hand) for hand in hands], np.int64),
            np.array(deck, np.int64),
        )

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
