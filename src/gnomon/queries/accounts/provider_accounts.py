"""Accounts of people who log in at an identity provider: the name and the role that its claims say, and the account that belongs to them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from gnomon.model.accounts import NAMES_OF_SERVICES, Account, Author, Role
from gnomon.model.errors.product import UserError
from gnomon.model.records import EventRecord
from gnomon.model.sentences import Command, quote, say
from gnomon.queries.accounts.account_changes import create_account, is_account_name, set_role
from gnomon.queries.accounts.lookalike_names import find_lookalike_fault
from gnomon.queries.accounts.sessions import revoke_sessions
from gnomon.storage.store import Transaction
from gnomon.storage.store.accounts import account_rows, identity_rows
from gnomon.storage.store.dag_records.event_log import log_event

VALUES_SHOWN = 10
"""Values of a claim that a refusal names."""
_VERIFIED = "_verified"
"""What the name of the claim has at its end that says whether an address is verified: `email_verified`."""
OTHERS = "*"
"""The value of [oidc] roles that stands for every value that is not listed."""


class ProviderLoginRefused(UserError):
    """Somebody has logged in at the identity provider, and cannot be let in here; the message is for that person and for the administrator."""


class RoleNotGiven(ProviderLoginRefused):
    """The claims give no role, and there is no default role."""


@dataclass(frozen=True, slots=True)
class ClaimRules:
    """How claims become an account."""

    issuer: str
    name_claim: str = "preferred_username"
    role_claim: str = ""
    """Empty: the provider says nothing about roles, and administrators set them here."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Value of the claim to the role."""
    default_role: Role | None = None
    """The role without a value that is listed; None: the login is refused."""
    links_existing: bool = False
    """Whether an account that exists already is given to the first subject with its name."""


def find_claim(claims: Mapping[str, object], path: str) -> object | None:
    """The value of a claim; dots lead into objects: `realm_access.roles`. A claim whose own name has dots is found too. None: it is not there."""
    if path in claims:
        return claims[path]
    value: object = claims
    for part in path.split("."):
        if not isinstance(value, Mapping) or part not in value:
            return None
        value = value[part]
    return value


def list_claims(rules: ClaimRules) -> list[str]:
    """The claims that the rules read; those of the ID token may be incomplete."""
    named = [path for path in (rules.name_claim, rules.role_claim) if path]
    return [*named, *(f"{path}{_VERIFIED}" for path in named if _is_email(path))]


def complete_claims(
    claims: Mapping[str, object], userinfo: Mapping[str, object], rules: ClaimRules
) -> dict[str, object]:
    """The claims of the ID token, and those of the userinfo that are not in it; whether an address is verified is believed of the same address only."""
    merged: dict[str, object] = {**userinfo, **claims}
    for path in list_claims(rules):
        value = find_claim(claims, path)
        merged[path] = find_claim(userinfo, path) if value is None else value
    for address in (path for path in (rules.name_claim, rules.role_claim) if _is_email(path)):
        source = claims if find_claim(claims, f"{address}{_VERIFIED}") is not None else userinfo
        if find_claim(source, address) != merged[address]:
            merged[f"{address}{_VERIFIED}"] = None
    return merged


def _is_email(path: str) -> bool:
    return path.rpartition(".")[2] == "email"


def _require_verified(claims: Mapping[str, object], path: str) -> None:
    """An address counts only if the provider has verified it: otherwise everybody could write somebody else's. Raises ProviderLoginRefused."""
    verified = find_claim(claims, f"{path}{_VERIFIED}")
    if _is_email(path) and verified is not True and verified != "true":
        raise ProviderLoginRefused(say("claim_is_not_verified", name=path, claim=f"{path}{_VERIFIED}"))


def read_name(claims: Mapping[str, object], rules: ClaimRules) -> str:
    """The name of the account. Raises ProviderLoginRefused."""
    name = find_claim(claims, rules.name_claim)
    if not isinstance(name, str) or not name:
        raise ProviderLoginRefused(say("claim_with_name_is_missing", name=rules.name_claim))
    _require_verified(claims, rules.name_claim)
    if not is_account_name(name):
        raise ProviderLoginRefused(say("claim_is_no_account_name", text=name[:100], name=rules.name_claim))
    return name


def read_role(claims: Mapping[str, object], rules: ClaimRules) -> Role | None:
    """The highest role that the claims give; None when the provider says nothing about roles. Raises RoleNotGiven."""
    if not rules.role_claim:
        return None
    try:
        return _choose_role(claims, rules)
    except ProviderLoginRefused as refusal:
        raise RoleNotGiven(refusal.sentence or quote(str(refusal))) from None


