"""Match records: recorded, written, read, verified."""

import copy
import errno
import gzip
import json
import os
from pathlib import Path

import pytest

from xabitha_env.games import GAMES, make_rules
from xabitha_env.players import PlayerError
from xabitha_env.record import (
    Difference,
    FieldError,
    FileError,
    RecordProblem,
    check_record,
    parse_record,
    read_records,
    record_matches,
    verify_file,
    verify_record,
    write_records,
)
from xabitha_env.record.fields import FORMATS

SAMPLES = sorted((Path(__file__).parent / "data" / "records").glob("xabitha-*.jsonl.gz"))
RULES = {"num_rounds": 2, "opening_points": 30}


def _sample(path=SAMPLES[0]):
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


ALL_SAMPLES = [record for path in SAMPLES for record in _sample(path)]


def _events(record):
    """All events of a record, with their indices."""
    for number, entry in enumerate(record["rounds"]):
        for index, event in enumerate(entry["events"]):
            yield number, index, event


def _find(wanted):
    """A copy of the first sample record with an event as wanted, and where that is."""
    for record in ALL_SAMPLES:
        for number, index, event in _events(record):
            if wanted(event):
                return copy.deepcopy(record), number, index
    raise AssertionError("the samples have no such event")


@pytest.fixture(scope="module")
def own():
    return list(record_matches(["greedy", "random"], range(4), rules=RULES, legal=True))


# Recording.


def test_records_have_the_format_of_the_document(own):
    record = own[2]
    assert list(record) == [
        "format", "version", "game", "rules", "seed", "agents", "rounds", "result",
    ]  # fmt: skip
    assert (record["format"], record["version"], record["game"]) == ("xabitha-record", 1, "xabitha")
    assert record["rules"] == make_rules("xabitha", RULES).to_dict()
    assert [match["seed"] for match in own] == [0, 1, 2, 3]
    assert record["agents"] == ["greedy", "random"] * 2
    assert len(record["rounds"]) == 2
    assert all("legal" in event for _, _, event in _events(record))
    assert json.loads(json.dumps(record)) == record


def test_own_records_verify(own):
    assert [verify_record(record) for record in own] == [None] * 4


@pytest.mark.parametrize("fields", [
    {"num_rounds": 3, "max_turns": 1},
    {"num_rounds": 1, "max_turns": 400, "max_reshuffles": 0, "opening_points": 500},
    {"num_rounds": 1, "max_turns": 400, "max_reshuffles": 5, "opening_points": 500},
    {"num_rounds": 2, "opening_points": 1, "opening_needs_run": False, "ace_low_points": 0},
    {"num_rounds": 2, "opening_points": 20, "climbing_threshold": False, "joker_penalty": 0},
])  # fmt: skip
@pytest.mark.parametrize("players", [["random"], ["greedy"]])
def test_own_records_under_other_rules_verify(fields, players):
    for record in record_matches(players, [5, 6], rules=fields):
        assert verify_record(record) is None
        assert not any("legal" in event for _, _, event in _events(record))


@pytest.mark.parametrize("batch", [1, 3, 64])
def test_records_do_not_depend_on_the_batch(own, batch):
    again = record_matches(["greedy", "random"], range(4), rules=RULES, legal=True, batch=batch)
    assert list(again) == own


def test_players_from_outside_are_recorded():
    def last(observation, mask):
        return mask.nonzero()[0][-1]

    records = list(record_matches([last, "random"], [1, 2], rules={"num_rounds": 1}))
    assert records[0]["agents"] == ["last", "random"] * 2
    assert [verify_record(record) for record in records] == [None, None]


def test_what_cannot_be_recorded_is_refused_at_once():
    with pytest.raises(ValueError, match="no player 'nobody'"):
        record_matches(["nobody"], [1])
    with pytest.raises(ValueError, match="opening_points must be"):
        record_matches(["random"], [1], rules={"opening_points": -1})
    with pytest.raises(ValueError, match="no game 'chess'"):
        record_matches(["random"], [1], game="chess")
    with pytest.raises(ValueError, match="batch must be at least 1"):
        record_matches(["random"], [1], batch=0)


