"""Whether to declare Xabitha mode (X3.2): the rule of `expert`."""

from __future__ import annotations

import numpy as np

from xabitha_env._jit import kernel
from xabitha_env.xabitha.chase import formation_distance

BREAK_EVEN = np.array([0.9, 3.4, 9.6, 26.0, 43.0, 80.0])
"""By how many cards are missing: `xabitha_closed_penalty` over `closed_penalty` from which on the
formation wins more than normal play. From deals that were played on both ways by `chase` and
`expert` among experts (`python -m tools.declarations`)."""


@kernel
def wants_formation(g, one, two):
    """Return whether a hand is near enough to a formation to play for it."""
    if g.xabitha_closed_penalty <= BREAK_EVEN[0] * g.closed_penalty:
        return False
    distance = formation_distance(one, two)
    if distance >= BREAK_EVEN.size:
        return False
    return g.xabitha_closed_penalty > BREAK_EVEN[distance] * g.closed_penalty
