"""Tables drawn: cards as vector graphics, and scenes by pygame."""
