"""What learners are told in Xabitha: it follows from what the seat sees, and is what it says."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest

from tests.advising import RUBBISH, Advice, ask, section, tell, trait
from tests.reference.xabitha import JOKER, as_meld, meld_points
from tests.xabitha.biased_deals import KINDS as DEALS
from tests.xabitha.engine_table import EngineTable
from tests.xabitha.hidden import resampled, rules_of
from tests.xabitha.kernels import from_python, mask_cards, masks_of, record
from tests.xabitha.table import Game, down, start
from tests.xabitha.test_chase import plain_distance
from tests.xabitha.test_equivariance import (
    PERMUTATIONS,
    change_cards,
    change_deal,
    kinds_for,
    prepare_reshuffle,
    rules_for,
)
from tests.xabitha.test_reading import moved
from tests.xabitha.test_values import partners, plain_danger
from tests.xabitha.walks import (
    SEATS,
    biased_start,
    engine_for,
    sample_states,
    starts_round,
    walk,
    walks,
)
from xabitha_env._jit import records
from xabitha_env.cards import CARD_NAMES, KIND_OF, NUM_KINDS, SUITS, card_text
from xabitha_env.players import draw_worlds
from xabitha_env.symmetry import kind_map, layout_map
from xabitha_env.xabitha import advice, chase, expert, opening, packing, reading, search, values
from xabitha_env.xabitha.actions import DISCARD, FORMATION
from xabitha_env.xabitha.engine import XabithaEngine
from xabitha_env.xabitha.expert import CARDS_FIRST, OPEN_CARD, OPEN_JOKER, RUN_FIRST, WEIGHTS
from xabitha_env.xabitha.hands import pending_take
from xabitha_env.xabitha.legal import staged_points, staged_run, staged_take
from xabitha_env.xabitha.melds import CARDS, JOKERS, NEED, NUM_RUNS, ROW_OF
from xabitha_env.xabitha.opening import MOST_MELDS
from xabitha_env.xabitha.players import EXPERT, PLAYER_CODES
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, HAND_CARDS, PLAYING, STATE
from xabitha_env.xabitha.symmetry import SUITS_AT, token_map

RULES = {"max_turns": 150}
CODE = np.full(1, EXPERT, np.int8)
OTHERS = (1, 2, 3)
PLAN = tuple(block.name for block in advice.PLAN)
_plan_melds = from_python(expert.plan_melds)
_rank_discards = from_python(expert.rank_discards)
_without_melds = from_python(packing.without_melds)
_best_melds = from_python(packing.best_melds)
_row_points = from_python(opening.row_points)
_nearest_formation = from_python(chase.nearest_formation)
_missing_cards = from_python(chase.missing_cards)
_cost = from_python(chase.cost)
_unseen_cards = from_python(reading.unseen_cards)
_unseen_rate = from_python(values.unseen_rate)
_table_wants = from_python(values.table_wants)
_staged_points = from_python(staged_points)
_staged_run = from_python(staged_run)
_staged_take = from_python(staged_take)
_pending_take = from_python(pending_take)


def played_states(code: int) -> list[np.ndarray]:
    """States of a biased deal that a compiled player plays, now and then."""
    rng = random.Random(code)
    engine = engine_for({**RULES, "num_rounds": 2})
    found = []
    for seed in range(3):
        engine.reset(seed=seed)
        biased_start(engine, rng, DEALS)
        for number in range(120):
            if engine.rounds_played[0] > 0:
                break
            if number % 10 == seed:
                found.append(engine.get_state())
            engine.step(engine.choose(np.full(1, code, np.int8)))
    return found


@cache
def states() -> np.ndarray:
    """States of all kinds of situations, by random, greedy and expert play, of biased deals."""
    found = [sample_states(range(12), 1, rules=RULES)]
    for code in PLAYER_CODES.values():
        found += played_states(code)
    return np.concatenate(found).view(STATE)


def engine_in(state: Any) -> XabithaEngine:
    """An engine whose one game is in this state, without the last step's reward."""
    single = np.array([state], STATE)
    single["reward"] = 0
    engine: XabithaEngine = engine_for(rules_of(state))
    engine.set_state(single)
    return engine


def some_actions(engine: XabithaEngine, count: int = 3) -> list[int]:
    legal = engine.legal[0, : engine.legal_count[0]].tolist()
    return random.Random(0).sample(legal, min(count, len(legal)))


def hand_of(game: Any, seat: int) -> Counter[str]:
    return mask_cards(game["hand_one"][seat], game["hand_two"][seat])


# --- nothing hidden shows -------------------------------------------------------------------


def test_advice_does_not_depend_on_what_is_hidden() -> None:
    """In worlds drawn by the library and by the tests; what critics are told does change."""
    rng = random.Random(1)
    tables = engine_for({**RULES, "num_rounds": 2}, 6)
    seen: Counter[str] = Counter()
    for state in states().reshape(-1, 1):
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
        seen[f"phase {state['phase'][0]}"] += 1
    assert seen["all"] > 150
    assert min(seen["secrets"], seen["hands"]) > 0.97 * seen["all"], seen
    assert min(seen[f"phase {phase}"] for phase in (DECLARING, DRAWING, PLAYING, FORMED)) > 0


# --- suits ----------------------------------------------------------------------------------


