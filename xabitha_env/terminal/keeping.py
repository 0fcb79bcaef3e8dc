"""Where a match with a person is kept: its save file and its record."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from xabitha_env.files import check_place
from xabitha_env.record import write_records
from xabitha_env.terminal.match import Match
from xabitha_env.terminal.saving import check_savable, save_match


def new_file(path: Path) -> Path:
    """Return the name of a save file, which must not be there yet.

    Raises:
        ValueError: it is; another match would be lost.
    """
    if path.exists():
        raise ValueError(f"{path} is there already: continue it, or name another save file")
    return path


@dataclass
class Keeping:
    """The files of a match.

    Attributes:
        match: the match.
        save_path: where it is saved; None for nowhere.
        record_path: where its record is written; None for nowhere.
        saved: whether it was saved.
    """

    match: Match
    save_path: Path | None = None
    record_path: Path | None = None
    saved: bool = False

    def check(self) -> None:
        """See that the files can be written, before the match.

        Raises:
            ValueError: players that cannot be saved; OSError: a file that cannot be written.
        """
        if self.save_path is not None:
            check_savable(self.match)
            check_place(self.save_path)
        self.write_record()

    def save(self) -> bool:
        """Save the match, where a file is named; returns whether it was.

        Raises:
            ValueError, OSError: as in `check`.
        """
        if self.save_path is None:
            return False
        save_match(self.save_path, self.match)
        self.saved = True
        return True

    def write_record(self) -> None:
        """Write the record, where a file is named; a match that goes on is cut off there.

        Raises:
            ValueError, OSError: as in `check`.
        """
        if self.record_path is not None:
            write_records(self.record_path, [self.match.record])
