"""Match records of Xeri: samples, own records, changed ones, and the commands."""

from __future__ import annotations

import copy
import gzip
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.reference.xeri import check_match
from tests.xeri.biased_deals import random_rules
from xabitha_env.cli.main import run
from xabitha_env.games import make_rules
from xabitha_env.players.loader import compiled_names
from xabitha_env.record import (
    FieldError,
    check_record,
    read_records,
    record_matches,
    verify_file,
    verify_record,
)

Record = dict[str, Any]
SAMPLES = sorted((Path(__file__).parents[1] / "data" / "records").glob("xeri-*.jsonl.gz"))
PLAYERS = compiled_names("xeri")
EVENT = "rounds[0].events[5]"
MISSING = object()


def sample(path: Path) -> list[Record]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


ALL_SAMPLES = [record for path in SAMPLES for record in sample(path)]


def find(wanted: Callable[[dict[str, Any]], bool]) -> tuple[Record, int, int]:
    """A copy of the first sample with an event as wanted, and where that is."""
    for record in ALL_SAMPLES:
        for number, entry in enumerate(record["rounds"]):
            for index, event in enumerate(entry["events"]):
                if wanted(event):
                    return copy.deepcopy(record), number, index
    raise AssertionError("the samples have no such event")


# --- samples and own records ----------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_from_elsewhere_hold(path: Path) -> None:
    found = list(verify_file(path))
    assert len(found) >= 10
    assert found == [(line, None) for line in range(1, len(found) + 1)]


def test_the_samples_hold_what_the_mutations_need() -> None:
    assert len(SAMPLES) == 2
    for field in ("captured", "xeri", "legal"):
        find(lambda event, field=field: field in event)
    assert any("bottom_card" in record["rounds"][0] for record in ALL_SAMPLES)
    assert any(record["rules"]["target_score"] for record in ALL_SAMPLES)


def assert_right(record: Record) -> None:
    """Both engines find nothing wrong, and the record is plain data."""
    assert verify_record(record) is None and check_match(record) is None
    assert json.loads(json.dumps(record)) == record


@pytest.mark.parametrize("players", [*[[name] for name in PLAYERS], ["counting", "greedy"]])
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"num_rounds": 1, "redeal_pile": False},
        {"num_rounds": 2, "show_bottom_card": True, "dealer_last_card_xeri": False},
        {"target_score": 60, "jack_xeri_points": 25},
        {"target_score": 20, "extended_target_score": 25, "xeri_points": 3},
    ],
)
def test_own_records_verify(players: list[str], fields: dict[str, Any]) -> None:
    for record in record_matches(players, [5, 6], game="xeri", rules=fields, legal=True):
        assert_right(record)
        assert record["rules"] == make_rules("xeri", fields).to_dict()
        assert ("bottom_card" in record["rounds"][0]) == record["rules"]["show_bottom_card"]


@pytest.mark.parametrize("count", [25, pytest.param(1500, marks=pytest.mark.slow)])
def test_own_records_under_random_rules_verify(count: int) -> None:
    for seed in range(count):
        rng = random.Random(seed)
        rules = random_rules(rng)
        if rules["target_score"] is not None:
            rules["target_score"] = min(rules["target_score"], 60)
        players = [rng.choice(PLAYERS) for _ in range(4)]
        for record in record_matches(players, [seed], game="xeri", rules=rules, legal=True):
            assert_right(record)


def test_records_have_the_format_of_the_document() -> None:
    rules = {"num_rounds": 2, "show_bottom_card": True}
    (record,) = record_matches(["counting", "greedy"], [7], game="xeri", rules=rules)
    assert (record["game"], record["seed"]) == ("xeri", 7)
    assert record["agents"] == ["counting", "greedy"] * 2
    entry = record["rounds"][0]
    assert set(entry) == {"dealer", "deal", "bottom_card", "events", "result"}
    assert set(entry["deal"]) == {"hands", "pile", "stock"} and len(entry["events"]) == 48
    assert set(entry["result"]) == {"points", "cards", "xeris", "winner"}
    assert set(record["result"]) == {"totals", "winners", "round_wins"}
    fields = {field for event in entry["events"] for field in event}
    assert fields <= {"seat", "move", "captured", "xeri"}


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_records_do_not_depend_on_the_batch(batch: int) -> None:
    def play(batch: int) -> list[Record]:
        players = ["counting", "random", "greedy", "random"]
        rules = {"target_score": 40}
        return list(record_matches(players, range(5), game="xeri", rules=rules, batch=batch))

    assert play(batch) == play(2)


