"""What can be wrong with options, in words."""

from __future__ import annotations

from gnomon.errors.product import UserMistake


class ConfigMistake(UserMistake):
    """An option has a value that it cannot have, or does not exist; the message names it, where it was set, and the remedy."""


class NoSuchOption(ConfigMistake):
    """Nobody declared this option and nobody set it."""
