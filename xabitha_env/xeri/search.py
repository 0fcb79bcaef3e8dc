"""Kernels for players that search: plays worth trying, and what they lead to in many deals.

A *world* is the game with everything hidden from the seat to act drawn anew. In each world every
candidate is played, and all seats play on quickly as `expert` does, to the end of the round: the
candidates meet the same cards, so that their differences stray less than their results.
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import entry, kernel
from xabitha_env.cards import NUM_RANKS, NUM_SEATS, NUM_TEAMS
from xabitha_env.masks import bit
from xabitha_env.xeri.actions import HAND_CARDS, MAX_LEGAL, NUM_CARDS, PLAYS
from xabitha_env.xeri.endgame import COLUMNS, LEVELS, copy_table, solve
from xabitha_env.xeri.expert import first_best, rate, rate_quickly
from xabitha_env.xeri.odds import DEAL_PLAYS, points_of
from xabitha_env.xeri.play import list_legal, play
from xabitha_env.xeri.resample import redraw
from xabitha_env.xeri.state import NO_TARGET
from xabitha_env.xeri.terms import NUM_TERMS

CAUTION = 2.0
"""For `players.search`: how many standard errors better than `expert`'s choice another must be."""
HOPELESS = 8.0
"""Plays that `expert` thinks worse than its best by more points are not tried."""
SOLVED_PLAYS = 8
"""With so many plays left a world is solved exactly instead of being played on."""
TEMPERATURE = 0.5
"""In points: how likely a seat made a play falls by e with so much less that it is worth.

Lower ones tell more of the hands of `expert` itself, higher ones more of those of others."""
OTHERWISE = 0.1
"""How often a seat is thought to play any of its cards, whatever `expert` thinks of them."""


@kernel
def is_like(kind, other):
    """Return whether two cards count alike: the same rank and points (R4.2)."""
    same = kind % NUM_RANKS == other % NUM_RANKS
    return same and points_of(bit(kind)) == points_of(bit(other))


@kernel
def is_new(kind, ids, count):
    """Return whether a card is like none of the first so many."""
    for place in range(count):
        if is_like(kind, np.int64(ids[place])):
            return False
    return True


@entry
def list_candidates(games, index, ids):
    """Write the plays of the seat to act that are worth trying; returns their number.

    `expert`'s own choice comes first, the others in the order of their value. Of cards that count
    alike one is kept, and hopeless plays are left out.

    Args:
        games: (N,) records.
        index: a game that goes on.
        ids: (MAX_LEGAL,) int32, written.
    """
    g = games[index]
    legal = np.empty(MAX_LEGAL, np.int32)
    count = list_legal(g, legal)
    values = np.empty(HAND_CARDS)
    least = values[rate(g, legal, count, np.empty(NUM_TERMS), values)] - HOPELESS
    kept = 0
    for _ in range(count):
        best = first_best(values, count)
        if values[best] < least:
            break
        if is_new(np.int64(legal[best]), ids, kept):
            ids[kept] = legal[best]
            kept += 1
        values[best] = -np.inf
    return kept


@entry
def describe_decision(games, index):
    """Return a stream of a game's decision: a word that is not zero.

    It depends on the stream for players and on how many decisions were made, and changes neither.
    """
    g = games[index]
    number = _random.branch(np.uint64(int(g.rounds) * PLAYS + int(g.plays) + 1))
    return _random.branch(_random.advance(g.player_word ^ number))


@kernel
def make_scratch():
    """Return room for ids, terms, values, levels and hands."""
    return (
        np.empty(MAX_LEGAL, np.int32),
        np.empty(NUM_TERMS),
        np.empty(HAND_CARDS),
        np.empty((LEVELS, COLUMNS), np.int64),
        np.empty(NUM_SEATS, np.int64),
    )


@kernel
def solve_round(g, levels, hands):
    """Return the lead of the team of the seat to act when all play best, hands open."""
    copy_table(g, levels[0])
    for seat in range(NUM_SEATS):
        hands[seat] = g.hand[seat]
    return solve(g, levels, hands, np.int64(0), PLAYS - g.plays)


@kernel
def finish_round(g, team, scratch):
    """Play a round on, its last plays exactly; returns the lead of a team in points."""
    ids, terms, values, levels, hands = scratch
    while not g.over:
        if PLAYS - g.plays <= SOLVED_PLAYS:
            lead = solve_round(g, levels, hands)
            return float(lead if g.seat % NUM_TEAMS == team else -lead)
        count = list_legal(g, ids)
        rate_quickly(g, ids, count, terms, values)
        play(g, np.int64(ids[first_best(values, count)]))
    return float(g.last_points[team] - g.last_points[1 - team])


@kernel
def rewind(g, seat):
    """Undo the plays since a seat last left a card in this deal; returns the card, or -1."""
    ago = (g.seat - seat - 1) % NUM_SEATS + 1
    place = g.pile_count - ago
    if place < 0 or ago > g.plays % DEAL_PLAYS:
        return np.int64(-1)
    for card in range(place, g.pile_count):
        kind = np.int64(g.pile[card])
        player = (seat + card - place) % NUM_SEATS
        g.hand[player] |= bit(kind)
        g.played[player] &= ~bit(kind)
    g.pile_count = place
    g.plays -= ago
    g.seat = seat
    return np.int64(g.pile[place])


@kernel
def share_of(played, ids, values, count):
    """Return how likely the card played was chosen, of so many with these values."""
    best = values[first_best(values, count)]
    chance, total = 0.0, 0.0
    for place in range(count):
        share = np.exp((values[place] - best) / TEMPERATURE)
        total += share
        if ids[place] == played:
            chance = share
    return OTHERWISE / count + (1.0 - OTHERWISE) * chance / total


