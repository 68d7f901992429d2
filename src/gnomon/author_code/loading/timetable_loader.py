"""Makes stored timetables again, also those of authors. Call it only in a process that may run author code."""

from __future__ import annotations

from typing import Any

from gnomon.author_code.loading.author_class_loader import load_author_class
from gnomon.model.errors.error_text import describe_error
from gnomon.model.errors.timetable import TimetableNotBuilt
from gnomon.model.slots import TimetableRef
from gnomon.rules.timetables.base import Timetable
from gnomon.rules.timetables.registry import build


def rebuild_timetable(ref: TimetableRef, file: str | None = None) -> Timetable:
    """Return the timetable that was stored as `ref`. `file` is its DAG file, in which its class may be defined.

    Raises TimetableNotBuilt, with a message for the author, when the class is missing or does not accept the stored data.
    """
    if ref.builtin:
        return build(ref)
    cls = load_author_class(ref.path, file)
    deserialize = getattr(cls, "deserialize", None)
    if deserialize is None:
        raise TimetableNotBuilt(f"{ref.path} is not a timetable (it has no deserialize); derive it from Timetable")
    try:
        timetable: Any = deserialize(dict(ref.data))
    except Exception as error:
        raise TimetableNotBuilt(
            f"{cls.__name__}.deserialize raised {describe_error(error)}, for {ref.data!r}; let it take what "
            f"{cls.__name__}.serialize returns"
        ) from error
    if not hasattr(timetable, "next_dagrun_info"):
        raise TimetableNotBuilt(f"{cls.__name__}.deserialize returned {type(timetable).__name__}; return a timetable")
    typed_timetable: Timetable = timetable
    return typed_timetable
