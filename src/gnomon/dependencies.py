"""Which runs of another DAG a run waits for, without a database. Public."""

from gnomon.model.after import After
from gnomon.rules.dependencies.faults import doubts_of, errors_of
from gnomon.rules.dependencies.resolution import History, Resolution
from gnomon.rules.dependencies.resolver import Resolver, upstream_slots
from gnomon.rules.dependencies.shape import Shape, shape_of

__all__ = [
    "After",
    "History",
    "Resolution",
    "Resolver",
    "Shape",
    "doubts_of",
    "errors_of",
    "shape_of",
    "upstream_slots",
]
