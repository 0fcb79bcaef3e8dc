"""Matches of records as frames to step through, in a terminal or as a page."""
