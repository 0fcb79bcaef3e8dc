"""Matches played and written down as records."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, repeat
from typing import Any

from xabitha_env.games import make_engine, make_rules
from xabitha_env.players.compiled import CompiledPlayer
from xabitha_env.players.loader import PlayerSpec, load_players
from xabitha_env.players.table import Table
from xabitha_env.protocol import Engine, Rules
from xabitha_env.record.fields import FORMAT, VERSION

BATCH = 64
"""Matches played side by side; it changes nothing in the records."""


def record_matches(
    players: Sequence[PlayerSpec],
    seeds: Iterable[int],
    *,
    game: str = "xabitha",
    rules: Rules | Mapping[str, Any] | None = None,
    legal: bool = False,
    batch: int = BATCH,
    deals: Iterable[Any] | None = None,
) -> Iterator[dict[str, Any]]:
    """Play matches and give their records, in the order of their seeds.

    Args:
        players: one for all seats, two by team or four by seat, as in `load_players`.
        seeds: the seed of each match.
        game: which game.
        rules: its rules, or some fields of them.
        legal: write down the legal moves at each decision.
        batch: how many matches are played side by side. The records do not depend on it, as
            long as each player's choices depend on its own view and match alone.
        deals: the first deal of each match, as `Engine.set_deal` takes it, instead of the seed's.

    Raises:
        ValueError: an unknown game or player, a bad rules value or seed, or (as `PlayerError`)
            a player that fails or answers with no legal action. Players and rules are checked
            at once, before the first record is asked for.
    """
    if rules is None or isinstance(rules, Mapping):
        rules = make_rules(game, rules)
    if batch < 1:
        raise ValueError(f"batch must be at least 1, not {batch}")
    seated = load_players(players, game)
    compiled = all(isinstance(player, CompiledPlayer) for player in seated)
    options = {"rules": rules, "outputs": () if compiled else ("mask", "legal", "observation")}
    starts = zip(seeds, repeat(None) if deals is None else deals)
    return _play_all(seated, starts, game, options, legal, batch)


def _play_all(
    players: Sequence[Any],
    starts: Iterator[tuple[int, Any]],
    game: str,
    options: dict[str, Any],
    legal: bool,
    batch: int,
) -> Iterator[dict[str, Any]]:
    table: Table | None = None
    while chunk := list(islice(starts, batch)):
        if table is None or table.engine.num_games != len(chunk):
            table = Table(make_engine(game, len(chunk), **options), players)
        yield from _play_chunk(table, chunk, legal)


def _play_chunk(table: Table, starts: list[tuple[int, Any]], legal: bool) -> list[dict[str, Any]]:
    """Play one match a seed to its end, side by side."""
    engine = table.engine
    seeds, deals = [seed for seed, _ in starts], [deal for _, deal in starts]
    engine.reset(seed=seeds, deals=deals)
    table.reset(seeds[0])
    agents = [player.name for player in table.players]
    records = [new_record(engine, index, seed, agents) for index, seed in enumerate(seeds)]
    while not engine.over.all():
        playing = [int(index) for index in (~engine.over).nonzero()[0]]
        lists = {index: engine.legal_texts(index) for index in playing} if legal else {}
        before, rounds = engine.get_state(), engine.rounds_played.copy()
        actions = table.step()
        ended = engine.rounds_played != rounds
        for index in playing:
            event = engine.event_record(before, int(actions[index]), index)
            if legal:
                event["legal"] = lists[index]
            records[index]["rounds"][-1]["events"].append(event)
            if ended[index]:
                end_round(engine, index, records[index])
    return records


def new_record(engine: Engine, index: int, seed: int, agents: list[str]) -> dict[str, Any]:
    """Return the record of a match that has just been dealt."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "game": engine.game,
        "rules": engine.rules.to_dict(),
        "seed": int(seed),
        "agents": list(agents),
        "rounds": [_new_round(engine, index)],
        "result": None,
    }


def _new_round(engine: Engine, index: int) -> dict[str, Any]:
    return {**engine.deal_record(index), "events": [], "result": None}


def end_round(engine: Engine, index: int, record: dict[str, Any]) -> None:
    """Write down how a round ended, and the next deal or how the match ended."""
    record["rounds"][-1]["result"] = engine.round_result(index)
    if engine.over[index]:
        record["result"] = engine.match_result(index)
    else:
        record["rounds"].append(_new_round(engine, index))
