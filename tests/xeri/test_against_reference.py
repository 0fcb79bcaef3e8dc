"""The compiled engine and the reference side by side, decision by decision."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from tests.reference.xeri import Round, Score
from tests.xeri.biased_deals import KINDS, TEMPERS, Deal, biased_deal, choose, random_rules
from tests.xeri.engine_table import EngineTable
from tests.xeri.walks import SEATS, as_head, engine_for, pile_of
from xabitha_env.cards import card_text
from xabitha_env.xeri.validate import hand_kinds

QUICK_ROUNDS, MANY_ROUNDS = 150, 5000
QUICK_GAMES, MANY_GAMES = 60, 3000
# By these rules both teams reach both targets in the first round, and go on while they are even.
EVEN = {"xeri_points": 3, "target_score": 1, "extended_target_score": 1}
EVEN_SEEDS = (30, 102, 153, 172)  # their first round is even
MOST_ROUNDS = 40  # without points no target is ever reached (R5.2)

# What must be seen of rounds, and of whole games.
IN_ROUNDS = (
    "rank jack xeri jack-xeri empty lone-jack refused-xeri xeri-at-the-end-of-a-deal "
    "xeri-across-deals tie-of-cards nobody one-team left bottom equal-pile jack-on-top"
).split()
IN_GAMES = "tie shared by-rounds target extended both-at-extended even-at-extended".split()


def note_play(seen: Counter[str], table: Round, pile: list[str], event: dict[str, Any]) -> None:
    """Count what a play was."""
    card, place = event["move"][5:], 48 - len(table.stock) - sum(map(len, table.hands))
    jack, lone = card[0] == "J", len(pile) == 1
    seen["rank"] += "captured" in event and not jack
    seen["jack"] += "captured" in event and jack
    seen["empty"] += jack and not pile
    seen["lone-jack"] += jack and lone and pile[0][0] != "J"
    seen["xeri"] += "xeri" in event and not jack
    seen["jack-xeri"] += "xeri" in event and jack
    same = lone and pile[0][0] == card[0]
    seen["refused-xeri"] += same and "xeri" not in event
    seen["xeri-at-the-end-of-a-deal"] += "xeri" in event and place == 24
    seen["xeri-across-deals"] += "xeri" in event and place == 25


def note_round(seen: Counter[str], table: Round, pile: list[str], deal: Deal) -> None:
    """Count how a round began and ended."""
    assert table.result is not None
    cards, first = table.result["cards"], deal[2]
    seen["tie-of-cards"] += cards == [26, 26]
    seen["nobody"] += sum(cards) == 0
    seen["one-team"] += 52 in cards
    seen["left"] += bool(pile) and sum(cards) > 0
    seen["tie"] += table.result["winner"] is None and sum(cards) > 0
    seen["bottom"] += deal[4] is not None
    seen["equal-pile"] += len({card[0] for card in first}) < 4
    seen["jack-on-top"] += first[-1][0] == "J"


def compare(engine: Any, table: Round, legal: list[str], where: str) -> None:
    """The same seat, hands and moves."""
    assert engine.seats[0] == table.seat, where
    assert engine.legal_texts() == legal, where
    game = engine.games[0]
    for seat in SEATS:
        own = [card_text(kind) for kind in hand_kinds(game, seat)]
        assert sorted(own) == sorted(table.hands[seat]), where
    assert pile_of(engine) == table.pile, where
    last = None if game["last_capturer"] < 0 else int(game["last_capturer"])
    assert last == table.last_capturer and game["stock_count"] == len(table.stock), where


def play_round(rng: random.Random, engine: Any, deal: Deal, where: str) -> tuple[Any, Counter[str]]:
    """Play a round on both; its result, and what happened, counted."""
    table = Round(engine.rules.to_dict(), *deal)
    tempers = [rng.choice(TEMPERS) for _ in SEATS]
    if rng.random() < 0.5:
        tempers = tempers[:1] * 4
    seen: Counter[str] = Counter()
    pile: list[str] = []
    while not table.over:
        legal, pile = table.legal(), list(table.pile)
        compare(engine, table, legal, where)
        move = choose(rng, legal, pile, tempers[table.seat])
        before, action = engine.get_state(), engine.parse(move)
        assert not engine.step([action])[0], where
        event = engine.event_record(before, action)
        assert event == table.play(move), where
        note_play(seen, table, pile, event)
        pile = [] if "captured" in event else [*pile, move[5:]]
    note_round(seen, table, pile, deal)
    assert engine.round_result() == table.result, where
    return table.result, seen


def play_one_round(seed: int) -> Counter[str]:
    """A round from biased cards under random rules."""
    rng = random.Random(seed)
    rules = random_rules(rng) if rng.random() < 0.8 else {}
    kind = rng.choice(KINDS)
    deal = biased_deal(rng, kind, rules)
    _, seen = play_round(rng, EngineTable(rules, *deal).engine, deal, f"seed {seed} ({kind})")
    return seen


def game_rules(rng: random.Random) -> dict[str, Any]:
    """Random rules; in many games both teams reach the target, and another, in one round."""
    rules = random_rules(rng)
    if rng.random() < 0.4:
        rules.update(EVEN, extended_target_score=rng.randint(1, 20))
    return rules


def note_game(seen: Counter[str], score: Score) -> None:
    """Count how a game stands after a round."""
    winners, target = score.winners(), score.rules["target_score"]
    seen["shared"] += winners == [0, 1]
    seen["by-rounds"] += target is None and winners in ([0], [1])
    seen["target"] += target is not None and bool(winners) and not score.extended
    seen["extended"] += score.extended
    both = score.extended and min(score.totals) >= score.rules["extended_target_score"]
    seen["both-at-extended"] += both and bool(winners)
    seen["even-at-extended"] += both and not winners


def play_game(seed: int, given: dict[str, Any] | None = None) -> Counter[str]:
    """A whole game from biased cards; R1.2 and R5 after every round."""
    rng = random.Random(f"game {seed}")
    rules = game_rules(rng) if given is None else given
    engine = engine_for(rules)
    engine.reset(seed=seed)
    score, seen = Score(engine.rules.to_dict()), Counter[str]()
    dealer = int(engine.games["dealer"][0])
    while score.winners() is None and score.rounds < MOST_ROUNDS:
        where = f"game {seed}, round {score.rounds}"
        assert not engine.over[0] and engine.games["dealer"][0] == dealer, where
        deal = biased_deal(rng, rng.choice(KINDS if given is None else KINDS[:1]), rules, dealer)
        engine.set_deal(as_head(deal))
        result, more = play_round(rng, engine, deal, where)
        score.add(result)
        seen += more
        note_game(seen, score)
        dealer = (dealer + 1) % 4
        assert engine.games["extended"][0] == score.extended, where
        assert engine.rounds_played[0] == score.rounds, where
    assert engine.over[0] == (score.winners() is not None), f"game {seed}"
    if engine.over[0]:
        assert engine.match_result() == score.result(), f"game {seed}"
    return seen


def test_rounds_agree_with_the_reference() -> None:
    seen = sum(map(play_one_round, range(QUICK_ROUNDS)), Counter[str]())
    assert [mark for mark in IN_ROUNDS if not seen[mark]] == []


def test_games_agree_with_the_reference() -> None:
    seen = sum(map(play_game, range(QUICK_GAMES)), Counter[str]())
    seen += sum((play_game(seed, EVEN) for seed in EVEN_SEEDS), Counter[str]())
    assert [mark for mark in IN_GAMES if not seen[mark]] == []


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_thousands_of_rounds_agree_with_the_reference() -> None:
    seeds = range(QUICK_ROUNDS, QUICK_ROUNDS + MANY_ROUNDS)
    seen = sum(map(play_one_round, seeds), Counter[str]())
    assert all(seen[mark] >= 20 for mark in IN_ROUNDS), seen


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_thousands_of_games_agree_with_the_reference() -> None:
    seen = sum(map(play_game, range(QUICK_GAMES, QUICK_GAMES + MANY_GAMES)), Counter[str]())
    assert all(seen[mark] >= 5 for mark in IN_GAMES), seen
