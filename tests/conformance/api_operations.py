"""Compares the OpenAPI document of Gnomon's API with Airflow's: operations, parameters, bodies, answers. Writes docs/reference/api-operations.md.

`python -m tests.conformance.api_operations` writes the page; it needs Airflow's document, which is downloaded once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from fastapi import FastAPI
from tests.acceptance.airflow_packages import VERSION, require_document

from gnomon.api.v2.routers import ROUTERS
from gnomon.api.v2.unsupported import UNSUPPORTED
from gnomon.model.sentences import render, say

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "api-operations.md"
PREFIX = "/api/v2"
METHODS = ("get", "post", "put", "patch", "delete")
Document = dict[str, Any]


@dataclass(frozen=True)
class Operation:
    """One operation of Airflow's document, and what Gnomon makes of it."""

    method: str
    path: str
    tag: str
    state: str
    """`yes` or `501`."""
    note: str = ""


def load_airflow() -> Document:
    """Airflow's document."""
    document: Document = yaml.load(require_document().read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return document


def build_ours() -> Document:
    """Our document."""
    app = FastAPI(title="Gnomon", version="0")
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    return app.openapi()


def list_operations(airflow: Document, ours: Document) -> list[Operation]:
    """All operations of Airflow's document, in its order."""
    refused = {(one.method, PREFIX + one.path): one for one in UNSUPPORTED}
    found = []
    for path, methods in airflow["paths"].items():
        for method in METHODS:
            if method not in methods:
                continue
            tag = methods[method].get("tags", [""])[0]
            one = refused.get((method.upper(), path))
            if method in ours["paths"].get(path, {}):
                found.append(Operation(method.upper(), path, tag, "yes"))
            elif one is not None:
                found.append(Operation(method.upper(), path, tag, "501", render(say(one.code))))
            else:
                found.append(Operation(method.upper(), path, tag, "missing"))
    return found


def find_differences(airflow: Document, ours: Document) -> list[str]:
    """One line for each difference in an operation that we have: parameters, fields of the body, status and fields of the answer."""
    lines = []
    for operation in list_operations(airflow, ours):
        if operation.state == "yes":
            method = operation.method.lower()
            theirs, own = airflow["paths"][operation.path][method], ours["paths"][operation.path][method]
            place = f"{operation.method} {operation.path.removeprefix(PREFIX)}"
            lines += [f"{place}: {text}" for text in _compare_operation(airflow, theirs, ours, own)]
    return lines


def _compare_operation(airflow: Document, theirs: Document, ours: Document, own: Document) -> list[str]:
    found = _compare_names("parameter", _parameters(theirs), _parameters(own))
    found += _compare_fields("body", airflow, find_body(theirs), ours, find_body(own))
    codes = _find_codes(theirs, own)
    if codes[0] != codes[1]:
        found.append(f"status {codes[0]} in Airflow, {codes[1]} here")
    answers = find_schemas_of_answers(theirs, own)
    return found + _compare_fields("answer", airflow, answers[0], ours, answers[1])


def _find_codes(theirs: Document, own: Document) -> tuple[str, str]:
    """The status of a success in both documents; ours also where it is another one that Airflow has too."""
    their_code, own_code = (
        min(code for code in one["responses"] if code.startswith(("2", "3"))) for one in (theirs, own)
    )
    return (own_code if own_code in theirs["responses"] else their_code), own_code


def find_schemas_of_answers(theirs: Document, own: Document) -> tuple[Document, Document]:
    """The schemas of the JSON of a success in both documents; empty without one."""
    first, second = (
        one["responses"][code].get("content", {}).get("application/json", {}).get("schema", {})
        for one, code in zip((theirs, own), _find_codes(theirs, own), strict=True)
    )
    return first, second


def _parameters(operation: Document) -> set[str]:
    return {f"{one['in']} {one['name']}" for one in operation.get("parameters", [])}


def find_body(operation: Document) -> Document:
    """The schema of the JSON body of a request; empty without one."""
    schema: Document = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    return schema


def _compare_names(kind: str, theirs: set[str], own: set[str]) -> list[str]:
    missing = [f"no {kind} {name}" for name in sorted(theirs - own)]
    return missing + [f"{kind} {name} is ours" for name in sorted(own - theirs)]


def _compare_fields(kind: str, airflow: Document, theirs: Document, ours: Document, own: Document) -> list[str]:
    """Fields at any depth, as dotted paths with their types."""
    their_fields, own_fields = _fields(airflow, theirs, ""), _fields(ours, own, "")
    if not their_fields:
        return []
    found = _compare_names(f"{kind} field", set(their_fields), set(own_fields))
    for name in sorted(set(their_fields) & set(own_fields)):
        if their_fields[name] != own_fields[name]:
            found.append(f"{kind} field {name} is {their_fields[name]} in Airflow, {own_fields[name]} here")
    return found


def _fields(document: Document, schema: Document, path: str, depth: int = 0) -> dict[str, str]:
    """The types of the fields, by dotted path."""
    schema = resolve(document, schema)
    found: dict[str, str] = {}
    for part in [*schema.get("anyOf", []), *schema.get("oneOf", [])]:
        found |= _fields(document, part, path, depth)
    if "items" in schema:
        found |= _fields(document, schema["items"], path + "[]", depth)
    if depth > 5:
        return found
    for name, inner in schema.get("properties", {}).items():
        place = f"{path}.{name}" if path else name
        required = "" if name in schema.get("required", ()) else "?"
        found[place] = _describe_type(document, inner) + required
        found |= _fields(document, inner, place, depth + 1)
    return found


def _describe_type(document: Document, schema: Document) -> str:
    schema = resolve(document, schema)
    parts = [*schema.get("anyOf", []), *schema.get("oneOf", [])]
    if parts:
        return "|".join(sorted({name for part in parts for name in _describe_type(document, part).split("|")}))
    kind = str(schema.get("type", "any"))
    return f"array of {_describe_type(document, schema['items'])}" if kind == "array" and schema.get("items") else kind


def resolve(document: Document, schema: Document) -> Document:
    """The schema itself, where another one only names it."""
    while "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def render_page(airflow: Document, ours: Document) -> str:
    """The page of all operations."""
    from tests.conformance.api_values import render_values  # it imports this module

    operations = list_operations(airflow, ours)
    counts = {state: sum(one.state == state for one in operations) for state in ("yes", "501")}
    differences = find_differences(airflow, ours)
    lines = [
        "# Operations of the API",
        "",
        f"Of the {len(operations)} operations of the public API of Airflow {VERSION}, as its OpenAPI document lists them, {counts['yes']} are there.",
        f"These {counts['501']} answer 501 with the reason. [How to use the API](../how-to/use-the-api.md); [which role each operation needs](api-permissions.md).",
        "",
        "<!-- generated by tests/conformance/api_operations.py -->",
        "",
        "| operation | why not |",
        "|---|---|",
    ]
    lines += [
        f"| `{one.method} {one.path.removeprefix(PREFIX)}` | {one.note} |" for one in operations if one.state != "yes"
    ]
    lines += ["", "## Differences", "", "What the documents say differently about operations that are there:", ""]
    lines += [
        f"- `{text.partition(': ')[0]}`: {text.partition(': ')[2].replace('<', '&lt;')}" for text in differences
    ] or ["None."]
    lines += [
        "",
        "## Defaults and permitted values",
        "",
        "What the documents say differently about them, with the reason:",
        "",
        *render_values(airflow, ours),
    ]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    PAGE.write_text(render_page(load_airflow(), build_ours()))
