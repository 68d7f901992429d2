"""Computes the links of an operator at the end of an attempt and pushes them as XComs. None can harm the attempt: errors are logged."""

from __future__ import annotations

import inspect
from typing import Any

from gnomon.author_code.loading.plugin_links import get_plugin_links
from gnomon.author_code.runner.runner_log import RunnerLog
from gnomon.author_code.runner.signals import time_limit
from gnomon.authoring.sdk.tasks.operator_links import read_xcom_key, resolve_links
from gnomon.model.attempts import xcom_fault
from gnomon.model.errors.authoring import AirflowTaskTimeout, TaskDeferred, XComOverLimit
from gnomon.model.serde import dumps

log = RunnerLog("gnomon.task")

LINK_TIMEOUT_S = 10.0
"""How long `get_link` of one link may run."""


def push_links(task: Any, ti: Any) -> None:
    """Call `get_link` of each link of the operator, those of plugins included, and push each URL under the `xcom_key` of its link.

    As in Airflow, an XCom back end of the author is not asked. A link without a value pushes nothing.
    """
    try:
        links = resolve_links(task, get_plugin_links())
    except (Exception, SystemExit):  # the edge of author code: plugins and properties
        log.exception("the links of task %s cannot be read; the outcome stays", task.task_id)
        return
    for name, link in links.items():
        _push_link(name, link, task, ti)


def _push_link(name: str, link: Any, task: Any, ti: Any) -> None:
    try:
        with time_limit(LINK_TIMEOUT_S, f"link {name!r}"):
            if getattr(link, "static_url", None):
                return
            url = _call(link, task, ti)
        if url is None or url == "":
            return
        if not isinstance(url, str):
            raise TypeError(f"get_link returned an object of class {type(url).__name__}; return the URL as text")
        key = read_xcom_key(link)
        text, what = dumps(str(url)), f"XCom {key!r} of task {task.task_id!r}"
        fault = xcom_fault(what, key, text)
        if fault is not None:
            raise XComOverLimit(fault)
        ti.pushed_xcoms[key] = text
    except AirflowTaskTimeout:
        log.exception(
            "link %r of task %s took longer than %g s and was ended; the outcome stays",
            name,
            task.task_id,
            LINK_TIMEOUT_S,
        )
    except (Exception, SystemExit, TaskDeferred):
        log.exception("link %r of task %s failed; the outcome stays", name, task.task_id)


def _call(link: Any, task: Any, ti: Any) -> object:
    """The URL. A `get_link` without `ti_key` is called with the logical date, as Airflow 2 does."""
    parameters = inspect.signature(link.get_link).parameters.values()
    if all(parameter.name != "ti_key" for parameter in parameters if parameter.kind is not parameter.VAR_KEYWORD):
        return link.get_link(task, ti.logical_date or ti.run_after)
    return (
        link.get_link(operator=task, ti_key=ti.key)
        if _takes_operator_by_name(parameters)
        else link.get_link(task, ti_key=ti.key)
    )


def _takes_operator_by_name(parameters: Any) -> bool:
    return any(
        parameter.name == "operator" and parameter.kind is not parameter.POSITIONAL_ONLY for parameter in parameters
    )
