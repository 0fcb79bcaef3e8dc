"""A self-check of the reference engine in random matches and against brute force."""

from __future__ import annotations

import copy
import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest

from tests.reference.matches import random_match
from tests.reference.xabitha import (
    ALL_CARDS,
    DEFAULT_RULES,
    JOKER,
    RANKS,
    SUITS,
    Event,
    IllegalMove,
    Meld,
    Round,
    as_run,
    as_set,
    card_at,
    check_match,
    deal_error,
    keeps_discard,
    meld_points,
    melds_in,
    without,
)
from tests.xabitha.biased_deals import KINDS, TEMPERS, biased_deal, random_rules

Record = dict[str, Any]


class Watcher:
    """Counts what happens, and checks that no card is lost."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self._table: dict[int, Meld] = {}

    def __call__(self, game: Round, event: Event) -> None:
        self._check_cards(game)
        name, _, rest = event["move"].partition(":")
        self.seen[name if name != "draw" else event["move"]] += 1
        self.seen["undo"] += "undo" in event
        self.seen["reshuffle"] += "reshuffled" in event
        if name in ("add", "steal"):
            self._count_table_move(game, name, rest)
        if name == "open":
            self.seen["raised bar"] += max(game.thresholds) > game.rules["opening_points"]
        self.seen["bury"] += len(set(self._table) - set(game.table))
        self._table = dict(game.table)
        if game.over:
            self._count_end(game, event)
            self._table = {}

    def _check_cards(self, game: Round) -> None:
        cards = Counter(game.deck) + Counter(game.fire)
        for hand in game.hands:
            cards.update(hand)
        for meld in game.table.values():
            cards.update(meld.cards)
        assert cards == Counter(ALL_CARDS)

    def _count_table_move(self, game: Round, name: str, rest: str) -> None:
        card, _, place = rest.partition("@")
        meld = game.table[int(place.partition(":")[0])]
        joker = " joker" if card == JOKER else ""
        self.seen[f"{name}{joker} {meld.kind}"] += 1
        self.seen["run of ten or more"] += len(meld.cards) >= 10
        if meld.kind == "set" and len(meld.cards) == 4:
            self.seen["set complete with joker"] += JOKER in meld.cards

    def _count_end(self, game: Round, event: Event) -> None:
        assert game.result is not None
        reason, winner = game.result["reason"], game.result["winner"]
        if reason == "cancelled":
            by = "draw" if event["move"] == "draw:deck" else "max_turns"
            self.seen[f"cancelled by {by}"] += 1
            return
        self.seen[f"{reason} win"] += 1
        self.seen["win in the last turn"] += game.turn == game.rules["max_turns"]
        for seat in ((winner + 1) % 4, (winner + 3) % 4):
            caught = "open" if game.opened[seat] else "closed"
            self.seen[f"{reason} win, opponent {caught}"] += 1
            mode = " in Xabitha mode" if game.declared[seat] else ""
            self.seen[f"{reason} win, opponent closed{mode}"] += bool(mode)
            self.seen["caught with a joker"] += caught == "open" and JOKER in game.hands[seat]


WANTED = (
    """
