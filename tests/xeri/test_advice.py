"""What learners are told in Xeri: it follows from what the seat sees, and is what it says."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from math import comb, sqrt
from typing import Any

import numpy as np
import pytest

from tests.advising import RUBBISH, ask, section, tell, trait
from tests.xeri.biased_deals import KINDS, biased_deal
from tests.xeri.exhaustive import PACK, names, points_of, position_of
from tests.xeri.hidden import resampled, rules_of
from tests.xeri.kernels import on_game
from tests.xeri.test_endgame import let_lie
from tests.xeri.test_equivariance import change_deal
from tests.xeri.walks import SEATS, as_head, engine_for, sample_states, starts_round, walk, walks
from xabitha_env._jit import records
from xabitha_env.cards import CARD_NAMES, KIND_OF, RANKS, SUITS
from xabitha_env.players import draw_worlds
from xabitha_env.symmetry import layout_map
from xabitha_env.xeri import advice, expert, odds, search, terms
from xabitha_env.xeri.actions import MAX_LEGAL, NUM_CARDS, PLAYS
from xabitha_env.xeri.endgame import EXACT_PLAYS
from xabitha_env.xeri.engine import XeriEngine
from xabitha_env.xeri.players import EXPERT, PLAYER_CODES
from xabitha_env.xeri.state import NO_TARGET, STATE
from xabitha_env.xeri.symmetry import KINDS as NUM_KINDS
from xabitha_env.xeri.symmetry import SUIT_ORDERS, SUITS_AT, token_map
from xabitha_env.xeri.validate import hand_kinds

RULES: list[dict[str, Any]] = [
    {"num_rounds": 2, "redeal_pile": False},
    {"target_score": 40, "show_bottom_card": True, "dealer_last_card_xeri": False},
]
VARIATIONS = range(len(RULES))
CODE = np.full(1, EXPERT, np.int8)
OTHERS = (1, 2, 3)
rate = on_game(expert.rate)
rate_quickly = on_game(expert.rate_quickly)


def played_states(code: int, rules: dict[str, Any]) -> list[np.ndarray]:
    """States of biased deals that a compiled player plays, every fifth."""
    rng = random.Random(code)
    engine = engine_for(rules)
    found = []
    for seed in range(5):
        engine.reset(seed=seed)
        dealer = int(engine.games["dealer"][0])
        deal = biased_deal(rng, rng.choice(KINDS), engine.rules.to_dict(), dealer)
        engine.set_deal(as_head(deal))
        for place in range(PLAYS):
            if place % 5 == seed:
                found.append(engine.get_state())
            engine.step(engine.choose(np.full(1, code, np.int8)))
    return found


@cache
def states(variation: int) -> np.ndarray:
    """States of all kinds of situations, by random, greedy and expert play, of biased deals."""
    rules = RULES[variation]
    found = [sample_states(range(8), 1, rules)]
    for code in PLAYER_CODES.values():
        found += played_states(code, rules)
    return np.concatenate(found).view(STATE)


def engine_in(state: Any) -> XeriEngine:
    """An engine whose one game is in this state, without the last step's reward."""
    single = np.array([state], STATE)
    single["reward"] = 0
    engine: XeriEngine = engine_for(rules_of(state))
    engine.set_state(single)
    return engine


# --- nothing hidden shows -------------------------------------------------------------------


@pytest.mark.parametrize("variation", VARIATIONS)
def test_advice_does_not_depend_on_what_is_hidden(variation: int) -> None:
    """In worlds drawn by the library and by the tests; what critics are told does change."""
    rng = random.Random(1)
    tables = engine_for(RULES[variation], 6)
    seen: Counter[str] = Counter()
    for state in states(variation).reshape(-1, 1):
        worlds, _ = draw_worlds(engine_in(state[0]), 0, 3, seed=rng.randrange(1000))
        others = [resampled(rng, state, int(state["seat"][0])) for _ in range(2)]
        group = np.concatenate([state, worlds, *others]).view(STATE)
        group["reward"] = 0
        tables.set_state(group)
        told = ask(advice, tables)
        assert {told.of(game) for game in range(6)} == {told.of(0)}
        secrets, hidden = tell(advice, tables)
        seen["all"] += 1
        seen["secrets"] += len(np.unique(secrets, axis=0)) > 1
        seen["hands"] += len(np.unique(hidden, axis=0)) > 1
    assert seen["all"] > 200
    assert min(seen["secrets"], seen["hands"]) > 0.85 * seen["all"], seen


