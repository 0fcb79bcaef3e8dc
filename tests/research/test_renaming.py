"""Renaming the suits of a game and playing on comes to the same as playing on and renaming."""

from __future__ import annotations

import numpy as np
import pytest

from xabitha_env.games import GAMES, engine_class, make_engine, make_rules
from xabitha_env.research.renaming import FIELDS, maps_of, rename_actions, rename_games
from xabitha_env.symmetry import layout_map

GAMES_AT_ONCE = 12
UNORDERED = {
    # of a pile that is shuffled before it is used, and what lies beyond its cards
    "xabitha": ("fire", "deck", "trail", "staged_rows", "slot_suits"),
    "xeri": ("stock", "pile"),
}


def features_map(game: str, order) -> np.ndarray:
    """The new place of each feature."""
    symmetry = __import__(f"xabitha_env.{game}.symmetry", fromlist=["KINDS"])
    kinds, suits_at = symmetry.KINDS, symmetry.SUITS_AT
    return layout_map(engine_class(game).all_features, order, kinds, suits_at)


def near_formations(engine, rng) -> None:
    """Let some seats hold what sets, jokers and formations are made of, by trading kinds."""
    if engine.game != "xabitha":
        return
    for index in range(0, engine.num_games, 2):
        deal = engine.deal_record(index)["deal"]
        cards = [card for hand in deal["hands"] for card in hand] + deal["deck"]
        ranks = rng.permutation(list("A23456789TJQK"))[:5].tolist()
        cards.sort(key=lambda card: (card != "JK" and card[0] not in ranks, rng.random()))
        sizes = [len(hand) for hand in deal["hands"]]
        starts = np.cumsum([0, *sizes])
        hands = [cards[start : start + size] for start, size in zip(starts, sizes)]
        starter = engine.deal_record(index)["starter"]
        engine.set_deal({"starter": starter, "hands": hands, "deck": cards[sum(sizes) :]}, index)


def same_records(game: str, own, other) -> None:
    """All fields but those whose order or rest means nothing."""
    for name in own.dtype.names:
        if name not in UNORDERED[game] and name not in ("shuffle_word", "reward"):
            assert (own[name] == other[name]).all(), name


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("seed", range(3))
def test_renaming_commutes_with_the_engine(game: str, seed: int) -> None:
    """Observations, masks, legal lists, what an action does: at every decision of some rounds."""
    rng = np.random.default_rng(seed)
    engine = make_engine(game, GAMES_AT_ONCE, rules=make_rules(game, {"num_rounds": 2}))
    engine.reset(100 * seed)
    near_formations(engine, rng)
    twin = engine.copy()
    maps = maps_of(game)
    chosen = rng.integers(len(maps.orders), size=GAMES_AT_ONCE)
    places = [features_map(game, order) for order in maps.orders]
    slots = 0
    player = np.full(GAMES_AT_ONCE, engine.player_codes["greedy"], np.int8)
    for step in range(400):
        twin.games[:] = rename_games(game, engine.games, chosen)
        twin.refresh()
        going = np.flatnonzero(~engine.over)
        if not going.size:
            break
        actions = np.zeros(GAMES_AT_ONCE, np.int64)
        wise = engine.choose(player)
        for index in going:
            own = engine.legal[index, : engine.legal_count[index]].astype(np.int64)
            one = np.full(own.size, index)
            found = rename_actions(game, engine.games[one], chosen[one], own)
            assert sorted(found) == twin.legal[index, : twin.legal_count[index]].tolist()
            back = rename_actions(game, twin.games[one], maps.inverse[chosen[one]], found)
            assert (back == own).all()
            seen = np.zeros_like(engine.observation[index])
            seen[places[chosen[index]]] = engine.observation[index]
            assert (seen == twin.observation[index]).all()
            table = [
                one
                for one in own
                if game == "xabitha" and engine.actions.block_at(one)[0].name == "slot"
            ]
            slots += len(table)
            random = step % 3 == 0
            actions[index] = rng.choice(table or own) if random else wise[index]
        formed = game == "xabitha" and actions == engine.actions.offset("formation")
        names = rename_actions(game, engine.games, chosen, actions)
        engine.step(actions)
        twin.step(names)
        kept = np.flatnonzero(~engine.over & ~formed)  # X9.2: another card may be left
        playing = kept[(engine.rounds_played == twin.rounds_played)[kept]]
        same = playing[engine.games["rounds"][playing] == 0]
        same_records(game, rename_games(game, engine.games[same], chosen[same]), twin.games[same])
    assert game == "xeri" or slots > 20


@pytest.mark.parametrize("game", GAMES)
def test_a_renaming_can_be_undone(game: str) -> None:
    engine = make_engine(game, 24)
    engine.reset(5)
    maps = maps_of(game)
    chosen = np.arange(24) % len(maps.orders)
    there = rename_games(game, engine.games, chosen)
    back = rename_games(game, there, maps.inverse[chosen])
    for name in engine.games.dtype.names:
        assert (back[name] == engine.games[name]).all(), name
    changed = {name for name in back.dtype.names if (there[name] != engine.games[name]).any()}
    assert changed and changed <= {name for names in FIELDS[game] for name in names}


def test_what_is_given_to_a_set_changes_its_suit_with_the_card() -> None:
    """X7, X8: the first and the second missing suit, by all renamings and all sets."""
    engine = make_engine("xabitha")
    maps, layout = maps_of("xabitha"), engine.actions
    record = engine.games[:1].copy()
    slot, rank = 3, 6
    record["slot_type"][0, slot] = 2
    for suits in (0b0011, 0b0101, 0b1001, 0b0110, 0b1010, 0b1100, 0b0111, 0b1101):
        record["slot_suits"][0, slot] = suits
        record["slot_low"][0, slot] = record["slot_high"][0, slot] = rank + 1
        missing = [suit for suit in range(4) if not suits >> suit & 1]
        for chosen, order in enumerate(maps.orders):
            one = np.array([chosen])
            twin = rename_games("xabitha", record, one)
            left = [suit for suit in range(4) if not twin["slot_suits"][0, slot] >> suit & 1]
            for first in (0, 4):  # add, steal
                for place, suit in enumerate(missing):
                    action = np.array([layout.offset("slot") + 6 * slot + first + place])
                    (found,) = rename_actions("xabitha", record, one, action)
                    assert left[found - layout.offset("slot") - 6 * slot - first] == order[suit]


def test_cards_of_a_trail_change_their_suits_and_draws_stay() -> None:
    """Events of the deck after a reshuffle (X10.1): a kind and who showed it, or a draw."""
    engine = make_engine("xabitha")
    record = engine.games[:1].copy()
    shown, draw = 4 * 17 + 3, 4 * 53 + 1
    record["trail"][0, :2], record["trail_count"][0] = (shown, draw), 2
    maps = maps_of("xabitha")
    for chosen in range(len(maps.orders)):
        twin = rename_games("xabitha", record, np.array([chosen]))
        assert twin["trail"][0, :2].tolist() == [4 * maps.kinds[chosen, 17] + 3, draw]
