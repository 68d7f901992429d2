"""A question that is not answered."""

from __future__ import annotations


class Refused(Exception):
    """The asker has no right to it, or the thing asked about does not exist; the message says which and what to do."""
