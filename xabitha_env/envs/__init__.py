"""Environments over the engines, written once for both games."""
