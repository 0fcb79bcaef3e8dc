"""The one layout of what a seat sees in Xeri, and the kernel that writes it.

Features are 0 or 1, as in `xabitha.observation`: sets of kinds a bit a kind, numbers as
thermometers, seats relative to the observer, its own team before the other. Every card that was
seen when it was played is remembered for the whole round; nothing hidden is shown.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.buffers import write_bits, write_levels
from xabitha_env.cards import NUM_RANKS, NUM_SEATS, NUM_SUITS, NUM_TEAMS
from xabitha_env.layout import Block, ObsLayout
from xabitha_env.masks import bit, count_bits
from xabitha_env.xeri.actions import HAND_CARDS, NUM_CARDS, PLAYS
from xabitha_env.xeri.play import captures, pile_mask
from xabitha_env.xeri.state import JACK_XERI, NO_KIND, NO_TARGET

PILE_LEVELS = np.array([1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24])
HAND_LEVELS = np.arange(1, HAND_CARDS + 1)
PLAY_LEVELS = np.arange(NUM_SEATS, PLAYS, NUM_SEATS)
XERI_LEVELS = np.array([1, 2, 3, 4])
JACK_LEVELS = np.array([1, 2])
ROUND_LEVELS = np.array([2, 3, 4, 5])
WIN_LEVELS = np.array([1, 2, 3])
LEAD_LEVELS = np.array([-50, -25, -10, -5, 0, 1, 5, 10, 25, 50])
POINT_LEVELS = np.array([0, 1, 10, 25, 50, 75, 100, 150])
UNSEEN_LEVELS = np.arange(1, NUM_SUITS + 1)
NUM_OTHERS = NUM_SEATS - 1


def _at_least(levels: np.ndarray) -> str:
    return f"at least {', '.join(map(str, levels))}"


FEATURES = ObsLayout(
    [
        Block("hand", (NUM_CARDS,), "own cards"),
        Block("pile", (NUM_CARDS,), "cards in the pile"),
        Block("top", (NUM_CARDS,), "the pile's top card"),
        Block("played", (NUM_SEATS, NUM_CARDS), "by seat: cards played this round"),
        Block("captured", (NUM_TEAMS, NUM_CARDS), "by team: cards captured this round"),
        Block("bottom_card", (NUM_CARDS,), "the card shown at the cut (R2.3)"),
        Block("pile_count", (len(PILE_LEVELS),), f"cards in the pile: {_at_least(PILE_LEVELS)}"),
        Block("hand_count", (NUM_OTHERS, len(HAND_LEVELS)), "by other seat: at least 1 ... 6"),
        Block("plays", (len(PLAY_LEVELS),), "plays of the round: at least 4, 8 ... 44"),
        Block("xeris", (NUM_TEAMS, len(XERI_LEVELS)), f"by team: xeris, {_at_least(XERI_LEVELS)}"),
        Block("jack_xeris", (NUM_TEAMS, len(JACK_LEVELS)), "by team: of jacks, at least 1, 2"),
        Block("last_capturer", (NUM_SEATS,), "the seat that captured last"),
        Block("dealer", (NUM_SEATS,), "the dealer"),
        Block("actor", (NUM_SEATS,), "the seat to play"),
        Block("rounds", (len(ROUND_LEVELS),), f"rounds left with this: {_at_least(ROUND_LEVELS)}"),
        Block("round_wins", (NUM_TEAMS, len(WIN_LEVELS)), f"by team: {_at_least(WIN_LEVELS)}"),
        Block("lead", (len(LEAD_LEVELS),), f"own team leads by {_at_least(LEAD_LEVELS)} points"),
        Block(
            "to_target",
            (NUM_TEAMS, len(POINT_LEVELS)),
            f"by team: points missing to the target that counts, {_at_least(POINT_LEVELS)}",
        ),
        Block("extended", (1,), "the extended target counts (R5.2)"),
        Block("last_winner", (NUM_TEAMS,), "the team that won the last round"),
        Block("captures", (NUM_CARDS,), "own cards that would capture the pile", optional=True),
        Block(
            "unseen",
            (NUM_RANKS, len(UNSEEN_LEVELS)),
            "by rank: cards that were never seen, at least 1 ... 4",
            optional=True,
        ),
    ]
)
RAW_FEATURES = ObsLayout([block for block in FEATURES if not block.optional])
NUM_FEATURES = FEATURES.size
NUM_RAW_FEATURES = RAW_FEATURES.size


def _at(name: str) -> np.int64:
    return np.int64(FEATURES.offset(name))  # a plain number would be compiled for its value


HAND = _at("hand")
PILE = _at("pile")
TOP = _at("top")
PLAYED = _at("played")
CAPTURED = _at("captured")
BOTTOM_CARD = _at("bottom_card")
PILE_COUNT = _at("pile_count")
HAND_COUNT = _at("hand_count")
PLAY_COUNT = _at("plays")
XERIS = _at("xeris")
JACK_XERIS = _at("jack_xeris")
LAST_CAPTURER = _at("last_capturer")
DEALER = _at("dealer")
ACTOR = _at("actor")
ROUNDS = _at("rounds")
ROUND_WINS = _at("round_wins")
LEAD = _at("lead")
TO_TARGET = _at("to_target")
EXTENDED = _at("extended")
LAST_WINNER = _at("last_winner")
CAPTURES = _at("captures")
UNSEEN = _at("unseen")
KINDS = np.int64(NUM_CARDS)
PACK_BITS = np.int64((1 << NUM_CARDS) - 1)


@kernel
def jack_xeris(g, team):
    """Return how many xeris of jacks a team made this round."""
    count = 0
    for place in range(g.xeri_count[team]):
        count += g.xeris[team, place] == JACK_XERI
    return count


@kernel
def seen_cards(g, seat):
    """Return the mask of the cards whose place a seat knows."""
    mask = g.hand[seat] | pile_mask(g)
    for other in range(NUM_SEATS):
        mask |= g.played[other]
    for team in range(NUM_TEAMS):
        mask |= g.captured[team]
    return mask if g.bottom_card == NO_KIND else mask | bit(g.bottom_card)


@kernel
def write_seats(g, seat, out):
    """Write what is remembered of each seat."""
    for relative in range(NUM_SEATS):
        other = (seat + relative) % NUM_SEATS
        write_bits(out, PLAYED + relative * NUM_CARDS, g.played[other], KINDS)
        out[LAST_CAPTURER + relative] = other == g.last_capturer
        out[DEALER + relative] = other == g.dealer
        out[ACTOR + relative] = other == g.seat
        if relative > 0:
            start = HAND_COUNT + (relative - 1) * HAND_LEVELS.size
            write_levels(out, start, HAND_LEVELS, count_bits(g.hand[other]))


@kernel
def write_teams(g, seat, out):
    """Write what the two teams have."""
    target = g.extended_target_score if g.extended else g.target_score
    for relative in range(NUM_TEAMS):
        team = (seat + relative) % NUM_TEAMS
        write_bits(out, CAPTURED + relative * NUM_CARDS, g.captured[team], KINDS)
        start = XERIS + relative * XERI_LEVELS.size
        write_levels(out, start, XERI_LEVELS, g.xeri_count[team])
        start = JACK_XERIS + relative * JACK_LEVELS.size
        write_levels(out, start, JACK_LEVELS, np.int64(jack_xeris(g, team)))
        start = ROUND_WINS + relative * WIN_LEVELS.size
        write_levels(out, start, WIN_LEVELS, g.round_wins[team])
        start = TO_TARGET + relative * POINT_LEVELS.size
        missing = np.int64(-1) if g.target_score == NO_TARGET else target - g.totals[team]
        write_levels(out, start, POINT_LEVELS, missing)
        out[LAST_WINNER + relative] = team == g.last_winner


@kernel
def write_derived(g, seat, out):
    """Write the sections that follow from others."""
    mask = np.int64(0)
    for kind in range(NUM_CARDS):
        if (g.hand[seat] >> kind) & 1 and captures(g, kind):
            mask |= bit(kind)
    write_bits(out, CAPTURES, mask, KINDS)
    unseen = PACK_BITS & ~seen_cards(g, seat)
    for rank in range(NUM_RANKS):
        start = UNSEEN + rank * UNSEEN_LEVELS.size
        write_levels(out, start, UNSEEN_LEVELS, count_bits(unseen & rank_bits(rank)))


@kernel
def rank_bits(rank):
    """Return the mask of the four cards of a rank."""
    mask = bit(rank)
    for suit in range(1, NUM_SUITS):
        mask |= bit(suit * NUM_RANKS + rank)
    return mask


@kernel
def observe(g, seat, out):
    """Write what a seat sees, to act or not.

    Args:
        g: a game's record.
        seat: the observer.
        out: int8, `NUM_FEATURES` long, or `NUM_RAW_FEATURES` to leave out the derived sections.
    """
    team = seat % NUM_TEAMS
    write_bits(out, HAND, g.hand[seat], KINDS)
    write_bits(out, PILE, pile_mask(g), KINDS)
    top = np.int64(0) if g.pile_count == 0 else bit(np.int64(g.pile[g.pile_count - 1]))
    write_bits(out, TOP, top, KINDS)
    bottom = np.int64(0) if g.bottom_card == NO_KIND else bit(g.bottom_card)
    write_bits(out, BOTTOM_CARD, bottom, KINDS)
    write_levels(out, PILE_COUNT, PILE_LEVELS, g.pile_count)
    write_levels(out, PLAY_COUNT, PLAY_LEVELS, g.plays)
    rounds = g.num_rounds - g.rounds if g.target_score == NO_TARGET else np.int64(0)
    write_levels(out, ROUNDS, ROUND_LEVELS, rounds)
    write_levels(out, LEAD, LEAD_LEVELS, g.totals[team] - g.totals[1 - team])
    out[EXTENDED] = g.extended
    write_seats(g, seat, out)
    write_teams(g, seat, out)
    if out.size > NUM_RAW_FEATURES:
        write_derived(g, seat, out)


# Everything of a game, for critics and `state()`: nothing is hidden here.
GLOBAL_FEATURES = ObsLayout(
    [
        Block("public", (NUM_RAW_FEATURES,), "what seat 0 observes, derived sections left out"),
        Block("hands", (NUM_SEATS, NUM_CARDS), "by seat: its cards"),
        Block("next_hands", (NUM_SEATS, NUM_CARDS), "by seat: the cards of its next hand"),
    ]
)
NUM_GLOBAL_FEATURES = GLOBAL_FEATURES.size
HANDS = np.int64(GLOBAL_FEATURES.offset("hands"))
NEXT_HANDS = np.int64(GLOBAL_FEATURES.offset("next_hands"))


@kernel
def observe_all(g, out):
    """Write everything of a game; `out` is int8, `NUM_GLOBAL_FEATURES` long."""
    observe(g, np.int64(0), out[:NUM_RAW_FEATURES])
    for seat in range(NUM_SEATS):
        write_bits(out, HANDS + seat * NUM_CARDS, g.hand[seat], KINDS)
    out[NEXT_HANDS:] = 0
    for card in range(g.stock_count):
        seat = (g.dealer + 1 + card) % NUM_SEATS
        kind = np.int64(g.stock[g.stock_count - 1 - card])
        out[NEXT_HANDS + seat * NUM_CARDS + kind] = 1
