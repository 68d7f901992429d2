"""What an attempt reports for dynamic task mapping: the length of its return value, and the name of its map index."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.authoring.sdk.mapping.expand_input import is_mappable_value
from gnomon.authoring.sdk.mapping.map_checks import name_node
from gnomon.authoring.sdk.members import lazy_xcoms  # noqa: F401 - imported in the zygote, so that its children need not
from gnomon.authoring.sdk.templating.lazy_environment import LazyEnvironment
from gnomon.authoring.sdk.templating.template_notes import add_template_note
from gnomon.authoring.sdk.templating.templater import Templater
from gnomon.model.errors.authoring import UnmappableXComTypePushed, XComForMappingNotPushed
from gnomon.model.storable_text import escape_unstorable

NAME_MAX = 250
"""Characters of a rendered `map_index_template`; the rest is cut."""


def measure_return_value(task: Any, result: object, map_index: int) -> int | None:
    """The number of elements of the returned value, over which a mapped task or group maps; None when nothing maps over it.

    For an instance of a mapped task 1, because what maps over the task has an element for each instance that returned a value.
    Raises XComForMappingNotPushed when there is no value, and UnmappableXComTypePushed for one that is no list or dict.
    """
    if not task.__dict__.get("_lengths_needed"):
        return None
    value = result if getattr(task, "do_xcom_push", True) else None
    if map_index >= 0:
        return None if value is None else 1
    if value is None:
        raise XComForMappingNotPushed(
            f"{_describe(task)} and it returned no value; return a list or a dict{_hint(result)}"
        )
    if not is_mappable_value(value):
        raise UnmappableXComTypePushed(
            f"{_describe(task)} and it returned {_with_article(type(value).__name__)}; return a list or a dict{_list_hint(value)}"
        )
    return len(value)  # type: ignore[arg-type]


def _with_article(name: str) -> str:
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


def render_map_index(task: Any, context: Any) -> str | None:
    """The rendered `map_index_template` of an instance of a mapped task; None without a template. Raises the errors of Jinja, which a note places."""
    ti = context["ti"]
    template = context.get("map_index_template")
    if template is None or ti.map_index < 0:
        return None
    environment: Any = LazyEnvironment(task, context)
    try:
        text = str(Templater().render_template(str(template), context, environment))
    except Exception as error:
        add_template_note(error, "map_index_template", task, str(template))
        raise
    ti.rendered_map_index = escape_unstorable(text)[:NAME_MAX]
    name: str = ti.rendered_map_index
    return name


def _describe(task: Any) -> str:
    mapped = [f"{name_node(node)}{format_location(node._location)}" for node in task.iter_mapped_dependants()]
    return f"{', '.join(mapped) or 'a mapped task'} maps over the result of task {task.task_id!r}{format_location(task._location)},"


def _list_hint(value: object) -> str:
    """How an array becomes a list."""
    return ", here value.tolist()" if hasattr(value, "tolist") else ""


def _hint(result: object) -> str:
    return "" if result is None else ", and leave out do_xcom_push=False"
