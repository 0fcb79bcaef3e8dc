"""Players by name, by module, from files."""

import subprocess
import sys
from types import ModuleType

import numpy as np
import pytest

from xabitha_env.games import make_engine
from xabitha_env.players import (
    CompiledPlayer,
    FunctionPlayer,
    Table,
    compiled_names,
    load_player,
    load_players,
    loader,
)

MODULE = """
class Bot:
    name = "bot"
    def __init__(self, depth=1, mood="calm"):
        if depth == 13:
            raise OSError("no luck")
        self.depth, self.mood = depth, mood
    def reset(self, engine, seed): ...
    def act(self, view): return view.legal[:, 0]

class Nameless:
    def reset(self, engine, seed): ...
    def act(self, view): ...

class Inner:
    Bot = Bot

def last(observation, mask, back=1):
    return mask.nonzero()[0][-back]

made = Bot()
number = 7
"""


@pytest.fixture
def bots(tmp_path, monkeypatch):
    """A module of players that can be imported, and one that cannot."""
    (tmp_path / "loader_bots.py").write_text(MODULE)
    (tmp_path / "loader_broken.py").write_text("1 / 0")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    sys.modules.pop("loader_bots", None)


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_compiled_players_have_names_and_act_legally(name):
    assert name in compiled_names()
    player = load_player(name)
    assert isinstance(player, CompiledPlayer) and player.name == name
    engine = make_engine("xabitha", 5)
    engine.reset(seed=3)
    player.reset(engine, 0)
    Table(engine, [player] * 4).step()
    games = np.array([1, 4])
    view = _view(engine, games)
    actions = player.act(view)
    assert actions.shape == (2,)
    assert all(engine.mask[games, actions])


def _view(engine, games):
    from xabitha_env.players import View

    buffers = (engine.observation, engine.mask, engine.legal, engine.legal_count, engine.seats)
    return View(*(buffer[games] for buffer in buffers), games)


def test_compiled_player_needs_a_reset():
    with pytest.raises(RuntimeError, match="reset"):
        CompiledPlayer("random").act(_view(make_engine("xabitha", 1), np.array([0])))


def test_unknown_compiled_player_of_an_engine():
    with pytest.raises(ValueError, match="xabitha has no player 'nobody'; there are .*random"):
        CompiledPlayer("nobody").reset(make_engine("xabitha", 1), 0)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("greddy", "did you mean 'greedy'.*there are .*random.*module:Class.*FILE.zip"),
        ("", "no player ''"),
        ("zzz", "no player 'zzz'; there are"),
        ("missing.zip", "'missing.zip': there is no such file"),
        ("no_such_module:Bot", "No module named 'no_such_module'"),
        ("loader_bots:Bat", "no attribute 'Bat'"),
        ("loader_bots:", "no player 'loader_bots:'"),
        (":Bot", "no player ':Bot'"),
        ("loader_broken:Bot", "ZeroDivisionError"),
        ("loader_bots:Bot?depth=13", "'Bot' cannot be made: OSError: no luck"),
        ("loader_bots:Bot?height=1", "'Bot' cannot be made: TypeError.*height"),
        ("loader_bots:Bot?depth", "written .key=value"),
        ("loader_bots:made?depth=1", "'made' is made already"),
        ("loader_bots:Nameless", "'Nameless' has no name"),
        ("loader_bots:number", "'number' is no player"),
        (7, "'int' is no player"),
        (None, "'NoneType' is no player"),
    ],
)
def test_what_cannot_be_loaded_says_why(bots, spec, message):
    with pytest.raises(ValueError, match=message):
        load_player(spec)


def test_unknown_game():
    with pytest.raises(ValueError, match="no game 'chess'"):
        load_player("random", "chess")


def test_module_and_class_with_arguments(bots):
    player = load_player("loader_bots:Bot?depth=3&mood=bold")
    assert (player.name, player.depth, player.mood) == ("bot", 3, "bold")
    assert load_player("loader_bots:Inner.Bot").depth == 1


def test_module_and_object(bots):
    assert load_player("loader_bots:made") is sys.modules["loader_bots"].made


