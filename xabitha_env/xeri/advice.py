"""What learners may be told beside the observation: numbers that `expert` works with.

*Insight* are 0/1 features of the seat to act, *traits* describe each card that it may play: what
that does, what `expert` thinks of it. All follow from what the seat sees.
"""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import entry, kernel
from xabitha_env.buffers import write_bits, write_levels
from xabitha_env.cards import NUM_RANKS, NUM_SEATS, NUM_SUITS, NUM_TEAMS
from xabitha_env.layout import Block, Layout, ObsLayout
from xabitha_env.masks import bit, count_bits
from xabitha_env.xeri.actions import ACTIONS, HAND_CARDS, MAX_LEGAL, NUM_CARDS
from xabitha_env.xeri.expert import rate
from xabitha_env.xeri.observation import KINDS, NUM_OTHERS, observe, rank_bits
from xabitha_env.xeri.odds import (
    chance_of,
    chance_of_jack,
    denied_cards,
    holder,
    points_of,
)
from xabitha_env.xeri.play import POINTS_PER_REWARD, captures, pile_mask, xeri_points
from xabitha_env.xeri.terms import NUM_TERMS, TERMS, look, write_terms

RANK_LEVELS = np.arange(1, NUM_SUITS + 1)
CHANCE_LEVELS = np.array([0.05, 0.15, 0.3, 0.45, 0.6, 0.8])
WORTH_LEVELS = np.array([1, 2, 3, 4, 5, 6, 8, 10])
LEAD_LEVELS = np.array([-30, -20, -12, -8, -5, -3, -1, 0, 1, 2, 4, 6, 9, 13, 21, 31])
INSIGHT = ObsLayout(
    [
        Block("unseen_cards", (NUM_CARDS,), "cards that the seat cannot place"),
        Block("top_rank", (NUM_RANKS,), "the rank of the pile's top card"),
        Block("held", (NUM_RANKS, len(RANK_LEVELS)), "by rank: own cards, at least 1 ... 4"),
        Block("gone", (NUM_RANKS, len(RANK_LEVELS)), "by rank: captured cards, at least 1 ... 4"),
        Block("denied", (NUM_OTHERS, NUM_RANKS), "by other seat: ranks that it let lie"),
        Block(
            "jack", (NUM_OTHERS, len(CHANCE_LEVELS)), "by other seat: chance of a jack, by levels"
        ),
        Block("worth", (len(WORTH_LEVELS),), "points of the pile, by levels"),
        Block("points", (len(LEAD_LEVELS),), "own team's lead in points this round, by levels"),
        Block("cards", (len(LEAD_LEVELS),), "own team's lead in captured cards, by levels"),
    ]
)
UNSEEN, TOP_RANK, HELD, GONE, DENIED, JACK_CHANCE, WORTH, POINTS, CARDS = (
    INSIGHT.offset(block.name) for block in INSIGHT
)
SECRETS = ObsLayout(
    [
        Block("hands", (NUM_OTHERS, NUM_CARDS), "by other seat: its cards"),
        Block("next_hands", (NUM_SEATS, NUM_CARDS), "by seat, the own first: its next hand"),
    ]
)
HANDS, NEXT_HANDS = (SECRETS.offset(block.name) for block in SECRETS)

TOKENS = ACTIONS
"""What actions are to a learner: the cards played."""
REWARD_POINTS = float(POINTS_PER_REWARD)
"""Points of a reward of 1."""
DECLARATIONS = 0
"""No token is an answer to whether a seat declares, as the first ones are in Xabitha."""
PLAYS = "played"
"""Section of the observation that tells, by seat, what was played."""
MATCH_SECTIONS = ("rounds", "round_wins", "lead", "to_target", "extended", "last_winner")
"""Sections of the observation that tell of other rounds than the present one."""

