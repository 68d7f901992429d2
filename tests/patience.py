"""How long a test waits for what another process or thread does: a bound, not an expectation."""

PATIENCE_S = 120.0
"""The machine may be busy. A test that passes does not feel it; one that fails is late by so much."""
