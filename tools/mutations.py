"""What `tools.mutate` tries: changes of the engine's text, and the tests that must notice each."""

from __future__ import annotations

from dataclasses import dataclass

PACKAGE = "xabitha_env"

# Selections of tests, each tried until one fails. A rule's own tests come first.
RULES = ("tests/xabitha/test_rules.py -k engine", "tests/xabitha/test_against_reference.py")
ROUNDS = ("tests/xabitha/test_observation.py -k sections_are or last_round",)
OBSERVED = ("tests/xabitha/test_observation.py",)
HIDDEN = ("tests/xabitha/test_no_leak.py",)
REWARDED = ("tests/xabitha/test_rewards.py",)
PLAYED = ("tests/xabitha/test_players.py -k greedy_does or legal or uniform",)
LISTED = ("tests/xabitha/test_legal.py",)
DEALT = ("tests/xabitha/test_cards.py -k sizes", "tests/test_golden.py")


@dataclass(frozen=True)
class Mutation:
    """A change of the text of one file, and the tests that must notice it."""

    name: str
    file: str
    old: str
    new: str
    why: str
    tests: tuple[str, ...] = RULES


MELDS = "xabitha/melds.py"
LEGAL = "xabitha/legal.py"
PLAY = "xabitha/play.py"
SCORING = "xabitha/scoring.py"
HANDS = "xabitha/hands.py"
FORMATION = "xabitha/formation.py"
SEEN = "xabitha/observation.py"
PLAYERS = "xabitha/players.py"

FIELDS = (
    Mutation(
        "field ace_high_points",
        LEGAL,
        "total += row_points(row, int(g.ace_high_points), int(g.ace_low_points))",
        "total += row_points(row, 11, int(g.ace_low_points))",
        "X1.3: points of staged melds",
    ),
    Mutation(
        "field ace_high_points, feasibility",
        LEGAL,
        "high, low = int(g.ace_high_points), int(g.ace_low_points)\n    count = stageable",
        "high, low = 11, int(g.ace_low_points)\n    count = stageable",
        "X1.3, X6.4: which melds can be staged",
    ),
    Mutation(
        "field ace_high_points, penalty",
        SCORING,
        "high = int(g.ace_high_points)",
        "high = 11",
        "X11.2: aces left in hand",
    ),
    Mutation(
        "field ace_low_points",
        LEGAL,
        "total += row_points(row, int(g.ace_high_points), int(g.ace_low_points))",
        "total += row_points(row, int(g.ace_high_points), 1)",
        "X1.3: points of staged melds",
    ),
    Mutation(
        "field ace_low_points, feasibility",
        LEGAL,
        "high, low = int(g.ace_high_points), int(g.ace_low_points)\n    count = stageable",
        "high, low = int(g.ace_high_points), 1\n    count = stageable",
        "X1.3, X6.4: which melds can be staged",
    ),
    Mutation(
        "field num_rounds",
        SCORING,
        "g.over = g.rounds == g.num_rounds",
        "g.over = g.rounds >= g.num_rounds - 1",
        "X2.2: a match has num_rounds rounds",
        (*RULES, *REWARDED),
    ),
    Mutation(
        "field opening_points",
        PLAY,
        "g.threshold[seat] = g.opening_points  # X6.2",
        "g.threshold[seat] = 51",
        "X6.2: the first threshold",
    ),
    Mutation(
        "field opening_points, partner",
        PLAY,
        "g.threshold[(seat + NUM_TEAMS) % NUM_SEATS] = g.opening_points",
        "g.threshold[(seat + NUM_TEAMS) % NUM_SEATS] = 51",
        "X6.3: what the partner's threshold goes back to",
    ),
    Mutation(
        "field opening_needs_run",
        LEGAL,
        "run = not g.opening_needs_run",
        "run = False",
        "X6.1: False lifts the demand",
    ),
    Mutation(
        "field opening_needs_run, always off",
        LEGAL,
        "run = not g.opening_needs_run",
        "run = True",
        "X6.1: sets alone never open",
    ),
    Mutation(
        "field climbing_threshold",
        PLAY,
        "if g.climbing_threshold and not",
        "if not",
        "X6.3: False leaves the opponents' bars alone",
    ),
    Mutation(
        "field threshold_step",
        PLAY,
        "bar = total + int(g.threshold_step)",
        "bar = total + 1",
        "X6.3: how far above the opening",
    ),
    Mutation(
        "field threshold_step, sign",
        PLAY,
        "bar = total + int(g.threshold_step)",
        "bar = total - int(g.threshold_step)",
        "X6.3: the bar climbs",
    ),
    Mutation(
        "field max_reshuffles",
        PLAY,
        "g.reshuffles < g.max_reshuffles",
        "g.reshuffles < 2",
        "X10.1: how often the fire pile is shuffled",
    ),
    Mutation(
        "field max_reshuffles, off by one",
        PLAY,
        "g.reshuffles < g.max_reshuffles",
        "g.reshuffles <= g.max_reshuffles",
        "X10.1: the time after the last is a cancelled round",
    ),
    Mutation(
        "field max_turns",
        PLAY,
        "if g.turn == g.max_turns:",
        "if g.turn == 1000:",
        "X10.2: a round is cancelled at the end of turn max_turns",
    ),
    Mutation(
        "field max_turns, off by one",
        PLAY,
        "if g.turn == g.max_turns:",
        "if g.turn > g.max_turns:",
        "X10.2: at the end of turn max_turns",
    ),
    Mutation(
        "field joker_penalty",
        SCORING,
        "int(g.joker_penalty)",
        "25",
        "X11.2: a joker left in hand",
    ),
    Mutation(
        "field closed_penalty",
        SCORING,
        "int(g.closed_penalty)",
        "100",
        "X11.2: not down at a normal win",
    ),
    Mutation(
        "field xabitha_closed_penalty",
        SCORING,
        "int(g.xabitha_closed_penalty)",
        "200",
        "X11.3: not down at a Xabitha win",
    ),
)

