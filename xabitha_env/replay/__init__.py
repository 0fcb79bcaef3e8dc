"""Recorded matches looked at again, move by move: as frames, as text, as a page."""

from xabitha_env.replay.frames import Frame, RecordDiffers, Replay, replay
from xabitha_env.replay.matches import MatchLine, list_matches, read_match
from xabitha_env.replay.webpage import page_html

__all__ = [
    "Frame",
    "MatchLine",
    "RecordDiffers",
    "Replay",
    "list_matches",
    "page_html",
    "read_match",
    "replay",
]
