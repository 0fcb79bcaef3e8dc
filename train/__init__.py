"""Training: one runnable file a method, each with an importable `main(args)`."""