MELD_RULES = (
    Mutation("shortest meld", MELDS, "SHORTEST_MELD = 3", "SHORTEST_MELD = 4", "X5.1, X5.2"),
    Mutation("longest laid", MELDS, "LONGEST_LAID = 5", "LONGEST_LAID = 6", "X5.3"),
    Mutation("longest laid, less", MELDS, "LONGEST_LAID = 5", "LONGEST_LAID = 4", "X5.3"),
    Mutation("largest set", MELDS, "LARGEST_SET = 4", "LARGEST_SET = 3", "X5.1"),
    Mutation(
        "real among first, sets", MELDS, "REAL_AMONG_FIRST = 2", "REAL_AMONG_FIRST = 1", "X5.4"
    ),
    Mutation("real among first, runs", MELDS, "< jokers - 1:", "< jokers - 2:", "X5.4"),
    Mutation("face points", MELDS, "_FACE_POINTS = 10", "_FACE_POINTS = 11", "X1.3"),
    Mutation(
        "low ace",
        MELDS,
        "[sum(p == LOW_ACE for p in",
        "[sum(p == HIGH_ACE for p in",
        "X1.3: which ace of a run is low",
    ),
    Mutation("formation run", MELDS, "FORMATION_RUN = 10", "FORMATION_RUN = 9", "X9.1: ten cards"),
    Mutation(
        "formation joker",
        FORMATION,
        " or count_bits(gaps & FIRST_BITS) > 1",
        "",
        "X9.1, X5.4: two of the first three are real",
    ),
    # Of the order of X9.2 only the start of the run can matter: 15 cards hold no two runs of ten
    # in different suits, and what a run leaves has two real cards of one rank at most.
    Mutation(
        "formation order, start",
        FORMATION,
        "for low in range(FORMATION_LOWS):",
        "for low in range(FORMATION_LOWS - 1, -1, -1):",
        "X9.2: low first",
    ),
    Mutation(
        "formation discard",
        FORMATION,
        "can_discard(one, pending_take(taken, run | quads, used))",
        "one != 0",
        "X9.2, X4.5: a card is left whose discard ends the turn",
    ),
)

