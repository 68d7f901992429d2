"""Errors of whoever operates Gnomon, not of its code: printed as one sentence, without a traceback."""

from __future__ import annotations


class UserMistake(Exception):
    """Something that the operator can put right; the message names the thing, the place and the remedy."""
