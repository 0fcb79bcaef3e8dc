"""Cards as vector graphics."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from xabitha_env.cards import CARD_NAMES
from xabitha_env.pictures.svg import (
    BACK,
    HEIGHT,
    SUIT_PATHS,
    WIDTH,
    card_name,
    card_svg,
    cards_svg,
    symbols_svg,
)

SPACE = "{http://www.w3.org/2000/svg}"


def test_every_card_is_a_drawing_of_its_own_without_fonts_or_links():
    drawings = {card: card_svg(card) for card in (*CARD_NAMES, BACK)}
    assert len(set(drawings.values())) == len(CARD_NAMES) + 1
    for drawing in drawings.values():
        ElementTree.fromstring(drawing)
        assert not re.search("<text|font|href|url|http", drawing)


def test_suits_differ_without_colour():
    """Cards of one rank and colour differ in the suit's path, which is drawn twice."""
    shapes = {
        suit: re.sub(r'(fill|stroke)="#\w+"', "", card_svg("9" + suit)) for suit in SUIT_PATHS
    }
    assert len(set(shapes.values())) == 4
    for suit, path in SUIT_PATHS.items():
        assert shapes[suit].count(path) == 2


def test_names_of_cards():
    assert card_name("TD") == "ten of diamonds"
    assert card_name("AS") == "ace of spades"
    assert card_name("2C") == "two of clubs"
    assert card_name("KH") == "king of hearts"
    assert card_name("JK") == "joker"
    assert card_name(BACK) == "hidden card"
    assert len({card_name(card) for card in CARD_NAMES}) == len(CARD_NAMES)


@pytest.mark.parametrize("text", ["", "1S", "td", "<b>", "KHH"])
def test_what_is_no_card_is_refused(text):
    for draw in (card_svg, card_name, lambda card: cards_svg([card])):
        with pytest.raises(ValueError, match="is no card"):
            draw(text)


def test_a_row_stands_alone():
    row = ElementTree.fromstring(cards_svg(["4S", "JK", "6S"], height=70))
    assert row.tag == SPACE + "svg"
    assert row.get("viewBox") == f"0 0 {3 * WIDTH + 16} {HEIGHT}"
    assert (row.get("width"), row.get("height")) == ("158", "70")
    assert row.get("aria-label") == "four of spades, joker, six of spades"
    places = [card.get("transform") for card in row.findall(SPACE + "g")]
    assert places == ["translate(0)", "translate(108)", "translate(216)"]


def test_cards_may_overlap_and_labels_are_escaped():
    row = ElementTree.fromstring(cards_svg(["4S", BACK], overlap=0.5, label='a "run" <of> &'))
    assert row.get("viewBox") == f"0 0 {1.5 * WIDTH:g} {HEIGHT}"
    assert row.get("aria-label") == 'a "run" <of> &'
    assert cards_svg([]).count("<g") == 0
    for wrong in ({"overlap": 1.0}, {"overlap": -0.1}, {"height": 0}):
        with pytest.raises(ValueError, match="height .* overlap"):
            cards_svg(["4S"], **wrong)


def test_symbols_have_an_identifier_each():
    symbols = ElementTree.fromstring(f"<svg>{symbols_svg()}</svg>")
    assert [symbol.get("id") for symbol in symbols] == [
        f"card-{card}" for card in (*CARD_NAMES, BACK)
    ]
