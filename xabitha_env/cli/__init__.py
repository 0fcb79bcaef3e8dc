"""The ``xabitha`` command: `main` runs it, and each command has a file of its name."""
