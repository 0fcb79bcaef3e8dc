"""Draws docs/images/replay.png, the page of a match as a browser shows it.

    python -m tools.replay_picture [--out docs/images/replay.png]

Needs Chromium and the Python package playwright (extra: test). The match is played
here, so that the picture is of the page as it is now.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from xabitha_env.record import record_matches
from xabitha_env.replay import page_html, replay

SEED = 3
PLACE = "#r2e45"
"""An opening with four melds."""
SIZE = {"width": 1080, "height": 1000}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
QUIET += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]


def main(out: Path) -> None:
    """Play a match, write its page into a folder for the moment, and take the picture."""
    from playwright.sync_api import sync_playwright

    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        sys.exit(f"a picture needs a browser: none of {', '.join(BROWSERS)} is installed")
    record = next(record_matches(["expert", "greedy"], [SEED], rules={"num_rounds": 5}))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = Path(folder) / "match.html"
        page_file.write_text(page_html(replay(record)), encoding="utf-8")
        running = playwright.chromium.launch(executable_path=browser, args=QUIET)
        page = running.new_page(viewport=SIZE)
        page.goto(page_file.as_uri() + PLACE)
        page.screenshot(path=out, full_page=True)
        running.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/images/replay.png"))
    main(parser.parse_args().out)
