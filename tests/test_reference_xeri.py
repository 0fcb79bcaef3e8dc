"""The reference engine for Xeri agrees with every sample record, and a self-check of it."""

from __future__ import annotations

import copy
import gzip
import json
import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reference.xeri import (
    ALL_CARDS,
    DEFAULT_RULES,
    Event,
    IllegalMove,
    Round,
    Score,
    card_points,
    check_match,
    deal_error,
)
from tests.xeri.biased_deals import KINDS, TEMPERS, biased_deal, choose, random_rules

Record = dict[str, Any]

HERE = Path(__file__).resolve().parent


# --- samples --------------------------------------------------------------------------------


def sample_files() -> list[Path]:
    """The samples beside these tests; more of them in XABITHA_SHARED or a sibling folder."""
    folders = [HERE / "data" / "records"]
    if "XABITHA_SHARED" in os.environ:
        shared = Path(os.environ["XABITHA_SHARED"])
        folders += [shared, shared / "records"]
    folders.append(HERE.parent.parent / "shared" / "records")
    found: dict[str, Path] = {}
    for folder in folders:
        for path in sorted(folder.glob("xeri-*.jsonl.gz")):
            found.setdefault(path.name, path)
    return list(found.values())


def matches() -> list[Any]:
    """All the sample matches, as test parameters."""
    cases = []
    for path in sample_files():
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            for number, line in enumerate(lines):
                cases.append(pytest.param(json.loads(line), id=f"{path.name}:{number + 1}"))
    return cases


def test_there_are_samples() -> None:
    assert len(matches()) >= 50


@pytest.mark.parametrize("record", matches())
def test_sample(record: Record) -> None:
    assert check_match(record) is None


# --- random matches -------------------------------------------------------------------------


class Watcher:
    """Counts what happens, checks that no card is lost, and scores each round once more."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self._log: list[tuple[list[str], Event]] = []

    def __call__(self, game: Round, pile: list[str], event: Event) -> None:
        cards = Counter([*game.stock, *game.pile, *game.captured[0], *game.captured[1]])
        for hand in game.hands:
            cards.update(hand)
        assert cards == Counter(ALL_CARDS)
        self._log.append((pile, event))
        self._count(game, pile, event)
        if game.over:
            self._count_end(game)
            self._log = []

    def _count(self, game: Round, pile: list[str], event: Event) -> None:
        jack, lone = event["move"][5] == "J", len(pile) == 1
        self.seen["capture by rank"] += "captured" in event and not jack
        self.seen["capture by jack"] += "captured" in event and jack
        self.seen["jack on an empty pile"] += jack and not pile
        self.seen["jack on a single card"] += jack and lone and pile[0][0] != "J"
        self.seen["xeri"] += "xeri" in event and not jack
        self.seen["jack xeri"] += "xeri" in event and jack
        self.seen["xeri across deals"] += "xeri" in event and len(self._log) == 25
        self.seen["xeri at the end of a deal"] += "xeri" in event and len(self._log) == 24
        if len(self._log) == 48 and lone and pile[0][0] == event["move"][5]:
            allowed = game.rules["dealer_last_card_xeri"]
            self.seen[f"last card on its rank, {allowed}"] += 1
            assert ("xeri" in event) == allowed

    def _count_end(self, game: Round) -> None:
        assert game.result is not None and len(self._log) == 48
        assert game.result["points"] == self._scores()
        cards = game.result["cards"]
        self.seen["tie of cards"] += cards == [26, 26]
        self.seen["tie of points"] += game.result["winner"] is None and sum(cards) > 0
        self.seen["nobody captured"] += sum(cards) == 0
        self.seen["one team captured"] += 52 in cards
        self.seen["cards left"] += "captured" not in self._log[-1][1]
        more = cards.index(max(cards))
        self.seen["fewer cards win"] += game.result["winner"] == 1 - more

    def _scores(self) -> list[int]:
        """The points of the round, from what was seen of it alone."""
        points, cards, last = [0, 0], [0, 0], None
        for pile, event in self._log:
            if "captured" in event:
                last = event["seat"] % 2
                taken = [*pile, event["move"][5:]]
                assert len(taken) == event["captured"]
                cards[last] += len(taken)
                points[last] += sum(map(card_points, taken)) + event.get("xeri", 0)
        pile, event = self._log[-1]
        if last is not None and "captured" not in event:
            cards[last] += len(pile) + 1
            points[last] += sum(map(card_points, [*pile, event["move"][5:]]))
        for team in (0, 1):
            points[team] += 3 * (cards[team] > cards[1 - team])
        return points


def random_round(
    rng: random.Random,
    rules: dict[str, Any],
    dealer: int | None,
    tempers: list[str],
    watch: Watcher,
) -> Record:
    """A round of a record, from biased cards."""
    first, hands, pile, stock, bottom = biased_deal(rng, rng.choice(KINDS), rules, dealer)
    game = Round(rules, first, hands, pile, stock, bottom)
    events = []
    while not game.over:
        legal, before = game.legal(), list(game.pile)
        event = game.play(choose(rng, legal, before, tempers[game.seat]))
        watch(game, before, event)
        events.append({**event, "legal": legal})
    entry: Record = {
        "dealer": first,
        "deal": {"hands": hands, "pile": pile, "stock": stock},
        "events": events,
        "result": game.result,
    }
    return entry if bottom is None else {**entry, "bottom_card": bottom}


def random_match(rng: random.Random, temper: str | None, watch: Watcher) -> Record:
    """A match under random rules; each seat has the temper, or a random one."""
    rules = random_rules(rng)
    tempers = [temper or rng.choice(TEMPERS) for _ in range(4)]
    score, rounds = Score(rules), []
    dealer: int | None = None
    # Without points no target is ever reached: such a match is cut off.
    while score.winners() is None and len(rounds) < 40:
        rounds.append(random_round(rng, rules, dealer, tempers, watch))
        score.add(rounds[-1]["result"])
        dealer = (rounds[-1]["dealer"] + 1) % 4  # R1.2
    count_game(score, watch.seen)
    return {
        "format": "xabitha-record",
        "version": 1,
        "game": "xeri",
        "rules": rules,
        "seed": None,
        "agents": tempers,
        "rounds": rounds,
        "result": score.result(),
    }


def count_game(score: Score, seen: Counter[str]) -> None:
    """How the game ended (R5)."""
    winners = score.winners()
    if score.rules["target_score"] is None:
        seen["shared game"] += winners == [0, 1]
        seen["game won by rounds"] += winners != [0, 1]
        fewer = winners in ([0], [1]) and score.totals[winners[0]] < max(score.totals)
        seen["fewer points win the game"] += fewer
        return
    seen["target reached"] += bool(winners) and not score.extended
    seen["extended target"] += bool(winners) and score.extended
    both = min(score.totals) >= score.rules["extended_target_score"]
    seen["both at the extended target"] += bool(winners) and both


WANTED = (
    """
