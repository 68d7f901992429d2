"""Notes on errors in templates: which field of which task, and its template."""

from __future__ import annotations

from typing import Any

from gnomon.authoring.sdk.arguments.code_location import format_location
from gnomon.model.errors.error_text import safe_repr

TEMPLATE_NOTE = "While rendering the"
"""The beginning of the note of an error in a template."""
_TEMPLATE_SHOWN = 200


def add_template_note(error: Exception, field: str, parent: Any, template: Any) -> None:
    """Add a note with the field, the task and the template to the error; an object inside a field has a note of its own before it."""
    task_id = getattr(parent, "task_id", None)
    of = f"task {task_id!r}" if task_id else type(parent).__name__
    text = template if isinstance(template, str) else safe_repr(template)
    shown = " ".join(text[:_TEMPLATE_SHOWN].split()) + ("…" if len(text) > _TEMPLATE_SHOWN else "")
    note = f"{TEMPLATE_NOTE} {field} of {of}{format_location(getattr(parent, '_location', None))}: {shown}"
    if note not in getattr(error, "__notes__", ()):
        error.add_note(note)
