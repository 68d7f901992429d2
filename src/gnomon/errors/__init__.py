"""Errors: `authoring` for DAG files and tasks (the dialect's names), `product` for commands and services."""

from gnomon.errors.product import GnomonError, OperatorMistake, OurBug, UserMistake, WorldAway

__all__ = ["GnomonError", "OperatorMistake", "OurBug", "UserMistake", "WorldAway"]