@kernel
def likelihood(worlds, pasts, scratch):
    """Return how likely the other seats' last plays are in a world, as far as they lie open.

    A seat's choice is taken for a softmax of `expert`'s values (`TEMPERATURE`), but for now and
    then (`OTHERWISE`), given the hand that it would have had. Plays that captured are no longer
    known.
    """
    ids, terms, values, _, _ = scratch
    seat = int(worlds[0].seat)
    product = 1.0
    for other in range(NUM_SEATS):
        if other == seat:
            continue
        pasts[0] = worlds[0]
        g = pasts[0]
        played = rewind(g, other)
        if played < 0:
            continue
        count = list_legal(g, ids)
        rate_quickly(g, ids, count, terms, values)
        product *= share_of(played, ids, values, count)
    return product


@entry
def draw_worlds(games, index, weighted, words, worlds, weights):
    """Draw worlds that the seat to act cannot tell from a game.

    Args:
        games: (N,) records, never changed.
        index: a game that goes on.
        weighted: whether worlds are weighed by what the others were seen to play.
        words: (n,) uint64, not zero; a stream a world.
        worlds: (n,) records, written.
        weights: (n,) float64, written: 1, or how likely the others' last plays are in the world.
    """
    seat = int(games[index].seat)
    pool = np.empty(NUM_CARDS, np.int8)
    scratch = make_scratch()
    pasts = games[index : index + 1].copy()
    for place in range(words.size):
        worlds[place] = games[index]
        redraw(worlds[place], seat, pool, words[place])
        chance = likelihood(worlds[place : place + 1], pasts, scratch) if weighted else 1.0
        weights[place] = chance


@entry
def roll_out(games, index, candidates, words, open_cards, weighted, margins, weights):
    """Play candidates to the end of the round in worlds drawn anew.

    Args:
        games: (N,) records, never changed.
        index: a game that goes on.
        candidates: (k,) int64, legal plays of the seat to act.
        words: (w,) uint64, not zero; a stream a world, the same for all candidates.
        open_cards: whether the true hidden cards are kept, as no player may.
        weighted: whether worlds are weighed by what the others were seen to play.
        margins: (w, k) float64, written: points of the round for the seat's team, less the
            other's.
        weights: (w,) float64, written: 1, or how likely the others' last plays are in the world.
    """
    seat = int(games[index].seat)
    worlds = games[index : index + 1].copy()
    trials = worlds.copy()
    pool = np.empty(NUM_CARDS, np.int8)
    scratch = make_scratch()
    for place in range(words.size):
        worlds[0] = games[index]
        if not open_cards:
            redraw(worlds[0], seat, pool, words[place])
        weights[place] = likelihood(worlds, trials, scratch) if weighted else 1.0
        worlds[0].num_rounds = worlds[0].rounds + 1  # the end of the round ends the game
        worlds[0].target_score = NO_TARGET
        for choice in range(candidates.size):
            trials[0] = worlds[0]
            play(trials[0], candidates[choice])
            margins[place, choice] = finish_round(trials[0], seat % NUM_TEAMS, scratch)


@entry
def branch(games, index, actions, words, decisions, trials, first):
    """Make each of some plays in copies of a game, and let `expert` play on quickly for a while.

    Args:
        games: (N,) records; not changed.
        index: a game that goes on.
        actions: (k,) legal plays of the seat to act.
        words: (w,) uint64: a random stream for a new order of the stock, the same for all plays; 0
            keeps the true one.
        decisions: how many plays `expert` makes in each, if the round lasts so long.
        trials: records, w * k from `first` on written: for each word all plays.
        first: place of the first copy.
    """
    ids, terms, values, _, _ = make_scratch()
    for number in range(words.size):
        for place in range(actions.size):
            at = first + number * actions.size + place
            trials[at] = games[index]
            g = trials[at]
            g.reward[:] = 0
            g.num_rounds = g.rounds + 1  # the end of the round ends the game
            g.target_score = NO_TARGET
            if words[number] != 0:
                _random.shuffle(g.stock, g.stock_count, words[number])
            play(g, actions[place])
            for _ in range(decisions):
                if g.over:
                    break
                count = list_legal(g, ids)
                rate_quickly(g, ids, count, terms, values)
                play(g, np.int64(ids[first_best(values, count)]))


@entry
def spread(games, index, actions, words, weighted, room, weights):
    """Make each play in each of some worlds drawn for the seat to act.

    Args:
        games, index, actions, words, weighted: as in `roll_out`.
        room: (w * k,) records, written: world after world, in each all plays.
        weights: (w,) float64, written.
    """
    seat = int(games[index].seat)
    worlds = games[index : index + 1].copy()
    pasts = worlds.copy()
    pool = np.empty(NUM_CARDS, np.int8)
    scratch = make_scratch()
    for world in range(words.size):
        worlds[0] = games[index]
        redraw(worlds[0], seat, pool, words[world])
        weights[world] = likelihood(worlds, pasts, scratch) if weighted else 1.0
        worlds[0].num_rounds = worlds[0].rounds + 1
        worlds[0].target_score = NO_TARGET
        for place in range(actions.size):
            room[world * actions.size + place] = worlds[0]
            play(room[world * actions.size + place], actions[place])


@entry
def finish(games, leads):
    """Let `expert` play rounds to their ends; writes team 0's lead in points.

    Args:
        games: (n,) records whose game ends with the round; changed.
        leads: (n,) float64, written.
    """
    scratch = make_scratch()
    for index in range(games.size):
        leads[index] = finish_round(games[index], 0, scratch)
