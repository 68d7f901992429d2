"""Typed JSON for values of authors: XComs, arguments of triggers, payloads of events. Open `typed_json.py` first.

`types.py` holds the types beyond JSON: a new type is an entry of its two tables. `containers.py` splits a text into its elements;
import it by its own name, because it needs msgspec, which a DAG file does not.
"""

from gnomon.model.serde.typed_json import dumps, loads
from gnomon.model.serde.types import register_type

__all__ = ["dumps", "loads", "register_type"]