def test_a_bad_player_is_named():
    with pytest.raises(PlayerError, match="player '<lambda>' in seat . answered with action -5"):
        list(record_matches([lambda observation, mask: -5], [1]))


# Files.


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_written_records_are_read_back(tmp_path, own, name):
    path, seen = tmp_path / name, []
    assert write_records(path, own, seen.append) == 4
    assert seen == [1, 2, 3, 4]
    assert list(read_records(path)) == list(enumerate(own, 1))
    assert os.listdir(tmp_path) == [name]
    assert (path.read_bytes()[:2] == b"\x1f\x8b") == name.endswith("gz")


@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_the_same_records_give_the_same_bytes(tmp_path, own, name):
    paths = [tmp_path / "a" / name, tmp_path / "b" / f"other-{name}"]
    for path in paths:
        path.parent.mkdir()
        write_records(path, own)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_reading_reports_progress_in_bytes(tmp_path, own):
    path, seen = tmp_path / "games.jsonl.gz", []
    write_records(path, own)
    list(read_records(path, seen.append))
    assert seen == sorted(seen) and seen[-1] == path.stat().st_size


def test_a_gzip_file_is_known_by_its_bytes(tmp_path, own):
    write_records(tmp_path / "games.jsonl.gz", own)
    path = (tmp_path / "games.jsonl.gz").rename(tmp_path / "games.jsonl")
    assert [record for _, record in read_records(path)] == own


@pytest.mark.parametrize("name", ["games.json", "games.gz", "games", ".jsonl", "games.jsonl.zip"])
def test_other_file_names_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"named \*.jsonl or \*.jsonl.gz"):
        write_records(tmp_path / name, [])
    assert os.listdir(tmp_path) == []


def test_an_existing_file_is_replaced_and_a_link_stays(tmp_path, own):
    (tmp_path / "real.jsonl").write_text("old")
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "real.jsonl")
    write_records(tmp_path / "link.jsonl", own[:1])
    assert (tmp_path / "link.jsonl").is_symlink()
    assert json.loads((tmp_path / "real.jsonl").read_text()) == own[0]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError, OSError])
@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_nothing_half_written_is_left(tmp_path, own, error, name):
    (tmp_path / name).write_text("old")

    def interrupted():
        yield from own[:2]
        raise error

    with pytest.raises(error) as caught:
        write_records(tmp_path / name, interrupted())
    assert caught.type is error  # one of the records' own is not taken for the disk's
    assert os.listdir(tmp_path) == [name]
    assert (tmp_path / name).read_text() == "old"


class FullDisk:
    """A file on a disk that takes so many bytes."""

    def __init__(self, file, room):
        self.file, self.room = file, room

    def write(self, data):
        self.room -= len(data)
        if self.room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return self.file.write(data)

    def __getattr__(self, name):
        return getattr(self.file, name)


@pytest.mark.parametrize("room", [0, 5000])
@pytest.mark.parametrize("name", ["games.jsonl", "games.jsonl.gz"])
def test_a_full_disk(tmp_path, own, monkeypatch, name, room):
    really = Path.open
    monkeypatch.setattr(Path, "open", lambda *args: FullDisk(really(*args), room))
    with pytest.raises(FileError, match=f"cannot write .*{name}: No space left on device"):
        write_records(tmp_path / name, own)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("call", ["fsync", "replace"])
def test_a_disk_that_fails_at_the_end(tmp_path, own, monkeypatch, call):
    def fail(*args):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(FileError, match="cannot write .*games.jsonl: Input/output error"):
        write_records(tmp_path / "games.jsonl", own)
    assert os.listdir(tmp_path) == []


def test_a_read_only_folder(tmp_path, own, monkeypatch):
    def refuse(*args):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(FileError, match="cannot write .*games.jsonl: Permission denied"):
        write_records(tmp_path / "games.jsonl", own)


def test_a_place_where_no_file_can_be(tmp_path):
    asked = iter(["never asked for"])
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "file").touch()
    for path, reason in [
        ("folder.jsonl", "it is a folder"),
        ("file/games.jsonl", "Not a directory"),
        ("missing/games.jsonl", "No such file or directory"),
    ]:
        with pytest.raises(FileError, match=f"cannot write .*{path}: {reason}"):
            write_records(tmp_path / path, asked)
    assert next(asked) == "never asked for"


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="cannot read .*missing.jsonl: No such file"):
        list(read_records(tmp_path / "missing.jsonl"))
    with pytest.raises(FileError, match="cannot read .*: Is a directory"):
        list(read_records(tmp_path))


