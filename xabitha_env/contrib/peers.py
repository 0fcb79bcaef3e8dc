"""Loops over other libraries' card games, for `xabitha bench --peers`; extra ``bench``.

Peers that are not installed are left out. The decisions of players count, chance does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from xabitha_env.bench import DECISIONS, STEPS, Figure, Rate, aec_play, figure_name, until


def _openspiel_compiled() -> Rate:
    """OpenSpiel gin_rummy, random play by its C++ bots."""
    import pyspiel

    game = pyspiel.load_game("gin_rummy")
    seeds = iter(range(1 << 30))

    def measure(seconds: float) -> float:
        count, spent = 0, 0.0
        while spent < seconds:
            state = game.new_initial_state()
            bots = [pyspiel.make_uniform_random_bot(player, next(seeds)) for player in range(2)]
            start = time.perf_counter()
            pyspiel.evaluate_bots(state, bots, next(seeds))
            spent += time.perf_counter() - start
            count += sum(item.player >= 0 for item in state.full_history())
        return count / spent

    return measure


def _openspiel_python() -> Rate:
    """OpenSpiel gin_rummy from Python, with its NumPy observer and legal mask."""
    import pyspiel
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game("gin_rummy")
    observer = make_observation(game)
    generator = np.random.default_rng(0)

    def turn() -> int:
        state, count = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                actions = [action for action, _ in state.chance_outcomes()]
            else:
                observer.set_from(state, state.current_player())
                state.legal_actions_mask()
                actions = state.legal_actions()
                count += 1
            state.apply_action(actions[int(generator.random() * len(actions))])
        return count

    return lambda seconds: until(seconds, turn)


def _pettingzoo() -> Rate:
    """PettingZoo's texas_holdem, the same loop as ours."""
    import pettingzoo

    try:
        environment = pettingzoo.make("aec", "classic/texas_holdem-v4")
    except pettingzoo.env_registry.exceptions.FailedToImport as error:
        raise ImportError(str(error)) from error
    return aec_play(environment.unwrapped)


def _rlcard() -> Rate:
    """RLCard gin-rummy with its random agents."""
    import rlcard
    from rlcard.agents import RandomAgent

    environment: Any = rlcard.make("gin-rummy")
    agent = RandomAgent(num_actions=environment.num_actions)
    environment.set_agents([agent] * environment.num_players)

    def turn() -> int:
        trajectories, _ = environment.run(is_training=False)
        return sum(len(states) // 2 for states in trajectories)  # states and actions in turn

    return lambda seconds: until(seconds, turn)


_PEERS: tuple[tuple[str, str, Callable[[], Rate], str], ...] = (
    ("OpenSpiel gin_rummy, C++", DECISIONS, _openspiel_compiled, figure_name("mask", 1024)),
    (
        "OpenSpiel gin_rummy, Python",
        DECISIONS,
        _openspiel_python,
        figure_name("mask + observation", 1024),
    ),
    ("PettingZoo texas_holdem raw_env", STEPS, _pettingzoo, "raw_env"),
    ("RLCard gin-rummy", DECISIONS, _rlcard, figure_name("mask + observation", 1)),
)


def peer_figures() -> tuple[list[Figure], list[str]]:
    """Return the figures of the installed peers, and a line for each that is missing."""
    figures, missing = [], []
    for name, unit, make, against in _PEERS:
        try:
            figures.append(Figure(name, unit, make(), against))
        except ImportError as error:
            missing.append(f"{name} is left out: {error}")
    return figures, missing