TURN_RULES = (
    Mutation("hand cards", "xabitha/state.py", "HAND_CARDS = 14", "HAND_CARDS = 13", "X3.1"),
    Mutation(
        "discard kept", HANDS, "return (one & ~bit(taken)) != 0", "return one != 0", "X4.5, X4.4"
    ),
    Mutation(
        "take stands", HANDS, "(need >> taken) & 1 or (", "(", "X4.4: once a card went to the table"
    ),
    Mutation(
        "take of a joker stands",
        HANDS,
        " or (jokers > 0 and taken == JOKER)",
        "",
        "X4.4: the taken kind may be the joker",
    ),
    Mutation(
        "first turn",
        LEGAL,
        "return g.phase == PLAYING and g.turn > 1",
        "return g.phase == PLAYING",
        "X4.2: the starter's first turn is only a discard",
    ),
    Mutation(
        "undo lock",
        LEGAL,
        "return g.fire_count > 0 and not g.fire_locked",
        "return g.fire_count > 0",
        "X4.4: the fire pile cannot be taken again",
    ),
    Mutation("undo", PLAY, "undo = kind == g.taken", "undo = False", "X4.4"),
    Mutation(
        "undo lock for ever",
        PLAY,
        "    g.fire_locked = False\n    g.set_filled",
        "    g.set_filled",
        "X4.4: for the rest of this turn",
    ),
    Mutation(
        "going out", PLAY, "if g.hand_count[seat] == 0:", "if g.hand_count[seat] <= 1:", "X4.7"
    ),
    Mutation(
        "way round",
        PLAY,
        "g.seat = (seat + 1) % NUM_SEATS\n    g.phase = DRAWING",
        "g.seat = (seat - 1) % NUM_SEATS\n    g.phase = DRAWING",
        "X4.1: clockwise",
    ),
    Mutation(
        "order of declarations",
        PLAY,
        "g.seat = (seat + 1) % NUM_SEATS\n    if g.seat == g.starter",
        "g.seat = (seat - 1) % NUM_SEATS\n    if g.seat == g.starter",
        "X3.3: clockwise",
    ),
    Mutation(
        "cards of the starter",
        PLAY,
        "give_card(g, (starter + card) % NUM_SEATS, pop_deck(g))",
        "give_card(g, (starter + card + 1) % NUM_SEATS, pop_deck(g))",
        "X3.1: 15 to the starter",
        DEALT,
    ),
    Mutation(
        "first starter",
        PLAY,
        "start_round(g, _random.below(g.deal_word, np.int64(NUM_SEATS)))",
        "start_round(g, np.int64(0))",
        "X2.3: drawn at random from the seed",
        DEALT,
    ),
    Mutation(
        "next starter",
        PLAY,
        "if reason == CANCELLED else winner)",
        "if reason == CANCELLED else int(g.starter))",
        "X2.3: the winner starts",
    ),
    Mutation(
        "cancelled starter",
        PLAY,
        "int(g.starter) if reason == CANCELLED",
        "(int(g.starter) + 1) % NUM_SEATS if reason == CANCELLED",
        "X2.3: after a cancelled round the same seat starts",
    ),
    Mutation(
        "declarations reset",
        PLAY,
        "        g.declared[seat] = False\n",
        "",
        "X3.2: the choice resets every round",
        ROUNDS,
    ),
    Mutation(
        "down for ever", PLAY, "        g.opened[seat] = False\n", "", "X6: a new round", ROUNDS
    ),
    Mutation("reshuffles reset", PLAY, "    g.reshuffles = 0\n", "", "X10.1: a round", ROUNDS),
    Mutation(
        "reshuffle keeps the top",
        PLAY,
        "top = pop_fire(g)\n",
        "top = pop_fire(g)\n    top, g.fire[0] = np.int64(g.fire[0]), top\n",
        "X10.1: the fire pile except its top card",
    ),
    # A shuffle that would yield no card (X10.2) cannot come about in play: hands and table hold 56
    # cards between turns, so the fire pile holds 50 when the deck is empty.
    Mutation(
        "stream of reshuffles",
        PLAY,
        "g.shuffle_word = _random.shuffle(g.deck, int(g.deck_count), g.shuffle_word)",
        "g.deal_word = _random.shuffle(g.deck, int(g.deck_count), g.deal_word)",
        "later deals do not depend on play",
        ("tests/xabitha/test_batch.py -k later_deals",),
    ),
    Mutation(
        "reshuffles counted",
        PLAY,
        "    push_fire(g, top)\n    g.reshuffles += 1",
        "    push_fire(g, top)",
        "X10.1: at most max_reshuffles times",
    ),
)

