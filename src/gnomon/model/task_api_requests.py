"""The requests of author code while it is imported or runs; `taskapi` answers them with the rights of one attempt.

A request is one message on the child's channel; the answer is a JSON value, or an error message.
"""

from __future__ import annotations

import msgspec


class TaskApiRequest(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Base of all requests."""


class GetVariable(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """The value (text) of a Variable, or None when there is none."""

    key: str


class SetVariable(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    key: str
    value: str
    description: str | None = None


class DeleteVariable(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers true if the Variable existed."""

    key: str


class ListVariables(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers the sorted keys with the prefix."""

    prefix: str = ""


class GetConnection(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers a mapping of the connection's fields, or None."""

    conn_id: str


class GetCachedSecret(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {"text": ...} (None: there is none) as a secrets backend answered before, or None when that is not known. For imports of DAG files."""

    kind: str
    """`connection` or `variable`."""
    name: str


class SetCachedSecret(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Keeps the answer of a secrets backend for `ttl_s` seconds in the memory of the service. For imports of DAG files."""

    kind: str
    name: str
    text: str | None
    ttl_s: float


class GetXComs(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers a list of {task_id, map_index, value, run_id}, newest run first, then in order of `task_ids` and map index.

    `task_ids` None: of every task. `map_indexes` None: all of them.
    `include_prior_dates`: the newest value of each task in this run or an earlier one.
    """

    dag_id: str
    run_id: str
    key: str = "return_value"
    task_ids: tuple[str, ...] | None = None
    map_indexes: tuple[int, ...] | None = None
    include_prior_dates: bool = False


class GetXComElement(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {container, length, value} for the list, tuple or dict that a task that is not mapped pushed; None for anything else.

    `container`: "list", "tuple" or "dict"; `value`: the JSON text of the element at the place `number`, None behind the end. The element
    of a dict is the tuple of key and value.
    """

    dag_id: str
    run_id: str
    task_id: str
    key: str = "return_value"
    number: int


XCOM_BATCH = 64
"""The largest number of values in the answer to GetXComBatch."""


class GetXComCount(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers how many instances of the task pushed a value under the key."""

    dag_id: str
    run_id: str
    task_id: str
    key: str = "return_value"


class GetXComBatch(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers the values (JSON text) of the instances of a task in the order of their map indexes, from number `start` on.

    At most `limit` and at most XCOM_BATCH values; fewer when they are large, but none only behind the last one.
    `total`: how many values there are in all, if that is known; then the cost of the answer does not depend on `start`.
    """

    dag_id: str
    run_id: str
    task_id: str
    key: str = "return_value"
    start: int = 0
    limit: int = XCOM_BATCH
    total: int | None = None


class GetPreviousRun(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers the fields (`model.attempts.RunFacts` as a mapping) of the newest earlier run of this DAG in that state, or None."""

    dag_id: str
    run_id: str
    state: str | None = None


class GetRunRemarks(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {note, triggering_user_name} of the run, each a text or None; None when there is no such run."""

    dag_id: str
    run_id: str


class GetRunState(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    dag_id: str
    run_id: str


class GetRunStates(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {run_id: state} of the existing runs with those ids or logical dates."""

    dag_id: str
    run_ids: tuple[str, ...] = ()
    logical_dates: tuple[int, ...] = ()


class GetTaskStates(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {run_id: {task_id or `task_id[map_index]`: state}}.

    `group`: of every task in that group or below it, with None for one that has no state yet.
    """

    dag_id: str
    run_ids: tuple[str, ...] | None = None
    task_ids: tuple[str, ...] | None = None
    logical_dates: tuple[int, ...] | None = None
    group: str | None = None


class GetTaskInstances(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers a list of `model.attempts.TaskInstanceFacts`, as mappings: all task instances of the run, in topological order, also those
    without a state. None when there is no such run.
    """

    dag_id: str
    run_id: str


class ListRuns(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers a list of `model.attempts.RunFacts`, as mappings: the newest runs of the DAG that meet all that is given, newest first."""

    dag_id: str
    state: str | None = None
    limit: int
    run_id: str | None = None
    run_types: tuple[str, ...] | None = None
    by_logical_date: bool = False
    """Only runs with a logical date, the latest first."""
    first_logical_at: int | None = None
    last_logical_at: int | None = None
    """With `by_logical_date`: the first and the last logical date, both inclusive."""
    needs_all: bool = False
    """Refused when more than `limit` runs meet it."""


class GetFirstReschedule(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers when this task instance was first poked by an attempt that was rescheduled, in this or a later try; or None."""

    first_try: int = 1


class GetDag(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {active, paused, file, spec, cursor} (the last two as mappings), or None when there is no such DAG."""

    dag_id: str


class TriggerRun(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Creates a queued run of that DAG. Answers {outcome, run_id, request}.

    outcome: created | exists (nothing changed; `run_id` is the run that has the id or the logical date)
    | clearing (that run is about to be cleared: `request` is the number to ask for with GetRequest).
    """

    dag_id: str
    run_id: str
    run_after: int
    logical_at: int | None = None
    interval_start: int | None = None
    interval_end: int | None = None
    conf: dict[str, object] = {}
    reset: bool = False
    """Clear the run if it exists."""
    stands_for: int | None = None
    """The planned time of the slot that has its logical date."""


class GetRequest(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {state, answer}: pending | done | refused, and the owner's answer."""

    request_pk: int


class GetTaskState(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers the JSON text that the task instance of the request keeps under the key; None when there is none."""

    key: str


class SetTaskState(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Keeps a JSON text for the task instance of the request, for `retention` microseconds (None: until it is deleted)."""

    key: str
    value: str
    retention: int | None


class DeleteTaskState(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Deletes what the task instance of the request keeps under the key (None: under all keys)."""

    key: str | None


class GetAssetState(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers the JSON text that is kept for the asset with that name under the key; None when there is none."""

    asset: str
    key: str


class SetAssetState(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    asset: str
    key: str
    value: str


class DeleteAssetState(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Deletes what is kept for the asset under the key (None: under all keys)."""

    asset: str
    key: str | None


class GetAsset(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers {name, uri, group, extra} of the asset with that name or that URI, or None. One that a file names now comes first."""

    name: str | None = None
    uri: str | None = None


class GetAssetEvents(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers a list of events (`model.assets.AssetEvent` as mappings) of the assets with that name and URI, or of an alias.

    `after` and `before` are inclusive instants. At most `limit`: the oldest first if `ascending`, else the newest first.
    """

    name: str | None = None
    uri: str | None = None
    alias: str | None = None
    after: int | None = None
    before: int | None = None
    ascending: bool = True
    limit: int | None = None


class GetConsumedAssetEvents(TaskApiRequest, frozen=True, kw_only=True, tag=True):
    """Answers a list as GetAssetEvents does: the events that the run of this attempt consumed."""


AnyTaskApiRequest = (
    GetVariable
    | SetVariable
    | DeleteVariable
    | ListVariables
    | GetConnection
    | GetCachedSecret
    | SetCachedSecret
    | GetXComs
    | GetXComElement
    | GetPreviousRun
    | GetRunRemarks
    | GetRunState
    | GetRunStates
    | GetTaskStates
    | GetTaskInstances
    | ListRuns
    | GetFirstReschedule
    | GetDag
    | TriggerRun
    | GetRequest
    | GetXComCount
    | GetXComBatch
    | GetTaskState
    | SetTaskState
    | DeleteTaskState
    | GetAssetState
    | SetAssetState
    | DeleteAssetState
    | GetAsset
    | GetAssetEvents
    | GetConsumedAssetEvents
)
