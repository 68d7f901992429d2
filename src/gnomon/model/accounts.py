"""Accounts of people and programs that use the API: their roles, what a role permits on which DAGs, tokens and sessions."""

from __future__ import annotations

import fnmatch
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from enum import Enum, IntEnum

from gnomon.model.instants import Instant

FIRST_ACCOUNT = "admin"
"""The name of the account that the first start of a standalone creates."""
NAMES_OF_SERVICES = frozenset(
    {"api", "cli", "dag-processor", "monitor", "oidc", "scheduler", "standalone", "triggerer", "worker"}
)
"""The audit log names services as authors of lines; a person with such a name would write lines of theirs."""


class Role(IntEnum):
    """What an account may do; each role includes the ones before it."""

    NONE = 0
    """Nothing but what grants for single DAGs permit."""
    VIEWER = 1
    """Read DAGs, runs, tasks, logs."""
    USER = 2
    """Trigger, clear, mark and pause; answer tasks that wait for a person."""
    OPERATOR = 3
    """Connections, Variables, pools, configuration."""
    ADMIN = 4
    """Accounts, and the audit log of all."""

    def __str__(self) -> str:
        return self.name.lower()


ROLE_NAMES = tuple(str(role) for role in Role)


def parse_role(name: str) -> Role:
    """The role of that name. Raises ValueError, which lists the names."""
    try:
        return Role[name.upper()]
    except KeyError:
        raise ValueError(f"{name!r} is not a role; the roles are {', '.join(ROLE_NAMES)}") from None


@dataclass(frozen=True, slots=True)
class Author:
    """The user of a change, for the audit log."""

    by: str
    """`cli:<user of the machine>`, `api:<name of an account>`, or the name of a service."""
    now: Instant
    address: str | None = None
    """The address from which the request came; None: a command on this machine."""


class GrantKind(str, Enum):
    """What the pattern of a grant is compared with."""

    DAG = "dag"
    TAG = "tag"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Grant:
    """A role of an account on the DAGs whose id, or one of whose tags, matches a pattern with `*` and `?`."""

    kind: GrantKind
    pattern: str
    role: Role

    def matches(self, dag_id: str, tags: Collection[str]) -> bool:
        """Whether the grant is about this DAG."""
        names: Iterable[str] = (dag_id,) if self.kind is GrantKind.DAG else tags
        return any(fnmatch.fnmatchcase(name, self.pattern) for name in names)


@dataclass(frozen=True, slots=True)
class Account:
    """An account. `role` counts for everything, grants can only add to it for single DAGs."""

    account_pk: int
    name: str
    role: Role
    grants: tuple[Grant, ...]
    epoch: int
    """Grows with each change of the password or the role: signed tokens of an earlier epoch are not valid any more."""
    created_at: Instant
    password_hash: str | None = None
    """None: no password; the account can only be used with API tokens or through an identity provider."""

    def identify(
        self, *, ceiling: Role = Role.ADMIN, token_uid: str | None = None, session_pk: int | None = None
    ) -> Identity:
        """The identity of a request of this account."""
        return Identity(self.name, self.role, self.grants, ceiling, token_uid, self.account_pk, self.epoch, session_pk)


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A token of a program. The database has a hash of its secret only."""

    token_pk: int
    uid: str
    """The part of the token that is no secret; commands name the token by it."""
    account_pk: int
    account_name: str
    name: str
    role: Role
    """The most that the token permits, whatever its account may do."""
    created_at: Instant
    expires_at: Instant | None
    used_at: Instant | None
    revoked_at: Instant | None

    def is_valid(self, now: Instant) -> bool:
        """Whether the token is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class Identity:
    """Who makes a request, and what it may do: an account, limited to what its token permits."""

    name: str
    role: Role
    grants: tuple[Grant, ...] = ()
    ceiling: Role = Role.ADMIN
    """The most that the token of the request permits."""
    token_uid: str | None = None
    account_pk: int = 0
    """The key of the account, which no account of the same name has had or will have; 0 without accounts."""
    epoch: int = field(default=0, compare=False)
    """The epoch of the account when the login was checked."""
    session_pk: int | None = field(default=None, compare=False)
    """The session of a browser that the request belongs to."""

    @property
    def everywhere(self) -> Role:
        """The role for everything that belongs to no DAG, and for DAGs without a matching grant."""
        return min(self.role, self.ceiling)

    def find_dag_role(self, dag_id: str, tags: Collection[str]) -> Role:
        """The role on one DAG: the highest of the account's role and of its grants that match, up to the ceiling."""
        granted = (grant.role for grant in self.grants if grant.matches(dag_id, tags))
        return min(max((self.role, *granted)), self.ceiling)
