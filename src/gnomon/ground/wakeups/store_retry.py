"""When a service tries again. Here, because the dag-processor must not load the store before it has forked its parse server."""

from __future__ import annotations

STORE_RETRY_S = 1.0
"""Delay before the next attempt after the store was unavailable."""
