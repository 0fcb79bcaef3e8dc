"""What happens in a game of Xeri: dealing, playing, scoring (R2 to R5).

All functions change one game's record `g`; `play` takes a card that is in hand, `step` checks.
"""

from __future__ import annotations

import numpy as np

from xabitha_env import _random
from xabitha_env._jit import kernel
from xabitha_env.cards import (
    ACE,
    JACK,
    KING,
    NUM_RANKS,
    NUM_SEATS,
    NUM_SUITS,
    NUM_TEAMS,
    QUEEN,
    SUITS,
    TEN,
    TWO,
)
from xabitha_env.masks import bit, count_bits, lowest_bit
from xabitha_env.xeri.actions import HAND_CARDS, NUM_CARDS, PILE_CARDS, PLAYS
from xabitha_env.xeri.state import (
    GAME_RESULT,
    JACK_XERI,
    NO_KIND,
    NO_SEAT,
    NO_TARGET,
    NO_TEAM,
    PLAIN_XERI,
    ROUND_RESULT,
)

POINT_RANKS = (ACE, TEN, JACK, QUEEN, KING)  # R4.2
POINT_BITS = np.int64(
    sum(1 << (suit * NUM_RANKS + rank) for suit in range(NUM_SUITS) for rank in POINT_RANKS)
)
EXTRA_BITS = np.int64(
    1 << (SUITS.index("C") * NUM_RANKS + TWO) | 1 << (SUITS.index("D") * NUM_RANKS + TEN)
)
"""The 2 of clubs, and the 10 of diamonds for its second point (R4.2)."""
MOST_CARDS_POINTS = 3  # R4.1
POINTS_PER_REWARD = np.float32(25)
"""Points that one unit of reward stands for: those of a round apart from xeris (R4.2)."""


@kernel
def start_match(g):
    """Begin a game: no points, a dealer drawn at random (R1.2), the first deal."""
    g.rounds = 0
    g.over = False
    g.reward[:] = 0
    g.extended = False
    g.last_winner = NO_TEAM
    g.last_xeris[:] = 0
    for team in range(NUM_TEAMS):
        g.totals[team] = 0
        g.round_wins[team] = 0
        g.last_points[team] = 0
        g.last_cards[team] = 0
        g.last_xeri_count[team] = 0
    g.deal_word = _random.advance(g.deal_word)
    start_round(g, _random.below(g.deal_word, np.int64(NUM_SEATS)))


@kernel
def clear_round(g, dealer):
    """Set everything of a round, but the stock, to how it is before the deal."""
    g.dealer = dealer
    g.seat = (dealer + 1) % NUM_SEATS  # R3.1
    g.plays = 0
    g.bottom_card = NO_KIND
    g.pile[:] = 0  # nothing of other rounds is left: equal games have equal bytes
    g.pile_count = 0
    g.xeris[:] = 0
    g.last_capturer = NO_SEAT
    for seat in range(NUM_SEATS):
        g.hand[seat] = 0
        g.played[seat] = 0
    for team in range(NUM_TEAMS):
        g.captured[team] = 0
        g.xeri_count[team] = 0


@kernel
def start_round(g, dealer):
    """Shuffle, cut and deal the first hands and the pile (R2)."""
    clear_round(g, dealer)
    for kind in range(NUM_CARDS):
        g.stock[kind] = kind
    g.stock_count = NUM_CARDS
    shuffle_stock(g, 0)
    if g.show_bottom_card:
        show_bottom(g)
    deal_hands(g)
    deal_pile(g)
    while g.redeal_pile and must_redeal(g):
        for card in range(PILE_CARDS):
            g.stock[g.stock_count + card] = g.pile[card]
        g.stock_count += PILE_CARDS
        shuffle_stock(g, int(g.show_bottom_card))
        deal_pile(g)


@kernel
def shuffle_stock(g, lowest):
    """Shuffle the stock, but for so many cards at the bottom."""
    cards = g.stock[lowest : g.stock_count]
    g.deal_word = _random.shuffle(cards, np.int64(cards.size), g.deal_word)


@kernel
def show_bottom(g):
    """Show the lowest card that is no jack and make it the bottom one (R2.3)."""
    place = 0
    while g.stock[place] % NUM_RANKS == JACK:
        place += 1
    g.bottom_card = g.stock[place]
    g.stock[place] = g.stock[0]
    g.stock[0] = g.bottom_card
    shuffle_stock(g, 1)  # jacks that were passed over go to random places


@kernel
def pop_stock(g):
    """Take the next card off the stock."""
    g.stock_count -= 1
    return np.int64(g.stock[g.stock_count])


@kernel
def deal_hands(g):
    """Deal six cards each, one at a time from the dealer's left (R2.1)."""
    for card in range(NUM_SEATS * HAND_CARDS):
        seat = (g.dealer + 1 + card) % NUM_SEATS
        g.hand[seat] |= bit(pop_stock(g))


@kernel
def deal_pile(g):
    """Deal the four cards of the pile, the last one on top (R2.1)."""
    for card in range(PILE_CARDS):
        g.pile[card] = pop_stock(g)
    g.pile_count = PILE_CARDS


@kernel
def must_redeal(g):
    """Return whether two cards of the first pile have one rank, or its top is a jack (R2.2)."""
    if g.pile[PILE_CARDS - 1] % NUM_RANKS == JACK:
        return True
    for card in range(PILE_CARDS):
        for other in range(card):
            if g.pile[card] % NUM_RANKS == g.pile[other] % NUM_RANKS:
                return True
    return False


@kernel
def captures(g, kind):
    """Return whether playing a card captures the pile (R3.2)."""
    if g.pile_count == 0:
        return False
    rank = kind % NUM_RANKS
    return rank == JACK or rank == g.pile[g.pile_count - 1] % NUM_RANKS