def test_players_from_outside_are_recorded() -> None:
    def last(observation: Any, mask: Any) -> int:
        return int(mask.nonzero()[0][-1])

    for record in record_matches([last, "counting"], [1, 2], game="xeri"):
        assert record["agents"] == ["last", "counting"] * 2
        assert_right(record)


# --- the structure --------------------------------------------------------------------------


def put(record: Any, path: str, value: Any) -> None:
    """Put a value (or nothing) in the place that a field's path names."""
    *steps, last = [
        int(step[1:-1]) if step.startswith("[") else step
        for step in path.replace("[", ".[").strip(".").split(".")
    ]
    for step in steps:
        record = record[step]
    if value is MISSING:
        del record[last]
    else:
        record[last] = value


@pytest.mark.parametrize(("path", "value"), [
    *((f"rules.{name}", MISSING) for name in make_rules("xeri").to_dict()),
    ("game", "xabitha"), ("rules.redeal_pile", 1), ("rules.target_score", 0),
    ("rules.target_score", "151"), ("rules.xeri_points", -1), ("rules.num_rounds", None),
    ("rounds[0].dealer", MISSING), ("rounds[0].dealer", 4), ("rounds[0].dealer", True),
    ("rounds[0].deal", MISSING), ("rounds[0].deal", []),
    ("rounds[0].deal.hands", MISSING), ("rounds[0].deal.hands", [[]] * 3),
    ("rounds[0].deal.hands[1][2]", "1S"), ("rounds[0].deal.hands[3]", "AS"),
    ("rounds[0].deal.pile", MISSING), ("rounds[0].deal.pile[3]", 3),
    ("rounds[0].deal.stock", MISSING), ("rounds[0].deal.stock[23]", "10S"),
    ("rounds[0].bottom_card", None), ("rounds[0].bottom_card", "XX"),
    ("rounds[0].events", MISSING), (EVENT, "play:TD"),
    (EVENT + ".seat", MISSING), (EVENT + ".seat", 4), (EVENT + ".move", MISSING),
    (EVENT + ".move", 7), (EVENT + ".captured", None), (EVENT + ".captured", 2.0),
    (EVENT + ".captured", True), (EVENT + ".xeri", None), (EVENT + ".xeri", "10"),
    (EVENT + ".legal", None), (EVENT + ".legal[0]", 7),
    ("rounds[0].result", MISSING), ("rounds[0].result.points", MISSING),
    ("rounds[0].result.points", [1]), ("rounds[0].result.points[1]", 1.0),
    ("rounds[0].result.cards", MISSING), ("rounds[0].result.cards[0]", None),
    ("rounds[0].result.xeris", MISSING), ("rounds[0].result.xeris", [10, 0]),
    ("rounds[0].result.xeris[1]", [1.5]), ("rounds[0].result.winner", MISSING),
    ("rounds[0].result.winner", 2), ("rounds[0].result.winner", False),
    ("result", MISSING), ("result.totals", MISSING), ("result.totals[1]", 0.5),
    ("result.round_wins", MISSING), ("result.round_wins", [1, 1, 1]),
    ("result.winners", MISSING), ("result.winners", [2]),
])  # fmt: skip
def test_a_wrong_field_is_named(path: str, value: Any) -> None:
    record = copy.deepcopy(ALL_SAMPLES[0])
    put(record, path, value)
    with pytest.raises(FieldError) as error:
        check_record(record)
    assert error.value.path.startswith("rules." if path == "game" else path)


def test_unknown_fields_are_ignored() -> None:
    record = copy.deepcopy(ALL_SAMPLES[0])
    entry = record["rounds"][0]
    places = (record, record["rules"], record["result"], entry, entry["deal"], entry["result"])
    for place in (*places, entry["events"][5]):
        place["comment"] = {"anything": [1.5, None]}
    assert_right(record)