def _choose_role(claims: Mapping[str, object], rules: ClaimRules) -> Role:
    claim = find_claim(claims, rules.role_claim)
    if claim is not None:
        _require_verified(claims, rules.role_claim)
    values = (
        [claim]
        if isinstance(claim, str)
        else [name for name in claim if isinstance(name, str)]
        if isinstance(claim, list)
        else None
    )
    if values is None and rules.default_role is None:
        raise ProviderLoginRefused(say("claim_with_role_is_missing", name=rules.role_claim))
    roles = [rules.roles[value] for value in values or () if value in rules.roles]
    if not roles and values and OTHERS in rules.roles:
        roles = [rules.roles[OTHERS]]
    if roles:
        return max(roles)
    if rules.default_role is None:
        shown = ", ".join(repr(value[:100]) for value in (values or ())[:VALUES_SHOWN]) or "no value"
        raise ProviderLoginRefused(say("claim_gives_no_role", name=rules.role_claim, names=shown))
    return rules.default_role


def find_provider_account(tx: Transaction, author: Author, claims: Mapping[str, object], rules: ClaimRules) -> Account:
    """The account of the subject of these claims, which have been verified; it is created at the first login. Raises ProviderLoginRefused and UserError.

    An account that exists already is never taken over by a name alone, unless `links_existing`. After RoleNotGiven, call `withdraw_role` in another transaction.
    """
    subject = str(claims["sub"])
    role = read_role(claims, rules)
    account = _find_account_of_subject(tx, rules, subject)
    if account is None:
        account_rows.lock_accounts(
            tx
        )  # otherwise two first logins at the same time would both link one account, or link one subject twice
        account = _find_account_of_subject(tx, rules, subject) or _add_account(
            tx, author, read_name(claims, rules), subject, role, rules
        )
    if role is not None and role is not account.role:
        account = set_role(tx, author, account.name, role)
    return account


def withdraw_role(tx: Transaction, author: Author, claims: Mapping[str, object], rules: ClaimRules) -> str | None:
    """Take the role from the account of a subject to which the provider gives none any more, and end its sessions; returns a sentence about it, or None without an account.

    Otherwise sessions and API tokens of the account would keep the role that a login no longer gives. Raises UserError for the only administrator.
    """
    account = _find_account_of_subject(tx, rules, str(claims["sub"]))
    if account is None:
        return None
    if account.role is not Role.NONE:
        set_role(tx, author, account.name, Role.NONE)
    revoke_sessions(tx, author, account)
    return f"account {account.name!r} has the role none now, and its sessions have ended"


def _find_account_of_subject(tx: Transaction, rules: ClaimRules, subject: str) -> Account | None:
    account_pk = identity_rows.find_account_of_subject(tx, rules.issuer, subject)
    return None if account_pk is None else account_rows.get_account(tx, account_pk)


def _add_account(
    tx: Transaction, author: Author, name: str, subject: str, role: Role | None, rules: ClaimRules
) -> Account:
    account = account_rows.find_account(tx, name)
    if account is None:
        first = role if role is not None else rules.default_role
        if first is None:
            raise ProviderLoginRefused(
                say("new_account_has_no_role", name=name, command=Command("users create", (), ("--no-password",)))
            )
        if account_rows.make_name_key(name) in NAMES_OF_SERVICES:
            raise ProviderLoginRefused(say("account_name_is_of_service", text=name, name=rules.name_claim))
        account = create_account(tx, author, name, first, None)
    elif (
        not rules.links_existing
        or not _is_same_name(name, account.name)
        or identity_rows.has_subject(tx, account.account_pk)
    ):
        raise ProviderLoginRefused(say("account_belongs_to_no_login", name=account.name))
    identity_rows.add_subject(tx, rules.issuer, subject, account.account_pk)
    body = json.dumps({"account": account.name, "issuer": rules.issuer, "subject": subject, "from": author.address})
    log_event(tx, EventRecord(author.now, "account_linked", by=author.by, body=body, address=author.address))
    return account


def _is_same_name(name: str, existing: str) -> bool:
    """Whether names differ by nothing or by case. Those of accounts are compared after Unicode's case folding, for which `gro\u00df` is `gross`: two people at the provider."""
    return name == existing or (find_lookalike_fault(name) is None and name.lower() == existing.lower())