@pytest.mark.parametrize(("query", "action"), [("", 9), ("?back=2", 4)])
def test_module_and_function(bots, query, action):
    player = load_player(f"loader_bots:last{query}")
    assert isinstance(player, FunctionPlayer) and player.name == "last"
    mask = np.zeros((1, 10), np.int8)
    mask[0, [1, 4, 9]] = 1
    view = _view(make_engine("xabitha", 1), np.array([0]))._replace(mask=mask)
    assert player.act(view) == [action]


def test_objects_and_functions_pass_through(bots):
    player = load_player("loader_bots:Bot")
    assert load_player(player) is player
    assert load_player(type(player)).name == "bot"
    assert load_player(lambda observation, mask: 0).name == "<lambda>"


@pytest.mark.parametrize("spec", ["model.zip", "MODEL.ZIP"])
def test_checkpoints_are_loaded_by_the_bridge(tmp_path, monkeypatch, spec):
    bridge = ModuleType("bridge")
    bridge.load_player = lambda path: ("loaded", path)
    monkeypatch.setitem(sys.modules, "xabitha_env.contrib.sb3", bridge)
    path = tmp_path / spec
    path.touch()
    assert load_player(path) == load_player(str(path)) == ("loaded", str(path))


def test_checkpoint_without_the_libraries_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xabitha_env.contrib.sb3", None)
    (tmp_path / "model.zip").touch()
    with pytest.raises(ImportError, match=r"install xabitha-env\[train\]"):
        load_player(tmp_path / "model.zip")


def test_players_by_table_team_and_seat():
    assert [player.name for player in load_players(["random"])] == ["random"] * 4
    by_team = load_players(["greedy", "random"])
    assert [player.name for player in by_team] == ["greedy", "random"] * 2
    by_seat = load_players(["greedy", "random", "random", "random"])
    assert [player.name for player in by_seat] == ["greedy", "random", "random", "random"]
    assert by_seat[1] is by_seat[2] is by_seat[3]


@pytest.mark.parametrize("count", [0, 3, 5])
def test_wrong_number_of_players(count):
    with pytest.raises(ValueError, match=f"{count} players: name one for all seats"):
        load_players(["random"] * count)


def test_loading_imports_no_learning_library():
    code = (
        "import sys, xabitha_env.record, xabitha_env.players as p; p.load_player('random');"
        "assert not {'torch', 'stable_baselines3', 'agents', 'train'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Louder:
    """A base player under another option."""

    def __init__(self, base, value):
        self.base, self.value = base, value

    def reset(self, engine, seed): ...

    def act(self, view):
        return self.base.act(view)


@pytest.fixture
def options(monkeypatch):
    """Two options of an installed package."""

    class Entry:
        def load(self):
            def make(agent, value, game):
                if value == "bad":
                    raise KeyError("bad value")
                return Louder(agent, (value, game))

            return make

    real = loader.added
    own = {"loud": Entry(), "more": Entry()}
    monkeypatch.setattr(
        loader, "added", lambda group: own if group == loader.OPTIONS else real(group)
    )


def test_options_change_any_player(bots, options):
    plain = load_player("greedy?loud=very%20much")
    assert plain.base.name == "greedy" and plain.value == ("very much", "xabitha")
    assert plain.name == "greedy?loud=very much"
    made = load_player("loader_bots:Bot?depth=2&loud=1&mood=wild&more=2", "xeri")
    assert (made.base.base.depth, made.base.base.mood) == (2, "wild")
    assert made.value == ("2", "xeri") and made.base.value == ("1", "xeri")
    assert made.name == "bot?loud=1&more=2"
    assert load_players(["expert?loud=1", "expert?loud=1"])[0].base.name == "expert"


def test_wrong_options_are_told(options):
    with pytest.raises(ValueError, match="player 'greedy.loud=bad' cannot be made: 'bad value'"):
        load_player("greedy?loud=bad")
    with pytest.raises(ValueError, match="no player 'greedy.quiet=1'"):
        load_player("greedy?loud=1&quiet=1")
