"""What administrators do with accounts. Each change is a line in the audit log, with the values before and after."""

from __future__ import annotations

import json
import re

from gnomon.model.accounts import Account, Author, Grant, GrantKind, Role
from gnomon.model.errors.product import UserError, find_close_matches
from gnomon.model.records import EventRecord
from gnomon.model.sentences import Command, Sentence, say
from gnomon.queries.accounts.lookalike_names import find_lookalike_fault
from gnomon.queries.accounts.passwords import check_password, hash_password
from gnomon.storage.store import Transaction
from gnomon.storage.store.accounts import account_rows, favorite_dags, session_rows
from gnomon.storage.store.dag_records.event_log import log_event

_NAME = re.compile(r"[\w.@+-]{1,100}")
_PATTERN = re.compile(r"[^\x00-\x1f]{1,250}")


def create_account(tx: Transaction, author: Author, name: str, role: Role, password: str | None) -> Account:
    """Create an account; without a password it can only be used with API tokens. Raises UserError."""
    if not is_account_name(name):
        raise UserError(say("account_name_is_invalid", name=name))
    fault = find_lookalike_fault(name)
    if fault is not None:
        raise UserError(say("account_name_is_ambiguous", name=ascii(name), fault=fault))
    if password is not None:
        check_password(password, name)
    account_pk = account_rows.add_account(
        tx, name, None if password is None else hash_password(password), role, author.now
    )
    if account_pk is None:
        raise UserError(
            say(
                "account_exists",
                name=name,
                command=Command("users set-role"),
                other_command=Command("users reset-password"),
            )
        )
    favorite_dags.delete_favorites(tx, name)  # one that a request added while an account of this name was being deleted
    _log(tx, author, "account_created", name, None, {"role": str(role)})
    return get_account(tx, name)


def is_account_name(name: str) -> bool:
    """Whether an account can have this name. A new one needs more: see `create_account`."""
    return _NAME.fullmatch(name) is not None


def get_account(tx: Transaction, name: str) -> Account:
    """The account. Raises UserError, which suggests a similar name."""
    account = account_rows.find_account(tx, name)
    if account is not None:
        return account
    near = find_close_matches(name, [account.name for account in account_rows.list_accounts(tx)])
    raise UserError(
        say(
            "account_does_not_exist",
            name=name,
            hint=say("did_you_mean", names=repr(near[0]))
            if near
            else say("command_lists_all", command=Command("users list"), things="accounts"),
        )
    )


def set_role(tx: Transaction, author: Author, name: str, role: Role) -> Account:
    """Change the role of an account; its sessions and API tokens stay and permit what the new role does. Raises UserError."""
    account = get_account(tx, name)
    if role is not Role.ADMIN:
        _check_other_admin(tx, account, say("role_cannot_be_lowered"))
    account_rows.update_role(tx, account.account_pk, role)
    _log(tx, author, "account_role_changed", account.name, {"role": str(account.role)}, {"role": str(role)})
    return get_account(tx, name)


def reset_password(tx: Transaction, author: Author, name: str, password: str, kept_session: int | None = None) -> int:
    """Give an account another password and end its sessions, but for the one with the key `kept_session`; returns how many. Raises UserError."""
    account = get_account(tx, name)
    check_password(password, account.name)
    account_rows.update_password(tx, account.account_pk, hash_password(password))
    ended = 0
    for session in session_rows.list_sessions(tx, account.account_pk):
        if session.session_pk != kept_session:
            session_rows.delete_session(tx, session.session_pk)
            ended += 1
    _log(tx, author, "account_password_changed", account.name, None, {"ended_sessions": ended})
    return ended


def delete_account(tx: Transaction, author: Author, name: str) -> None:
    """Delete an account with its grants, sessions and tokens. Raises UserError."""
    account = get_account(tx, name)
    _check_other_admin(tx, account, say("it_cannot_be_deleted"))
    account_rows.delete_account(tx, account.account_pk)
    favorite_dags.delete_favorites(tx, account.name)
    _log(tx, author, "account_deleted", account.name, {"role": str(account.role)}, None)


def add_grant(tx: Transaction, author: Author, name: str, grant: Grant) -> None:
    """Give an account a role on the DAGs that a pattern matches. Raises UserError."""
    account = get_account(tx, name)
    if _PATTERN.fullmatch(grant.pattern) is None:
        raise UserError(say("grant_pattern_is_invalid", pattern=grant.pattern))
    if grant.role is Role.NONE:
        raise UserError(say("grant_role_is_none", command=Command("users revoke")))
    if grant.role is Role.ADMIN:
        raise UserError(say("grant_role_is_admin"))
    account_rows.put_grant(tx, account.account_pk, grant)
    _log(
        tx, author, "account_grant_added", account.name, None, {str(grant.kind): grant.pattern, "role": str(grant.role)}
    )


def remove_grant(tx: Transaction, author: Author, name: str, kind: GrantKind, pattern: str) -> None:
    """Remove a grant. Raises UserError, which lists the grants that exist."""
    account = get_account(tx, name)
    if not account_rows.delete_grant(tx, account.account_pk, kind, pattern):
        existing = ", ".join(f"--{grant.kind} {grant.pattern}" for grant in account.grants) or "none"
        raise UserError(
            say("account_has_no_grant", name=account.name, grant_kind=str(kind), pattern=pattern, names=existing)
        )
    _log(tx, author, "account_grant_removed", account.name, {str(kind): pattern}, None)


def _check_other_admin(tx: Transaction, account: Account, consequence: Sentence) -> None:
    """Raise UserError if the account is the only administrator."""
    if account.role is not Role.ADMIN:
        return
    account_rows.lock_accounts(tx)
    if not any(
        other.role is Role.ADMIN and other.account_pk != account.account_pk for other in account_rows.list_accounts(tx)
    ):
        raise UserError(say("account_is_only_admin", name=account.name, why=consequence))


def _log(tx: Transaction, author: Author, kind: str, name: str, before: object, after: object) -> None:
    body = {"account": name, "before": before, "after": after, "from": author.address}
    text = json.dumps({key: value for key, value in body.items() if value is not None})
    log_event(tx, EventRecord(author.now, kind, by=author.by, body=text, address=author.address))