# --- suits ----------------------------------------------------------------------------------


def renamed(layout: Any, features: np.ndarray, order: Any) -> np.ndarray:
    """Features with the suits renamed."""
    new = np.full_like(features, RUBBISH)
    new[:, layout_map(layout, order, NUM_KINDS, SUITS_AT)] = features
    return new


def assert_same_traits(own: np.ndarray, other: np.ndarray) -> bool:
    """Traits of the same plays by other names; returns whether `expert` plays another card.

    It may where two are worth the same: of those it plays the one with the lowest number.
    """
    places = {block.name: advice.TRAITS.offset(block.name) for block in advice.TRAITS}
    rest = np.delete(np.arange(advice.TRAITS.size), places["expert"])
    assert other[:, rest] == pytest.approx(own[:, rest], abs=1e-5)
    choices = [int(traits[:, places["expert"]].argmax()) for traits in (own, other)]
    assert own[:, places["expert"]].sum() == other[:, places["expert"]].sum() == 1
    assert own[choices, places["close"]] == pytest.approx(0, abs=1e-5)
    return choices[0] != choices[1]


def change(text: str, order: Any) -> str:
    """A card, or the play of one, with its suit renamed."""
    return text[:-1] + SUITS[order[SUITS.index(text[-1])]]


def assert_renamed(engine: XeriEngine, twin: XeriEngine, order: Any) -> bool:
    """The twin's advice is the engine's by other names; returns whether a tie broke otherwise."""
    own, other = ask(advice, engine), ask(advice, twin)
    assert (renamed(advice.INSIGHT, own.insight, order) == other.insight).all()
    secrets = renamed(advice.SECRETS, tell(advice, engine)[0], order)
    assert (secrets == tell(advice, twin)[0]).all()
    tokens = token_map(order)[own.tokens]
    places = [int(np.flatnonzero(other.tokens == token)[0]) for token in tokens]
    plays = [change(engine.text(int(action)), order) for action in own.actions]
    assert [twin.text(int(other.actions[place])) for place in places] == plays
    return assert_same_traits(own.traits, other.traits[places])


def test_other_suits_give_the_same_advice() -> None:
    """R1.1: features, tokens and traits, at every decision of games with renamed suits."""
    order = SUIT_ORDERS[1]
    cards = {name: change(name, order) for name in CARD_NAMES[:NUM_CARDS]}
    seen: Counter[bool] = Counter()
    for seed in range(6):
        twin = engine_for(RULES[seed % 2])
        twin.reset(seed=seed)
        for engine, move in walk(seed, RULES[seed % 2]):
            if starts_round(engine):
                twin.set_deal(change_deal(engine.deal_record(), cards))
            seen[assert_renamed(engine, twin, order)] += 1
            twin.step([twin.parse(change(move, order))])
    assert seen[True] > 5 and seen[False] > 400, seen


# --- tokens ---------------------------------------------------------------------------------


def test_every_action_has_a_token_of_its_own() -> None:
    """It is the card played."""
    for engine, _ in walks(range(4)):
        told = ask(advice, engine)
        assert told.tokens.tolist() == hand_kinds(engine.games[0], int(engine.seats[0]))
        assert (told.tokens == told.actions).all()
    assert advice.TOKENS.size == NUM_CARDS and advice.DECLARATIONS == 0


# --- insight --------------------------------------------------------------------------------


def unseen_by(game: Any) -> frozenset[str]:
    """The cards that the seat to act cannot place."""
    seen = [game["hand"][int(game["seat"])], *game["captured"], *game["played"]]
    known = frozenset().union(*map(names, seen), position_of(game).pile)
    shown = int(game["bottom_card"])
    return PACK - known - ({CARD_NAMES[shown]} if shown >= 0 else set())