MANY_POINTS, FEW_POINTS = 5.0, 1.0
"""What a trait of size 1 stands for, where it tells of points."""
MOST = 4.0
"""Traits go no further than this, either way."""
SCALE_OF = {
    "taken": MANY_POINTS,
    "xeri": 2 * MANY_POINTS,
    "lead_early": HAND_CARDS - 1,
    "lone": MANY_POINTS,
    "left_to_rank": 2.0,
    "left_to_jack": 2.0,
    "left_to_own_jack": 2.0,
    "jack_of_many": NUM_SUITS - 1,
    "match": 0.5,
    "reach": 0.5,
    "reach_square": 0.2,
}
"""What a trait of size 1 stands for, by term; 1 for the others."""
SCALES = np.array([SCALE_OF.get(name, 1.0) for name in TERMS], np.float64)
TRAITS = Layout(
    [
        Block("expert", (1,), "what `expert` would do"),
        Block("value", (1,), "what it thinks the card is worth, less the best, by 5 points"),
        Block("close", (1,), "the same, by single points"),
        Block("takes", (1,), "takes the pile"),
        *(Block(name, (1,), "as in `terms.TERMS`") for name in TERMS),
        Block("points", (1,), "of the card"),
        Block("alike", (1,), "own cards of its rank that stay in hand, as a share of three"),
        Block("unseen", (1,), "cards of its rank that were never seen, as a share of three"),
        Block("holds", (NUM_OTHERS,), "by other seat: chance that it holds the rank"),
    ]
)
NUM_TRAITS = TRAITS.size
EXPERT, VALUE, CLOSE, TAKES, FIRST_TERM = range(5)
POINTS_OF, ALIKE, UNSEEN_OF, HOLDS = (
    TRAITS.offset(name) for name in ("points", "alike", "unseen", "holds")
)
OTHERS_OF_RANK = NUM_SUITS - 1.0


@kernel
def partner_of(g):
    """Return what all know of the hand of the partner of the seat to act."""
    return holder(g, (int(g.seat) + 2) % NUM_SEATS)


@kernel
def write_ranks(g, out):
    """Write the features that are counted by rank."""
    captured = g.captured[0] | g.captured[1]
    for rank in range(NUM_RANKS):
        cards = rank_bits(rank)
        start = rank * RANK_LEVELS.size
        write_levels(out, HELD + start, RANK_LEVELS, count_bits(g.hand[g.seat] & cards))
        write_levels(out, GONE + start, RANK_LEVELS, count_bits(captured & cards))
        out[TOP_RANK + rank] = g.pile_count > 0 and g.pile[g.pile_count - 1] % NUM_RANKS == rank


@kernel
def write_other(g, place, unseen, other, out):
    """Write what is known of the hand of the seat so many places after the next one."""
    seat = (int(g.seat) + 1 + place) % NUM_SEATS
    denied = denied_cards(g, seat)
    for rank in range(NUM_RANKS):
        out[DENIED + place * NUM_RANKS + rank] = denied & rank_bits(rank) != 0
    start = JACK_CHANCE + place * CHANCE_LEVELS.size
    write_levels(out, start, CHANCE_LEVELS, chance_of_jack(g, seat, unseen, other))


@kernel
def write_insight(g, sight, partner, out):
    """Write the insight of the seat to act; `out` is int8, as long as `INSIGHT`."""
    team = int(g.seat) % NUM_TEAMS
    own, theirs = g.captured[team], g.captured[1 - team]
    write_bits(out, UNSEEN, sight.unseen, KINDS)
    write_ranks(g, out)
    write_other(g, 0, sight.unseen, sight.following, out)
    write_other(g, 1, sight.unseen, partner, out)
    write_other(g, 2, sight.unseen, sight.before, out)
    write_levels(out, WORTH, WORTH_LEVELS, points_of(pile_mask(g)))
    points = points_of(own) + xeri_points(g, team) - points_of(theirs) - xeri_points(g, 1 - team)
    write_levels(out, POINTS, LEAD_LEVELS, np.int64(points))
    write_levels(out, CARDS, LEAD_LEVELS, count_bits(own) - count_bits(theirs))


@kernel
def write_secrets(g, out):
    """Write what is hidden from the seat to act; `out` is int8, as long as `SECRETS`."""
    for place in range(NUM_OTHERS):
        seat = (int(g.seat) + 1 + place) % NUM_SEATS
        write_bits(out, HANDS + place * NUM_CARDS, g.hand[seat], KINDS)
    out[NEXT_HANDS:] = 0
    for card in range(g.stock_count):  # dealt one at a time from the dealer's left (R2.1)
        place = (g.dealer + 1 + card - g.seat) % NUM_SEATS
        kind = np.int64(g.stock[g.stock_count - 1 - card])
        out[NEXT_HANDS + place * NUM_CARDS + kind] = 1