# --- changed records ------------------------------------------------------------------------


def another(card: str) -> str:
    return "2C" if card != "2C" else "3C"


def takes(event: dict[str, Any]) -> bool:
    return "captured" in event


def lays(event: dict[str, Any]) -> bool:
    return "captured" not in event and len(event["legal"]) > 3


EVENT_MUTATIONS: dict[str, tuple[Any, Any, str]] = {
    "another seat": (lays, lambda e: e.update(seat=(e["seat"] + 1) % 4), "seat"),
    "a card not in hand": (
        lambda e: "play:2C" not in e["legal"],
        lambda e: e.update(move="play:2C"),
        "move",
    ),
    "no move at all": (lays, lambda e: e.update(move="draw:deck"), "move"),
    "a joker": (lays, lambda e: e.update(move="play:JK"), "move"),
    "a card alone": (lays, lambda e: e.update(move=e["move"][5:]), "move"),
    "captured not told": (takes, lambda e: e.pop("captured"), "captured"),
    "one captured less": (takes, lambda e: e.update(captured=e["captured"] - 1), "captured"),
    "nothing captured": (lays, lambda e: e.update(captured=0), "captured"),
    "captured its own": (lays, lambda e: e.update(captured=1), "captured"),
    "xeri not told": (lambda e: "xeri" in e, lambda e: e.pop("xeri"), "xeri"),
    "xeri of other points": (
        lambda e: "xeri" in e,
        lambda e: e.update(xeri=e["xeri"] + 1),
        "xeri",
    ),
    "xeri that is none": (
        lambda e: takes(e) and "xeri" not in e,
        lambda e: e.update(xeri=10),
        "xeri",
    ),
    "xeri of no points": (lays, lambda e: e.update(xeri=0), "xeri"),
    "legal move missing": (lays, lambda e: e["legal"].pop(), "legal"),
    "legal move too many": (lays, lambda e: e["legal"].append("play:XX"), "legal"),
    "legal move twice": (lays, lambda e: e["legal"].insert(0, e["legal"][0]), "legal"),
    "legal moves unsorted": (lays, lambda e: e["legal"].reverse(), "legal"),
    "no legal moves": (lays, lambda e: e["legal"].clear(), "legal"),
}


@pytest.mark.parametrize("name", EVENT_MUTATIONS)
def test_a_changed_event_is_found(name: str) -> None:
    wanted, change, field = EVENT_MUTATIONS[name]
    record, number, index = find(wanted)
    event = record["rounds"][number]["events"][index]
    before = copy.deepcopy(event)
    change(event)
    found = verify_record(record)
    assert found is not None and check_match(record) is not None
    assert (found.round, found.event, found.field) == (number, index, field)
    assert found.given == event.get(field)
    assert field == "move" or found.own == before.get(field)


def test_another_card_of_the_hand_is_found_later() -> None:
    """A legal move that was not made: what follows differs, at the latest a later hand."""
    record, number, index = find(lays)
    event = record["rounds"][number]["events"][index]
    event["move"] = next(move for move in event["legal"] if move != event["move"])
    found = verify_record(record)
    assert found is not None and (found.round, found.event) >= (number, index)
    assert found.event != index or found.field == "captured"


def with_rules(**wanted: Any) -> Record:
    """A copy of a sample by such rules, of two rounds at least."""
    for record in ALL_SAMPLES:
        fits = all(bool(record["rules"][name]) == value for name, value in wanted.items())
        if fits and len(record["rounds"]) > 1 and record["result"]["winners"] != [0, 1]:
            return copy.deepcopy(record)
    raise AssertionError("no such sample")


def swap(cards: list[str], first: int, second: int) -> None:
    cards[first], cards[second] = cards[second], cards[first]


def swap_in_stock(record: Record) -> tuple[Any, ...]:
    swap(record["rounds"][0]["deal"]["stock"], 0, 1)  # two seats' next hands
    return 0, None, ("legal", "move")


def change_card(part: str) -> Callable[[Record], tuple[Any, ...]]:
    def change(record: Record) -> tuple[Any, ...]:
        cards = record["rounds"][1]["deal"][part]
        cards = cards[2] if part == "hands" else cards
        cards[-1] = another(cards[-1])
        return 1, None, ("deal",)

    return change


