"""Kernels of the search: candidates, and rollouts of them in worlds that may be the true one.

The search itself (`players.search`) is the same for both games; see there.
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import entry, kernel
from xabitha_env.cards import NUM_SEATS, NUM_TEAMS
from xabitha_env.xabitha import expert, play
from xabitha_env.xabitha.actions import DECLARE, DISCARD, DRAW_DECK, DRAW_FIRE, MAX_LEGAL
from xabitha_env.xabitha.chase import formation_distance
from xabitha_env.xabitha.expert import WEIGHTS, plan_melds, rank_discards
from xabitha_env.xabitha.legal import list_legal, may_draw_fire
from xabitha_env.xabitha.opening import MOST_MELDS
from xabitha_env.xabitha.resample import resample
from xabitha_env.xabitha.state import DECLARING, DRAWING, FORMED, HAND_CARDS

CAUTION = 1.5
"""For `players.search`: how many standard errors better than `expert`'s choice another must be."""
MOST_DISCARDS = 6
"""Discards that are tried, those that `expert` would sooner make first."""
MOST_ACTS = 6
"""Melds, additions and steals that are tried, in the order of their numbers."""
NEAR_FORMATION = 2
"""Both answers of a declaration are tried when so few cards are missing for a formation."""
CHOICES = 16
"""Hands to choose from by what their seats did, where that counts."""


@kernel
def add_candidate(ids, count, action):
    """Append an action that is not yet listed; returns the new count."""
    for place in range(count):
        if ids[place] == action:
            return count
    ids[count] = action
    return count + 1


@kernel
def add_discards(g, seat, ids, count):
    """Append the discards that `expert` would sooner make."""
    kinds, values = np.empty(HAND_CARDS + 1, np.int64), np.empty(HAND_CARDS + 1, np.float64)
    chosen = np.empty(MOST_MELDS, np.int64)
    laid, _ = plan_melds(g, seat, WEIGHTS, chosen)
    found = rank_discards(g, seat, WEIGHTS, laid, chosen, kinds, values)
    order = np.argsort(values[:found])
    for place in range(min(found, MOST_DISCARDS)):
        count = add_candidate(ids, count, DISCARD + kinds[order[place]])
    return count


@kernel
def add_acts(g, ids, count):
    """Append what can be done on the table, where it may be done."""
    legal = np.empty(MAX_LEGAL, np.int32)
    number = list_legal(g, legal)
    acts = 0
    for place in range(number):
        action = int(legal[place])
        if action < DISCARD and acts < MOST_ACTS:
            count = add_candidate(ids, count, action)
            acts += 1
    return count


@kernel
def candidates(g, ids):
    """Write the actions worth a try, the one of `expert` first; returns their number."""
    seat = int(g.seat)
    ids[0] = expert.act(g, WEIGHTS)
    if g.phase == DECLARING:
        near = formation_distance(g.hand_one[seat], g.hand_two[seat]) <= NEAR_FORMATION
        return add_candidate(ids, 1, DECLARE + (1 - ids[0] + DECLARE)) if near else 1
    if g.phase == DRAWING:
        if not may_draw_fire(g):
            return 1
        return add_candidate(ids, 1, DRAW_DECK + DRAW_FIRE - ids[0])
    if g.phase == FORMED or g.staged > 0 or g.declared[seat]:
        return 1
    count = 1
    if g.opened[seat]:
        count = add_acts(g, ids, count)
    return add_discards(g, seat, ids, count)


@entry
def list_candidates(games, index, ids):
    """Write the actions worth a try in a game, the one of `expert` first; returns their number."""
    return candidates(games[index], ids)


@entry
def describe_decision(games, index):
    """Return a word of its own for each decision of a match, from the stream for players."""
    g = games[index]
    return _random.branch(g.player_word ^ _random.branch(np.uint64(g.decisions.sum() + 1)))


@kernel
def finish_round(g):
    """Let `expert` play all seats to the end of the round; returns team 0's lead in points."""
    while not g.over:
        play.play(g, expert.act(g, WEIGHTS))
    lead = 0
    for seat in range(NUM_SEATS):
        lead += int(g.last_penalties[seat]) * (2 * (seat % NUM_TEAMS) - 1)
    return lead