class Plan(NamedTuple):
    """What the best melds of a hand leave over, and what they are worth."""

    one: int
    two: int
    worth: int
    points: int


def plan_of(games: np.ndarray, seat: int) -> Plan:
    chosen, game = np.empty(MOST_MELDS, np.int64), games[0]
    laid, worth = _plan_melds(record(games), seat, WEIGHTS, chosen)
    hand = game["hand_one"][seat], game["hand_two"][seat]
    aces = int(game["ace_high_points"]), int(game["ace_low_points"])
    points = sum(int(_row_points(row, *aces)) for row in chosen[:laid])
    return Plan(*map(int, _without_melds(*hand, chosen, laid)), int(worth), points)


class Names:
    """A renaming of suits, given by the letters for C D H S, and what it makes of numbers."""

    def __init__(self, letters: str) -> None:
        self.letters = letters
        self.order = [SUITS.index(letter) for letter in letters]
        self.kinds = kind_map(self.order, NUM_KINDS).tolist()
        self.tokens = token_map(self.order)

    def mask(self, mask: int) -> int:
        """A mask of kinds, renamed."""
        return sum(1 << self.kinds[kind] for kind in range(NUM_KINDS) if int(mask) >> kind & 1)

    def features(self, layout: Any, features: np.ndarray) -> np.ndarray:
        """Features of a layout, renamed."""
        new = np.full_like(features, RUBBISH)
        new[:, layout_map(layout, self.order, NUM_KINDS, SUITS_AT)] = features
        return new


class Twins:
    """A match and the same with the suits renamed, at one decision."""

    def __init__(self, engine: XabithaEngine, twin: XabithaEngine, new: Names) -> None:
        self.engine, self.twin, self.new = engine, twin, new
        self.own, self.other = ask(advice, engine), ask(advice, twin)
        texts = [engine.text(int(action)) for action in self.own.actions]
        moves = [change_cards(text, new.letters) for text in texts]
        actions = self.other.actions.tolist()
        self.places = [actions.index(twin.parse(move)) for move in moves]  # of the twin's actions
        self.seat = int(engine.seats[0])
        self.game = engine.games[0]
        self.same_plan = [self.plans_agree(seat) for seat in np.roll(SEATS, -self.seat).tolist()]

    def plans_agree(self, seat: int) -> bool:
        """Whether the same melds are thought best; if not, they must be worth the same."""
        own, other = plan_of(self.engine.games, seat), plan_of(self.twin.games, seat)
        assert own.worth == other.worth
        return (self.new.mask(own.one), self.new.mask(own.two)) == (other.one, other.two)

    def check(self) -> bool:
        """All that the twin is told is the same by other names.

        Returns whether `expert` breaks a tie otherwise.
        """
        assert sorted(self.places) == list(range(len(self.places)))
        self.check_features(advice.INSIGHT, self.own.insight, self.other.insight, PLAN[:1])
        theirs = [f"{PLAN[0]}_{place}" for place in OTHERS]
        secrets = [tell(advice, engine)[0] for engine in (self.engine, self.twin)]
        self.check_features(advice.SECRETS, *secrets, theirs)
        assert (self.new.tokens[self.own.tokens] == self.other.tokens[self.places]).all()
        self.check_traits()
        return self.check_choice()

    def check_features(self, layout: Any, own: np.ndarray, other: np.ndarray, plans: Any) -> None:
        """Which melds are best may be a tie, that the hand is worth so much is none."""
        own = self.new.features(layout, own)
        for block in layout:
            pair = (section(layout, features, block.name) for features in (own, other))
            place = int(block.name[-1]) if block.name in plans and "_" in block.name else 0
            if block.name not in plans or self.same_plan[place]:
                assert np.equal(*pair).all(), block.name

    def check_traits(self) -> None:
        """All but the choice of `expert`, and where the best melds are others what tells of them.

        Searches that jokers cut short may miss a few points.
        """
        hand = hand_of(self.game, self.seat)
        fire = [card_text(int(kind)) for kind in self.game["fire"][: self.game["fire_count"]]]
        left_out = {"expert"} if self.same_plan[0] else {"expert", "planned", "value", "lag"}
        for block in advice.TRAITS:
            own = section(advice.TRAITS, self.own.traits, block.name)
            other = section(advice.TRAITS, self.other.traits[self.places], block.name)
            cut = block.name == "gain" and [*hand.elements(), *fire[-1:]].count(JOKER) == 2
            if block.name not in left_out:
                assert np.abs(other - own).max() < (4 / 50 if cut else 1e-5), block.name

    def check_choice(self) -> bool:
        """Whether `expert` does something else, which must be as good (see `reason`)."""
        marks = [self.own.traits, self.other.traits[self.places]]
        assert all((mark[:, advice.EXPERT].sum() == 1) for mark in marks)
        places = [int(mark[:, advice.EXPERT].argmax()) for mark in marks]
        if places[0] == places[1]:
            return False
        actions = [int(self.own.actions[place]) for place in places]
        moves = [self.engine.text(action) for action in actions]
        verbs = {move.partition(":")[0] for move in moves}
        if self.game["declared"][self.seat]:
            assert verbs <= {"discard", "draw"} and self.as_near(*places), moves
        elif verbs == {"meld"}:
            assert len({self.worth_with(ROW_OF[move[5:]]) for move in moves}) == 1, moves
        else:
            value = self.own.traits[places, advice.VALUE]
            assert verbs == {"discard"}, moves
            assert value[0] == pytest.approx(value[1], abs=1e-5) or not self.same_plan[0]
        return True

    def as_near(self, place: int, other: int) -> bool:
        """Whether the two aim at the same formation and tie in danger, or at equally near ones."""
        aims = [self.nearest(engine.games[0]) for engine in (self.engine, self.twin)]
        suit, low, rank = aims[0]
        if (self.new.order[suit], low, rank) != aims[1]:
            suit, low, rank = aims[1]
            back = self.new.order.index(suit), low, rank
            return self.distance(aims[0]) == pytest.approx(self.distance(back))
        safety = self.own.traits[:, advice.DANGER] + self.own.traits[:, advice.GIVES]
        return bool(abs(safety[place] - safety[other]) < 1e-5)

    def nearest(self, game: Any) -> tuple[int, int, int]:
        unseen = _unseen_cards(record(np.array([game], STATE)), self.seat)
        hand = game["hand_one"][self.seat], game["hand_two"][self.seat]
        suit, low, rank = map(int, _nearest_formation(*hand, *unseen))
        return suit, low, rank

    def distance(self, aim: tuple[int, int, int]) -> float:
        """What it costs to complete a formation."""
        hand = self.game["hand_one"][self.seat], self.game["hand_two"][self.seat]
        unseen = _unseen_cards(record(self.engine.games), self.seat)
        return sum(float(_cost(part, *unseen)) for part in _missing_cards(*hand, *aim))

    def worth_with(self, row: int) -> int:
        """What the best melds with a row among them are worth to who lays them."""
        g, game = record(self.engine.games), self.game
        high, low = int(game["ace_high_points"]), int(game["ace_low_points"])
        card, joker, run, taken = CARDS_FIRST, 0, 0, int(game["taken"])
        if not game["opened"][self.seat]:
            card, joker = int(WEIGHTS[OPEN_CARD]), int(WEIGHTS[OPEN_JOKER])
            run, taken = 0 if _staged_run(g) else RUN_FIRST, int(_staged_take(g))
        hand = game["hand_one"][self.seat], game["hand_two"][self.seat]
        chosen = np.array([row] * MOST_MELDS, np.int64)
        left = _without_melds(*hand, chosen, 1)
        taken = int(_pending_take(taken, NEED[row], int(JOKERS[row])))
        more = 0 if row < NUM_RUNS else run
        laid, _, _ = _best_melds(*left, card, more, joker, taken, high, low, chosen)
        rows = [row, *chosen[:laid].tolist()]
        worth = sum(int(_row_points(one, high, low)) for one in rows)
        worth += sum(card * int(CARDS[one]) - joker * int(JOKERS[one]) for one in rows)
        return worth + run * any(one < NUM_RUNS for one in rows)


