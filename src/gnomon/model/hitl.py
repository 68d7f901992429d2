"""Human in the loop: the question that a task asks, and the answer of a person."""

from __future__ import annotations

import msgspec

from gnomon.model.instants import Instant


class HITLRespondent(msgspec.Struct, frozen=True):
    """A person who may answer, or has answered."""

    id: str
    name: str


class HITLRequest(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A question: a headline, options to choose from, and values to enter."""

    subject: str
    options: tuple[str, ...]
    body: str | None = None
    defaults: tuple[str, ...] | None = None
    """The options that are taken when the time is over; None: the task is told that nobody answered."""
    multiple: bool = False
    """Several options may be chosen."""
    params: dict[str, dict[str, object]] = {}
    """Name to `value` (the default, absent without one), `description` and `schema` (JSON Schema)."""
    assigned_users: tuple[HITLRespondent, ...] = ()
    """The only persons who may answer; empty: everybody."""


class HITLAnswerBody(msgspec.Struct, frozen=True, kw_only=True):
    """The body of the request `answer` to the owner of a DAG; `run_pk` names the run."""

    task_no: int
    map_index: int
    options: tuple[str, ...]
    params: dict[str, object] = {}
    user_id: str
    user_name: str


class HITLResponse(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The answer to a question, or what replaces it when the time is over."""

    responded_at: Instant
    chosen_options: tuple[str, ...] = ()
    """Empty: the time is over, and the question has no defaults."""
    params_input: dict[str, object] = {}
    responded_by: HITLRespondent | None = None
    """None: nobody answered."""
