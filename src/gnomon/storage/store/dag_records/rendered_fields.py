"""The template fields of task instances as they were rendered for the last attempt that ended. They are deleted with the run."""

from __future__ import annotations

from gnomon.model.ids import TaskKey
from gnomon.model.json_text import read_shown_json
from gnomon.storage.store.transaction import Transaction


def read_rendered_fields(tx: Transaction, key: TaskKey) -> dict[str, object]:
    """The fields by name; none when no attempt has ended, or all fields are empty."""
    rows = tx.all("rendered_fields.of_instance", run_pk=key.run_pk, task_no=key.task_no, map_index=key.map_index)
    rendered = read_shown_json(rows[0][0]) if rows else {}
    return rendered if isinstance(rendered, dict) else {}