def test_other_suits_give_the_same_advice() -> None:
    """X1.2: features, tokens and traits, at every decision of matches with renamed suits."""
    seen: Counter[str] = Counter()
    for seed in range(12):
        new = Names(random.Random(seed).choice(PERMUTATIONS[1:]))
        twin = engine_for(rules_for(seed))
        twin.reset(seed=seed)
        for engine, move in walk(seed, rules_for(seed), kinds_for(seed)):
            if starts_round(engine):
                twin.set_deal(change_deal(engine.deal_record(), new.letters))
            if engine.games["phase"][0] == FORMED:  # X9.2: another card may be left
                (other,) = twin.legal_texts()
            else:
                twins = Twins(engine, twin, new)
                seen["tied"] += twins.check()
                seen["other plan"] += not twins.same_plan[0]
                seen["all"] += 1
                prepare_reshuffle(engine, twin, move, new.letters)
                other = change_cards(move, new.letters)
            twin.step([twin.parse(other)])
    assert seen["all"] > 3000 and 20 < seen["tied"] < 0.06 * seen["all"], seen
    assert seen["other plan"] < 0.01 * seen["all"], seen


# --- tokens ---------------------------------------------------------------------------------


def token_of(engine: XabithaEngine, action: int) -> int:
    """The token of an action, from its text: those on melds go by the card given."""
    text = engine.text(action)
    if "@" in text:
        return advice.TOKENS.offset("give") + KIND_OF[moved(text)[0]]
    if text.startswith("discard"):
        return advice.TOKENS.offset("discard") + KIND_OF[moved(text)[0]]
    return action


def test_tokens_tell_all_actions_apart_but_gifts_of_a_card() -> None:
    """Additions and steals with the same card share a token, whatever the meld, and no others."""
    shared = 0
    for engine, _ in walks(range(16)):
        told = ask(advice, engine)
        assert told.tokens.tolist() == [token_of(engine, int(action)) for action in told.actions]
        texts: dict[int, list[str]] = {}
        for token, action in zip(told.tokens.tolist(), told.actions):
            texts.setdefault(token, []).append(engine.text(int(action)))
        for group in texts.values():
            if len(group) > 1:
                assert all("@" in text for text in group)
                assert len({moved(text)[0] for text in group}) == 1
                shared += 1
        declares = engine.games["phase"][0] == DECLARING
        assert ((told.tokens < advice.DECLARATIONS) == declares).all()
    assert shared > 20


