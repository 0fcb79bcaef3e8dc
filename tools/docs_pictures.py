"""Draws the cards that the pages of the rules show, and says what is the matter with them.

What is a meld, what it is worth and what a play captures is asked of the games, not written here.
``python -m tools.docs_pages`` writes the pictures and the tables that show them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from xabitha_env.cards import CARD_NAMES, NUM_SEATS, parse_card, rank_of
from xabitha_env.games import make_engine, make_rules
from xabitha_env.pictures.svg import cards_svg
from xabitha_env.xabitha.melds import HIGH_ACE, LOW_ACE, MELDS, RUN, Meld, rank_points
from xabitha_env.xabitha.rules import XabithaRules

HEIGHT = 84  # pixels, of a row of cards
SPREAD = 0.45  # how far the cards of long rows lie upon each other
RULES = XabithaRules()
MELD_OF = {meld.text(): meld for meld in MELDS}


class Picture(NamedTuple):
    """A row of cards and its name among the pictures."""

    cards: tuple[str, ...]

    @property
    def file(self) -> str:
        return f"melds-{'-'.join(self.cards)}.svg"

    def svg(self) -> str:
        return cards_svg(self.cards, height=HEIGHT, overlap=SPREAD if len(self.cards) > 1 else 0)

    def shown(self) -> str:
        return f"![{' '.join(self.cards)}](images/{self.file})"


class Case(NamedTuple):
    """Cards that someone wants to lay, and the rule that allows or forbids it."""

    cards: str
    rule: str
    why: str


CASES = (
    Case("4S-5S-6S", "X5.2", "three in sequence of a suit"),
    Case("AS-2S-3S", "X5.2", "the ace is low here and counts 1"),
    Case("QS-KS-AS", "X5.2", "the ace is high here and counts 11"),
    Case("KS-AS-2S", "X5.2", "the ace is never in the middle"),
    Case("4S-5S-6H", "X5.2", "a run is of one suit"),
    Case("QC-QH-QS", "X5.1", "three of a rank in different suits"),
    Case("QC-QC-QH", "X5.1", "a suit repeats, as there are two packs"),
    Case("4S-JK-6S", "X5.4, X5.5", "the joker is the five of spades, and counts 5"),
    Case("4S-JK-JK", "X5.4", "two of the three lowest cards must be real"),
    Case("4S-5S-JK-JK", "X5.4", "the jokers are a six and a seven"),
    Case("4S-JK-JK-7S", "X5.4", "only one of the three lowest cards is real"),
    Case("QC-QD-JK-JK", "X5.4", "a set needs two real cards, and has them"),
    Case("3D-4D-5D-6D-7D-8D", "X5.3", "six cards are too many: lay five, then add one"),
)
OPENING = ("8C-9C-TC", "KD-KH-KS")
SETS_ALONE = ("KC-KD-KH", "QC-QD-QH")
ON_TABLE = "7D-JK-9D"
ADDED, GIVEN = "TD", "8D"
FORMATION_RUN = "3H-4H-5H-6H-7H-8H-JK-TH-JH-QH"
FORMATION_SET = "9C-9D-9H-9S"
LAST_CARD = "2C"


def row_of(text: str) -> Picture:
    """Return the picture of cards that are written with dashes between them."""
    return Picture(tuple(text.split("-")))


def points(meld: Meld) -> int:
    """Return what a meld is worth by the default rules (X1.3)."""
    low = RULES.ace_low_points if meld.type == RUN else RULES.ace_high_points
    aces = {LOW_ACE: low, HIGH_ACE: RULES.ace_high_points}
    return sum(aces[p] if p in aces else rank_points(p - 1) for p in meld.positions())


def verdict(text: str) -> str:
    """Return whether cards can be laid as a meld, and what it is worth."""
    meld = MELD_OF.get(text)
    return "no" if meld is None else f"yes, {points(meld)} points"


def melds_table() -> str:
    rows = ["| cards | a meld? | why |", "| --- | --- | --- |"]
    for case in CASES:
        shown = row_of(case.cards).shown()
        rows.append(f"| {shown} | **{verdict(case.cards)}** | {case.why} ({case.rule}) |")
    return "\n".join(rows)


def openings_table() -> str:
    """Show an opening that is enough, and one that lacks a run (X6.1)."""
    rows = ["| melds, laid in one move | worth | |", "| --- | --- | --- |"]
    for melds in (OPENING, SETS_ALONE):
        worth = [points(MELD_OF[text]) for text in melds]
        run = any(MELD_OF[text].type == RUN for text in melds)
        opens = run and sum(worth) >= RULES.opening_points
        what = f"**opens**: at least {RULES.opening_points}, with a run" if opens else "**refused**"
        why = "" if run else ": a run is missing"
        shown = " ".join(row_of(text).shown() for text in melds)
        total = f"{' + '.join(map(str, worth))} = {sum(worth)}"
        rows.append(f"| {shown} | {total} | {what}{why} (X6.1, X6.2) |")
    return "\n".join(rows)


def table_actions() -> str:
    """Show what can be done with a run on the table (X7.1, X8.1)."""
    meld = MELD_OF[ON_TABLE]
    if parse_card(ADDED) not in meld.grows() or parse_card(GIVEN) not in meld.frees():
        raise ValueError(f"{ON_TABLE} takes neither {ADDED} nor {GIVEN} as the pictures say")
    before, cards = row_of(ON_TABLE).shown(), ON_TABLE.split("-")
    longer = Picture((*cards, ADDED)).shown()
    real = Picture(tuple(GIVEN if card == "JK" else card for card in cards)).shown()
    added, given = Picture((ADDED,)).shown(), Picture((GIVEN,)).shown()
    return "\n".join(
        (
            "| move | on the table | from the hand | then on the table | |",
            "| --- | --- | --- | --- | --- |",
            f"| add | {before} | {added} | {longer} | runs grow at both ends (X7.1) |",
            f"| steal | {before} | {given} | {real} | the joker goes to the hand (X8.1) |",
        )
    )


def formation_table() -> str:
    return "\n".join(
        (
            "| ten in sequence | four of a rank | the last card |",
            "| --- | --- | --- |",
            f"| {row_of(FORMATION_RUN).shown()} | {row_of(FORMATION_SET).shown()} | "
            f"{row_of(LAST_CARD).shown()} |",
        )
    )


# Xeri: plays of a round with cards chosen for it, made by the engine.

FIRST_PILE = ("3D", "QC", "5S", "8H")
PLAYS = (
    ("8C", "R3.2", "the rank of the top card"),
    ("5H", "R3.2", "on an empty pile any card starts a new one"),
    ("5D", "R3.4, R4.3", "a single card, taken by one of its rank"),
    ("KH", "R3.2", "the next pile begins"),
    ("JS", "R3.2, R3.4", "a jack takes any pile; of a lone king that is no xeri"),
    ("JD", "R3.2", "even a jack only starts a new pile"),
    ("JH", "R3.4, R4.3", "a jack on a lone jack"),
    ("2H", "R3.2", "the next pile begins"),
    ("9S", "R3.2", "another rank: the card becomes the new top"),
)
FIRST_SEAT = 1  # left of the dealer, who is seat 0


def _xeri_deal() -> dict[str, Any]:
    """Return a deal in which the seats hold what they are to play."""
    hands: list[list[str]] = [[] for _ in range(NUM_SEATS)]
    for number, (card, *_) in enumerate(PLAYS):
        hands[(FIRST_SEAT + number) % NUM_SEATS].append(card)
    used = {*FIRST_PILE, *(card for card, *_ in PLAYS)}
    rest = [card for card in CARD_NAMES[:-1] if card not in used]
    for hand in hands:
        while len(hand) < len(CARD_NAMES[:-1]) // NUM_SEATS // 2:
            hand.append(rest.pop())
    return {"dealer": 0, "hands": hands, "pile": list(FIRST_PILE), "stock": rest}


def plays_table() -> str:
    engine = make_engine("xeri", 1, rules=make_rules("xeri", {"num_rounds": 1}))
    engine.reset(seed=0, deals=[_xeri_deal()])
    rows = ["| the pile | played | | why |", "| --- | --- | --- | --- |"]
    for card, rule, why in PLAYS:
        before = engine.get_state()
        action = engine.parse(f"play:{card}")
        pile = next(one.cards for one in engine.scene().piles if one.name == "pile")
        engine.step([action])
        event = engine.event_record(before, action)
        shown = Picture(pile).shown() if pile else "empty"
        played = Picture((card,)).shown()
        rows.append(f"| {shown} | {played} | {_outcome(event)} | {why} ({rule}) |")
    return "\n".join(rows)


def _outcome(event: dict[str, Any]) -> str:
    if "xeri" in event:
        return f"**xeri** for {event['xeri']}"
    if "captured" not in event:
        return "nothing is captured"
    jack = rank_of(parse_card(event["move"][-2:])) == rank_of(parse_card("JC"))
    return f"{'a jack captures' if jack else 'captures'} {event['captured']} cards"


def tables() -> dict[str, str]:
    """Return the tables with pictures, by the name that their marks have."""
    return {
        "pictures of melds": melds_table(),
        "pictures of openings": openings_table(),
        "pictures of table actions": table_actions(),
        "pictures of the formation": formation_table(),
        "pictures of plays": plays_table(),
    }


def pictures(shown: Sequence[str]) -> dict[str, str]:
    """Return the pictures of some files' names, ``melds-CARDS.svg``, as SVG."""
    found = {}
    for name in shown:
        cards = name.removeprefix("melds-").removesuffix(".svg")
        found[name] = row_of(cards).svg()
    return found
