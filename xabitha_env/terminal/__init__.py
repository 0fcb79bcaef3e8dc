"""Full-screen programs for the terminal, by Textual: playing, and stepping through records."""