capture by rank|capture by jack|jack on an empty pile|jack on a single card|xeri|jack xeri
xeri across deals|xeri at the end of a deal|last card on its rank, True
last card on its rank, False|tie of cards|tie of points|nobody captured|one team captured
cards left|fewer cards win|shared game|game won by rounds|fewer points win the game
target reached|extended target|both at the extended target
""".replace("\n", "|")
    .strip("|")
    .split("|")
)


def play_matches(count: int, seed: int = 1) -> tuple[list[Record], Counter[str]]:
    """Random matches of all tempers, every second one of mixed tempers; what was seen."""
    watcher = Watcher()
    records = []
    for number in range(count):
        temper = TEMPERS[number // 2 % len(TEMPERS)] if number % 2 else None
        records.append(random_match(random.Random(f"{seed}/{number}"), temper, watcher))
    return records, watcher.seen


@pytest.fixture(scope="module")
def played() -> tuple[list[Record], Counter[str]]:
    """Enough matches to see everything."""
    return play_matches(200)


def test_everything_happens(played: tuple[list[Record], Counter[str]]) -> None:
    _, seen = played
    assert [what for what in WANTED if not seen[what]] == []


def test_own_records_pass(played: tuple[list[Record], Counter[str]]) -> None:
    records, _ = played
    assert [check_match(record) for record in records if check_match(record)] == []


# --- mutations of a record ------------------------------------------------------------------


def event_at(record: Record, wanted: Callable[[Event], bool]) -> Event | None:
    """The first event like this."""
    events = [event for entry in record["rounds"] for event in entry["events"]]
    return next((event for event in events if wanted(event)), None)


def drop_legal(record: Record) -> bool:
    record["rounds"][-1]["events"][-1]["legal"].pop()
    return True


def more_legal(record: Record) -> bool:
    record["rounds"][0]["events"][4]["legal"].append("play:no")
    return True


def unsorted_legal(record: Record) -> bool:
    record["rounds"][0]["events"][0]["legal"].reverse()
    return True


def no_captured(record: Record) -> bool:
    event = event_at(record, lambda event: "captured" in event)
    return event is not None and bool(event.pop("captured"))


def other_captured(record: Record) -> bool:
    event = event_at(record, lambda event: "captured" in event)
    if event is not None:
        event["captured"] -= 1
    return event is not None


def false_captured(record: Record) -> bool:
    event = event_at(record, lambda event: "captured" not in event)
    assert event is not None
    event["captured"] = 0
    return True


def no_xeri(record: Record) -> bool:
    event = event_at(record, lambda event: "xeri" in event)
    return event is not None and event.pop("xeri") is not None


def other_xeri(record: Record) -> bool:
    event = event_at(record, lambda event: "xeri" in event)
    if event is not None:
        event["xeri"] += 1
    return event is not None


def false_xeri(record: Record) -> bool:
    event = event_at(record, lambda event: "captured" in event and "xeri" not in event)
    if event is not None:
        event["xeri"] = record["rules"]["xeri_points"]
    return event is not None


def null_xeri(record: Record) -> bool:
    event = event_at(record, lambda event: "xeri" not in event)
    assert event is not None
    event["xeri"] = None
    return True


def other_seat(record: Record) -> bool:
    event = record["rounds"][0]["events"][-1]
    event["seat"] = (event["seat"] + 1) % 4
    return True


def no_seat(record: Record) -> bool:
    return record["rounds"][0]["events"][0].pop("seat") is not None


def no_move(record: Record) -> bool:
    return bool(record["rounds"][0]["events"][0].pop("move"))


def illegal_move(record: Record) -> bool:
    events = record["rounds"][0]["events"]
    events[4]["move"] = events[5]["move"]
    return True


def one_event_less(record: Record) -> bool:
    record["rounds"][0]["events"].pop()
    return True


def one_event_more(record: Record) -> bool:
    events = record["rounds"][0]["events"]
    events.append(events[-1])
    return True


def other_dealer(record: Record) -> bool:
    record["rounds"][-1]["dealer"] = (record["rounds"][-1]["dealer"] + 1) % 4
    return True


def true_dealer(record: Record) -> bool:
    record["rounds"][0]["dealer"] = True
    return True


def twice_the_card(record: Record) -> bool:
    deal = record["rounds"][0]["deal"]
    deal["stock"][0] = deal["hands"][0][0]
    return True


def other_stock(record: Record) -> bool:
    """The first two seats swap their first cards of the second deal."""
    stock = record["rounds"][0]["deal"]["stock"]
    stock[0], stock[1] = stock[1], stock[0]
    return True


def no_stock(record: Record) -> bool:
    return bool(record["rounds"][0]["deal"].pop("stock"))


def other_redeal(record: Record) -> bool:
    """Some pile would have been dealt again."""
    piles = [entry["deal"]["pile"] for entry in record["rounds"]]
    record["rules"]["redeal_pile"] = True
    return any(len({card[0] for card in pile}) < 4 or pile[-1][0] == "J" for pile in piles)


def other_bottom(record: Record) -> bool:
    entry = record["rounds"][0]
    if "bottom_card" not in entry:
        return False
    entry["bottom_card"] = next(c for c in entry["deal"]["stock"][:-1] if c[0] != "J")
    return True


def no_bottom(record: Record) -> bool:
    return bool(record["rounds"][0].pop("bottom_card", None))


def false_bottom(record: Record) -> bool:
    entry = record["rounds"][0]
    if "bottom_card" in entry:
        return False
    entry["bottom_card"] = entry["deal"]["stock"][-1]
    return True


def null_bottom(record: Record) -> bool:
    entry = record["rounds"][0]
    return entry.setdefault("bottom_card", None) is None


def other_points(record: Record) -> bool:
    record["rounds"][0]["result"]["points"][1] += 1
    return True


def other_cards(record: Record) -> bool:
    cards = record["rounds"][-1]["result"]["cards"]
    cards.reverse()
    return cards[0] != cards[1]


def swapped_xeris(record: Record) -> bool:
    xeris = record["rounds"][-1]["result"]["xeris"]
    xeris.reverse()
    return xeris[0] != xeris[1]


def other_round_winner(record: Record) -> bool:
    result = record["rounds"][-1]["result"]
    result["winner"] = 1 if result["winner"] != 1 else None
    return True


def float_winner(record: Record) -> bool:
    result = record["rounds"][-1]["result"]
    if result["winner"] is None:
        return False
    result["winner"] = float(result["winner"])
    return True


def no_points(record: Record) -> bool:
    return bool(record["rounds"][0]["result"].pop("points"))


def no_round_result(record: Record) -> bool:
    record["rounds"][-1]["result"] = None
    return True


def other_totals(record: Record) -> bool:
    if record["result"] is None:
        return False
    record["result"]["totals"][0] += 5
    return True


def other_winners(record: Record) -> bool:
    if record["result"] is None:
        return False
    record["result"]["winners"] = [1] if record["result"]["winners"] != [1] else [0]
    return True


def other_round_wins(record: Record) -> bool:
    if record["result"] is None:
        return False
    record["result"]["round_wins"][1] += 1
    return True


def no_round_wins(record: Record) -> bool:
    return record["result"] is not None and bool(record["result"].pop("round_wins"))


def no_result(record: Record) -> bool:
    done = record["result"] is not None
    record["result"] = None
    return done


def result_left_out(record: Record) -> bool:
    del record["result"]
    return True


def one_round_less(record: Record) -> bool:
    record["rounds"].pop()
    return record["result"] is not None


def other_version(record: Record) -> bool:
    record["version"] = 2
    return True


def other_game(record: Record) -> bool:
    record["game"] = "xabitha"
    return True


def three_agents(record: Record) -> bool:
    return bool(record["agents"].pop())


def missing_rule(record: Record) -> bool:
    del record["rules"]["jack_xeri_points"]
    return True


def other_xeri_points(record: Record) -> bool:
    record["rules"]["xeri_points"] += 1
    return event_at(record, lambda e: "xeri" in e and e["move"][5] != "J") is not None


def other_jack_xeri_points(record: Record) -> bool:
    record["rules"]["jack_xeri_points"] += 1
    return event_at(record, lambda e: "xeri" in e and e["move"][5] == "J") is not None


def no_last_card_xeri(record: Record) -> bool:
    last = [entry["events"][-1] for entry in record["rounds"]]
    record["rules"]["dealer_last_card_xeri"] = False
    return any("xeri" in event for event in last)


MUTATIONS = [
    drop_legal,
    more_legal,
    unsorted_legal,
    no_captured,
    other_captured,
    false_captured,
    no_xeri,
    other_xeri,
    false_xeri,
    null_xeri,
    other_seat,
    no_seat,
    no_move,
    illegal_move,
    one_event_less,
    one_event_more,
    other_dealer,
    true_dealer,
    twice_the_card,
    other_stock,
    no_stock,
    other_redeal,
    other_bottom,
    no_bottom,
    false_bottom,
    null_bottom,
    other_points,
    other_cards,
    swapped_xeris,
    other_round_winner,
    float_winner,
    no_points,
    no_round_result,
    other_totals,
    other_winners,
    other_round_wins,
    no_round_wins,
    no_result,
    result_left_out,
    one_round_less,
    other_version,
    other_game,
    three_agents,
    missing_rule,
    other_xeri_points,
    other_jack_xeri_points,
    no_last_card_xeri,
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
    """Wherever they stand."""
    record = copy.deepcopy(next(record for record in played[0] if record["result"]))
    notes = [record, record["rules"], record["result"]]
    for entry in record["rounds"]:
        notes += [entry, entry["deal"], entry["result"], *entry["events"]]
    for note in notes:
        note["note"] = "?"
        note.pop("legal", None)
    assert check_match(record) is None


@pytest.mark.parametrize("left", [0, 1, 24, 47])
def test_check_match_of_matches_cut_off(
    left: int, played: tuple[list[Record], Counter[str]]
) -> None:
    """At the end of a round or within it; only in the last round."""
    record = copy.deepcopy(next(record for record in played[0] if len(record["rounds"]) > 3))
    record["result"] = None
    record["rounds"] = record["rounds"][:3]
    if left:
        for entry in record["rounds"][1:]:
            del entry["events"][-left:]
            entry["result"] = None
        assert "round 1" in str(check_match(record))
        record["rounds"].pop()
    assert check_match(record) is None


# --- deals ----------------------------------------------------------------------------------


def test_biased_deals_are_deals() -> None:
    for kind in KINDS:
        for seed in range(100):
            rng = random.Random(seed)
            rules = random_rules(rng)
            assert deal_error(rules, *biased_deal(rng, kind, rules)) is None
        assert deal_error(DEFAULT_RULES, *biased_deal(rng, kind, {})) is None
        assert biased_deal(rng, kind, {}, 2)[0] == 2


def test_no_deal() -> None:
    dealer, hands, pile, stock, _ = biased_deal(random.Random(0), "uniform", {})
    with pytest.raises(ValueError):
        Round({}, 4, hands, pile, stock)
    with pytest.raises(ValueError):
        Round({}, dealer, hands, pile, [*stock[:-1], stock[0]])
    with pytest.raises(ValueError):
        Round({}, dealer, hands, [*pile, stock[0]], stock[1:])
    with pytest.raises(ValueError):
        Round({}, dealer, hands, pile, stock, stock[-1])
    with pytest.raises(ValueError):
        Round({"show_bottom_card": True}, dealer, hands, pile, stock)


def test_refused_moves_change_nothing() -> None:
    game = Round({}, *biased_deal(random.Random(1), "uniform", {}))
    while not game.over:
        before = copy.deepcopy(vars(game))
        for card in ALL_CARDS:
            if card not in game.hands[game.seat]:
                with pytest.raises(IllegalMove):
                    game.play(f"play:{card}")
        assert vars(game) == before
        game.play(game.legal()[0])
    with pytest.raises(IllegalMove):
        game.play("play:AC")
