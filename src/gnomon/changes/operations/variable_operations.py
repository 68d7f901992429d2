"""Variables. An account of the API does not get values under sensitive names, as in `/api/v2/variables`."""

from __future__ import annotations

from dataclasses import dataclass

from gnomon.changes.operations.operation import operation
from gnomon.changes.operations.operation_scope import OperationScope
from gnomon.model.errors.product import UserError
from gnomon.model.sentences import Command, say
from gnomon.queries.report.listings.masked_values import mask_variable
from gnomon.queries.report.listings.not_found import variable_not_found
from gnomon.storage.store.admin import variables
from gnomon.storage.store.admin.variables import StoredVariable


@dataclass(frozen=True, slots=True)
class VariableRow:
    """A Variable as listings print it."""

    key: str
    value: str | None
    """None without --show-values."""
    description: str | None


@dataclass(frozen=True, slots=True)
class VariableFields:
    """A Variable that is set."""

    key: str
    value: str
    description: str | None = None


@dataclass(frozen=True, slots=True)
class ImportedVariables:
    """The keys that an import set, and those that existed and were left."""

    chosen: list[str]
    left: list[str]


@operation("variables.list", "read", "variable")
def list_variables(scope: OperationScope, show_values: bool = False) -> list[VariableRow]:
    """All Variables by key; with `show_values` with their values, which an account of the API gets masked under sensitive names."""
    with scope.db.read() as tx:
        stored = variables.list_variables(tx)
    return [
        VariableRow(variable.key, _show(scope, variable) if show_values else None, variable.description)
        for variable in stored
    ]


@operation("variables.get", "read", "variable")
def get_variable(scope: OperationScope, key: str, must_exist: bool = True) -> str | None:
    """The value; None for an unknown Variable unless it must exist. Raises UserError where the API would give a secret."""
    with scope.db.read() as tx:
        stored = variables.find_variable(tx, key)
        if stored is None:
            if must_exist:
                raise variable_not_found(key, variables.list_variable_keys(tx))
            return None
    if _show(scope, stored) != stored.value:
        raise UserError(say("variable_holds_secret", name=key, command=Command("variables get", (key,))))
    return stored.value


@operation("variables.set", "edit", "variable")
def set_variable(scope: OperationScope, key: str, value: str, description: str | None = None) -> None:
    """Set the Variable to a text."""
    scope.db.bind_key()  # raises when this host has another key: with it, no other host could decrypt the value
    with scope.db.write() as tx:
        scope.changes(tx).set_variable(key, value, description)


@operation("variables.delete", "delete", "variable")
def delete_variable(scope: OperationScope, key: str) -> None:
    """Delete the Variable."""
    with scope.db.write() as tx:
        if not scope.changes(tx).delete_variable(key):
            raise variable_not_found(key, variables.list_variable_keys(tx))


@operation("variables.import", "edit", "variable")
def import_variables(
    scope: OperationScope, new_variables: list[VariableFields], action: str = "overwrite"
) -> ImportedVariables:
    """Set these Variables, all or none. `action`: what becomes of those that exist: overwrite, fail or skip."""
    scope.db.bind_key()
    keys = {variable.key for variable in new_variables}
    with scope.db.write() as tx:
        existing = sorted(keys & set(variables.list_variable_keys(tx)))
        if existing and action == "fail":
            raise UserError(say("variables_exist", names=", ".join(existing)))
        chosen = [variable for variable in new_variables if action != "skip" or variable.key not in existing]
        for variable in chosen:
            scope.changes(tx).set_variable(variable.key, variable.value, variable.description)
    return ImportedVariables([variable.key for variable in chosen], existing if action == "skip" else [])


def _show(scope: OperationScope, stored: StoredVariable) -> str:
    """The value as this user may see it: an account of the API sees *** for what is secret by its name."""
    return mask_variable(stored) if scope.is_remote else stored.value