def held_by(game: Any, place: int) -> tuple[int, set[str], set[str]]:
    """Of another seat: how many cards nobody knows, ranks that it let lie, cards that are known."""
    seat = (int(game["seat"]) + place) % 4
    known: set[str] = set()
    if game["bottom_card"] >= 0 and not game["stock_count"] and seat == game["dealer"]:
        known = {CARD_NAMES[int(game["bottom_card"])]} & names(game["hand"][seat])
    lacks = {pile[-1][0] for pile in let_lie(game)[seat]}
    return len(names(game["hand"][seat])) - len(known), lacks, known


def chance_of(game: Any, place: int, rank: str) -> float:
    """The chance that another seat holds the rank."""
    count, lacks, known = held_by(game, place)
    if any(card[0] == rank for card in known):
        return 1.0
    able = [card for card in unseen_by(game) if card[0] not in lacks]
    others = len([card for card in able if card[0] != rank])
    if others == len(able):
        return 0.0
    if count > len(able):  # it let lie what it could take
        return 1.0
    return 1.0 - comb(others, count) / comb(len(able), count)


def chance_of_jack(game: Any, place: int) -> float:
    """The same of a jack, less likely for who laid a card upon a rich pile last."""
    chance, seat = chance_of(game, place, "J"), (int(game["seat"]) + place) % 4
    piles = let_lie(game)[seat]
    worth = points_of(piles[-1]) + odds.PASS_CARD * len(piles[-1]) if piles else 0
    passes = max(1 - odds.PASS_SLOPE * max(worth - odds.PASS_FROM, 0), odds.PASS_LEAST)
    return chance * passes / (chance * passes + 1 - chance)


def levels(number: float, steps: np.ndarray) -> list[int]:
    return [int(number >= step) for step in steps]


def plain_insight(game: Any) -> dict[str, Any]:
    position = position_of(game)
    hand = position.hands[position.seat]
    captured = frozenset().union(*map(names, game["captured"]))
    lead = [pair[position.seat % 2] - pair[1 - position.seat % 2] for pair in position[3:5]]
    top = position.pile[-1][0] if position.pile else ""
    steps = {rank: advice.RANK_LEVELS for rank in RANKS}
    return {
        "unseen_cards": [int(name in unseen_by(game)) for name in CARD_NAMES[:NUM_CARDS]],
        "top_rank": [int(rank == top) for rank in RANKS],
        "held": [levels(sum(card[0] == rank for card in hand), steps[rank]) for rank in RANKS],
        "gone": [levels(sum(card[0] == rank for card in captured), steps[rank]) for rank in RANKS],
        "denied": [[int(rank in held_by(game, place)[1]) for rank in RANKS] for place in OTHERS],
        "jack": [levels(chance_of_jack(game, place), advice.CHANCE_LEVELS) for place in OTHERS],
        "worth": levels(points_of(position.pile), advice.WORTH_LEVELS),
        "points": levels(lead[0], advice.LEAD_LEVELS),
        "cards": levels(lead[1], advice.LEAD_LEVELS),
    }


@pytest.mark.parametrize("variation", VARIATIONS)
def test_insight(variation: int) -> None:
    """Every section, in plain Python from what lies open and the own hand."""
    seen: Counter[str] = Counter()
    for state in states(variation)[::2]:
        told = ask(advice, engine_in(state))
        for name, wanted in plain_insight(state).items():
            found = section(advice.INSIGHT, told.insight, name)[0]
            assert found.tolist() == wanted, name
            seen[name] += bool(found.any())
    assert set(seen) == {block.name for block in advice.INSIGHT} and min(seen.values()) > 30, seen


# --- secrets --------------------------------------------------------------------------------


