"""The published lists of deals, and teams by name."""

from __future__ import annotations

import hashlib
import json

import pytest

from xabitha_env.evaluation.deals import LIST_SIZE, seeds_of
from xabitha_env.evaluation.teams import Team, load_team, parse_player, parse_team, parse_teams
from xabitha_env.games import make_engine

PUBLISHED = {
    ("xabitha", "development"): "22813592cdac1d2c",
    ("xabitha", "test"): "1e90f5126e65f860",
    ("xeri", "development"): "d8b9e5d05598d596",
    ("xeri", "test"): "fc92fcd2f9848806",
}
"""SHA-256 of the first three deals; figures made with other deals are not comparable."""


@pytest.mark.parametrize(("game", "source"), PUBLISHED)
def test_the_deals_of_the_lists_never_change(game, source):
    engine = make_engine(game, 3)
    engine.reset(list(seeds_of(source, 3)))
    text = json.dumps([engine.deal_record(index) for index in range(3)], sort_keys=True)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == PUBLISHED[game, source]


def test_lists_never_meet():
    development, test = (seeds_of(name, LIST_SIZE) for name in ("development", "test"))
    assert (development[0], test[0]) == (1_000_000_000, 2_000_000_000)
    assert development[-1] < test[0]


def test_a_number_is_a_first_seed():
    assert seeds_of("7", 3) == range(7, 10)
    assert seeds_of("test", 3) == range(2_000_000_000, 2_000_000_003)


@pytest.mark.parametrize(
    ("source", "deals", "message"),
    [
        ("tests", 10, "seeds 'tests': development, test, or a first seed of 0 or more"),
        ("-1", 10, "a first seed"),
        ("1.5", 10, "a first seed"),
        ("", 10, "a first seed"),
        ("test", 1, "at least 2 deals, not 1"),
        ("test", LIST_SIZE + 1, "a list has 1,000,000,000 deals, not 1,000,000,001"),
        (str(2**62), 2, "seeds end at"),
    ],
)
def test_other_deals_are_refused(source, deals, message):
    with pytest.raises(ValueError, match=message):
        seeds_of(source, deals)


def test_teams_are_one_player_or_two():
    assert parse_team("greedy") == Team("greedy", "greedy")
    assert parse_team("a:B?x=1 + c/d.zip") == Team("a:B?x=1", "c/d.zip")
    for text in ("greedy", "greedy+random"):
        assert parse_team(text).text == text
    assert parse_team("greedy+greedy").text == "greedy"
    assert parse_player(" greedy ") == "greedy"


@pytest.mark.parametrize("text", ["", "+", "greedy+", "a+b+c"])
def test_other_teams_are_refused(text):
    with pytest.raises(ValueError, match="write PLAYER or PLAYER\\+PLAYER"):
        parse_team(text)


def test_repetitions_and_pairs_of_players_are_refused():
    with pytest.raises(ValueError, match="'greedy' is named twice"):
        parse_teams(["greedy", "random", "greedy+greedy"])
    with pytest.raises(ValueError, match="'greedy\\+greedy' is a team"):
        parse_player("greedy+greedy")


def test_partners_are_two_objects():
    first, second = load_team(parse_team("tests.evaluation.helpers:Onlooker"), "xabitha")
    assert first is not second and type(first) is type(second)


def test_an_unknown_player_is_told_with_its_team():
    with pytest.raises(ValueError, match=r"team 'greedy\+greddy': no player 'greddy'"):
        load_team(parse_team("greedy+greddy"), "xabitha")
