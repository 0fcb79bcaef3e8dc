"""Whether to declare Xabitha mode (X3.2): the rule of `expert`."""

from __future__ import annotations

from xabitha_env._jit import kernel
from xabitha_env.xabitha.chase import formation_distance


@kernel
def wants_formation(g, one, two):
    """Return whether a hand is near enough to a formation to play for it."""
    return formation_distance(one, two) == 0