TABLE_RULES = (
    Mutation(
        "threshold reached",
        LEGAL,
        "staged_points(g) >= g.threshold[seat]",
        "staged_points(g) > g.threshold[seat]",
        "X6.1: worth at least the threshold",
    ),
    Mutation(
        "run at the commit",
        LEGAL,
        "g.staged > 0 and staged_run(g) and",
        "g.staged > 0 and",
        "X6.1: at least one a run",
    ),
    Mutation(
        "threshold at the commit",
        LEGAL,
        "staged_run(g) and staged_points(g) >= g.threshold[seat]",
        "staged_run(g)",
        "X6.1: at least the threshold in all",
    ),
    Mutation(
        "staged and nothing else",
        LEGAL,
        "                count += 1\n            return count\n",
        "                count += 1\n",
        "X6.4: only further melds and the commit",
    ),
    Mutation(
        "staged and no discard",
        LEGAL,
        "return held and g.staged == 0 and",
        "return held and",
        "X6.4: a step accepts what is listed",
        LISTED,
    ),
    Mutation(
        "partner's threshold",
        PLAY,
        "    g.threshold[(seat + NUM_TEAMS) % NUM_SEATS] = g.opening_points\n",
        "",
        "X6.3: it goes back",
    ),
    Mutation(
        "a team that has opened",
        PLAY,
        " and not g.opened[left] and not g.opened[right]:",
        ":",
        "X6.3: it is not affected",
    ),
    Mutation(
        "the higher bar",
        PLAY,
        "max(int(g.threshold[left]), bar)",
        "bar",
        "X6.3: max(old bar, total + step)",
    ),
    Mutation(
        "melds in Xabitha mode",
        LEGAL,
        "JOKERS[row] > held_jokers(one, two) or g.declared[seat]:",
        "JOKERS[row] > held_jokers(one, two):",
        "X9.1: cannot open",
    ),
    Mutation(
        "formation in normal mode",
        LEGAL,
        "        if not g.declared[seat]:\n            return False\n",
        "",
        "X9.2: not by a normal-mode player",
    ),
    Mutation(
        "adding before the opening",
        LEGAL,
        "    if not g.opened[seat]:\n        return False\n    slot, what",
        "    slot, what",
        "X6.5: whoever is down",
    ),
    Mutation("low end", LEGAL, "if low == LOW_ACE:", "if low == LOW_ACE + 1:", "X7.1: position 1"),
    Mutation(
        "high end", LEGAL, "if high == HIGH_ACE:", "if high == HIGH_ACE - 1:", "X7.1: position 14"
    ),
    Mutation(
        "ace to steal",
        LEGAL,
        "return -1 if second == first else second",
        "return second",
        "X8.1: an ace takes the lower one",
    ),
    Mutation(
        "steal from a set of four",
        LEGAL,
        "if count_bits(suits) + jokers == LARGEST_SET or what == JOKER_HIGH:",
        "if (count_bits(suits) + jokers == LARGEST_SET and what < STEAL_FIRST) "
        "or what == JOKER_HIGH:",
        "X8.2: never",
    ),
    Mutation(
        "either missing suit",
        LEGAL,
        "        missing &= missing - 1\n",
        "        missing = 0\n",
        "X5.5, X7.1: either of the missing suits",
    ),
    Mutation(
        "discard after an addition",
        LEGAL,
        "one, two = add_card(one, two, np.int64(JOKER))\n    return can_discard(one, taken)",
        "one, two = add_card(one, two, np.int64(JOKER))\n    return one != 0",
        "X4.5",
    ),
    Mutation(
        "joker of a steal",
        LEGAL,
        "        one, two = add_card(one, two, np.int64(JOKER))\n",
        "        pass\n",
        "X8.1, X4.5: the joker in hand may be the discard",
    ),
    Mutation(
        "added card of the taken kind",
        LEGAL,
        "    if kind == taken:\n        taken = -1\n",
        "",
        "X4.4: the take stands",
    ),
    Mutation(
        "discard after a meld",
        LEGAL,
        "return can_discard(one, pending_take(int(g.taken), need, used))",
        "return one != 0",
        "X4.5",
    ),
    Mutation(
        "cards that always keep one",
        LEGAL,
        "ALWAYS_KEEPS = COPIES + 1",
        "ALWAYS_KEEPS = COPIES",
        "X4.5: the short cut is not too short",
    ),
    Mutation(
        "bury",
        PLAY,
        "    if g.set_filled:\n        bury_sets(g)\n",
        "",
        "X5.6: a full set leaves the table",
    ),
    Mutation(
        "bury what was laid",
        PLAY,
        "if kind_of_meld == SET and suits == ALL_SUITS:",
        "if kind_of_meld == SET and suits == -1:",
        "X5.6: also a set that is laid whole",
    ),
    Mutation(
        "bury at the bottom",
        PLAY,
        "g.fire[suit] = kind",
        "g.fire[suit] = g.fire[suit + LARGEST_SET]\n            g.fire[suit + LARGEST_SET] = kind",
        "X5.6: at the very bottom",
        ("tests/xabitha/test_rules.py -k engine", *OBSERVED),
    ),
    Mutation(
        "undo buries",
        PLAY,
        "        g.fire_locked = True\n",
        "        g.fire_locked = True\n        bury_sets(g)\n",
        "X5.6: an undo does not end the turn",
    ),
    Mutation(
        "second joker",
        PLAY,
        "g.slot_jokers[slot] = jokers & ~rest",
        "g.slot_jokers[slot] = rest",
        "X8.1: the joker that the card replaces",
    ),
    Mutation(
        "buried jokers",
        PLAY,
        "if g.slot_type[slot] != SET or g.slot_suits[slot] != ALL_SUITS:",
        "if g.slot_type[slot] != SET or g.slot_suits[slot] == 0:",
        "X5.6: four real cards",
    ),
)

