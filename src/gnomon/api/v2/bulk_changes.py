"""Bulk changes of objects that have a name: pools, Variables and connections; and the limits of bulk changes of runs and task instances.

The actions of a request are carried out one after the other, each in a transaction of its own: all its entities are changed, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic

from fastapi import HTTPException
from pydantic import BaseModel

from gnomon.api.common.errors import find_sentence_for, find_status
from gnomon.api.common.reader_language import word
from gnomon.api.common.refusals import Refusal
from gnomon.api.common.request_slots import RequestSlots
from gnomon.api.policies import User
from gnomon.api.v2.schemas.bulk_shapes import (
    BulkActionNotOnExistence,
    BulkActionOnExistence,
    BulkActionResponse,
    BulkBody,
    BulkCreateAction,
    BulkDeleteAction,
    BulkResponse,
    BulkUpdateAction,
    T,
)
from gnomon.model.errors.product import GnomonError
from gnomon.model.sentences import say
from gnomon.storage.store import Database, Transaction

ENTITIES_MAX = 1_000
"""The most runs or task instances of one bulk change: each is looked up, and is a request to the owner of its DAG, which may take seconds to answer."""
RUN_CHANGE_SLOTS = RequestSlots("bulk changes of runs and task instances", 4)


def check_entity_count(body: BulkBody[T]) -> None:
    """Raise Refusal (422) for a bulk change of too many runs or task instances."""
    count = sum(len(action.entities) for action in body.actions)
    if count > ENTITIES_MAX:
        raise Refusal(422, say("bulk_change_is_too_large", most=ENTITIES_MAX, length=count))


@dataclass(frozen=True, slots=True)
class BulkTarget(Generic[T]):
    """What a bulk change does with one object. The functions raise HTTPException or a GnomonError when they refuse."""

    thing: str
    """What the objects are, for messages."""
    name_of: Callable[[T], str]
    exists: Callable[[Transaction, str], bool]
    create: Callable[[Transaction, T], object]
    update: Callable[[Transaction, T, Sequence[str] | None], object]
    delete: Callable[[Transaction, str], object]


def change_in_bulk(db: Database, body: BulkBody[T], target: BulkTarget[T]) -> BulkResponse:
    """Carry out the actions. An action that is refused is in `errors`; those before and behind it are carried out."""
    results: dict[str, BulkActionResponse] = {}
    for action in body.actions:
        result = results.setdefault(action.action, BulkActionResponse(success=[], errors=[]))
        try:
            with db.write() as tx:
                changed = _carry_out(tx, action, target)
        except (HTTPException, GnomonError, UnicodeError, OverflowError) as error:
            result.errors.append(describe_error(error))
        else:
            result.success += changed
    return BulkResponse.model_validate(results, from_attributes=True)


def describe_error(error: Exception, user: User | None = None) -> dict[str, object]:
    """The entry of `errors` for the user. Raises the error again when it is one of this program."""
    status = error.status_code if isinstance(error, HTTPException) else find_status(error)
    if status == 500:
        raise error
    return {
        "error": str(error.detail) if isinstance(error, HTTPException) else word(find_sentence_for(user, error)),
        "status_code": status,
    }


def _carry_out(
    tx: Transaction, action: BulkCreateAction[T] | BulkUpdateAction[T] | BulkDeleteAction[T], target: BulkTarget[T]
) -> list[str]:
    """The names of the objects that were changed."""
    if isinstance(action, BulkCreateAction):
        return _create(tx, action, target)
    if isinstance(action, BulkUpdateAction):
        named_entities = [(target.name_of(entity), entity) for entity in action.entities]
        existing = _select_known(tx, [name for name, _ in named_entities], action.action_on_non_existence, target)
        for name, entity in named_entities:
            if name in existing:
                target.update(tx, entity, action.update_mask)
        return [name for name, _ in named_entities if name in existing]
    names = list(
        dict.fromkeys(target.name_of(entity) if isinstance(entity, BaseModel) else entity for entity in action.entities)
    )
    existing = _select_known(tx, names, action.action_on_non_existence, target)
    for name in names:
        if name in existing:
            target.delete(tx, name)
    return [name for name in names if name in existing]


def _create(tx: Transaction, action: BulkCreateAction[T], target: BulkTarget[T]) -> list[str]:
    named_entities = [(target.name_of(entity), entity) for entity in action.entities]
    existing = {name for name, _ in named_entities if target.exists(tx, name)}
    if existing and action.action_on_existence is BulkActionOnExistence.FAIL:
        raise Refusal(409, say("names_exist", thing=target.thing, names=", ".join(sorted(existing))))
    created = []
    for name, entity in named_entities:
        if target.exists(tx, name):
            if action.action_on_existence is not BulkActionOnExistence.OVERWRITE:
                continue
            target.update(tx, entity, None)
        else:
            target.create(tx, entity)
        created.append(name)
    return created


def _select_known(
    tx: Transaction, names: Sequence[str], otherwise: BulkActionNotOnExistence, target: BulkTarget[T]
) -> set[str]:
    existing = {name for name in names if target.exists(tx, name)}
    missing = sorted(set(names) - existing)
    if missing and otherwise is BulkActionNotOnExistence.FAIL:
        raise Refusal(404, say("names_do_not_exist", thing=target.thing, names=", ".join(missing)))
    return existing
