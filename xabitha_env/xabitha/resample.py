"""Worlds that a seat cannot tell from the one it is in: everything hidden is drawn anew.

Until the first reshuffle every unseen card is as likely in one hidden place as in another: hidden
cards of the other hands and the deck are filled from one shuffled pool. After a reshuffle (X10.1)
unseen cards are of two pools: *old* ones, which lay in hands at that time, and *new* ones, which
were in the pile that became the deck. The deck and what was drawn from it are new. Of a card that
another seat shows later, and of which an old and a new copy were unseen, nobody can say which it
was; so the trail of the round is walked with the odds of either, and a world weighs as much as the
odds that the trail had in it (sequential importance sampling; Liu & Chen 1998). Before a reshuffle
all weights are 1.

Only the last reshuffle is looked at: what earlier ones told of old cards is forgotten.

Cards are drawn, not kinds: of two equal cards each has a place of its own.
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import kernel
from xabitha_env.cards import NUM_KINDS, NUM_SEATS
from xabitha_env.xabitha.declaring import wants_formation
from xabitha_env.xabitha.hands import add_card
from xabitha_env.xabitha.melds import NUM_CARDS
from xabitha_env.xabitha.plausible import plausibility
from xabitha_env.xabitha.reading import hidden_count, unseen_cards
from xabitha_env.xabitha.state import DECLARING, DRAWN, FORMED


@kernel
def copies(one, two, kind):
    """Return how many cards of a kind are in a collection."""
    return int((one >> kind) & 1) + int((two >> kind) & 1)


@kernel
def uniform(word):
    """Return a number from 0 to 1 from a word."""
    return np.float64(_random.below(word, SPREAD)) / SPREAD


SPREAD = np.int64(1 << 31)
MOST_WALKS = 1000


@kernel
def fill_pools(g, seat, old, new):
    """Write how many cards of each kind were old and new at the last reshuffle, to a seat.

    What is unseen now, what others have shown of it since, and what the seat itself drew, was
    either.
    """
    once, twice = unseen_cards(g, seat)
    for kind in range(NUM_KINDS):
        old[kind] = copies(once, twice, kind)
    for place in range(int(g.trail_count)):
        kind, who = int(g.trail[place]) // NUM_SEATS, int(g.trail[place]) % NUM_SEATS
        if kind != DRAWN and who != seat:
            old[kind] += 1
    for kind in range(NUM_KINDS):
        new[kind] = copies(g.reshuffled_one, g.reshuffled_two, kind)
        old[kind] += copies(g.drew_one[seat], g.drew_two[seat], kind) - new[kind]


@kernel
def fill_one_pool(g, seat, old, new, old_held, new_held):
    """Take all hidden cards for old, as before the first reshuffle."""
    once, twice = unseen_cards(g, seat)
    for kind in range(NUM_KINDS):
        old[kind] = copies(once, twice, kind)
    for other in range(NUM_SEATS):
        old_held[other] = hidden_count(g, other)
    old_held[seat] = 0
    new[:] = 0
    new_held[:] = 0


@kernel
def fits(g, old, new, old_held, new_held):
    """Return whether the pools fill their places; else the trail is not that of a game."""
    least = min(old.min(), new.min(), old_held.min(), new_held.min())
    news = new_held.sum() + int(g.deck_count)
    return least >= 0 and old.sum() == old_held.sum() and new.sum() == news


@kernel
def count_held(g, seat, old_held, new_held):
    """Write how many hidden cards each other hand had at the last reshuffle; none was new."""
    new_held[:] = 0
    for other in range(NUM_SEATS):
        old_held[other] = hidden_count(g, other)
    for place in range(int(g.trail_count)):
        kind, who = int(g.trail[place]) // NUM_SEATS, int(g.trail[place]) % NUM_SEATS
        old_held[who] += -1 if kind == DRAWN else 1
    old_held[seat] = 0


@kernel
def walk_trail(g, seat, old, new, old_held, new_held, word):
    """Follow the trail to now: which pool each card shown came from, drawn by its odds.

    Args:
        g: the game.
        seat: who asks.
        old, new: cards of each kind in the pools, at the reshuffle; brought up to now.
        old_held, new_held: by seat, hidden cards of either pool, at the reshuffle; up to now.
        word: a random stream.

    Returns:
        The stream, and the odds of all that was shown.
    """
    olds, news = old.sum(), new.sum()
    weight = 1.0
    for kind in range(NUM_KINDS):  # what the seat drew itself
        drawn = copies(g.drew_one[seat], g.drew_two[seat], kind)
        new[kind] -= drawn
        news -= drawn
    for place in range(int(g.trail_count)):
        kind, who = int(g.trail[place]) // NUM_SEATS, int(g.trail[place]) % NUM_SEATS
        if who == seat:
            continue
        if kind == DRAWN:
            new_held[who] += 1
            continue
        odds_old = old_held[who] * old[kind] / max(olds, 1)
        odds_new = new_held[who] * new[kind] / max(news, 1)
        odds = odds_old + odds_new
        weight *= odds
        if weight == 0:
            break
        word = _random.advance(word)
        if uniform(word) * odds < odds_old:
            old[kind] -= 1
            old_held[who] -= 1
            olds -= 1
        else:
            new[kind] -= 1
            new_held[who] -= 1
            news -= 1
    return word, weight


@kernel
def list_cards(counts, cards):
    """Write the cards of a pool, kinds ascending; returns their number."""
    number = 0
    for kind in range(NUM_KINDS):
        for _ in range(counts[kind]):
            cards[number] = kind
            number += 1
    return number


@kernel
def draw_last(cards, left, count, word):
    """Bring random cards of the first `left` to their end; returns the stream."""
    for place in range(left - 1, left - 1 - count, -1):
        word = _random.advance(word)
        other = _random.below(word, np.int64(place + 1))
        card = cards[place]
        cards[place] = cards[other]
        cards[other] = card
    return word


@kernel
def fill_hand(g, seat, olds, old_from, old_to, news, new_from, new_to):
    """Make these cards, and those known, a seat's hand."""
    one, two = g.known_one[seat], g.known_two[seat]
    for place in range(old_from, old_to):
        one, two = add_card(one, two, np.int64(olds[place]))
    for place in range(new_from, new_to):
        one, two = add_card(one, two, np.int64(news[place]))
    g.hand_one[seat] = one
    g.hand_two[seat] = two


