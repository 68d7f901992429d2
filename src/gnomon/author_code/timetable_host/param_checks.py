"""Checks values against the JSON Schemas of params, which authors wrote: what may take long is done in a process for code of authors, with a deadline.

A pattern such as `^([a-z]+)+$` takes twice as long with each further letter, and nothing else of its process goes on meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from gnomon.author_code.processes.cpu_deadline import CpuDeadlineExceeded, limit_cpu
from gnomon.author_code.timetable_host.protocol import CHECK_PARAMS
from gnomon.author_code.timetable_host.sync_client import ask_and_wait
from gnomon.authoring.sdk.arguments.notset import NOTSET, is_given
from gnomon.authoring.sdk.arguments.params import Param
from gnomon.authoring.sdk.arguments.schema_cost import is_cheap
from gnomon.ground.config import Config
from gnomon.model.errors.authoring import ParamValidationError
from gnomon.model.errors.product import UserError
from gnomon.model.errors.timetable import PlanningError
from gnomon.model.sentences import say

CHECK_S = 1.0
"""Processor time of one check of all values of a request: well below the time that any question has, so that a busy machine gives the sentence about the pattern."""


def find_param_faults(
    cfg: Config, schemas: Mapping[str, Mapping[str, Any]], values: Mapping[str, Any]
) -> dict[str, str]:
    """By name of the param: what is wrong with its value, or that it has none. Values of other names are not looked at.

    Raises UserError when the values cannot be checked, HostsBusy as `ask_and_wait`.
    """
    faults = {}
    costly = []
    for name, schema in schemas.items():
        value = values.get(name, NOTSET)
        if is_given(value) and schema and not is_cheap(schema, value):
            costly.append((name, schema, value))
        elif (fault := _find_fault(schema, value)) is not None:
            faults[name] = fault
    return {**faults, **_ask(cfg, costly)} if costly else faults


def _ask(cfg: Config, checks: list[tuple[str, Mapping[str, Any], Any]]) -> dict[str, str]:
    try:
        faults: dict[str, str] = ask_and_wait(cfg, CHECK_PARAMS, dict[str, str], checks=json.dumps(checks))
    except PlanningError as error:
        raise UserError(
            say("params_cannot_be_checked", names=", ".join(repr(name) for name, _, _ in checks), error=str(error))
        ) from None
    except (TypeError, ValueError) as error:  # what is no JSON is no value of a param
        raise UserError(
            say("params_are_no_json", names=", ".join(repr(name) for name, _, _ in checks), error=str(error))
        ) from None
    return faults


def check_params(*, checks: str) -> dict[str, str]:
    """By name of the param: what is wrong with its value. `checks`: JSON of name, schema and value of each. Called in a host process, in its main thread."""
    faults = {}
    name, schema = "", {}
    try:
        with limit_cpu(CHECK_S):
            for name, schema, value in json.loads(checks):
                fault = _find_fault(schema, value)
                if fault is not None:
                    faults[name] = fault
    except CpuDeadlineExceeded:
        what = "pattern" if "pattern" in schema else "schema"
        faults[name] = (
            f"the {what} of param {name!r} took longer than {CHECK_S:g} s of processor time for this value, so it was not accepted; in the DAG file, write a {what} that decides faster "
            "(such as a pattern without a repetition inside a repetition)."
        )
    except RecursionError:
        faults[name] = f"the schema of param {name!r} is nested too deeply, or refers to itself without an end."
    return faults


def _find_fault(schema: Mapping[str, Any], value: Any) -> str | None:
    try:
        Param(schema=dict(schema)).resolve(value)
    except ParamValidationError as error:
        return str(error).removeprefix("Param: ")
    return None
