"""How long who says nothing counts as alive (OWNERSHIP.md, TAKE-OVER)."""

from __future__ import annotations

TTL_S = 4.0
"""The protocol's ttl: a scheduler without a beat for so long may be fenced (line 9), a session that stands still inside a
transaction is over (line 11), and who holds SQLite's ticket is killed (line 12). It is one number, since the others bound how
long a fence waits for who is fenced. With a beat a second everybody else writes again within 5 s."""