# --- insight --------------------------------------------------------------------------------


def levels(number: float, steps: np.ndarray) -> list[int]:
    return [int(number >= step) for step in steps]


def points_of(game: Any, cards: Counter[str]) -> int:
    """X1.3: the ace high; jokers count nothing by themselves."""
    worth = {"A": int(game["ace_high_points"]), "J": 10, "Q": 10, "K": 10, "T": 10}
    named = [card[0] for card in cards.elements() if card != JOKER]
    return sum(worth[rank] if rank in worth else int(rank) for rank in named)


def bits(cards: Any) -> list[int]:
    return [int(name in cards) for name in CARD_NAMES]


def test_insight() -> None:
    """Every section."""
    above = 0
    for state in states():
        engine = engine_in(state)
        told = ask(advice, engine)
        found = {
            block.name: section(advice.INSIGHT, told.insight, block.name)[0].tolist()
            for block in advice.INSIGHT
        }
        seat = int(state["seat"])
        plan, hand = plan_of(engine.games, seat), hand_of(state, seat)
        loose = mask_cards(*plan[:2])
        unseen = mask_cards(*_unseen_cards(record(engine.games), seat))
        doubles = [{card for card in cards if cards[card] > 1} for cards in (hand, loose, unseen)]
        assert found["planned"] == bits((set(hand) - set(loose)) | (doubles[0] - doubles[1]))
        assert found["count"] == levels(hand.total(), np.arange(2, 16))
        assert found["spare"] == levels(loose.total(), np.arange(1, 15))
        assert found["stuck"] == levels(stuck_cards(engine, loose), np.arange(1, 15))
        assert found["loose"] == levels(points_of(state, loose), advice.LOOSE_LEVELS)
        assert found["unseen"] == [bits(unseen), bits(doubles[2])]
        assert found["turn"] == levels(int(state["turn"]), np.arange(3, 61, 3))
        bound = plan.points + int(_staged_points(record(engine.games)))
        over = bound - int(state["threshold"][seat])
        assert found["over"] == levels(over, advice.OVER_LEVELS)
        above += over >= 0
    assert above > 5


# --- secrets --------------------------------------------------------------------------------


def test_secrets_are_what_is_hidden() -> None:
    """Hands, modes and deck as in the record; the best melds as each seat would see them."""
    for state in states():
        engine = engine_in(state)
        seat = int(state["seat"])
        secrets, hidden = tell(advice, engine)
        found = {
            block.name: section(advice.SECRETS, secrets, block.name)[0] for block in advice.SECRETS
        }
        for place in OTHERS:
            other = (seat + place) % 4
            hand = hand_of(state, other)
            assert hidden[0, place - 1] == state["hand_one"][other]
            wanted = [bits(hand), bits({card for card in hand if hand[card] > 1})]
            assert found["hands"][place - 1].tolist() == wanted
            assert found["modes"][place - 1] == state["declared"][other]
            seen = engine_in(state)
            seen.games["seat"], seen.games["staged"] = other, 0
            insight = advice_of_seat(seen)
            for name in PLAN:
                own = section(advice.INSIGHT, insight, name)[0]
                assert found[f"{name}_{place}"].tolist() == own.tolist(), name
        deck = [card_text(int(kind)) for kind in state["deck"][: state["deck_count"]][::-1]]
        doubles = {card for card, count in Counter(deck).items() if count > 1}
        assert found["deck"].tolist() == [bits(deck), bits(doubles)]
        ahead = [[card] for card in deck] + [[]] * advice.NEXT_CARDS
        wanted = [bits(cards) for cards in ahead[: advice.NEXT_CARDS]]
        assert found["next_cards"].tolist() == wanted


def advice_of_seat(engine: XabithaEngine) -> np.ndarray:
    """The insight of whoever is to act, whatever is legal."""
    found = [
        np.full((1, layout.size), RUBBISH, np.int8)
        for layout in (engine.features, advice.INSIGHT, advice.SECRETS)
    ]
    advice.survey(records(engine.games), np.zeros(1, np.int64), *found)
    return found[1]


