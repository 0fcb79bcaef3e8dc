"""4-Player Xeri: rules as data, compiled kernels over one record a game, the batched engine."""