def move_card(record: Record) -> tuple[Any, ...]:
    deal = record["rounds"][0]["deal"]
    deal["stock"].append(deal["hands"][1].pop())
    return 0, None, ("deal",)


def first_dealer(record: Record) -> tuple[Any, ...]:
    record["rounds"][0]["dealer"] = (record["rounds"][0]["dealer"] + 1) % 4
    return 0, 0, ("seat",)


def next_dealer(record: Record) -> tuple[Any, ...]:
    record["rounds"][1]["dealer"] = record["rounds"][0]["dealer"]
    return 1, None, ("dealer",)


def change_field(path: str, value: Any) -> Callable[[Record], tuple[Any, ...]]:
    """Put a value, or one made of the old value, in a place of a result."""

    def change(record: Record) -> tuple[Any, ...]:
        place: Any = record
        *steps, last = path.split(".")
        for step in steps:
            place = place[int(step) if step.isdigit() else step]
        place[last] = value(place[last]) if callable(value) else value
        number = int(steps[1]) if steps and steps[0] == "rounds" else None
        return number, None, (path.rpartition(f"rounds.{number}.")[2],)

    return change


def bump(numbers: list[int]) -> list[int]:
    return [numbers[0] + 1, numbers[1]]


def drop_event(record: Record) -> tuple[Any, ...]:
    record["rounds"][0]["events"].pop()
    return 0, 47, ("move",)


def add_event(record: Record) -> tuple[Any, ...]:
    record["rounds"][0]["events"].append(dict(record["rounds"][0]["events"][-1]))
    return 0, 48, ("move",)


def drop_round(record: Record) -> tuple[Any, ...]:
    record["rounds"].pop()
    return None, None, ("result",)


def add_round(record: Record) -> tuple[Any, ...]:
    record["rounds"].append(copy.deepcopy(record["rounds"][-1]))
    return None, None, ("rounds",)


def no_rounds(record: Record) -> tuple[Any, ...]:
    record["rounds"] = []
    return None, None, ("result",)


def cut_in_the_middle(record: Record) -> tuple[Any, ...]:
    record["rounds"][0]["events"].pop()
    record["rounds"][0]["result"] = record["result"] = None
    return 0, 47, ("move",)


def cut_with_a_result(record: Record) -> tuple[Any, ...]:
    record["rounds"][-1]["events"].pop()
    record["result"] = None
    return len(record["rounds"]) - 1, None, ("result",)


def no_bottom_card(record: Record) -> tuple[Any, ...]:
    record["rounds"][0].pop("bottom_card")
    return 0, None, ("deal",)


def other_bottom_card(record: Record) -> tuple[Any, ...]:
    record["rounds"][0]["bottom_card"] = record["rounds"][0]["deal"]["stock"][0]
    return 0, None, ("deal",)


def a_jack_at_the_bottom(record: Record) -> tuple[Any, ...]:
    """Put a jack where it cannot be; the cards are still the pack (R2.3)."""
    deal = record["rounds"][0]["deal"]
    for cards in (*deal["hands"], deal["stock"]):
        if jacks := [place for place, card in enumerate(cards) if card[0] == "J"]:
            cards[jacks[0]], deal["stock"][-1] = deal["stock"][-1], cards[jacks[0]]
            break
    record["rounds"][0]["bottom_card"] = deal["stock"][-1]
    return 0, None, ("deal",)


def a_pile_that_is_dealt_anew(record: Record) -> tuple[Any, ...]:
    """Two cards of a rank in the pile; the cards are still the pack (R2.2)."""
    deal = record["rounds"][0]["deal"]
    top = deal["pile"][-1]
    for cards in (*deal["hands"], deal["stock"]):
        if same := [place for place, card in enumerate(cards) if card[0] == top[0]]:
            cards[same[0]], deal["pile"][0] = deal["pile"][0], cards[same[0]]
            break
    return 0, None, ("deal",)


def unexpected_bottom_card(record: Record) -> tuple[Any, ...]:
    record["rounds"][0]["bottom_card"] = record["rounds"][0]["deal"]["stock"][-1]
    return 0, None, ("deal",)


