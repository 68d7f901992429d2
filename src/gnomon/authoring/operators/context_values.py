"""The values of the task context that a function in another interpreter can get."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any

from gnomon.authoring.operators.interpreter_call import encode_value
from gnomon.authoring.sdk.tasks.function_calls import CONTEXT_KEYS, read_signature
from gnomon.model.errors.authoring import AirflowException

PLAIN_KEYS = (
    "ds",
    "ds_nodash",
    "expanded_ti_count",
    "run_id",
    "task_instance_key_str",
    "test_mode",
    "ts",
    "ts_nodash",
    "ts_nodash_with_tz",
    "data_interval_start",
    "data_interval_end",
    "logical_date",
    "execution_date",
    "task_reschedule_count",
    "partition_key",
    "partition_date",
    "params",
    "templates_dict",
    "try_number",
    "tomorrow_ds",
    "tomorrow_ds_nodash",
    "yesterday_ds",
    "yesterday_ds_nodash",
    "inlets",
    "outlets",
)
"""Keys whose values are text, numbers, dates, or lists and dicts of them."""
ASKED_KEYS = (
    "prev_data_interval_start_success",
    "prev_data_interval_end_success",
    "prev_start_date_success",
    "prev_end_date_success",
    "prev_execution_date_success",
    "next_execution_date",
    "next_ds",
    "next_ds_nodash",
    "prev_execution_date",
    "prev_ds",
    "prev_ds_nodash",
)
"""Keys of the same kind whose values cost a request: passed only to a function that names them."""


def select_context_values(
    function: Callable[..., Any],
    args: Collection[Any],
    kwargs: Mapping[str, Any],
    context: Mapping[str, Any],
    task_id: str,
) -> tuple[dict[str, Any], list[str]]:
    """Return the context values for the other interpreter, and the names of those that the function gets as arguments.

    Raises AirflowException when the function needs a context key, such as `ti`, whose value cannot be passed.
    """
    shape = read_signature(function)
    assert shape is not None  # only plain functions get here
    filled = {*shape.positional[: len(args)], *kwargs}
    names = [name for name in shape.named if name in context and name not in filled]
    values = {}
    for name in (*PLAIN_KEYS, *(name for name in names if name in ASKED_KEYS)):
        if name in context and _is_plain(context[name]):
            values[name] = context[name]
    refused = [name for name in shape.required if name in CONTEXT_KEYS and name in names and name not in values]
    if refused:
        raise AirflowException(
            f"The function of task {task_id!r} takes {', '.join(map(repr, refused))} from the task context, which cannot be passed to "
            f"another interpreter. It can take: {', '.join(sorted({*PLAIN_KEYS, *ASKED_KEYS}))}; pass other values in op_kwargs."
        )
    if shape.accepts_var_keyword:
        return values, [name for name in values if name not in filled]
    return values, [name for name in names if name in values]


def _is_plain(value: Any) -> bool:
    try:
        encode_value(value)
    except TypeError:
        return False
    return True