@entry
def draw_worlds(games, index, weighted, words, worlds, weights):
    """Draw worlds that the seat to act cannot tell from a game; see `resample`.

    Args:
        games: (N,) records; not changed.
        index: the game.
        weighted: whether hands are drawn by how likely `expert` would have played so with them.
        words: (n,) a random stream each.
        worlds: (n,) records, written.
        weights: (n,) float64, written.
    """
    seat, choices = int(games[index].seat), CHOICES if weighted else 1
    for place in range(words.size):
        _, weights[place] = resample(games[index], seat, worlds, place, choices, words[place])


@entry
def roll_out(games, index, actions, words, open_cards, weighted, margins, weights):
    """Play candidates to the end of the round in worlds drawn for the seat to act.

    All candidates of a world have the same hidden cards and the same later chances.

    Args:
        games: (N,) records; not changed.
        index: the game.
        actions: (k,) legal actions of the seat to act.
        words: (w,) a random stream for each world.
        open_cards: play on in the true world instead: a ceiling for reports, no player's right.
        weighted: whether hands are drawn by how likely `expert` would have played so with them.
        margins: (w, k) float64, written: points by which the seat's team wins the round.
        weights: (w,) float64, written: how much a world counts.
    """
    worlds = np.empty(2, games.dtype)
    seat = int(games[index].seat)
    sign = 1 - 2 * (seat % NUM_TEAMS)
    for world in range(words.size):
        weights[world] = 1.0
        if open_cards:
            worlds[0] = games[index]
        else:
            choices = CHOICES if weighted else 1
            _, weights[world] = resample(games[index], seat, worlds, 0, choices, words[world])
            worlds[0].fixed_draws = 1  # the true world keeps its next cards
            play.fix_draws(worlds[0])
        worlds[0].num_rounds = worlds[0].rounds + 1
        for place in range(actions.size):
            worlds[1] = worlds[0]
            play.play(worlds[1], actions[place])
            margins[world, place] = sign * finish_round(worlds[1])


@entry
def branch(games, index, actions, words, decisions, trials, first):
    """Take each of some actions in copies of a game, and let `expert` play on for a while.

    Args:
        games: (N,) records; not changed.
        index: the game.
        actions: (k,) legal actions of the seat to act.
        words: (w,) uint64: a random stream for a new order of the deck, the same for all actions;
            0 keeps the true one.
        decisions: how many decisions `expert` makes in each, if the round lasts so long.
        trials: records, w * k from `first` on written: for each word all actions.
        first: place of the first copy.
    """
    for number in range(words.size):
        for place in range(actions.size):
            at = first + number * actions.size + place
            trials[at] = games[index]
            g = trials[at]
            g.reward[:] = 0
            g.num_rounds = g.rounds + 1  # the end of the round ends the match
            if words[number] != 0:
                _random.shuffle(g.deck, g.deck_count, words[number])
            play.play(g, actions[place])
            for _ in range(decisions):
                if g.over:
                    break
                play.play(g, expert.act(g, WEIGHTS))


@entry
def spread(games, index, actions, words, weighted, room, weights):
    """Take each action in each of some worlds drawn for the seat to act.

    Args:
        games, index, actions, words, weighted: as in `roll_out`.
        room: (w * k,) records, written: world after world, in each all actions.
        weights: (w,) float64, written.
    """
    seat, choices = int(games[index].seat), CHOICES if weighted else 1
    worlds = games[index : index + 1].copy()
    for world in range(words.size):
        _, weights[world] = resample(games[index], seat, worlds, 0, choices, words[world])
        worlds[0].fixed_draws = 1
        play.fix_draws(worlds[0])
        worlds[0].num_rounds = worlds[0].rounds + 1
        for place in range(actions.size):
            room[world * actions.size + place] = worlds[0]
            play.play(room[world * actions.size + place], actions[place])


@entry
def finish(games, leads):
    """Let `expert` play rounds to their ends; writes team 0's lead in points.

    Args:
        games: (n,) records whose match ends with the round; changed.
        leads: (n,) float64, written.
    """
    for index in range(games.size):
        leads[index] = finish_round(games[index])