@kernel
def choose_hand(g, other, olds, old_left, old_count, news, new_left, new_count, choices, word):
    """Draw a hand: the only one, or one of several by how plausible they are.

    The cards drawn are the last of the first `old_left` and `new_left`.
    """
    old_from, new_from = old_left - old_count, new_left - new_count
    if choices == 1:
        word = draw_last(olds, old_left, old_count, word)
        word = draw_last(news, new_left, new_count, word)
        fill_hand(g, other, olds, old_from, old_left, news, new_from, new_left)
        return word
    kept_olds, kept_news = olds.copy(), news.copy()
    total = 0.0
    for choice in range(choices):
        word = draw_last(olds, old_left, old_count, word)
        word = draw_last(news, new_left, new_count, word)
        fill_hand(g, other, olds, old_from, old_left, news, new_from, new_left)
        odds = plausibility(g, other)
        total += odds
        word = _random.advance(word)
        if choice == 0 or uniform(word) * total < odds:
            kept_olds[:] = olds
            kept_news[:] = news
    olds[:] = kept_olds
    news[:] = kept_news
    fill_hand(g, other, olds, old_from, old_left, news, new_from, new_left)
    return word


@kernel
def place_hidden(g, seat, old, new, old_held, new_held, choices, word):
    """Deal the pools to the hidden places of a record."""
    olds, news = np.empty(NUM_CARDS, np.int8), np.empty(NUM_CARDS, np.int8)
    old_left, new_left = list_cards(old, olds), list_cards(new, news)
    for step in range(1, NUM_SEATS):
        other = (seat + step) % NUM_SEATS
        old_count, new_count = old_held[other], new_held[other]
        word = choose_hand(
            g, other, olds, old_left, old_count, news, new_left, new_count, choices, word
        )
        old_left -= old_count
        new_left -= new_count
    deck = news if new.sum() > 0 else olds
    word = _random.shuffle(deck, g.deck_count, word)
    for card in range(int(g.deck_count)):
        g.deck[card] = deck[card]
    g.deck[g.deck_count :] = 0  # where cards lay that others drew
    return word


@kernel
def declare_anew(g, seat):
    """Let the other seats that have answered do as `expert` with the cards they now have (X3.3).

    A seat that is down is in normal mode (X9.1), one that has laid a formation is not.
    """
    asked = (int(g.seat) - int(g.starter)) % NUM_SEATS
    for other in range(NUM_SEATS):
        if other == seat or (g.phase == FORMED and other == g.seat):
            continue
        answered = g.phase != DECLARING or (other - int(g.starter)) % NUM_SEATS < asked
        free = answered and not g.opened[other]
        g.declared[other] = free and wants_formation(g, g.hand_one[other], g.hand_two[other])


@kernel
def resample(g, seat, worlds, place, choices, word):
    """Make a record a copy of a game with everything hidden from a seat drawn anew.

    Nothing that the seat cannot know enters the copy: the pools are listed in order of kinds. The
    seat must be the one to act (nobody else has staged melds then, X6.4).

    Args:
        g: the game's record.
        seat: the seat to act.
        worlds: (n,) records; the one at `place` is written.
        place: which.
        choices: 1 for worlds in which all placements are as likely. More draws each hand as one of
            so many, by how plausible they are (`plausible`), which comes the nearer to the odds
            of the hands given what their seats did, the more there are (importance resampling).
        word: a random stream.

    Returns:
        The stream, and the weight of the world among such worlds (see the head of this file).
    """
    worlds[place] = g
    target = worlds[place]
    old, new = np.empty(NUM_KINDS, np.int64), np.empty(NUM_KINDS, np.int64)
    old_held, new_held = np.empty(NUM_SEATS, np.int64), np.empty(NUM_SEATS, np.int64)
    apart, weight = False, 1.0
    if g.reshuffles > 0:
        for _ in range(MOST_WALKS):
            fill_pools(g, seat, old, new)
            count_held(g, seat, old_held, new_held)
            word, weight = walk_trail(g, seat, old, new, old_held, new_held, word)
            if weight > 0:  # else it took a turning after which the rest could not have happened
                break
        apart = weight > 0 and fits(g, old, new, old_held, new_held)
    if not apart:
        weight = 1.0
        fill_one_pool(g, seat, old, new, old_held, new_held)
    word = place_hidden(target, seat, old, new, old_held, new_held, choices, word)
    for other in range(NUM_SEATS):
        if other != seat:
            target.drew_one[other] = 0  # of no use to the seat, and hidden
            target.drew_two[other] = 0
    declare_anew(target, seat)
    word = _random.advance(word)
    target.deal_word = _random.branch(word)
    word = _random.advance(word)
    target.shuffle_word = _random.branch(word)
    word = _random.advance(word)
    target.player_word = _random.branch(word)
    target.fixed_draws = 0
    return word, weight
