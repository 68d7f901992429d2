"""A dependency between DAGs in one line of words, as `explain`, previews and listings write it."""

from __future__ import annotations

from gnomon.model.edges import AfterSpec, Edge

_TAKE = {"last": "the last of them", "first": "the first of them", "any": "any one of them"}
_ON_FAILURE = {"proceed": "goes on when they fail", "cancel": "fails when they fail"}
_ON_ABSENT = {"wait": "also for slots without a run", "fail": "fails for slots without a run"}


def edge_words(dag_id: str, edge: Edge) -> str:
    """`report waits for loads`, with what its author chose."""
    waiting = dag_id if edge.task_id is None else f"{dag_id}.{edge.task_id}"
    return ", ".join([f"{waiting} waits for {edge.label}", *chosen(edge.after)])


def chosen(after: AfterSpec) -> list[str]:
    """What is not as usual, in words."""
    told = [_periods(after.previous)] if after.previous else []
    told += [words[chosen] for words, chosen in _options(after) if chosen in words]
    if after.empty_interval != "carry":
        told.append(f"empty_interval={after.empty_interval}")
    if after.max_wait_s is not None:
        told.append(f"at most {after.max_wait_s:g} s")
    return told + ([f"days of {after.zone}"] if after.zone is not None else [])


def _options(after: AfterSpec) -> list[tuple[dict[str, str], str]]:
    return [(_TAKE, after.take), (_ON_FAILURE, after.on_failure), (_ON_ABSENT, after.on_absent)]


def _periods(back: int) -> str:
    return "the period before" if back == 1 else f"{back} periods before"
