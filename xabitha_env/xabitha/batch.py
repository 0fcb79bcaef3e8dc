"""Compiled loops over a batch: the thin layer between the engine and the rules."""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import entry, kernel
from xabitha_env.buffers import mark, nth_legal
from xabitha_env.xabitha import observation, play, players
from xabitha_env.xabitha.actions import MAX_LEGAL
from xabitha_env.xabitha.legal import list_legal, slot_card
from xabitha_env.xabitha.play import start_match


@entry
def start_matches(games, indices):
    """Start a match in some games of a batch."""
    for place in range(indices.size):
        start_match(games[indices[place]])


@kernel
def play_compiled(g, codes, ids):
    """Let compiled players act until a seat from outside must, or the match is over."""
    while not g.over:
        code = int(codes[g.seat])
        if code < 0:
            return
        count = list_legal(g, ids) if players.needs_list(code) else 0
        play.play(g, players.pick(g, code, ids, count))


@kernel
def describe(g, index, mask, legal, legal_count, seen):
    """Fill the buffers (those that have rows) of one game for the seat to act."""
    if legal.shape[0] > 0:
        ids = legal[index]
        if mask.shape[0] > 0:
            mark(mask[index], ids, legal_count[index], 0)  # what was marked the last time
        legal_count[index] = list_legal(g, ids)
        if mask.shape[0] > 0:
            mark(mask[index], ids, legal_count[index], 1)
    if seen.shape[0] > 0:
        observation.observe(g, int(g.seat), seen[index])


@kernel
def act(g, index, actions, restart, refused):
    """Take a game's action, if actions are given; a refused one leaves the game as it is."""
    refused[index] = False
    if actions.size == 0:
        return
    g.reward[:] = 0
    if g.over and restart:
        start_match(g)
    else:
        refused[index] = not play.step(g, actions[index])


@entry
def step(games, indices, actions, restart, refused, mask, legal, legal_count, seen):
    """Act and describe what is next, in some games of a batch.

    Args:
        games: (N,) records.
        indices: the games.
        actions: (N,) actions, or (0,) to take none.
        restart: whether a match that is over starts anew instead of refusing its action.
        refused: (N,) bool, written.
        mask, legal, legal_count, seen: the engine's buffers, written.
    """
    for place in range(indices.size):
        index = indices[place]
        act(games[index], index, actions, restart, refused)
        if not refused[index]:  # else nothing changed, and the buffers hold
            describe(games[index], index, mask, legal, legal_count, seen)


@entry
def advance(games, indices, actions, restart, refused, mask, legal, legal_count, seen, codes):
    """Act, let compiled players act, and describe what is next, in some games of a batch.

    Args:
        games, indices, actions, restart, refused, mask, legal, legal_count, seen: as in `step`.
        codes: (N, 4) compiled players by seat, -1 for outside.
    """
    ids = np.empty(MAX_LEGAL, np.int32)
    for place in range(indices.size):
        index = indices[place]
        g = games[index]
        if actions.size == 0:
            g.reward[:] = 0
        act(g, index, actions, restart, refused)
        if not refused[index]:
            play_compiled(g, codes[index], ids)
            describe(g, index, mask, legal, legal_count, seen)


@entry
def choose(games, codes, mask, legal, legal_count, actions):
    """Write what compiled players do in the games that go on.

    The legal list is taken from `legal` where it has rows, and drawn from by `random` in `mask`
    where only that has; else it is made anew.
    """
    ids = np.empty(MAX_LEGAL, np.int32)
    for index in range(games.size):
        g = games[index]
        code = int(codes[index])
        if g.over or code < 0:
            actions[index] = -1
        elif legal.shape[0] > 0:
            actions[index] = players.pick(g, code, legal[index], legal_count[index])
        elif mask.shape[0] > 0 and code == players.RANDOM:
            g.player_word = _random.advance(g.player_word)
            number = _random.below(g.player_word, legal_count[index])
            actions[index] = nth_legal(mask[index], number, legal_count[index])
        else:
            count = list_legal(g, ids) if players.needs_list(code) else 0
            actions[index] = players.pick(g, code, ids, count)


@entry
def observe(games, index, seat, out):
    """Write what a seat of one game sees."""
    observation.observe(games[index], seat, out)


@entry
def observe_all(games, index, out):
    """Write everything of one game."""
    observation.observe_all(games[index], out)


@entry
def slot_kind(games, index, slot, what):
    """Return the kind that an action on a meld gives, or -1 where there is no such action."""
    return slot_card(games[index], slot, what)


@entry
def list_one(games, index, ids):
    """Write the legal actions of one game, ascending; returns their number."""
    return list_legal(games[index], ids)


@entry
def place_deal(games, index, starter, hands, sizes, deck):
    """Replace the deal of a round: all hands in a row, their sizes, the deck (next card first)."""
    g = games[index]
    play.clear_round(g, starter)
    card = 0
    for seat in range(sizes.size):
        for _ in range(sizes[seat]):
            play.give_card(g, seat, hands[card])
            card += 1
    place_deck(g, deck)


@kernel
def place_deck(g, deck):
    """Make these cards the deck, next card first."""
    g.deck_count = deck.size
    g.deck[deck.size :] = 0
    for card in range(deck.size):
        g.deck[deck.size - 1 - card] = deck[card]
    play.fix_draws(g)


@entry
def place_reshuffle(games, index, deck):
    """Make a new deck as `play.reshuffle` does, in a given order (next card first)."""
    g = games[index]
    play.reshuffle(g)
    place_deck(g, deck)
