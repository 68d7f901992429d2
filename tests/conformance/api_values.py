"""Compares the defaults and the permitted values in the OpenAPI document of Gnomon's API with Airflow's: of parameters, and of fields of bodies and answers."""

from __future__ import annotations

import re
from typing import Any

from tests.conformance.api_operations import (
    PREFIX,
    Document,
    find_body,
    find_schemas_of_answers,
    list_operations,
    resolve,
)

ARGUED: dict[str, str] = {
    r"parameter order_by: default .* in Airflow, none here": "without `order_by` the order is Airflow's default, which the operation applies itself; pools, Variables and connections are ordered by their name, "
    "which is their key here, and XComs by their id",
    r"parameter (dag_id|dag_run_id): values ~ in Airflow, any here": "the name of one DAG or run narrows the list",
    r"parameter accept: values .* in Airflow, any here": "any other header `Accept` gets JSON, as clients that send several types in one header need it",
    r"parameter last_dag_run_state: values .* in Airflow, any here": "the same values; another one is refused with 422 and a sentence that names them",
    r"parameter next: default none in Airflow, '/' here": "a login without `next` leads to the home page",
    r"(answer|body) field \S*(rendered_fields|params|params_input|extra): default none in Airflow, {} here": "an empty object is what a missing one means in both; our document says so",
}
"""By pattern of a line of `find_value_differences`: why it is so."""
_MISSING: tuple[object, ...] = (None, [])


def find_value_differences(airflow: Document, ours: Document) -> list[str]:
    """One line for each default and each list of values that differs, in a parameter or a field that both documents have."""
    lines = []
    for operation in list_operations(airflow, ours):
        if operation.state == "yes":
            method = operation.method.lower()
            theirs, own = airflow["paths"][operation.path][method], ours["paths"][operation.path][method]
            place = f"{operation.method} {operation.path.removeprefix(PREFIX)}"
            answers = find_schemas_of_answers(theirs, own)
            found = _compare("parameter", _parameters(airflow, theirs), _parameters(ours, own))
            found += _compare("body field", _fields(airflow, find_body(theirs), ""), _fields(ours, find_body(own), ""))
            found += _compare("answer field", _fields(airflow, answers[0], ""), _fields(ours, answers[1], ""))
            lines += [f"{place}: {text}" for text in found]
    return lines


def find_argument(line: str) -> str | None:
    """The pattern of ARGUED that a line of `find_value_differences` fits; None when it fits none."""
    text = line.partition(": ")[2]
    return next((pattern for pattern in ARGUED if re.fullmatch(pattern, text)), None)


def render_values(airflow: Document, ours: Document) -> list[str]:
    """The lines of the page: each kind of difference once, with its reason and the number of its places."""
    lines = find_value_differences(airflow, ours)
    counts = {pattern: sum(find_argument(line) == pattern for line in lines) for pattern in ARGUED}
    examples = {find_argument(line): line.partition(": ")[2] for line in reversed(lines)}
    return [
        f"- {examples[pattern]} (places: {counts[pattern]}): {reason}."
        for pattern, reason in ARGUED.items()
        if counts[pattern]
    ]


def _compare(kind: str, theirs: dict[str, dict[str, Any]], own: dict[str, dict[str, Any]]) -> list[str]:
    found = []
    for name in sorted(theirs.keys() & own.keys()):
        first, second = theirs[name], own[name]
        if first.get("default") != second.get("default"):
            found.append(f"{kind} {name}: default {_show(first)} in Airflow, {_show(second)} here")
        if first.get("values") != second.get("values"):
            found.append(f"{kind} {name}: values {_show_values(first)} in Airflow, {_show_values(second)} here")
    return found


def _show(described: dict[str, Any]) -> str:
    return repr(described["default"]) if "default" in described else "none"


def _show_values(described: dict[str, Any]) -> str:
    return ", ".join(sorted(described["values"])) if "values" in described else "any"


def _parameters(document: Document, operation: Document) -> dict[str, dict[str, Any]]:
    return {one["name"]: _describe(document, one.get("schema", {})) for one in operation.get("parameters", [])}


def _describe(document: Document, schema: Document) -> dict[str, Any]:
    """`default` and `values` of a schema, through its references, alternatives and elements; a default of null or [] is none."""
    found: dict[str, Any] = {}
    own = [schema["default"]] if "default" in schema else []
    schema = resolve(document, schema)
    values = set(map(str, schema.get("enum", [schema["const"]] if "const" in schema else [])))
    inner = [*schema.get("anyOf", []), *schema.get("oneOf", []), *([schema["items"]] if schema.get("items") else [])]
    for part in (_describe(document, one) for one in inner):
        values |= part.get("values", set())
    default = next((one for one in [*own, schema.get("default")] if one not in _MISSING), None)
    if default is not None:
        found["default"] = default
    if values:
        found["values"] = values
    return found


def _fields(document: Document, schema: Document, path: str, depth: int = 0) -> dict[str, dict[str, Any]]:
    schema = resolve(document, schema)
    found: dict[str, dict[str, Any]] = {}
    for part in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        found |= _fields(document, part, path, depth)
    if "items" in schema:
        found |= _fields(document, schema["items"], path + "[]", depth)
    if depth > 5:
        return found
    for name, inner in schema.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        found[place] = _describe(document, inner)
        found |= _fields(document, inner, place, depth + 1)
    return found
