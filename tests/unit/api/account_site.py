"""A server with accounts, a token for each, and requests as one of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from gnomon.api.context import ApiContext
from gnomon.queries.accounts import account_changes

from .served import Client, Reply, served

TOKEN_S = 10 * 86_400


@dataclass
class AccountSite:
    """The server, and the tokens by the name of the account."""

    client: Client
    context: ApiContext
    tokens: dict[str, str]

    def request(self, account: str | None, method: str, path: str, body: object = None) -> Reply:
        """One request of the account; None: without a login."""
        headers = {} if account is None else {"Authorization": f"Bearer {self.tokens[account]}"}
        return self.client.request(method, path, body, headers)

    def get(self, account: str | None, path: str) -> Any:
        """The JSON of an answer, which must be 200."""
        reply = self.request(account, "GET", path)
        assert reply.status == 200, (path, reply)
        return reply.json()


SomeSite = TypeVar("SomeSite", bound=AccountSite)


@contextmanager
def serve_accounts(kind: type[SomeSite], context: ApiContext, names: Iterable[str]) -> Iterator[SomeSite]:
    """The server of the context until the end of the block, with a token for each of these accounts."""
    with context.database.read() as tx:
        tokens = {
            name: context.authenticator.signer.sign(account_changes.get_account(tx, name), context.clock.now(), TOKEN_S)
            for name in names
        }
    with served(context) as client:
        yield kind(client, context, tokens)
    context.close()