def _cut(data):
    return data[: len(data) * 3 // 4]


def _flip(data):
    middle = len(data) // 2
    return (
        data[:middle]
        + bytes(byte ^ 0xFF for byte in data[middle : middle + 8])
        + data[middle + 8 :]
    )


@pytest.mark.parametrize("damage", [
    _cut,
    _flip,
    lambda data: data[:-8] + bytes(8),  # the check sum
    lambda data: b"{}" + data[2:],  # the head
    lambda data: data + b"more",
])  # fmt: skip
def test_a_damaged_gzip_file(tmp_path, own, damage):
    path = tmp_path / "games.jsonl.gz"
    write_records(path, own)
    path.write_bytes(damage(path.read_bytes()))
    found = []
    with pytest.raises(FileError, match="cannot read .*games.jsonl.gz"):
        found.extend(read_records(path))


# The structure of records.


def _line(record):
    return json.dumps(record).encode() + b"\n"


def _read_line(tmp_path, line):
    """What the reader says about a line between two good ones."""
    good = _line(ALL_SAMPLES[0])
    path = tmp_path / "games.jsonl"
    path.write_bytes(good + line + good)
    found = list(read_records(path))
    assert [number for number, _ in found] == [1, 2, 3]
    assert found[0][1] == found[2][1] == ALL_SAMPLES[0]
    return found[1][1]


@pytest.mark.parametrize(("line", "message"), [
    (b"\n", "the line is empty"),
    (b"   \n", "the line is empty"),
    (b"{\n", "no valid JSON: Expecting"),
    (b'{"format": "xabitha-record"} extra\n', "no valid JSON: Extra data"),
    (b"\xff\xfe\n", "no valid JSON: .*utf-8"),
    (b"\xef\xbb\xbf{}\n", "no valid JSON: .*BOM"),
    (b"[" * 100_000 + b"\n", "no valid JSON"),
    (b'{"seed": NaN}\n', "NaN is no JSON number"),
    (b'{"seed": ' + b"9" * 5000 + b"}\n", "no valid JSON"),
    (b'{"seed": 1, "seed": 2}\n', "the field 'seed' stands more than once"),
    (b"[]\n", "must be an object, not"),
    (b"null\n", "must be an object, not None"),
])  # fmt: skip
def test_lines_that_are_no_record(tmp_path, line, message):
    problem = _read_line(tmp_path, line)
    assert isinstance(problem, RecordProblem)
    assert (problem.line, problem.field) == (2, "")
    with pytest.raises(FieldError, match=message):
        parse_record(line)


def test_an_empty_file_is_no_silent_success(tmp_path):
    for name in ("games.jsonl", "games.jsonl.gz"):
        (tmp_path / name).touch()
        ((line, problem),) = read_records(tmp_path / name)
        assert line == 1 and "the file is empty" in problem.message


MISSING = object()
EVENT = "rounds[0].events[5]"


@pytest.mark.parametrize(("path", "value"), [
    ("format", MISSING), ("format", "chess-record"), ("format", None),
    ("version", MISSING), ("version", 2), ("version", "1"), ("version", True), ("version", 1.0),
    ("game", MISSING), ("game", "chess"), ("game", 1),
    ("rules", MISSING), ("rules", []),
    ("rules.opening_points", MISSING), ("rules.opening_points", -1),
    ("rules.opening_points", 51.0), ("rules.opening_points", True), ("rules.opening_points", "51"),
    ("rules.opening_needs_run", 1), ("rules.num_rounds", 0), ("rules.max_turns", None),
    ("seed", MISSING), ("seed", "1"), ("seed", 1.5), ("seed", True),
    ("agents", MISSING), ("agents", ["a"] * 3), ("agents[2]", 5), ("agents", "abcd"),
    ("rounds", MISSING), ("rounds", {}), ("rounds[0]", None),
    ("rounds[0].starter", MISSING), ("rounds[0].starter", 4), ("rounds[0].starter", -1),
    ("rounds[0].starter", "0"), ("rounds[0].starter", False), ("rounds[0].starter", None),
    ("rounds[0].deal", MISSING), ("rounds[0].deal", []),
    ("rounds[0].deal.hands", MISSING), ("rounds[0].deal.hands", [[]] * 3),
    ("rounds[0].deal.hands[1]", "AS"), ("rounds[0].deal.hands[1][2]", "1S"),
    ("rounds[0].deal.hands[3][0]", 12), ("rounds[0].deal.hands[0][0]", "as"),
    ("rounds[0].deal.deck", MISSING), ("rounds[0].deal.deck[48]", "10S"),
    ("rounds[0].deal.deck[7]", None), ("rounds[0].deal.deck[0]", []),
    ("rounds[0].events", MISSING), ("rounds[0].events", {}), (EVENT, "draw:deck"),
    (EVENT + ".seat", MISSING), (EVENT + ".seat", 4), (EVENT + ".seat", 1.0),
    (EVENT + ".move", MISSING), (EVENT + ".move", None), (EVENT + ".move", ["draw:deck"]),
    (EVENT + ".drawn", "XX"), (EVENT + ".drawn", None), (EVENT + ".drawn", 3),
    (EVENT + ".undo", False), (EVENT + ".undo", 1), (EVENT + ".undo", None),
    (EVENT + ".reshuffled", None), (EVENT + ".reshuffled", "AS"),
    (EVENT + ".legal", None), (EVENT + ".legal[0]", 7), (EVENT + ".legal", "draw:deck"),
    ("rounds[0].result", MISSING), ("rounds[0].result", []),
    ("rounds[0].result.reason", MISSING), ("rounds[0].result.reason", "won"),
    ("rounds[0].result.winner", MISSING), ("rounds[0].result.winner", 4),
    ("rounds[0].result.winner", True),
    ("rounds[0].result.penalties", MISSING), ("rounds[0].result.penalties", [0] * 3),
    ("rounds[0].result.penalties[1]", 1.0), ("rounds[0].result.penalties[1]", None),
    ("rounds[1].result.penalties[1]", "100"),
    ("result", MISSING), ("result", 3), ("result.totals", MISSING), ("result.totals", [0]),
    ("result.totals[1]", 0.5), ("result.winners", MISSING), ("result.winners[0]", 2),
    ("result.winners", 0),
])  # fmt: skip
def test_a_wrong_field_is_named_with_its_line(tmp_path, path, value):
    record = copy.deepcopy(ALL_SAMPLES[0])
    _set(record, path, value)
    problem = _read_line(tmp_path, _line(record))
    assert isinstance(problem, RecordProblem)
    assert (problem.line, problem.field) == (2, path)
    assert str(problem).startswith(f"line 2: {path}: ")
    with pytest.raises(FieldError, match="missing" if value is MISSING else "must be|not known"):
        verify_record(record)


def _set(record, path, value):
    """Put a value (or nothing) in the place that a field's path names."""
    *steps, last = path.replace("[", ".[").strip(".").split(".")
    place = record
    for step in steps:
        place = place[_key(step)]
    if value is MISSING:
        del place[last]
    else:
        place[_key(last)] = value


def _key(step):
    return int(step[1:-1]) if step.startswith("[") else step


def test_problems_say_what_would_be_right():
    record = copy.deepcopy(ALL_SAMPLES[0])
    for path, value, message in [
        ("version", 2, "version: version 2 is not known; this reader knows version 1"),
        ("game", "chess", "game: must be 'xabitha'"),
        ("rules.num_rounds", 0, "rules.num_rounds: num_rounds must be a whole number from 1 to"),
        ("rounds[0].starter", 9, "must be a whole number from 0 to 3, not 9"),
        (EVENT + ".drawn", "1S", "must be a card such as 'TD', or 'JK' for a joker, not '1S'"),
        ("rounds[0].result.reason", "x", "'normal' or 'xabitha' or 'cancelled', not 'x'"),
        ("agents", ["a", "b"], "agents: must be a list of 4, not a list of 2"),
    ]:
        changed = copy.deepcopy(record)
        _set(changed, path, value)
        with pytest.raises(FieldError) as error:
            check_record(changed)
        assert message in str(error.value)


def test_unknown_fields_are_ignored():
    record = copy.deepcopy(ALL_SAMPLES[0])
    for place in (record, record["rules"], record["result"], record["rounds"][0]["deal"],
                  record["rounds"][0], record["rounds"][0]["events"][5],
                  record["rounds"][0]["result"]):  # fmt: skip
        place["comment"] = {"anything": [1.5, None]}
    assert parse_record(_line(record)) == record
    assert verify_record(record) is None


def test_every_game_has_a_format():
    assert set(FORMATS) == set(GAMES)


# Verifying.


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
def test_samples_from_elsewhere_hold(path):
    found = list(verify_file(path))
    assert len(found) > 10
    assert found == [(line, None) for line in range(1, len(found) + 1)]


def test_the_samples_hold_what_the_mutations_need():
    assert len(SAMPLES) == 2
    for field in ("drawn", "undo", "reshuffled", "legal"):
        _find(lambda event, field=field: field in event)


def _draws(event):
    return event["move"] == "draw:deck" and "reshuffled" not in event


def _other(event):
    return next(move for move in event["legal"] if move != event["move"])


EVENT_MUTATIONS = {
    "another seat": (_draws, lambda e: e.update(seat=(e["seat"] + 1) % 4), "seat"),
    "a move of another phase": (_draws, lambda e: e.update(move="open"), "move"),
    "no move at all": (_draws, lambda e: e.update(move="fly:me"), "move"),
    "an unknown meld": (_draws, lambda e: e.update(move="meld:KS-AS-2S"), "move"),
    "a meld that is not there": (_draws, lambda e: e.update(move="add:7S@15:low"), "move"),
    "a card not held": (
        lambda e: e["move"].startswith("discard") and "discard:JK" not in e["legal"],
        lambda e: e.update(move="discard:JK"),
        "move",
    ),
    "another number style": (
        lambda e: e["move"].startswith("add") and "@0" in e["move"],
        lambda e: e.update(move=e["move"].replace("@0", "@00")),
        "move",
    ),
    "another card drawn": (_draws, lambda e: e.update(drawn=_another(e["drawn"])), "drawn"),
    "no card drawn": (_draws, lambda e: e.pop("drawn"), "drawn"),
    "a fire card not named": (
        lambda e: e["move"] == "draw:fire",
        lambda e: e.pop("drawn"),
        "drawn",
    ),
    "a card drawn by a discard": (
        lambda e: e["move"].startswith("discard"),
        lambda e: e.update(drawn="AS"),
        "drawn",
    ),
    "a card drawn by a declaration": (
        lambda e: e["move"].startswith("declare"),
        lambda e: e.update(drawn="AS"),
        "drawn",
    ),
    "an undo not told": (lambda e: "undo" in e, lambda e: e.pop("undo"), "undo"),
    "an undo that was none": (
        lambda e: e["move"].startswith("discard") and "undo" not in e,
        lambda e: e.update(undo=True),
        "undo",
    ),
    "an undo by a draw": (_draws, lambda e: e.update(undo=True), "undo"),
    "a reshuffle not told": (
        lambda e: "reshuffled" in e,
        lambda e: e.pop("reshuffled"),
        "reshuffled",
    ),
    "a reshuffle of other cards": (
        lambda e: "reshuffled" in e,
        lambda e: e["reshuffled"].__setitem__(-1, _another(e["reshuffled"][-1])),
        "reshuffled",
    ),
    "a reshuffle of too few cards": (
        lambda e: "reshuffled" in e,
        lambda e: e["reshuffled"].pop(),
        "reshuffled",
    ),
    "a reshuffle of no card": (
        lambda e: "reshuffled" in e,
        lambda e: e.update(reshuffled=[]),
        "reshuffled",
    ),
    "a reshuffle with cards left": (
        _draws,
        lambda e: e.update(reshuffled=[e["drawn"]]),
        "reshuffled",
    ),
    "a reshuffle by a discard": (
        lambda e: e["move"].startswith("discard"),
        lambda e: e.update(reshuffled=["AS"]),
        "reshuffled",
    ),
    "a reshuffle that gives another card": (
        lambda e: "reshuffled" in e and len(set(e["reshuffled"])) > 1,
        lambda e: e["reshuffled"].sort(key=lambda card: card == e["drawn"]),
        "drawn",
    ),
    "a legal move missing": (lambda e: len(e["legal"]) > 5, lambda e: e["legal"].pop(3), "legal"),
    "no legal moves": (_draws, lambda e: e["legal"].clear(), "legal"),
    "a legal move too many": (
        _draws,
        lambda e: e.update(legal=sorted([*e["legal"], "open"])),
        "legal",
    ),
    "a legal move twice": (_draws, lambda e: e["legal"].insert(0, e["legal"][0]), "legal"),
    "legal moves unsorted": (
        lambda e: len(e["legal"]) > 5,
        lambda e: e["legal"].reverse(),
        "legal",
    ),
}


def _another(card):
    return "2C" if card != "2C" else "3C"


@pytest.mark.parametrize("name", EVENT_MUTATIONS)
def test_a_changed_event_is_found(name):
    wanted, change, field = EVENT_MUTATIONS[name]
    record, number, index = _find(wanted)
    event = record["rounds"][number]["events"][index]
    before = copy.deepcopy(event)
    change(event)
    found = verify_record(record)
    assert (found.round, found.event, found.field) == (number, index, field)
    assert found.path == f"rounds[{number}].events[{index}].{field}"
    assert found.given == event.get(field)
    if "reshuffled" not in before and field in ("drawn", "undo", "legal", "seat"):
        assert found.own == before.get(field)


def test_another_legal_move_is_found_later():
    record, number, index = _find(lambda e: e["move"].startswith("discard") and len(e["legal"]) > 9)
    event = record["rounds"][number]["events"][index]
    event["move"] = _other(event)
    found = verify_record(record)
    assert (found.round, found.event) > (number, index)


def test_an_illegal_move_is_told_with_its_rule():
    record, number, index = _find(lambda e: e["move"] == "draw:deck")
    record["rounds"][number]["events"][index]["move"] = "declare:yes"
    found = verify_record(record)
    assert found.given == "declare:yes" and found.own.startswith("X3.2")


def _drop_event(record):
    record["rounds"][0]["events"].pop()
    return 0, len(record["rounds"][0]["events"]), "move"


def _add_event(record):
    events = record["rounds"][0]["events"]
    events.append(dict(events[-1]))
    return 0, len(events) - 1, "move"


def _swap_in_deck(record):
    deck, events = record["rounds"][0]["deal"]["deck"], record["rounds"][0]["events"]
    place = next(index for index in range(1, 49) if deck[index] != deck[0])
    deck[0], deck[place] = deck[place], deck[0]
    return 0, next(i for i, e in enumerate(events) if e["move"] == "draw:deck"), "drawn"


def _swap_hands(record):
    hands = record["rounds"][0]["deal"]["hands"]
    hands[0], hands[1] = hands[1], hands[0]
    return 0, None, "deal" if len(hands[0]) != len(hands[1]) else None


def _change_card(record):
    hand = record["rounds"][1]["deal"]["hands"][2]
    hand[3] = _another(hand[3])
    return 1, None, "deal"


def _short_deck(record):
    record["rounds"][0]["deal"]["deck"].pop()
    return 0, None, "deal"


def _short_hand(record):
    deal = record["rounds"][0]["deal"]
    deal["deck"].append(deal["hands"][1].pop())
    return 0, None, "deal"


def _first_starter(record):
    record["rounds"][0]["starter"] = (record["rounds"][0]["starter"] + 1) % 4
    return 0, None, "deal"  # it does not hold the 15 cards


def _next_starter(record):
    record["rounds"][1]["starter"] = (record["rounds"][1]["starter"] + 2) % 4
    return 1, None, "starter"


def _change(path, value):
    def change(record):
        _set(record, path, value(record) if callable(value) else value)
        head, _, field = path.rpartition("].")
        return (int(head[-1]), None, field) if head else (None, None, path)

    return change


def _part(path, value):
    """Change a part of a result: the difference is told for the whole field."""

    def change(record):
        place = _change(path, value)(record)
        return (*place[:2], place[2].partition("[")[0])

    return change


def _drop_round(record):
    record["rounds"].pop()
    return None, None, "result"


def _add_round(record):
    record["rounds"].append(copy.deepcopy(record["rounds"][-1]))
    return None, None, "rounds"


def _cut_in_the_middle(record):
    record["rounds"][0]["events"].pop()
    record["rounds"][0]["result"] = record["result"] = None
    return 0, len(record["rounds"][0]["events"]), "move"


def _cut_round_with_a_result(record):
    record["rounds"][1]["events"].pop()
    record["result"] = None
    return 1, None, "result"


def _cut_without_null(record):
    record["rounds"][1]["events"].pop()
    record["rounds"][1]["result"] = None
    return 1, len(record["rounds"][1]["events"]), "move"


def _no_rounds(record):
    record["rounds"] = []
    return None, None, "result"


MATCH_MUTATIONS = [
    _drop_event, _add_event, _swap_in_deck, _change_card, _short_deck, _short_hand,
    _first_starter, _next_starter, _drop_round, _add_round, _cut_in_the_middle,
    _cut_round_with_a_result, _cut_without_null, _no_rounds,
    _change("rounds[0].result.reason", "cancelled"),
    _change("rounds[0].result.reason", "xabitha"),
    _change("rounds[0].result.winner", None),
    _change("rounds[0].result.winner", lambda r: (r["rounds"][0]["result"]["winner"] + 2) % 4),
    _part("rounds[0].result.penalties[0]", 7),
    _part("rounds[1].result.penalties[3]", -1),
    _change("rounds[0].result", None),
    _change("rounds[1].result", None),
    _part("result.totals[0]", 1), _part("result.totals[1]", 1),
    _change("result.totals", lambda r: r["result"]["totals"][::-1]),
    _change("result.winners", []), _change("result.winners", [0, 1]),
    _change("result.winners", lambda r: [1 - r["result"]["winners"][0]]),
    _change("result", None),
]  # fmt: skip


@pytest.mark.parametrize("number", range(len(MATCH_MUTATIONS)))
def test_a_changed_match_is_found(number):
    record = copy.deepcopy(ALL_SAMPLES[0])  # two rounds, one winner
    place = MATCH_MUTATIONS[number](record)
    found = verify_record(record)
    assert found is not None
    assert (found.round, found.event, found.field) == place


def test_hands_of_other_seats_are_found_at_the_latest_in_play():
    record = copy.deepcopy(ALL_SAMPLES[0])
    _swap_hands(record)
    assert isinstance(verify_record(record), Difference)


@pytest.mark.parametrize("left", [0, 1, 4, 30])
def test_a_match_cut_off_is_no_difference(left):
    record = copy.deepcopy(ALL_SAMPLES[0])
    del record["rounds"][1]["events"][left:]
    record["rounds"][1]["result"] = record["result"] = None
    assert verify_record(record) is None
    record["rounds"].pop()
    assert verify_record(record) is None  # between two rounds
    record["rounds"].clear()
    assert verify_record(record) is None


def test_records_without_legal_lists_or_seed_are_complete():
    for record in copy.deepcopy(ALL_SAMPLES[:3]):
        for _, _, event in _events(record):
            del event["legal"]
        record["seed"] = None
        assert verify_record(record) is None


def test_verification_goes_on_after_a_difference(tmp_path):
    wrong, right = copy.deepcopy(ALL_SAMPLES[0]), ALL_SAMPLES[1]
    _next_starter(wrong)
    path = tmp_path / "games.jsonl.gz"
    write_records(path, [right, wrong, right, wrong, right])
    found = list(verify_file(path))
    assert [line for line, _ in found] == [1, 2, 3, 4, 5]
    assert [difference and difference.path for _, difference in found] == [
        None, "rounds[1].starter", None, "rounds[1].starter", None,
    ]  # fmt: skip


def test_verifying_changes_no_record():
    record = copy.deepcopy(ALL_SAMPLES[0])
    verify_record(record)
    assert record == ALL_SAMPLES[0]
