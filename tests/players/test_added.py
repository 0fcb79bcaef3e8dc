"""Players that other packages add by entry points, and teams whose names hold a plus."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

from xabitha_env.evaluation.teams import parse_player, parse_team
from xabitha_env.players import load_player, loader, player_names
from xabitha_env.players.loader import FILES, PLAYERS, added

MODULE = """
class Bot:
    name = "bot"
    def __init__(self, game, path="", depth=1):
        if depth == 13:
            raise OSError("no luck")
        self.made_with = game, path, depth
    def reset(self, engine, seed): ...
    def act(self, view): return view.legal[:, 0]

def needy(game):
    import no_such_library
"""
POINTS = [
    EntryPoint("star", "added_bots:Bot", PLAYERS),
    EntryPoint("star+search", "added_bots:Bot", PLAYERS),
    EntryPoint("needy", "added_bots:needy", PLAYERS),
    EntryPoint("gone", "no_such_package.bots:Bot", PLAYERS),
    EntryPoint("bot", "added_bots:Bot", FILES),
]


@pytest.fixture(autouse=True)
def points(tmp_path, monkeypatch):
    """A package that adds players and an ending of files."""
    (tmp_path / "added_bots.py").write_text(MODULE)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(
        loader, "entry_points", lambda group: [one for one in POINTS if one.group == group]
    )
    added.cache_clear()
    yield
    added.cache_clear()
    sys.modules.pop("added_bots", None)


def test_a_name_makes_its_player_for_the_game():
    assert load_player("star").made_with == ("xabitha", "", 1)
    assert load_player("star?depth=3", "xeri").made_with == ("xeri", "", 3)


def test_an_ending_makes_its_player_of_a_file():
    assert load_player("some/where.bot?depth=2").made_with == ("xabitha", "some/where.bot", 2)
    assert load_player("WHERE.BOT").made_with[1] == "WHERE.BOT"


def test_names_are_listed_if_their_package_is_there():
    names = player_names()
    assert {"star", "star+search", "needy"} <= set(names) and "gone" not in names
    with pytest.raises(ValueError, match=r"did you mean 'star'\?.*FILE\.zip or FILE\.bot"):
        load_player("sta")
    with pytest.raises(ValueError, match="no player 'gone'"):
        load_player("gone")


def test_what_fails_is_said():
    with pytest.raises(ValueError, match="player 'star\\?depth=13' cannot be made: no luck"):
        load_player("star?depth=13")
    with pytest.raises(ValueError, match="unexpected keyword argument 'colour'"):
        load_player("star?colour=3")
    with pytest.raises(ImportError, match=r"needs more than the library: .*no_such_library"):
        load_player("needy")


@pytest.mark.parametrize(
    ("text", "first", "second"),
    [
        ("star+search", "star+search", "star+search"),
        ("star+search?worlds=3", "star+search?worlds=3", "star+search?worlds=3"),
        ("star+search+greedy", "star+search", "greedy"),
        ("greedy+star+search", "greedy", "star+search"),
        ("star + search + star + search", "star+search", "star+search"),
        ("search+star", "search", "star"),
        ("star+greedy", "star", "greedy"),
    ],
)
def test_a_known_name_may_hold_the_sign_that_joins_partners(text, first, second):
    assert parse_team(text) == (first, second)


def test_a_single_player_may_have_such_a_name():
    assert parse_player("star+search") == "star+search"
    with pytest.raises(ValueError, match="is a team"):
        parse_player("star+greedy")
    with pytest.raises(ValueError, match="write PLAYER or PLAYER"):
        parse_team("star+search+star+search+greedy")