@kernel
def makes_xeri(g, kind):
    """Return 0, or which xeri playing a card makes: PLAIN_XERI or JACK_XERI (R3.4, R4.3)."""
    rank = kind % NUM_RANKS
    if g.pile_count != 1 or rank != g.pile[0] % NUM_RANKS:
        return 0
    if g.plays == PLAYS - 1 and not g.dealer_last_card_xeri:  # R3.6: the last card is the dealer's
        return 0
    return JACK_XERI if rank == JACK else PLAIN_XERI


@kernel
def pile_mask(g):
    """Return the mask of the cards in the pile."""
    mask = np.int64(0)
    for card in range(g.pile_count):
        mask |= bit(np.int64(g.pile[card]))
    return mask


@kernel
def play(g, kind):
    """Play a card that is in the hand of the seat to act (R3)."""
    seat = int(g.seat)
    team = seat % NUM_TEAMS
    g.hand[seat] &= ~bit(kind)
    g.played[seat] |= bit(kind)
    if captures(g, kind):
        xeri = makes_xeri(g, kind)
        if xeri > 0:
            g.xeris[team, g.xeri_count[team]] = xeri
            g.xeri_count[team] += 1
        g.captured[team] |= pile_mask(g) | bit(kind)
        g.pile_count = 0
        g.last_capturer = seat
    else:
        g.pile[g.pile_count] = kind
        g.pile_count += 1
    g.plays += 1
    g.seat = (seat + 1) % NUM_SEATS
    if g.plays == PLAYS:
        end_round(g)
    elif g.plays % (NUM_SEATS * HAND_CARDS) == 0:
        deal_hands(g)


@kernel
def xeri_points(g, team):
    """Return what a team's xeris of the round are worth (R4.3)."""
    total = 0
    for place in range(g.xeri_count[team]):
        jack = g.xeris[team, place] == JACK_XERI
        total += int(g.jack_xeri_points) if jack else int(g.xeri_points)
    return total


@kernel
def team_points(g, team):
    """Return a team's points of the round (R4)."""
    own, theirs = g.captured[team], g.captured[1 - team]
    points = count_bits(own & POINT_BITS) + count_bits(own & EXTRA_BITS) + xeri_points(g, team)
    return points + MOST_CARDS_POINTS if count_bits(own) > count_bits(theirs) else points


@kernel
def end_round(g):
    """Give away what is left (R3.5), score (R4), and end the game (R5) or deal anew (R1.2)."""
    if g.last_capturer != NO_SEAT:
        g.captured[g.last_capturer % NUM_TEAMS] |= pile_mask(g)
    g.pile_count = 0
    g.last_xeris[:] = g.xeris
    for team in range(NUM_TEAMS):
        g.last_points[team] = team_points(g, team)
        g.last_cards[team] = count_bits(g.captured[team])
        g.last_xeri_count[team] = g.xeri_count[team]
        g.totals[team] += g.last_points[team]
    lead = g.last_points[0] - g.last_points[1]
    g.last_winner = NO_TEAM if lead == 0 else np.int64(lead < 0)  # R4.4
    if lead != 0:
        g.round_wins[g.last_winner] += 1
    g.rounds += 1
    g.over = is_over(g)
    reward_round(g)
    if not g.over:
        start_round(g, (g.dealer + 1) % NUM_SEATS)


@kernel
def teams_at(g, target):
    """Return how many teams have so many points in all."""
    return int(g.totals[0] >= target) + int(g.totals[1] >= target)


@kernel
def is_over(g):
    """Return whether the game ends with this round (R5)."""
    if g.target_score == NO_TARGET:
        return g.rounds == g.num_rounds
    if not g.extended:
        reached = teams_at(g, g.target_score)
        if reached < NUM_TEAMS:
            return reached > 0
        g.extended = True
    reached = teams_at(g, g.extended_target_score)
    return reached == 1 or (reached == NUM_TEAMS and g.totals[0] != g.totals[1])


@kernel
def game_lead(g, team):
    """Return by how much a team leads in what decides the game (R5)."""
    if g.target_score == NO_TARGET:
        return g.round_wins[team] - g.round_wins[1 - team]
    return g.totals[team] - g.totals[1 - team]


@kernel
def reward_round(g):
    """Give all four seats their reward for the round that has just ended."""
    for seat in range(NUM_SEATS):
        team = seat % NUM_TEAMS
        lead = g.last_points[team] - g.last_points[1 - team]
        if g.reward_scheme == GAME_RESULT:
            g.reward[seat] += np.float32(np.sign(game_lead(g, team)) if g.over else 0)
        elif g.reward_scheme == ROUND_RESULT:
            g.reward[seat] += np.float32(np.sign(lead))
        else:
            g.reward[seat] += np.float32(lead) / POINTS_PER_REWARD


@kernel
def is_legal(g, action):
    """Return whether the seat to act may play a card; any integer may be asked for (R6)."""
    if g.over or action < 0 or action >= NUM_CARDS:
        return False
    return (g.hand[g.seat] >> action) & 1 == 1


@kernel
def step(g, action):
    """Play a card; returns False, with nothing changed, when it is not in hand (R6)."""
    if not is_legal(g, action):
        return False
    play(g, action)
    return True


@kernel
def list_legal(g, ids):
    """Write the ids of all legal actions of the seat to act, ascending; returns their number.

    Args:
        g: a game's record.
        ids: room for `MAX_LEGAL` ids, int32.
    """
    if g.over:
        return 0
    count = 0
    mask = g.hand[g.seat]
    while mask != 0:
        ids[count] = lowest_bit(mask)
        mask &= mask - 1
        count += 1
    return count