SCORES = (
    Mutation(
        "penalty of the partner",
        SCORING,
        "seat % NUM_TEAMS != winner % NUM_TEAMS",
        "seat != winner",
        "X11.1: winner and partner score 0",
    ),
    Mutation(
        "cancelled rounds",
        SCORING,
        "loses = reason != CANCELLED and ",
        "loses = ",
        "X10.1: nobody scores",
    ),
    Mutation(
        "pairs in hand",
        SCORING,
        "points = most_value(one, high) + most_value(two, high)",
        "points = most_value(one, high)",
        "X11.2: every card left counts",
    ),
    Mutation(
        "down at a Xabitha win",
        SCORING,
        "return 0 if g.opened[seat] else",
        "return cards_left(g, seat) if g.opened[seat] else",
        "X11.3: pays 0",
    ),
    Mutation(
        "reason of a Xabitha win",
        PLAY,
        "XABITHA if g.phase == FORMED else NORMAL",
        "NORMAL",
        "X11.3: when the formation was laid",
    ),
    Mutation(
        "points of a reward",
        SCORING,
        "POINTS_PER_REWARD = np.float32(100)",
        "POINTS_PER_REWARD = np.float32(10)",
        "rewards are over 100",
        REWARDED,
    ),
    Mutation(
        "sign of a reward", SCORING, "theirs - own", "own - theirs", "opponents' less own", REWARDED
    ),
    Mutation(
        "match reward at the end",
        SCORING,
        "np.sign(lead) if g.over else 0",
        "np.sign(lead)",
        "only at the match's end",
        REWARDED,
    ),
)

