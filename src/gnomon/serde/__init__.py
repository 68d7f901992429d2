"""Typed JSON for values that tasks hand to one another."""

from gnomon.serde.typed_json import dumps, loads

__all__ = ["dumps", "loads"]
