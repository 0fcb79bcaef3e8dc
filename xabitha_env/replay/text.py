"""A match as text: what is printed where no terminal is."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from xabitha_env.replay.frames import ROUND_END, Frame, Replay


def replay_text(match: Replay, start: int = 0) -> Iterator[str]:
    """Give a match as blocks of text: a heading, a block a frame, the result.

    Args:
        match: what is told.
        start: the index of the first frame.
    """
    yield heading(match)
    for frame in match.frames[start:]:
        yield "\n".join(["", *event_lines(frame), frame.scene.text()])
    yield f"\n{match.result or 'the match was cut off'}"


def heading(match: Replay) -> str:
    """Return who plays, as one line."""
    seed = "" if match.seed is None else f", seed {match.seed}"
    names = ", ".join(f"seat {seat} {name}" for seat, name in enumerate(match.agents))
    return f"{match.game}{seed}: {names}"


def event_lines(frame: Frame, hidden: Collection[int] = ()) -> list[str]:
    """Return what happened ahead of a frame, and what it brought, as lines.

    Args:
        frame: the frame.
        hidden: the seats whose hands are not shown; with any, what the round stands at, which
            counts all hands, is left out.
    """
    told = frame.told_to(hidden)
    lines = [f"{frame.place}  {told.words}" + (f"  [{told.move}]" if told.move else "")]
    if marks := frame.marks_to(hidden):
        lines[0] += f"  * {', '.join(marks)}"
    if not hidden:
        lines.append(_standing(frame))
    if (legal := frame.legal_to(hidden)) is not None:
        lines.append(f"legal: {', '.join(legal)}")
    return lines


def _standing(frame: Frame) -> str:
    """Return what the round stands at, and for whom the event was good."""
    first, second = frame.standing
    over = ROUND_END in frame.marks
    stands = "the round is over" if over else f"the round stands at {first} : {second}"
    return f"{stands}, {swing_text(frame.swing)}" if frame.swing else stands


def swing_text(swing: int) -> str:
    """Return a swing in words."""
    return f"swing of {abs(swing)} for team {int(swing < 0)}"