VIEWS = (
    Mutation(
        "known after a take",
        PLAY,
        "    learn_known(g, seat, kind)\n    g.took",
        "    g.took",
        "X4.3: a card taken is known",
        OBSERVED,
    ),
    Mutation(
        "known after a steal",
        PLAY,
        "    learn_known(g, seat, np.int64(JOKER))\n",
        "",
        "X8.1: the joker goes to the hand",
        OBSERVED,
    ),
    Mutation(
        "known after a meld",
        PLAY,
        "    forget_known(g, seat, need, jokers)\n    g.laid",
        "    g.laid",
        "X4.3: what lies on the table is not in hand",
        OBSERVED,
    ),
    Mutation(
        "discards remembered",
        PLAY,
        "    g.discarded[seat] |= bit(kind)\n",
        "",
        "X4.3: every discard was seen",
        OBSERVED,
    ),
    Mutation(
        "staged cards counted",
        SEEN,
        "return size + staged_cards(g) if seat == g.seat else size",
        "return size",
        "X6.4: to others they are in hand",
        HIDDEN,
    ),
    Mutation(
        "staging hidden",
        SEEN,
        "staging = mine and g.staged > 0",
        "staging = g.staged > 0",
        "X6.4: the player's own business",
        HIDDEN,
    ),
    Mutation(
        "answers hidden",
        SEEN,
        "out[DECLARED] = g.declared[seat]",
        "out[DECLARED] = g.declared[seat] | g.declared[(seat + 2) % NUM_SEATS]",
        "X3.3: not even the partner",
        HIDDEN,
    ),
    Mutation(
        "sign of the lead",
        SEEN,
        "g.totals[1 - team] - g.totals[team]",
        "g.totals[team] - g.totals[1 - team]",
        "own team leads",
        OBSERVED,
    ),
    Mutation(
        "take that is not one's own",
        SEEN,
        "taken = g.taken if seat == g.seat else NO_TAKE",
        "taken = g.taken",
        "X4.4: it binds the seat to act",
        ("tests/xabitha/test_observation.py -k binds",),
    ),
)

CHOICES = (
    Mutation(
        "greedy declares",
        PLAYERS,
        "    if g.phase == DECLARING:\n        return int(ids[0])",
        "    if g.phase == DECLARING:\n        return int(ids[1])",
        "never declares",
        PLAYED,
    ),
    Mutation(
        "greedy takes all",
        PLAYERS,
        "return g.opened[seat] and (table_wants(g) >> top) & 1 == 1",
        "return True",
        "draws the fire card when it completes a meld or fits the table",
        PLAYED,
    ),
    Mutation(
        "greedy undoes",
        PLAYERS,
        "use += MELD_USE * NEIGHBOUR_USE",
        "use -= MELD_USE * NEIGHBOUR_USE",
        "X4.4: only when nothing else is left",
        PLAYED,
    ),
    Mutation(
        "random leaves one out",
        PLAYERS,
        "_random.below(g.player_word, count)",
        "_random.below(g.player_word, max(count - 1, 1))",
        "uniform",
        PLAYED,
    ),
)

MUTATIONS = (*FIELDS, *MELD_RULES, *TURN_RULES, *TABLE_RULES, *SCORES, *VIEWS, *CHOICES)