def test_a_survey_is_all_of_it() -> None:
    engine = engine_for({**RULES, "num_rounds": 2}, 8)
    some = states()[:: len(states()) // 8][:8].copy()
    some["reward"] = 0
    engine.set_state(some)
    shapes = (engine.features, advice.INSIGHT, advice.SECRETS)
    found = [np.full((8, layout.size), RUBBISH, np.int8) for layout in shapes]
    advice.survey(records(engine.games), np.arange(8), *found)
    assert (found[0] == engine.observation).all()
    assert (found[1] == ask(advice, engine).insight).all()
    assert (found[2] == tell(advice, engine)[0]).all()


# --- traits ---------------------------------------------------------------------------------


def card_traits(game: Any, card: str, hand: Counter[str]) -> dict[str, float]:
    """Traits of a single card, beside those cards of the hand."""
    g = record(np.array([game], STATE))
    unseen = mask_cards(*_unseen_cards(g, int(game["seat"])))
    fits = float(int(_table_wants(g)) >> KIND_OF[card] & 1)
    if card == JOKER:
        return {"jokers": 1.0, "fits": fits, "unseen": unseen[card] / 2}
    return {
        "points": points_of(game, Counter([card])) / 50,
        "completes": float(any(pair <= set(hand) for _, pair in partners(card))),
        "fits": fits,
        "unseen": unseen[card] / 2,
    }


def meld_traits(engine: XabithaEngine, cards: list[str]) -> dict[str, float]:
    """Traits of a meld from the hand; above the bar only for a seat that is not down."""
    game, meld = engine.games[0], as_meld(cards)
    assert meld is not None
    seat = int(game["seat"])
    points = meld_points(meld, int(game["ace_high_points"]), int(game["ace_low_points"]))
    over = int(_staged_points(record(engine.games))) + points - int(game["threshold"][seat])
    return {
        "points": points / 50,
        "cards": len(cards) / 5,
        "jokers": float(cards.count(JOKER)),
        "set": float(meld.kind == "set"),
        "over": 0.0 if game["opened"][seat] else over / 50,
    }


def discard_traits(engine: XabithaEngine, card: str) -> dict[str, float]:
    """Traits that only discards have, but for what it is worth to keep."""
    game = engine.games[0]
    seat = int(game["seat"])
    following = (seat + 1) % 4
    kind = KIND_OF[card]
    g = record(engine.games)
    found = {
        "twin": float(hand_of(game, seat)[card] == 2),
        "undo": float(game["taken"] == kind),
        "refused": float(int(game["discarded"][following]) >> kind & 1),
    }
    if card == JOKER:
        return found
    fits, down = int(_table_wants(g)) >> kind & 1, game["opened"][following]
    unseen = _unseen_cards(g, seat)
    known = mask_cards(game["known_one"][following], game["known_two"][following])
    rate = float(_unseen_rate(g, following, *unseen))
    danger = plain_danger(known, mask_cards(*unseen), rate, card)
    return {**found, "gives": float(fits and down), "danger": danger}


def target_traits(engine: XabithaEngine, text: str, slot: int) -> dict[str, float]:
    """Traits of the meld that a card is added to, or stolen from."""
    game = engine.games[0]
    low, high = int(game["slot_low"][slot]), int(game["slot_high"][slot])
    jokers = int(game["slot_jokers"][slot])
    if game["slot_type"][slot] == 2:
        return {"length": (int(game["slot_suits"][slot]).bit_count() + jokers.bit_count()) / 5}
    second = False
    if text.startswith("steal") and jokers.bit_count() == 2:
        places = [place for place in range(1, 15) if jokers >> place & 1]
        kind = KIND_OF[moved(text)[0]]
        second = (places[1] - 1) % 13 == kind % 13 and (places[0] - 1) % 13 != kind % 13
    top = text.startswith("add") and adds_high(engine, text, slot)
    return {"length": (high - low + 1) / 5, "high": float(top or second)}


def adds_high(engine: XabithaEngine, text: str, slot: int) -> bool:
    """Whether the card goes to the high end: by what the action does."""
    twin = engine_in(engine.games[0])
    twin.step([twin.parse(text)])
    return bool(twin.games["slot_high"][0, slot] != engine.games["slot_high"][0, slot])


def stuck_cards(engine: XabithaEngine, cards: Counter[str]) -> int:
    """How many cards do not fit the table."""
    wants = int(_table_wants(record(engine.games)))
    return sum(count for card, count in cards.items() if not wants >> KIND_OF[card] & 1)


def rest_traits(engine: XabithaEngine, text: str) -> dict[str, float]:
    """What is left after an action on the table and the most melds: from where it leads."""
    game, seat = engine.games[0], int(engine.seats[0])
    twin = engine_in(game)
    twin.step([twin.parse(text)])
    after, g = twin.games[0], record(twin.games)
    closed = not after["opened"][seat]
    first = RUN_FIRST if closed and not _staged_run(g) else 0
    taken = int(_staged_take(g)) if closed else int(after["taken"])
    hand = after["hand_one"][seat], after["hand_two"][seat]
    aces = int(game["ace_high_points"]), int(game["ace_low_points"])
    chosen = np.empty(MOST_MELDS, np.int64)
    laid, more, _ = _best_melds(*hand, CARDS_FIRST, first, 0, taken, *aces, chosen)
    rest = mask_cards(*map(int, _without_melds(*hand, chosen, laid)))
    left, blocked = rest.total(), stuck_cards(engine, rest)
    found = {"rest": left / 5, "blocked": blocked / 5, "out": float(left == 1)}
    if not game["opened"][seat]:
        staged = _staged_points(g if closed else record(engine.games))
        found["most"] = (int(staged) + int(more) - int(game["threshold"][seat])) / 50
    return found


def plain_traits(engine: XabithaEngine, text: str) -> dict[str, float]:
    """All traits of an action but those that say what `expert` thinks."""
    game = engine.games[0]
    seat = int(game["seat"])
    hand = hand_of(game, seat)
    loose = mask_cards(*plan_of(engine.games, seat)[:2])
    verb, _, rest = text.partition(":")
    cards = moved(text)
    found = {block.name: 0.0 for block in advice.TRAITS}
    left = hand.total() - len(cards)
    found["planned"] = float(bool(cards) and not set(cards) - {JOKER} & set(loose))
    if cards == [JOKER]:
        found["planned"] = float(JOKER not in loose)
    if verb == "meld":
        found |= {"meld": 1.0, **meld_traits(engine, cards), **rest_traits(engine, text)}
    elif verb in ("add", "steal"):
        slot = int(text.partition("@")[2].partition(":")[0])
        found |= {verb: 1.0, **card_traits(game, cards[0], hand)}
        found["set"] = float(game["slot_type"][slot] == 2)
        found |= {**target_traits(engine, text, slot), **rest_traits(engine, text)}
        left += verb == "steal"
    elif verb == "discard":
        found |= {verb: 1.0, **card_traits(game, cards[0], hand)}
        found |= discard_traits(engine, cards[0])
    elif text == "draw:fire":
        top = card_text(int(game["fire"][game["fire_count"] - 1]))
        found |= {"fire": 1.0, **card_traits(game, top, hand)}
        left += 1
    elif text == "draw:deck":
        left += 1
    elif text == "declare:yes":
        found |= {"yes": 1.0, "missing": plain_distance(list(hand.elements())) / 5}
    elif verb in ("open", "formation"):
        found[verb] = 1.0
    if verb == "formation":
        left = 1
    if verb == "open":
        staged = int(_staged_points(record(engine.games)))
        found["over"] = (staged - int(game["threshold"][seat])) / 50
        found |= rest_traits(engine, text)
    return found | {"left": left / HAND_CARDS}


THOUGHTS = {"expert", "gain", "fewer", "value", "lag"}


def check_traits(engine: XabithaEngine, actions: list[int], seen: Counter[str]) -> None:
    """Check some actions, and count what they have."""
    told = ask(advice, engine)
    for action in actions:
        text = engine.text(action)
        wanted = plain_traits(engine, text)
        for name in wanted.keys() - THOUGHTS:
            found = trait(advice, told, action, name)
            assert found == pytest.approx(wanted[name], abs=1e-5), (text, name)
            seen[name] += found != 0


def test_traits() -> None:
    """What an action does and the cards that it deals with, in plain Python, for all kinds."""
    seen: Counter[str] = Counter()
    for state in states():
        engine = engine_in(state)
        check_traits(engine, some_actions(engine, 5), seen)
    for engine, _ in walks(range(16)):
        legal = engine.legal[0, : engine.legal_count[0]]
        rare = legal[(legal >= FORMATION) & (legal < DISCARD)].tolist()
        if rare:
            check_traits(engine, rare, seen)
    assert set(seen) == {block.name for block in advice.TRAITS} - THOUGHTS
    assert all(count > 2 for count in seen.values()), seen


def test_what_expert_thinks_of_discards() -> None:
    """What each card is worth to it, the least as the mark, and its own choice among them."""
    seen: Counter[str] = Counter()
    for state in states():
        engine = engine_in(state)
        told, seat = ask(advice, engine), int(state["seat"])
        (choice,) = engine.choose(CODE)
        assert told.actions[told.traits[:, advice.EXPERT] == 1].tolist() == [choice]
        assert set(told.traits[:, advice.EXPERT]) <= {0, 1}
        chosen = np.empty(MOST_MELDS, np.int64)
        laid, _ = _plan_melds(record(engine.games), seat, WEIGHTS, chosen)
        kinds, worth = np.empty(HAND_CARDS + 1, np.int64), np.empty(HAND_CARDS + 1)
        count = _rank_discards(record(engine.games), seat, WEIGHTS, laid, chosen, kinds, worth)
        discards = told.actions >= DISCARD
        if not discards.any():
            assert not told.traits[:, [advice.VALUE, advice.LAG]].any()
            continue
        least = told.traits[discards, advice.VALUE].min()
        for kind, number in zip(kinds[:count].tolist(), worth):
            action = DISCARD + kind
            assert trait(advice, told, action, "value") == pytest.approx(min(number / 20, 4))
            seen["ranked"] += 1
        for action in told.actions[discards].tolist():
            lag = (trait(advice, told, action, "value") - least) * 4
            assert trait(advice, told, action, "lag") == pytest.approx(min(lag, 4), abs=1e-5)
        assert told.traits[discards, advice.LAG].min() == 0
        if choice >= DISCARD and not state["declared"][seat]:
            worth = min(trait(advice, told, DISCARD + kind, "value") for kind in kinds[:count])
            assert trait(advice, told, int(choice), "value") == worth
            seen["chosen"] += 1
            seen["least"] += trait(advice, told, int(choice), "lag") == 0
    assert seen["ranked"] > 300 and 5 < seen["least"] <= seen["chosen"], seen


def told_in(game: Game) -> tuple[XabithaEngine, Advice]:
    engine = game.table.engine  # type: ignore[attr-defined]
    return engine, ask(advice, engine)


def shown(told: Advice, engine: XabithaEngine, move: str, *names: str) -> list[float]:
    action = engine.parse(move)
    return [round(trait(advice, told, action, name), 4) for name in names]


@pytest.mark.interpreted
def test_traits_of_the_fire_card() -> None:
    """What it adds to the melds of a closed hand: points, and what the first run counts."""
    run = float(WEIGHTS[expert.RUN_WORTH])
    for hand, fire, gain in (("4S 5S", "6S", 15 + run), ("4S 5S", "9S", 0), ("8C 8D", "8H", 24)):
        game = start(EngineTable, hand, fire=fire)
        engine, told = told_in(game)
        names = ("fire", "gain", "fewer", "completes", "fits")
        wanted = [1, round(gain / 50, 4), 0, float(gain > 0), 0]
        assert shown(told, engine, "draw:fire", *names) == wanted
        assert not any(shown(told, engine, "draw:deck", *names))


def next_turn(game: Game, discard: str) -> None:
    """Seat 1 ends its turn, and it is its turn again after seat 0 has discarded a card."""
    game.throw()
    game.idle(2)
    game.draw()
    game.do(f"discard:{discard}")


@pytest.mark.interpreted
@pytest.mark.parametrize(
    ("fire", "fewer", "fits"), [("6S", 3, 0), ("6H", 0, 1), ("2C", 0, 0)], ids=str
)
def test_traits_of_the_fire_card_for_a_seat_that_is_down(fire: str, fewer: int, fits: int) -> None:
    """How many cards more it can lay from the hand, this one included; and whether it can add."""
    game = down(EngineTable, ["7H-8H-9H"], keep="4S 5S QD", others={0: fire})
    next_turn(game, fire)
    engine, told = told_in(game)
    assert shown(told, engine, "draw:fire", "fewer", "fits", "gain") == [fewer, fits, 0]


@pytest.mark.interpreted
def test_traits_of_discards() -> None:
    """What fits the table is a gift to a next seat that is down; twins stay; takes are undone."""
    game = down(EngineTable, ["7H-8H-9H"], keep="TH TH 4S", others={0: "6H 6H", 2: "6C"})
    engine, told = told_in(game)
    names = ("fits", "gives", "twin", "undo", "completes")
    assert shown(told, engine, "discard:TH", *names) == [1, 0, 1, 0, 0]  # seat 2 is not down
    assert shown(told, engine, "discard:4S", *names) == [0, 0, 0, 0, 0]
    game.throw()
    game.idle(2)
    game.draw()
    engine, told = told_in(game)
    assert engine.seats[0] == 0
    assert shown(told, engine, "discard:6H", *names) == [1, 1, 1, 0, 0]  # seat 1 is down
    game.do("discard:6H", "draw:fire")
    engine, told = told_in(game)
    assert shown(told, engine, "discard:6H", *names)[2:4] == [0, 1]
    undone = [
        shown(told, engine, f"discard:{card}", "undo")[0] for card in hand_of(engine.games[0], 1)
    ]
    assert sum(undone) == 1


@pytest.mark.interpreted
def test_danger_is_how_many_melds_the_next_seat_could_make() -> None:
    """X5: surely with cards that it is known to hold."""
    game = start(EngineTable, "6H 6C", others={2: "5H 7H 8H 2S"})
    game.draw()
    engine = game.table.engine  # type: ignore[attr-defined]
    before = shown(ask(advice, engine), engine, "discard:6H", "danger", "refused")
    engine.games["known_one"][0, 2] = masks_of("5H 7H 8H".split())[0]
    engine.games["discarded"][0, 2] = masks_of(["6C"])[0]
    told = ask(advice, engine)
    after = shown(told, engine, "discard:6H", "danger", "refused")
    assert 0 < before[0] < 1 and 2 < after[0] < 3 and after[1] == 0  # 5-6-7 and 6-7-8
    danger, refused = shown(told, engine, "discard:6C", "danger", "refused")
    assert danger < 1 and refused == 1


@pytest.mark.interpreted
def test_traits_of_an_opening() -> None:
    """X6.2, X6.4: points above the bar with what is staged, and the cards that are left."""
    game = start(EngineTable, "TH JH QH KH 9C 9D 9S", rules={"opening_points": 51})
    game.draw()
    engine, told = told_in(game)
    move = "meld:TH-JH-QH-KH"
    assert shown(told, engine, move, "meld", "over", "points", "cards") == [1, -0.22, 0.8, 0.8]
    left = hand_of(engine.games[0], 1).total()
    assert shown(told, engine, move, "left") == [round((left - 4) / 14, 4)]
    game.do(move)
    engine, told = told_in(game)
    assert shown(told, engine, "meld:9C-9D-9S", "over", "set", "planned") == [0.32, 1, 1]
    game.do("meld:9C-9D-9S")
    engine, told = told_in(game)
    assert shown(told, engine, "open", "open", "over", "meld", "left") == [
        *(1, 0.32, 0),
        round((left - 7) / 14, 4),
    ]


def test_traits_of_melds_that_lead_out() -> None:
    """Two ways to lay jacks first: with one of them all but a card go to the table (X4.7)."""
    hand = "JC JD JH JS 9S TS QS 4D 5D 6D 7H 7C 7S 2C"
    game = start(EngineTable, hand, rules={"opening_points": 51})
    game.draw()
    engine, told = told_in(game)
    left = hand_of(engine.games[0], 1).total()
    assert shown(told, engine, "meld:JC-JD-JH", "rest", "out") == [(left - 13) / 5, left == 14]
    blocks, _ = shown(told, engine, "meld:JC-JH-JS", "rest", "out")
    assert blocks > (left - 13) / 5
    assert shown(told, engine, "meld:JC-JD-JH", "most") == [round((30 + 39 + 15 + 21 - 51) / 50, 4)]


@pytest.mark.interpreted
@pytest.mark.parametrize("missing", [0, 2])
def test_traits_of_declaring(missing: int) -> None:
    """X3.2, X9: how many cards are missing for a formation."""
    hand = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QC QD QH QS".split()
    hand[:missing] = ["2C", "4D"][:missing]
    engine = engine_for()
    rest = list((Counter(CARD_NAMES * 2) - Counter(hand)).elements())
    hands = [rest[:14], rest[14:29], hand, rest[29:43]]
    engine.reset(seed=0, deals=[{"starter": 1, "hands": hands, "deck": rest[43:]}])
    engine.step([engine.parse("declare:no")])
    told = ask(advice, engine)
    assert shown(told, engine, "declare:yes", "yes", "missing") == [1, missing / 5]
    assert shown(told, engine, "declare:no", "yes", "missing") == [0, 0]


# --- branches -------------------------------------------------------------------------------

TRUE_ORDER = np.zeros(1, np.uint64)


def branched(state: Any, actions: list[int], decisions: int, first: int = 1) -> np.ndarray:
    """What becomes of actions after some more; neither the game nor other records change."""
    games = np.array([state], STATE)
    before = games.tobytes()
    trials = np.zeros(first + len(actions) + 1, STATE)
    trials["turn"] = RUBBISH
    chosen = np.array(actions, np.int64)
    search.branch(records(games), 0, chosen, TRUE_ORDER, decisions, records(trials), first)
    assert games.tobytes() == before
    assert (trials["turn"][[*range(first), -1]] == RUBBISH).all()
    return trials[first : first + len(actions)]


def last_round(state: Any) -> Any:
    """The same with this round as the last, and no reward of an earlier one."""
    single = np.array([state], STATE)
    single["num_rounds"] = single["rounds"] + 1
    single["reward"] = 0
    return single[0]


@pytest.mark.parametrize("decisions", [0, 1, 9, 2000])
def test_a_branch_is_played_on_by_expert(decisions: int) -> None:
    """As the engine plays the same actions; without any more, it is the action alone."""
    seen: Counter[bool] = Counter()
    for state in states()[:: 12 if decisions > 9 else 3]:
        actions = some_actions(engine_in(state))
        for action, trial in zip(actions, branched(last_round(state), actions, decisions)):
            engine = engine_in(last_round(state))
            engine.step([action])
            for _ in range(decisions):
                if engine.over[0]:
                    break
                assert not engine.step(engine.choose(CODE))[0]
            assert trial == engine.games[0]
            seen[bool(trial["over"])] += 1
    assert seen.total() > 40 and bool(seen[False]) == (decisions <= 9)


def test_a_branch_leads_where_a_rollout_leads() -> None:
    """To the end of the round, with open cards, whatever the rounds of the match."""
    margins = []
    for state in states()[1::9]:
        actions = some_actions(engine_in(state))
        games, words = np.array([state], STATE), np.ones(1, np.uint64)
        wanted, weights = np.empty((1, len(actions))), np.empty(1)
        chosen = np.array(actions, np.int64)
        search.roll_out(records(games), 0, chosen, words, True, False, wanted, weights)
        team = int(state["seat"]) % 2
        for trial, margin in zip(branched(state, actions, 4000), wanted[0]):
            lost = trial["last_penalties"].reshape(2, 2).sum(0)  # by team
            assert trial["over"] and trial["rounds"] == state["rounds"] + 1
            assert margin == lost[1 - team] - lost[team]
            margins.append(margin)
    assert min(margins) < 0 < max(margins) and len(set(margins)) > 10


def test_branches_can_meet_other_orders_of_the_cards_to_come() -> None:
    """The same cards in an order of each word's own, alike for all actions; 0 is the true one."""
    words = np.array([0, 3, 4], np.uint64)
    seen: Counter[str] = Counter()
    for state in states()[::11]:
        actions = np.array(some_actions(engine_in(state))[:2], np.int64)
        games, trials = np.array([state], STATE), np.zeros(3 * len(actions), STATE)
        before = games.tobytes()
        search.branch(records(games), 0, actions, words, 0, records(trials), 0)
        assert games.tobytes() == before
        true = branched(state, actions.tolist(), 0, 0)
        by_word = trials.reshape(3, len(actions))
        assert (by_word[0] == true).all()
        for place in range(len(actions)):
            own = true[place]["deck"][: true[place]["deck_count"]]
            if own.size < 5 or true[place]["rounds"] != state["rounds"]:
                continue
            decks = by_word[:, place]["deck"][:, : own.size]
            assert (decks[:, -1] >= 0).all()
            whole = Counter(state["deck"][: state["deck_count"]].tolist())
            for deck in decks:
                assert not Counter(deck.tolist()) - whole
            seen["other"] += (decks[0] != decks[1]).any() and (decks[1] != decks[2]).any()
            seen["all"] += 1
        if len(actions) == 2 and (by_word["deck_count"][:, 0] == by_word["deck_count"][:, 1]).all():
            assert (by_word["deck"][:, 0] == by_word["deck"][:, 1]).all()
    assert seen["all"] > 10 and seen["other"] > 0.9 * seen["all"]