@kernel
def write_traits(g, kind, sight, partner, terms, out):
    """Write the traits of playing a card, but for what `expert` thinks of it.

    Args:
        g: a game's record.
        kind: a card of the seat to act.
        sight: what that seat knows, as `terms.look` returns it.
        partner: and what it knows of its partner's hand.
        terms: of the card, as `terms.write_terms` writes them.
        out: float32, `NUM_TRAITS` long, written.
    """
    rank = rank_bits(kind % NUM_RANKS)
    out[TAKES] = captures(g, kind)
    for place in range(NUM_TERMS):
        out[FIRST_TERM + place] = min(terms[place] / SCALES[place], MOST)
    out[POINTS_OF] = points_of(bit(kind))
    out[ALIKE] = (count_bits(g.hand[g.seat] & rank) - 1) / OTHERS_OF_RANK
    out[UNSEEN_OF] = count_bits(sight.unseen & rank) / OTHERS_OF_RANK
    out[HOLDS] = chance_of(rank, sight.unseen, sight.following)
    out[HOLDS + 1] = chance_of(rank, sight.unseen, partner)
    out[HOLDS + 2] = chance_of(rank, sight.unseen, sight.before)


@kernel
def write_plays(g, ids, count, sight, partner, traits):
    """Write the traits of all plays of a decision.

    Args:
        g: a game's record.
        ids: its legal plays, ascending.
        count: their number.
        sight, partner: as for `write_traits`.
        traits: (count, `NUM_TRAITS`) float32, written.
    """
    terms, values = np.empty(NUM_TERMS), np.empty(HAND_CARDS)
    choice = rate(g, ids, count, terms, values)
    for place in range(count):
        kind = np.int64(ids[place])
        write_terms(g, kind, sight, terms)
        out = traits[place]
        write_traits(g, kind, sight, partner, terms, out)
        behind = values[place] - values[choice]
        out[EXPERT] = place == choice
        out[VALUE] = max(behind / MANY_POINTS, -MOST)
        out[CLOSE] = max(behind / FEW_POINTS, -MOST)


@entry
def advise(games, indices, legal, starts, insight, tokens, traits):
    """Write the insight of the seats to act in some games, and what their actions are.

    Args:
        games: (N,) records.
        indices: (n,) games that go on.
        legal: (N, L) their legal actions, as the engine lists them.
        starts: (n + 1,) where in `tokens` and `traits` the actions of each begin, and how many
            there are in all (m).
        insight: (n, `INSIGHT.size`) int8, written.
        tokens: (m,) int64, written: the actions by their numbers in `TOKENS`.
        traits: (m, `TRAITS.size`) float32, written.
    """
    ids = np.empty(MAX_LEGAL, np.int32)
    for place in range(indices.size):
        index, first = indices[place], starts[place]
        g = games[index]
        count = starts[place + 1] - first
        for number in range(count):
            ids[number] = legal[index, number]
            tokens[first + number] = ids[number]
        sight, partner = look(g), partner_of(g)
        write_insight(g, sight, partner, insight[place])
        write_plays(g, ids, count, sight, partner, traits[first : first + count])


@entry
def tell(games, indices, secrets, hidden):
    """Write what is hidden from the seats to act in some games, for training.

    Args:
        games: (N,) records.
        indices: (n,) games that go on.
        secrets: (n, `SECRETS.size`) int8, written.
        hidden: (n, 3) int64, written: masks of the cards that the next seat, the partner and the
            one before hold.
    """
    for place in range(indices.size):
        g = games[indices[place]]
        write_secrets(g, secrets[place])
        for step in range(NUM_OTHERS):
            hidden[place, step] = g.hand[(int(g.seat) + 1 + step) % NUM_SEATS]


@entry
def survey(games, indices, observation, insight, secrets):
    """Write everything that critics see of the seats to act in some games.

    Args:
        games: (N,) records.
        indices: (n,) games that go on.
        observation: (n, `NUM_FEATURES`) int8, written.
        insight, secrets: as in `advise` and `tell`, written.
    """
    for place in range(indices.size):
        g = games[indices[place]]
        observe(g, int(g.seat), observation[place])
        write_insight(g, look(g), partner_of(g), insight[place])
        write_secrets(g, secrets[place])
