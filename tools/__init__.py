"""Scripts for work on the project itself; no part of the library."""