declare|draw:deck|draw:fire|meld|open|add run|add set|add joker run|add joker set|steal run
steal set|discard|formation|undo|reshuffle|bury|raised bar|run of ten or more
set complete with joker|cancelled by draw|cancelled by max_turns|normal win|xabitha win
normal win, opponent open|normal win, opponent closed|normal win, opponent closed in Xabitha mode
xabitha win, opponent open|xabitha win, opponent closed
xabitha win, opponent closed in Xabitha mode|caught with a joker
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def play_matches(count: int, seed: int = 1) -> tuple[list[Record], Counter[str]]:
    """Random matches of all tempers, every second one of mixed tempers; what was seen."""
    watcher = Watcher()
    records = []
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        rules = random_rules(rng)
        temper = TEMPERS[number // 2 % len(TEMPERS)] if number % 2 else None
        records.append(random_match(rng, rules, temper, watcher))
    return records, watcher.seen


@pytest.fixture(scope="module")
def played() -> tuple[list[Record], Counter[str]]:
    """Enough matches to see everything."""
    return play_matches(120)


def test_everything_happens(played: tuple[list[Record], Counter[str]]) -> None:
    _, seen = played
    assert [what for what in WANTED if not seen[what]] == []


def test_own_records_pass(played: tuple[list[Record], Counter[str]]) -> None:
    records, _ = played
    assert [check_match(record) for record in records if check_match(record)] == []


# --- mutations of a record ------------------------------------------------------------------


def first_event(record: Record, wanted: Callable[[Event], bool]) -> tuple[int, int] | None:
    """The round and the number of the first event like this."""
    for number, entry in enumerate(record["rounds"]):
        for index, event in enumerate(entry["events"]):
            if wanted(event):
                return number, index
    return None


def event_at(record: Record, wanted: Callable[[Event], bool]) -> Event | None:
    """The first event like this."""
    found = first_event(record, wanted)
    if found is None:
        return None
    event: Event = record["rounds"][found[0]]["events"][found[1]]
    return event


def drop_legal(record: Record) -> bool:
    record["rounds"][-1]["events"][-1]["legal"].pop()
    return True


def more_legal(record: Record) -> bool:
    legal = record["rounds"][0]["events"][4]["legal"]
    legal.append("open")
    legal.sort()
    return True


def unsorted_legal(record: Record) -> bool:
    record["rounds"][0]["events"][0]["legal"].reverse()
    return True


def other_drawn(record: Record) -> bool:
    event = event_at(record, lambda event: "drawn" in event)
    if event is not None:
        event["drawn"] = "2C" if event["drawn"] != "2C" else "3C"
    return event is not None


def no_undo(record: Record) -> bool:
    event = event_at(record, lambda event: "undo" in event)
    return event is not None and event.pop("undo") is True


def false_undo(record: Record) -> bool:
    event = event_at(record, lambda e: e["move"].startswith("discard") and "undo" not in e)
    assert event is not None
    event["undo"] = True
    return True


def no_reshuffle(record: Record) -> bool:
    event = event_at(record, lambda event: "reshuffled" in event)
    return event is not None and bool(event.pop("reshuffled"))


def other_reshuffle(record: Record) -> bool:
    event = event_at(record, lambda event: "reshuffled" in event)
    if event is not None:
        new = event["reshuffled"]
        new[-1] = next(card for card in ALL_CARDS if card != new[-1])
    return event is not None


def false_reshuffle(record: Record) -> bool:
    event = event_at(record, lambda e: e["move"] == "draw:deck" and "reshuffled" not in e)
    if event is not None:
        event["reshuffled"] = []
    return event is not None


def other_penalties(record: Record) -> bool:
    record["rounds"][0]["result"]["penalties"][2] += 1
    return True


def other_reason(record: Record) -> bool:
    result = record["rounds"][-1]["result"]
    result["reason"] = "normal" if result["reason"] != "normal" else "xabitha"
    return True


def other_winner(record: Record) -> bool:
    result = record["rounds"][-1]["result"]
    result["winner"] = 1 if result["winner"] != 1 else 3
    return True


def other_totals(record: Record) -> bool:
    record["result"]["totals"][0] += 5
    return True


def other_winners(record: Record) -> bool:
    record["result"]["winners"] = [1] if record["result"]["winners"] != [1] else [0]
    return True


def no_result(record: Record) -> bool:
    record["result"] = None
    return True


def other_starter(record: Record) -> bool:
    record["rounds"][-1]["starter"] = (record["rounds"][-1]["starter"] + 1) % 4
    return True


def other_seat(record: Record) -> bool:
    event = record["rounds"][0]["events"][-1]
    event["seat"] = (event["seat"] + 1) % 4
    return True


def illegal_move(record: Record) -> bool:
    event = record["rounds"][0]["events"][4]
    event["move"], event["legal"] = "draw:deck", event["legal"]
    return True


def one_event_less(record: Record) -> bool:
    record["rounds"][0]["events"].pop()
    return True


def one_event_more(record: Record) -> bool:
    events = record["rounds"][0]["events"]
    events.append(events[-1])
    return True


def one_round_less(record: Record) -> bool:
    record["rounds"].pop()
    return True


def twice_the_card(record: Record) -> bool:
    hand = record["rounds"][0]["deal"]["hands"][0]
    hand[0] = next(card for card in ALL_CARDS if card != hand[0])
    return True


def other_version(record: Record) -> bool:
    record["version"] = 2
    return True


def missing_rule(record: Record) -> bool:
    del record["rules"]["joker_penalty"]
    return True


def other_threshold(record: Record) -> bool:
    """The bar above reach: the first staging is illegal, and its list is wrong."""
    found = first_event(record, lambda event: event["move"] == "open")
    record["rules"]["opening_points"] = 1000
    return found is not None


def other_needs_run(record: Record) -> bool:
    """Some hand can open without a run, or with one only."""
    record["rules"]["opening_needs_run"] = not record["rules"]["opening_needs_run"]
    event = event_at(record, lambda e: any(move.startswith("meld") for move in e["legal"]))
    return event is not None and check_match(record) is not None


def other_max_turns(record: Record) -> bool:
    record["rules"]["max_turns"] = 1
    return len(record["rounds"][0]["events"]) > 5


def other_closed_penalty(record: Record) -> bool:
    record["rules"]["closed_penalty"] += 1
    record["rules"]["xabitha_closed_penalty"] += 1
    return event_wins_closed(record)


def event_wins_closed(record: Record) -> bool:
    """Whether some opponent was caught closed, as the flat penalty shows."""
    flat = {"normal": "closed_penalty", "xabitha": "xabitha_closed_penalty"}
    for entry in record["rounds"]:
        reason, winner = entry["result"]["reason"], entry["result"]["winner"]
        if reason in flat and not any(
            event["move"] == "open" and event["seat"] % 2 != winner % 2 for event in entry["events"]
        ):
            return True
    return False


MUTATIONS = [
    drop_legal,
    more_legal,
    unsorted_legal,
    other_drawn,
    no_undo,
    false_undo,
    no_reshuffle,
    other_reshuffle,
    false_reshuffle,
    other_penalties,
    other_reason,
    other_winner,
    other_totals,
    other_winners,
    no_result,
    other_starter,
    other_seat,
    illegal_move,
    one_event_less,
    one_event_more,
    one_round_less,
    twice_the_card,
    other_version,
    missing_rule,
    other_threshold,
    other_needs_run,
    other_max_turns,
    other_closed_penalty,
]


@pytest.mark.parametrize("mutate", MUTATIONS, ids=lambda mutate: mutate.__name__)
def test_check_match_catches(
    mutate: Callable[[Record], bool], played: tuple[list[Record], Counter[str]]
) -> None:
    """In each of some records that have what the mutation changes."""
    caught = 0
    for record in played[0]:
        mutant = copy.deepcopy(record)
        if not mutate(mutant):
            continue
        assert check_match(mutant) is not None
        caught += 1
        if caught == 3:
            return
    assert caught


def test_check_match_ignores_unknown_fields_and_missing_legal(
    played: tuple[list[Record], Counter[str]],
) -> None:
    record = copy.deepcopy(played[0][0])
    record["note"] = "?"
    for entry in record["rounds"]:
        entry["note"] = "?"
        for event in entry["events"]:
            event["note"] = "?"
            del event["legal"]
    assert check_match(record) is None


# --- brute force ----------------------------------------------------------------------------


def meld_choices(hand: list[str], first: str = "") -> Iterator[list[Meld]]:
    """Every choice of melds that the hand can lay together, each once, the empty one first."""
    yield []
    for meld in melds_in(tuple(sorted(hand))):
        if meld.text >= first:
            for rest in meld_choices(without(hand, meld.cards), meld.text):
                yield [meld, *rest]


def stageable(rules: dict[str, Any], hand: list[str], taken: str | None, bar: int) -> set[str]:
    """The first melds of all openings, literally X6.1, X6.4 and X4.5."""
    first: set[str] = set()
    aces = (rules["ace_high_points"], rules["ace_low_points"])
    for melds in meld_choices(hand):
        gone = [card for meld in melds for card in meld.cards]
        still = None if taken in gone else taken
        enough = sum(meld_points(meld, *aces) for meld in melds) >= bar
        run = any(meld.kind == "run" for meld in melds) or not rules["opening_needs_run"]
        if melds and enough and run and keeps_discard(without(hand, gone), still):
            first |= {f"meld:{meld.text}" for meld in melds}
    return first


@pytest.mark.parametrize("seed", range(40))
def test_staging_against_all_openings(seed: int) -> None:
    """The first stagings are the melds of all the openings, in hands not too rich."""
    rng = random.Random(seed)
    rules = {**DEFAULT_RULES, **random_rules(rng)}
    starter, hands, deck = biased_deal(rng, rng.choice(KINDS))
    game = Round(rules, starter, hands, deck)
    for _ in range(4):
        game.play("declare:no")
    game.play(rng.choice(game.legal()))
    while not game.over and game.turn < 6:
        drawn = game.play(rng.choice(game.legal()))["drawn"]
        hand = game.hands[game.seat]
        if len(melds_in(tuple(sorted(hand)))) <= 40:
            legal = {move for move in game.legal() if move.startswith("meld")}
            bar = game.thresholds[game.seat]
            assert legal == stageable(game.rules, hand, game._taken, bar)
        game.play(next(m for m in game.legal() if m != f"discard:{drawn}" and m[:2] == "di"))


def formations(hand: Sequence[str]) -> Iterator[list[str]]:
    """The cards of every formation that the hand could lay, jokers in any places (X9.1)."""
    held = Counter(hand)
    for suit, start, rank in itertools.product(SUITS, range(1, 6), RANKS):
        run = [card_at(suit, start + index) for index in range(10)]
        four = [rank + other for other in SUITS]
        if (Counter(run + four) - held).total() > held[JOKER]:
            continue
        for places in itertools.chain(*(itertools.combinations(range(14), n) for n in range(3))):
            used = [JOKER if i in places else card for i, card in enumerate(run + four)]
            if Counter(used) - held:
                continue
            reals = sorted(used[10:], key=lambda card: card == JOKER)
            if as_run(used[:10]) is not None and as_set(reals) is not None:
                yield used


def test_formation_is_legal_exactly_when_there_is_one() -> None:
    """X9.2: some formation keeps X4.5, with jokers put anywhere."""
    seen: Counter[bool] = Counter()
    for seed in range(60):
        rng = random.Random(seed)
        starter, hands, deck = biased_deal(rng, "near_formation")
        game = Round({}, starter, hands, deck)
        for _ in range(4):
            game.play("declare:yes")
        game.play(rng.choice(game.legal()))
        for _ in range(4):
            game.play(rng.choice(game.legal()))
            hand, taken = game.hands[game.seat], game._taken
            possible = any(
                keeps_discard(without(hand, used), None if taken in used else taken)
                for used in formations(hand)
            )
            assert ("formation" in game.legal()) == possible
            seen[possible] += 1
            game.play(next(m for m in game.legal() if m not in ("formation", f"discard:{taken}")))
    assert seen[True] >= 10 and seen[False] >= 10


# --- what cannot come up in a round, and the rest of the interface ----------------------------


def fresh(rules: dict[str, Any] | None = None, seed: int = 0) -> Round:
    """A round past the declarations."""
    starter, hands, deck = biased_deal(random.Random(seed), "uniform")
    game = Round(rules or {}, starter, hands, deck)
    for _ in range(4):
        game.play("declare:no")
    return game


def test_x10_2_a_shuffle_that_yields_no_card_cancels() -> None:
    """Every turn adds a card to the fire pile, so the pile must be cut down by hand here."""
    game = fresh()
    game.play(game.legal()[0])
    game.hands[0] += game.deck
    game.deck = []
    assert game.play("draw:deck") == {"seat": game.seat, "move": "draw:deck"}
    assert game.result == {"reason": "cancelled", "winner": None, "penalties": [0, 0, 0, 0]}


def test_reshuffled_is_checked() -> None:
    """Only where the draw reshuffles, and only the fire pile except its top."""
    game = fresh()
    game.play(game.legal()[0])
    with pytest.raises(IllegalMove):
        game.play("draw:deck", reshuffled=["2C"])
    while game.deck:
        drawn = game.play("draw:deck")["drawn"]
        game.play(f"discard:{drawn}")
    pool = game.fire[:-1]
    for wrong in ([], pool[1:], game.fire, [*pool[1:], "2C" if pool[0] != "2C" else "3C"]):
        with pytest.raises(IllegalMove):
            game.play("draw:deck", reshuffled=wrong)
        assert not game.deck and game.legal() == ["draw:deck", "draw:fire"]
    new = sorted(pool)
    event = game.play("draw:deck", reshuffled=new)
    assert event["reshuffled"] == new and event["drawn"] == new[0] and game.deck == new[1:]


def test_biased_deals_are_deals() -> None:
    for kind in KINDS:
        for seed in range(50):
            assert deal_error(*biased_deal(random.Random(seed), kind)) is None


def test_no_deal() -> None:
    starter, hands, deck = biased_deal(random.Random(0), "uniform", 0)
    with pytest.raises(ValueError):
        Round({}, 1, hands, deck)
    with pytest.raises(ValueError):
        Round({}, starter, hands, [*deck[:-1], deck[0]])
