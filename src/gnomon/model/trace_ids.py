"""Ids of traces and spans, computed from the ids of runs and attempts: task processes and the exporter find the same ones, and nothing is kept.

The forms are those of W3C Trace Context: 16 bytes for a trace, 8 for a span, none of them all zeros.
"""

from __future__ import annotations

import hashlib

_TRACE_BYTES, _SPAN_BYTES = 16, 8


def compute_trace_id(service: str, dag_id: str, run_id: str, run_pk: int) -> int:
    """The trace of a run. `service`: the name of the deployment, so that equal runs of two deployments differ in one collector."""
    return _hash(("trace", service, dag_id, run_id, str(run_pk)), _TRACE_BYTES)


def compute_run_span_id(trace_id: int, clear_number: int) -> int:
    """The span of a run; a run that was cleared after its end has another one in the same trace."""
    return _hash(("run", str(trace_id), str(clear_number)), _SPAN_BYTES)


def compute_attempt_span_id(attempt_id: str) -> int:
    """The span of an attempt of a task."""
    return _hash(("attempt", attempt_id), _SPAN_BYTES)


def format_traceparent(trace_id: int, span_id: int) -> str:
    """The header `traceparent` of W3C Trace Context, sampled."""
    return f"00-{trace_id:0{2 * _TRACE_BYTES}x}-{span_id:0{2 * _SPAN_BYTES}x}-01"


def _hash(parts: tuple[str, ...], size: int) -> int:
    digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:size], "big") or 1
