"""A player in plain Python: run it by ``xabitha seat --stdio python examples/stdio_bot.py``.

It needs nothing but the standard library. Xabitha: opens and lays as soon as it can and throws what
costs most; Xeri: captures when it can. See docs/stdio.md for what the messages hold.
"""

import json
import sys

COSTLY = "AKQJT98765432"


def capture(seen, legal):
    """Of Xeri: the card that takes the pile, else the last one."""
    top = seen["pile"][-1][0] if seen["pile"] else None
    for move in legal:
        if top is not None and move.removeprefix("play:")[0] in (top, "J"):
            return move
    return legal[-1]


def lay(seen, legal):
    """Of Xabitha: a formation, an opening, a meld or a card to add, else a draw or a discard."""
    for verb in ("formation", "open", "meld", "add", "steal", "declare:no", "draw:deck"):
        for move in legal:
            if move.startswith(verb):
                return move
    discards = [move for move in legal if move != "discard:JK"] or legal
    return min(discards, key=lambda move: COSTLY.find(move.removeprefix("discard:")[0]))


def main():
    """Answer every question until the input ends."""
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            answer = {"type": "ready"}
        elif message["type"] == "decide":
            choose = capture if message["observation"]["game"] == "xeri" else lay
            move = choose(message["observation"], message["legal"])
            answer = {"move": move, "id": message["id"]}
        elif message["type"] == "bye":
            break
        else:
            continue
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