PLAIN: dict[str, Any] = {"show_bottom_card": False, "redeal_pile": True, "target_score": False}
SHOWN: dict[str, Any] = {"show_bottom_card": True}
TARGET: dict[str, Any] = {"target_score": True}
MUTATIONS: list[tuple[dict[str, Any], Callable[[Record], tuple[Any, ...]]]] = [
    *((PLAIN, change) for change in (
        swap_in_stock, change_card("hands"), change_card("pile"),
        change_card("stock"), move_card, first_dealer, next_dealer, drop_event, add_event,
        drop_round, add_round, no_rounds, cut_in_the_middle, cut_with_a_result,
        a_pile_that_is_dealt_anew, unexpected_bottom_card,
        change_field("rounds.0.result.points", bump),
        change_field("rounds.1.result.points", lambda points: points[::-1]),
        change_field("rounds.0.result.cards", bump),
        change_field("rounds.0.result.xeris", lambda xeris: [[*xeris[0], 10], xeris[1]]),
        change_field("rounds.1.result.winner", lambda winner: 0 if winner == 1 else 1),
        change_field("rounds.0.result", None), change_field("rounds.1.result", None),
        change_field("result.totals", bump), change_field("result.round_wins", bump),
        change_field("result.winners", lambda winners: [1 - winners[0]]),
        change_field("result.winners", [0, 1]), change_field("result.winners", []),
        change_field("result", None),
    )),
    *((SHOWN, change) for change in (no_bottom_card, other_bottom_card, a_jack_at_the_bottom)),
    *((TARGET, change) for change in (
        drop_round, add_round, change_field("result.totals", bump),
        change_field("result.winners", lambda winners: [1 - winners[0]]),
    )),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MUTATIONS)))
def test_a_changed_match_is_found(number: int) -> None:
    """By both engines; the difference is told where it is."""
    rules, change = MUTATIONS[number]
    record = with_rules(**rules)
    place, event, fields = change(record)
    found = verify_record(record)
    assert found is not None and check_match(record) is not None
    assert found.field in fields
    if fields != ("rounds",):
        assert found.round == place
    assert event is None or found.event == event


def test_another_order_of_the_pile_is_found() -> None:
    """Where the first play took the top card by its rank (R3.2)."""
    found = 0
    for record in map(copy.deepcopy, ALL_SAMPLES):
        entry = record["rounds"][0]
        first, pile = entry["events"][0], entry["deal"]["pile"]
        if "captured" in first and first["move"][5] != "J":
            place = next(n for n in range(3) if pile[n][0] not in ("J", pile[3][0]))
            swap(pile, place, 3)
            difference = verify_record(record)
            assert difference is not None and difference.path == "rounds[0].events[0].captured"
            assert check_match(record) is not None
            found += 1
    assert found > 3


@pytest.mark.parametrize(("name", "value"), [
    ("num_rounds", lambda old: old + 1), ("num_rounds", lambda old: old - 1),
    ("xeri_points", lambda old: old + 1), ("jack_xeri_points", lambda old: old + 1),
    ("show_bottom_card", lambda old: not old), ("target_score", lambda old: 1),
])  # fmt: skip
def test_other_rules_are_found(name: str, value: Callable[[Any], Any]) -> None:
    """A record by other rules than it says."""
    wrong = 0
    for record in map(copy.deepcopy, ALL_SAMPLES[:30]):
        by_rounds = record["rules"]["target_score"] is None and len(record["rounds"]) > 1
        record["rules"][name] = value(record["rules"][name])
        if by_rounds:
            own, other = verify_record(record), check_match(record)
            assert (own is None) == (other is None)
            wrong += own is not None
    assert wrong > (0 if name == "jack_xeri_points" else 5)


@pytest.mark.parametrize("left", [0, 1, 23, 24, 47])
def test_a_match_cut_off_is_no_difference(left: int) -> None:
    record = with_rules(**PLAIN)
    del record["rounds"][1]["events"][left:]
    del record["rounds"][2:]
    record["rounds"][1]["result"] = record["result"] = None
    assert_right(record)
    record["rounds"].pop()
    assert_right(record)  # between two rounds


# --- the commands ---------------------------------------------------------------------------


