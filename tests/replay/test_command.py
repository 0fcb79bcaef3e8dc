"""``xabitha replay`` where no terminal is: text, the page, and wrong use."""

from __future__ import annotations

import copy
import json
import os
import sys

import pytest

from tests.replay.conftest import HOSTILE
from xabitha_env.cli.main import run
from xabitha_env.record import write_records
from xabitha_env.replay import list_matches, page_html, read_match


@pytest.fixture(scope="module")
def file(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("records") / "games.jsonl.gz"
    write_records(path, [records["xabitha"], records["xeri"]])
    return path


def _one_error(capsys, *arguments):
    """Run the command, which must fail with one line; returns the line."""
    assert run(["replay", *map(str, arguments)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("error: ") and err.count("\n") == 1, err
    return err


def test_text_is_printed_where_no_terminal_is(file, capsys, matches):
    assert run(["replay", str(file)]) == 0
    out = capsys.readouterr().out
    match = matches["xabitha"]
    assert out.startswith("xabitha, seed 3: seat 0 expert") and match.result in out
    assert all(frame.scene.text() in out for frame in match.frames)
    assert run(["replay", str(file), "--text"]) == 0
    assert capsys.readouterr().out == out


def test_another_match_from_a_move_on(file, capsys):
    assert run(["replay", str(file), "--match", "2", "--at", "2:10"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("xeri, seed 3")
    assert "\n2:9 " not in out and "\n2:10  Seat " in out
    assert run(["replay", str(file), "--at", "2"]) == 0
    assert "\n2:0  Round 2 is dealt" in capsys.readouterr().out


def test_plain_files_are_read_too(tmp_path, capsys, records):
    write_records(tmp_path / "games.jsonl", [records["xeri"]])
    assert run(["replay", str(tmp_path / "games.jsonl")]) == 0
    assert "seat 0 expert" in capsys.readouterr().out


def test_a_page_is_written_whole(file, tmp_path, capsys, matches):
    page = tmp_path / "match.html"
    page.write_text("old")
    assert run(["replay", str(file), "--html", str(page)]) == 0
    out = capsys.readouterr().out
    assert f"{len(matches['xabitha'].frames)} frames" in out and "KiB" in out
    assert page.read_text() == page_html(matches["xabitha"])
    assert run(["replay", str(file), "--html", str(page), "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert os.listdir(tmp_path) == ["match.html"]


def test_wrong_use_is_one_line(file, tmp_path, capsys):
    page = tmp_path / "match.html"
    assert "has 2 lines; there is no match 3" in _one_error(capsys, file, "--match", 3)
    assert "'--match'" in _one_error(capsys, file, "--match", 0)
    assert "no round 9; there are 1 to 2" in _one_error(capsys, file, "--at", "9:1")
    assert "round 1 has no event 999" in _one_error(capsys, file, "--at", "1:999")
    for place in ("x", "1:", ":3", "1:2:3", "-1:2", "١:٢", "1" * 5000):
        assert "write it as ROUND:EVENT" in _one_error(capsys, file, "--at", place)
    assert "cannot read" in _one_error(capsys, tmp_path / "missing.jsonl")
    missing = tmp_path / "missing" / "match.html"
    assert "cannot write" in _one_error(capsys, file, "--html", missing)
    assert "it is a folder" in _one_error(capsys, file, "--html", tmp_path)
    for other in (["--text"], ["--at", "1:2"]):
        assert "--html goes with neither" in _one_error(capsys, file, "--html", page, *other)
    assert not page.exists()


def test_bad_lines_are_refused_and_others_shown(tmp_path, capsys, records):
    wrong = copy.deepcopy(records["xabitha"])
    wrong["rounds"][1]["events"][7]["move"] = "discard:2C"
    lines = ["{}", "", json.dumps(wrong), json.dumps(records["xeri"])]
    path, page = tmp_path / "games.jsonl", tmp_path / "match.html"
    path.write_text("\n".join(lines) + "\n")
    assert "line 1: format: missing" in _one_error(capsys, path)
    assert "line 2: no record: the line is empty" in _one_error(capsys, path, "--match", 2)
    error = _one_error(capsys, path, "--match", 3, "--html", page)
    assert run(["verify", str(path), "--quiet"]) == 1
    told = next(line for line in capsys.readouterr().out.splitlines() if ": line 3," in line)
    assert error == f"error: {told}\n" and "round 1, event 7: move: " in told
    assert not page.exists()
    assert run(["replay", str(path), "--match", "4"]) == 0
    listed = list(list_matches(path))
    assert [line.number for line in listed] == [1, 2, 3, 4]
    assert listed[0].text == "line 1: format: missing"
    assert listed[3].text.startswith("xeri  expert + expert against greedy + greedy  ")


def test_a_match_is_read_past_bad_lines(tmp_path, records):
    path = tmp_path / "games.jsonl"
    path.write_text("{}\n" + json.dumps(records["xeri"]) + "\n")
    assert read_match(path, 2) == records["xeri"]
    with pytest.raises(ValueError, match="line 1: format: missing"):
        read_match(path)
    with pytest.raises(ValueError, match="has 2 lines; there is no match 3"):
        read_match(path, 3)


def test_hostile_names_reach_the_page_only_as_data(records, tmp_path, capsys):
    record = records["xeri"] | {"agents": [HOSTILE, "{{script}}", "</style><b>", "\ud800"]}
    write_records(tmp_path / "games.jsonl", [record])
    page = tmp_path / "match.html"
    assert run(["replay", str(tmp_path / "games.jsonl"), "--html", str(page), "-q"]) == 0
    html = page.read_text()
    assert "<img" not in html and "<b>" not in html
    assert html.count("</script>") == 2 and html.count("</style>") == 1
    assert "\\u003cimg src=x onerror=alert(1)\\u003e" in html
    capsys.readouterr()


def test_pages_are_small(matches):
    """A page of five rounds; the cards' drawings and the program are some 75 kB of each."""
    size = {kind: len(page_html(match).encode()) for kind, match in matches.items()}
    assert len(matches["long"].frames) > 2000
    assert size["long"] < 1_000_000
    assert size["xabitha"] < 250_000 and size["xeri"] < 150_000


def test_a_terminal_gets_the_program(file, monkeypatch, matches, capsys):
    from xabitha_env.terminal.replay import ReplayApp

    started = []
    monkeypatch.setattr(ReplayApp, "run", lambda app: started.append(app))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert run(["replay", str(file), "--match", "2", "--at", "2:7"]) == 0
    (app,) = started
    assert app.number == 2 and app.match == matches["xeri"] and app.frame.place == "2:7"
    assert app.source.load(1) == matches["xabitha"]
    assert [line.number for line in app.source.lines()] == [1, 2]
    assert capsys.readouterr().out == ""


def test_a_missing_library_is_named_with_its_extra(file, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "xabitha_env.terminal.replay", None)
    assert run(["replay", str(file), "--text"]) == 0
    capsys.readouterr()
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert "needs textual: install xabitha-env[play]" in _one_error(capsys, file)
