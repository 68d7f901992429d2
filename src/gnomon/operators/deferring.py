"""How operators wait: on a worker or not, and for a moment."""

from __future__ import annotations