def recorded(path: Path) -> list[Any]:
    return [record for _, record in read_records(path)]


def one_error(capsys: Any, *arguments: str) -> str:
    """Run the command, which must fail with one line; returns the line."""
    assert run(arguments) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith("error: ") and err.count("\n") == 1, err
    return err


def test_record_and_verify(tmp_path: Path, capsys: Any) -> None:
    out = str(tmp_path / "games.jsonl.gz")
    arguments = ["record", "--game", "xeri", "--players", "counting,greedy"]
    arguments += ["--rule", "target_score=151", "--rule", "show_bottom_card=yes", "--legal"]
    assert run([*arguments, "--matches", "3", "--seed", "7", "--out", out]) == 0
    printed, err = capsys.readouterr()
    assert "counting + counting" in printed and "3 matches" in printed and err == ""
    records = recorded(tmp_path / "games.jsonl.gz")
    rules = make_rules("xeri", {"target_score": 151, "show_bottom_card": True}).to_dict()
    assert [record["seed"] for record in records] == [7, 8, 9]
    for record in records:
        assert record["rules"] == rules and max(record["result"]["totals"]) >= 151
        assert_right(record)
    assert run(["verify", out, *map(str, SAMPLES)]) == 0
    assert "agree" in capsys.readouterr().out


def test_record_as_json(tmp_path: Path, capsys: Any) -> None:
    out = tmp_path / "games.jsonl"
    arguments = ["record", "--game", "xeri", "--players", "random", "--rounds", "1", "--json"]
    assert run([*arguments, "--matches", "4", "--seed", "7", "--out", str(out)]) == 0
    summary = json.loads(capsys.readouterr().out)
    records = recorded(out)
    assert (summary["game"], summary["matches"], summary["decisions"]) == ("xeri", 4, 4 * 48)
    for team in (0, 1):
        assert summary["totals"][team] == sum(r["result"]["totals"][team] for r in records)
        assert summary["wins"][team] == sum(r["result"]["winners"] == [team] for r in records)


def test_the_same_seed_gives_the_same_file(tmp_path: Path) -> None:
    for name in ("a.jsonl.gz", "b.jsonl.gz"):
        out = str(tmp_path / name)
        assert run(["record", "--game", "xeri", "--seed", "3", "-q", "--out", out]) == 0
    assert (tmp_path / "a.jsonl.gz").read_bytes() == (tmp_path / "b.jsonl.gz").read_bytes()


def test_differences_are_told_and_give_1(tmp_path: Path, capsys: Any) -> None:
    right, wrong = ALL_SAMPLES[0], with_rules(**PLAIN)
    next_dealer(wrong)
    path = tmp_path / "mixed.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in (right, wrong)))
    assert run(["verify", str(path)]) == 1
    out = capsys.readouterr().out
    assert f"{path}: line 2, match 1, round 1: dealer: record" in out


@pytest.mark.parametrize(("arguments", "message"), [
    (["--players", "countng"], "no player 'countng'; did you mean 'counting'?"),
    (["--rule", "target_score=0"], "target_score must be none or a whole number from 1"),
    (["--rule", "target_score=many"], "target_score must be none or a whole number from 1"),
    (["--rule", "opening_points=5"], "no rules field 'opening_points'"),
    (["--rule", "target_scor=151"], "did you mean target_score?"),
    (["--rule", "show_bottom_card=2"], "must be true or false, not '2'"),
])  # fmt: skip
def test_wrong_use_of_record_is_one_line(
    tmp_path: Path, capsys: Any, arguments: list[str], message: str
) -> None:
    out = str(tmp_path / "x.jsonl")
    assert message in one_error(capsys, "record", "--game", "xeri", *arguments, "--out", out)
    assert list(tmp_path.iterdir()) == []


def test_a_target_can_be_taken_away(tmp_path: Path) -> None:
    """An optional rule reads none."""
    out = str(tmp_path / "x.jsonl")
    arguments = ["record", "--game", "xeri", "--rule", "target_score=none", "-q", "--seed", "1"]
    assert run([*arguments, "--out", out]) == 0
    (record,) = recorded(tmp_path / "x.jsonl")
    assert record["rules"]["target_score"] is None and len(record["rounds"]) == 4