def test_secrets_are_the_hidden_hands() -> None:
    """Those that are held, and those that are held after the next deal (R2.1)."""
    later = 0
    for seed in range(4):
        waiting: list[tuple[int, np.ndarray]] = []
        for engine, _ in walk(seed, RULES[seed % 2]):
            game, seat = engine.games[0], int(engine.seats[0])
            secrets, hidden = tell(advice, engine)
            hands = section(advice.SECRETS, secrets, "hands")[0]
            for place, own in enumerate(hidden[0]):
                assert own == game["hand"][(seat + 1 + place) % 4]
                assert np.flatnonzero(hands[place]).tolist() == hand_kinds(
                    game, (seat + 1 + place) % 4
                )
            following = section(advice.SECRETS, secrets, "next_hands")[0]
            if game["plays"] < PLAYS // 2:
                waiting.append((seat, following))
                continue
            assert not following.any()
            if game["plays"] == PLAYS // 2:
                for old, features in waiting:
                    for place in SEATS:
                        kinds = np.flatnonzero(features[place]).tolist()
                        assert kinds == hand_kinds(game, (old + place) % 4)
                        later += 1
                waiting = []
    assert later > 500


def test_a_survey_is_all_of_it() -> None:
    engine = engine_for(RULES[1], 8)
    engine.set_state(states(1)[:: len(states(1)) // 8][:8])
    shapes = (engine.features, advice.INSIGHT, advice.SECRETS)
    found = [np.full((8, layout.size), RUBBISH, np.int8) for layout in shapes]
    advice.survey(records(engine.games), np.arange(8), *found)
    assert (found[0] == engine.observation).all()
    assert (found[1] == ask(advice, engine).insight).all()
    assert (found[2] == tell(advice, engine)[0]).all()


# --- traits ---------------------------------------------------------------------------------


def sum_of(worth: dict[str, float]) -> dict[str, float]:
    return {name: worth.get(name, 0.0) for name in terms.TERMS}


def parting_terms(game: Any, card: str) -> dict[str, float]:
    """What it means to part with a card, and what stays in hand."""
    unseen, hand = unseen_by(game), names(game["hand"][int(game["seat"])])
    of_rank = Counter(name[0] for name in unseen)
    left = hand - {card}
    met = {name[0]: of_rank[name[0]] for name in left if name[0] != "J"}
    reach = sum(met.values()) / max(len(unseen), 1)
    found = {"reach": reach, "reach_square": reach**2, "safe": float(0 in met.values())}
    if card[0] == "J":
        two = any(name[0] == "J" for name in left)
        return {**found, "jack": 1.0, "jack_of_many": of_rank["J"], "jack_of_two": float(two)}
    number = of_rank[card[0]]
    return {
        **found,
        "dead": float(number == 0),
        "two_unseen": float(number == 2),
        "all_unseen": float(number == 3),
        "match": number / max(len(unseen), 1) * len(left),
        "met_before": chance_of(game, 3, card[0]),
    }


def card_worth(own: int, theirs: int) -> float:
    spread = terms.CARD_SPREAD * sqrt(52 - own - theirs)
    fall = 1 + terms.CARD_FALL * ((own - theirs) / spread) ** 2
    return terms.CARD_PEAK / (spread * fall**2)


def plain_terms(game: Any, card: str) -> dict[str, float]:
    """The terms of a play, in plain Python (R3, R4)."""
    position = position_of(game)
    pile, team = position.pile, position.seat % 2
    cards = position.cards
    found = parting_terms(game, card)
    worth = points_of((*pile, card)) + card_worth(cards[team], cards[1 - team]) * (len(pile) + 1)
    left = position.hands[position.seat] - {card}
    bonus = float(game["jack_xeri_points" if card[0] == "J" else "xeri_points"])
    if pile and card[0] in ("J", pile[-1][0]):
        last = game["plays"] == PLAYS - 1 and not game["dealer_last_card_xeri"]  # R3.6
        xeri = len(pile) == 1 and card[0] == pile[0][0] and not last
        following = len(position.hands[(position.seat + 1) % 4])
        found |= {"taken": worth, "xeri": bonus if xeri else 0.0}
        return sum_of(found | {"lead": 1 / max(following, 1), "lead_early": len(left)})
    matched = chance_of(game, 1, card[0])
    jack = 0.0 if card[0] == "J" else (1 - matched) * chance_of_jack(game, 1)
    found |= {"left_to_rank": worth * matched, "left_to_jack": worth * jack}
    if not pile:
        found["lone"] = matched * bonus
    if any(name[0] == "J" for name in left):
        found["left_to_own_jack"] = worth * (1 - matched - jack)
    return sum_of(found)


def plain_traits(game: Any, card: str) -> dict[str, Any]:
    """All traits but those that say what `expert` thinks."""
    position = position_of(game)
    scales = dict(zip(terms.TERMS, advice.SCALES))
    found: dict[str, Any] = {
        name: min(value / scales[name], advice.MOST)
        for name, value in plain_terms(game, card).items()
    }
    hand = position.hands[position.seat]
    alike = [name for name in hand - {card} if name[0] == card[0]]
    return {
        **found,
        "takes": float(bool(position.pile) and card[0] in ("J", position.pile[-1][0])),
        "points": points_of([card]),
        "alike": len(alike) / 3,
        "unseen": sum(name[0] == card[0] for name in unseen_by(game)) / 3,
        "holds": [chance_of(game, place, card[0]) for place in OTHERS],
    }


@pytest.mark.parametrize("variation", VARIATIONS)
def test_traits(variation: int) -> None:
    """What a play does and the terms of `expert`, in plain Python."""
    seen: Counter[str] = Counter()
    for state in states(variation)[1::2]:
        told = ask(advice, engine_in(state))
        for action, traits in zip(told.actions, told.traits):
            for name, wanted in plain_traits(state, CARD_NAMES[action]).items():
                found = section(advice.TRAITS, traits, name)
                assert found == pytest.approx(wanted, abs=1e-5), name
                seen[name] += bool(found.any())
    thoughts = {"expert", "value", "close"}
    assert set(seen) == {block.name for block in advice.TRAITS} - thoughts
    assert min(seen.values()) > 5, seen


@pytest.mark.parametrize("variation", VARIATIONS)
def test_what_expert_thinks(variation: int) -> None:
    """Its choice, and by how much other plays are worse, up to a bound."""
    seen: Counter[str] = Counter()
    for state in states(variation):
        engine = engine_in(state)
        told = ask(advice, engine)
        (choice,) = engine.choose(CODE)
        assert told.actions[told.traits[:, advice.EXPERT] == 1].tolist() == [choice]
        assert set(told.traits[:, advice.EXPERT]) <= {0, 1}
        ids, values = np.array(told.actions, np.int32), np.zeros(6)
        rate(records(engine.games), 0, ids, len(ids), np.empty(terms.NUM_TERMS), values)
        values = values[: len(ids)]
        behind = values - values.max()
        assert told.traits[:, advice.CLOSE] == pytest.approx(behind.clip(-4), abs=1e-5)
        assert told.traits[:, advice.VALUE] == pytest.approx((behind / 5).clip(-4), abs=1e-5)
        seen["bound"] += bool(behind.min() < -20)
        seen["exact"] += 1 < len(ids) and PLAYS - state["plays"] <= EXACT_PLAYS
        seen["plain"] += PLAYS - state["plays"] > EXACT_PLAYS
    assert min(seen.values()) > 0, seen


def table_of(hands: list[str], pile: str, plays: str) -> XeriEngine:
    """A round that seat 0 begins, after some plays; other cards fill the hands."""
    wanted = [*" ".join(hands).split(), *pile.split()]
    rest = [name for name in CARD_NAMES[:NUM_CARDS] if name not in wanted]
    dealt = [hand.split() for hand in hands]
    for hand in dealt:
        hand += [rest.pop() for _ in range(6 - len(hand))]
    engine: XeriEngine = engine_for({"num_rounds": 1})
    deal = {"dealer": 3, "hands": dealt, "pile": pile.split(), "stock": rest}
    engine.reset(seed=1, deals=[deal])
    for card in plays.split():
        assert not engine.step([engine.parse(f"play:{card}")])[0]
    return engine


@pytest.mark.interpreted
def test_traits_at_a_lone_card() -> None:
    """R3.4: it can be taken by its rank, which is a xeri, or by a jack, which is none."""
    engine = table_of(["4H", "9D", "9H JC JS TD 2C 3S", ""], "9C QD AD 4C", "4H 9D")
    told = ask(advice, engine)
    wanted = {
        "9H": {"takes": 1, "xeri": 1, "points": 0, "alike": 0, "unseen": 1 / 3, "jack": 0},
        "JC": {"takes": 1, "xeri": 0, "points": 1, "alike": 1 / 3, "jack": 1, "jack_of_two": 1},
        "TD": {"takes": 0, "xeri": 0, "taken": 0, "points": 2, "all_unseen": 1},
        "2C": {"takes": 0, "points": 1, "jack": 0, "lone": 0},
        "3S": {"takes": 0, "points": 0, "lone": 0},
    }
    for card, traits in wanted.items():
        for name, value in traits.items():
            assert trait(advice, told, KIND_OF[card], name) == pytest.approx(value), (card, name)
    assert trait(advice, told, KIND_OF["9H"], "taken") > 0
    assert trait(advice, told, KIND_OF["9H"], "expert") == 1
    left = {card: trait(advice, told, KIND_OF[card], "left_to_rank") for card in wanted}
    assert left["9H"] == left["JC"] == 0 < left["2C"] < left["TD"]


@pytest.mark.interpreted
def test_traits_on_an_empty_pile() -> None:
    """A lone card is a risk by how likely the next seat holds its rank."""
    hand = "9C 9D 9H 9S TD 2C"  # no other nine is left
    told = ask(advice, table_of(["4H", hand, "", ""], "8C QD AD 4C", "4H"))
    for card in ("9C", "9S"):
        assert trait(advice, told, KIND_OF[card], "lone") == 0
        assert trait(advice, told, KIND_OF[card], "dead") == 1
        assert trait(advice, told, KIND_OF[card], "alike") == 1
    assert trait(advice, told, KIND_OF["2C"], "safe") == 1
    lone = trait(advice, told, KIND_OF["TD"], "lone")
    chance = 1 - comb(41 - 3, 6) / comb(41, 6)  # 11 of the 52 cards are seen, but no other ten
    assert lone == pytest.approx(10 * chance / 5)
    assert trait(advice, told, KIND_OF["TD"], "takes") == 0


# --- branches -------------------------------------------------------------------------------

TRUE_ORDER = np.zeros(1, np.uint64)


def branched(state: Any, plays: list[int], decisions: int, first: int = 1) -> np.ndarray:
    """What becomes of plays after some more; neither the game nor other records change."""
    games = np.array([state], STATE)
    before = games.tobytes()
    trials = np.zeros(first + len(plays) + 1, STATE)
    trials["plays"] = RUBBISH
    chosen = np.array(plays, np.int64)
    search.branch(records(games), 0, chosen, TRUE_ORDER, decisions, records(trials), first)
    assert games.tobytes() == before
    assert (trials["plays"][[*range(first), -1]] == RUBBISH).all()
    return trials[first : first + len(plays)]


def quick_play(engine: XeriEngine) -> int:
    """What a search's rollouts play: the first of the best by their terms."""
    ids, values = np.empty(MAX_LEGAL, np.int32), np.empty(6)
    count = int(engine.legal_count[0])
    ids[:count] = engine.legal[0, :count]
    rate_quickly(records(engine.games), 0, ids, count, np.empty(terms.NUM_TERMS), values)
    return int(ids[values[:count].argmax()])


def last_round(state: Any) -> Any:
    """The same with this round as the last, and no reward of an earlier one."""
    single = np.array([state], STATE)
    single["num_rounds"], single["target_score"] = single["rounds"] + 1, NO_TARGET
    single["reward"] = 0
    return single[0]


@pytest.mark.parametrize("decisions", [0, 1, 7, PLAYS])
def test_a_branch_is_played_on_quickly(decisions: int) -> None:
    """As the engine plays the same moves; without any, it is the play alone."""
    over = 0
    for state in states(0)[::6]:
        plays = hand_kinds(state, int(state["seat"]))
        for play, trial in zip(plays, branched(last_round(state), plays, decisions)):
            engine = engine_in(last_round(state))
            engine.step([play])
            for _ in range(decisions):
                if engine.over[0]:
                    break
                assert not engine.step([quick_play(engine)])[0]
            assert trial == engine.games[0]
            over += bool(trial["over"])
    assert (over > 100) == (decisions == PLAYS)


@pytest.mark.parametrize("variation", VARIATIONS)
def test_a_branch_ends_with_its_round(variation: int) -> None:
    """Whatever the rounds and the target (R5)."""
    for state in states(variation)[::4]:
        plays = hand_kinds(state, int(state["seat"]))
        for trial in branched(state, plays, PLAYS):
            assert trial["over"] and trial["plays"] == PLAYS
            assert trial["rounds"] == state["rounds"] + 1 and not trial["hand"].any()


def open_margins(state: Any, plays: list[int]) -> np.ndarray:
    """By how much the team of the seat to act wins after its plays, with open cards."""
    games, words = np.array([state], STATE), np.ones(1, np.uint64)
    margins, weights = np.empty((1, len(plays))), np.empty(1)
    chosen = np.array(plays, np.int64)
    search.roll_out(records(games), 0, chosen, words, True, False, margins, weights)
    return margins[0]


@pytest.mark.parametrize("variation", VARIATIONS)
def test_a_branch_leads_where_a_rollout_leads(variation: int) -> None:
    """Up to the plays that rollouts solve; from there, the best of these."""
    solved = ended = 0
    for state in states(variation):
        seat = int(state["seat"])
        plays = hand_kinds(state, seat)
        decisions = max(PLAYS - int(state["plays"]) - 1 - search.SOLVED_PLAYS, 0)
        margins = open_margins(state, plays)
        for trial, margin in zip(branched(state, plays, decisions), margins):
            actor, team = int(trial["seat"]), seat % 2
            if trial["over"]:
                assert margin == trial["last_points"][team] - trial["last_points"][1 - team]
                ended += 1
                continue
            best = open_margins(trial, hand_kinds(trial, actor)).max()
            assert margin == (best if actor % 2 == team else -best)
            solved += 1
    assert solved > 100 and ended > 0


def test_branches_can_meet_other_orders_of_the_cards_to_come() -> None:
    """The same cards in an order of each word's own, alike for all actions; 0 is the true one."""
    words = np.array([0, 3, 4], np.uint64)
    seen: Counter[str] = Counter()
    for state in states(0)[::9]:
        actions = np.array(hand_kinds(state, int(state["seat"]))[:2], np.int64)
        games, trials = np.array([state], STATE), np.zeros(3 * len(actions), STATE)
        before = games.tobytes()
        search.branch(records(games), 0, actions, words, 0, records(trials), 0)
        assert games.tobytes() == before
        true = branched(state, actions.tolist(), 0, 0)
        by_word = trials.reshape(3, len(actions))
        assert (by_word[0] == true).all()
        for place in range(len(actions)):
            own = true[place]["stock"][: true[place]["stock_count"]]
            if own.size < 5 or true[place]["rounds"] != state["rounds"]:
                continue
            decks = by_word[:, place]["stock"][:, : own.size]
            assert (decks[:, -1] >= 0).all()
            whole = Counter(state["stock"][: state["stock_count"]].tolist())
            for deck in decks:
                assert not Counter(deck.tolist()) - whole
            seen["other"] += (decks[0] != decks[1]).any() and (decks[1] != decks[2]).any()
            seen["all"] += 1
        if (
            len(actions) == 2
            and (by_word["stock_count"][:, 0] == by_word["stock_count"][:, 1]).all()
        ):
            assert (by_word["stock"][:, 0] == by_word["stock"][:, 1]).all()
    assert seen["all"] > 10 and seen["other"] > 0.9 * seen["all"]
