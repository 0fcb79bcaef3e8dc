"""Evaluation: mirrored deals, tournaments, partnerships, and their statistics."""
