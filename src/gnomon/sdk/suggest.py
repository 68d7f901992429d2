"""What to write instead of an argument that is not known."""

from __future__ import annotations

import re
from collections.abc import Iterable

from gnomon.errors.nearest import nearest

_UNEXPECTED = re.compile(r"(\w+)(?:\.__init__)?\(\) got an unexpected keyword argument '(\w+)'")


def argument_hint(name: str, known: Iterable[str]) -> str:
    """`; did you mean x=` without the end mark, or nothing when no name is near."""
    near = nearest(name, known, cutoff=0.7)
    return f"; did you mean {near[0]}=" if near else ""


def keyword_remedy(error: BaseException) -> str:
    """What to write instead of a keyword that a class or function does not take; nothing for other errors.

    The callee is what its name means where the call stands; a call by a dotted name is not looked into.
    """
    found = _UNEXPECTED.match(str(error)) if isinstance(error, TypeError) else None
    trace = error.__traceback__
    if found is None or trace is None:
        return ""
    while trace.tb_next is not None:
        trace = trace.tb_next
    here = trace.tb_frame.f_locals
    callees = [trace.tb_frame.f_globals.get(found[1], here.get(found[1]))]
    if trace.tb_frame.f_code.co_name == "__init__":  # it hands keywords on to its base class: both take some
        callees.insert(0, type(here.get("self")))
    known = list(dict.fromkeys(name for callee in callees for name in _keywords(callee)))
    if not known or found[2] in known:  # then it is another of that name
        return ""
    return argument_hint(found[2], known) or f"; it takes {', '.join(known)}"


def _keywords(callee: object) -> list[str]:
    import inspect  # only when something is wrong

    try:
        parameters = inspect.signature(callee).parameters.values()  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return []
    return [one.name for one in parameters if one.kind in (one.POSITIONAL_OR_KEYWORD, one.KEYWORD_ONLY)]
