"""Whether the library for full-screen programs is there."""

from __future__ import annotations


def check_library(doing: str) -> None:
    """See that full-screen programs can be shown.

    Args:
        doing: what for, as the message begins.

    Raises:
        ImportError: textual is missing; the message names the extra.
    """
    try:
        import textual  # noqa: F401
    except ImportError as error:
        raise ImportError(f"{doing} needs textual: install xabitha-env[play] ({error})") from error
