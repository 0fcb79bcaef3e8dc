"""Learned players: found by path or as ``module:Class``; the library never imports them."""
