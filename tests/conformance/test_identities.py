"""Who one is, is never used again: keys, epochs and logins of accounts that were deleted or changed, on both databases."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.conformance.storeworld import raw
from tests.conformance.test_accounts import HOME, NOW, PASSWORD, ROOT, authenticator, create, signed

from gnomon.model.accounts import Account, Role
from gnomon.model.errors.product import UserError
from gnomon.queries.accounts import account_changes, api_tokens
from gnomon.queries.accounts.logins import log_in
from gnomon.queries.accounts.provider_accounts import ClaimRules, find_provider_account
from gnomon.queries.accounts.sessions import (
    LoginOutdated,
    SessionRules,
    begin_session,
    end_session,
    find_session_identity,
    require_login,
)
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.accounts import account_rows, favorite_dags, identity_rows, session_rows, token_rows

RULES = SessionRules(3600.0)
CLAIMS = ClaimRules(
    "https://id.example", role_claim="role", roles={"ops": Role.OPERATOR, "view": Role.VIEWER}, links_existing=True
)


def delete(db: Database, name: str) -> None:
    with db.write() as tx:
        account_changes.delete_account(tx, ROOT, name)


def begin(db: Database, account: Account) -> str:
    with db.write() as tx:
        return begin_session(tx, account, HOME, NOW, RULES)


def make_token(db: Database, account: Account, role: Role = Role.VIEWER) -> str:
    with db.write() as tx:
        return api_tokens.create_token(tx, ROOT, account, "ci", role, None)


def test_keys_of_accounts_sessions_and_tokens_are_never_given_again(db: Database) -> None:
    seen: dict[str, list[int]] = {"account": [], "session": [], "token": []}
    for _ in range(3):
        account = create(db, "ada")
        begin(db, account)
        make_token(db, account)
        with db.write() as tx:
            (session,) = session_rows.list_sessions(tx, account.account_pk)
            (token,) = token_rows.list_tokens(tx)
            end_session(tx, session.session_pk)
        begin(db, account)
        with db.read() as tx:
            seen["session"] += [
                session.session_pk,
                *(one.session_pk for one in session_rows.list_sessions(tx, account.account_pk)),
            ]
        seen["account"].append(account.account_pk)
        seen["token"].append(token.token_pk)
        delete(db, "ada")
    for keys in seen.values():
        assert keys == sorted(set(keys)), seen


def test_no_login_of_a_deleted_account_opens_one_that_is_created_with_its_name(db: Database) -> None:
    first = create(db, "eve", Role.VIEWER)
    headers = [f"Bearer {signed(first)}", f"Bearer {make_token(db, first)}"]
    cookie = begin(db, first)
    opened = authenticator(db).identify_cookie(cookie)
    with db.write() as tx:
        identity_rows.add_subject(tx, CLAIMS.issuer, "subject-1", first.account_pk)
    identities = [opened.identity if opened else None, *(authenticator(db).identify_header(one) for one in headers)]
    assert all(one is not None for one in identities)
    delete(db, "eve")
    second = create(db, "eve", Role.ADMIN)
    assert [authenticator(db).identify_header(one) for one in headers] == [None, None]
    assert [authenticator(db).identify_at_once(one) for one in headers] == [None, None]
    assert (
        authenticator(db).identify_cookie(cookie) is None and authenticator(db).identify_cookie_at_once(cookie) is None
    )
    with db.read() as tx:
        assert opened is not None and find_session_identity(tx, opened.session, NOW, RULES) is None
        assert identity_rows.find_account_of_subject(tx, CLAIMS.issuer, "subject-1") is None
    for identity in identities:
        assert identity is not None
        with db.write() as tx, pytest.raises(LoginOutdated, match="log in again"):
            require_login(tx, identity)
    assert second.account_pk != first.account_pk and second.epoch != first.epoch


def test_a_signed_token_names_the_creation_and_the_random_epoch_of_its_account(db: Database) -> None:
    """Also where keys do begin anew: a database that was made anew under the same key of encryption."""
    account = create(db, "eve")
    old = signed(account)
    for change in (
        {"created_at": account.created_at + 1},
        {"epoch": account.epoch + 1},
        {"account_pk": account.account_pk + 1},
        {"name": "Eve"},
    ):
        other = signed(replace(account, **change))
        assert authenticator(db).identify_header(f"Bearer {other}") is None, change
    assert authenticator(db).identify_header(f"Bearer {old}") is not None
    epochs = {create(db, f"account{number}").epoch for number in range(20)}
    assert len(epochs) == 20 and max(epochs) > 2**55


def test_a_session_that_follows_in_place_of_another_is_not_taken_for_it(db: Database) -> None:
    ada, eve = create(db, "ada", Role.ADMIN), create(db, "eve")
    opened = authenticator(db).identify_cookie(begin(db, eve))
    assert opened is not None
    admins = authenticator(db).identify_cookie(begin(db, ada))
    assert admins is not None
    with db.read() as tx:
        assert find_session_identity(tx, replace(opened.session, session_pk=admins.session_pk), NOW, RULES) is None
        assert find_session_identity(tx, replace(admins.session, created_at=NOW - 1), NOW, RULES) is None
        found = find_session_identity(tx, admins.session, NOW, RULES)
    assert found is not None and found.name == "ada"


def set_role(tx: Transaction) -> None:
    account_changes.set_role(tx, ROOT, "eve", Role.OPERATOR)


def reset(tx: Transaction) -> None:
    account_changes.reset_password(tx, ROOT, "eve", "another horse")


def remove(tx: Transaction) -> None:
    account_changes.delete_account(tx, ROOT, "eve")


def replace_account(tx: Transaction) -> None:
    remove(tx)
    account_changes.create_account(tx, ROOT, "eve", Role.ADMIN, PASSWORD)


CHANGES = pytest.mark.parametrize("change", [set_role, reset, remove, replace_account])


@CHANGES
def test_a_login_that_was_checked_before_a_change_of_its_account_begins_no_session(
    db: Database, change: Callable[[Transaction], None]
) -> None:
    create(db, "eve", Role.VIEWER)
    checked = log_in(db, "eve", PASSWORD, HOME, NOW)
    with db.write() as tx:
        change(tx)
    with db.write() as tx, pytest.raises(LoginOutdated):
        begin_session(tx, checked, HOME, NOW, RULES)
    assert authenticator(db).identify_header(f"Bearer {signed(checked)}") is None
    with db.write() as tx, pytest.raises(UserError, match="changed or deleted meanwhile"):
        api_tokens.create_token(tx, ROOT, checked, "ci", Role.VIEWER, None)
    with db.read() as tx:
        assert not session_rows.list_sessions(tx, checked.account_pk) and not token_rows.list_tokens(tx)


@CHANGES
def test_a_change_of_an_account_waits_for_a_session_that_begins_and_then_finds_it(
    db: Database, change: Callable[[Transaction], None]
) -> None:
    """The other order: the session is there before the change, which ends it where the change ends sessions."""
    account = create(db, "eve", Role.VIEWER)
    ended = threading.Event()

    def run() -> None:
        with db.write() as tx:
            change(tx)
        ended.set()

    other = threading.Thread(target=run)
    with db.write() as tx:
        secret = begin_session(tx, account, HOME, NOW, RULES)
        other.start()
        assert not ended.wait(0.2)
    other.join(10)
    assert ended.is_set()
    opened = authenticator(db).identify_cookie(secret)
    assert (opened is not None and opened.identity.role is Role.OPERATOR) if change is set_role else opened is None


def test_a_request_of_a_session_that_was_ended_meanwhile_changes_nothing_that_lasts(db: Database) -> None:
    opened = authenticator(db).identify_cookie(begin(db, create(db, "eve")))
    assert opened is not None
    with db.write() as tx:
        require_login(tx, opened.identity)
        end_session(tx, opened.session_pk)
    with db.write() as tx, pytest.raises(LoginOutdated):
        require_login(tx, opened.identity)


def test_a_login_at_a_provider_while_the_role_is_changed_has_the_role_of_the_provider_or_none(db: Database) -> None:
    with db.write() as tx:
        find_provider_account(tx, ROOT, {"sub": "1", "preferred_username": "eve", "role": "view"}, CLAIMS)
    with db.read() as tx:
        before = account_rows.find_account(tx, "eve")
    assert before is not None
    with db.write() as tx:
        set_role(tx)
    with db.write() as tx, pytest.raises(LoginOutdated):
        begin_session(tx, before, HOME, NOW, RULES)
    with db.write() as tx:
        account = find_provider_account(tx, ROOT, {"sub": "1", "preferred_username": "eve", "role": "view"}, CLAIMS)
        secret = begin_session(tx, account, HOME, NOW, RULES)
    opened = authenticator(db).identify_cookie(secret)
    assert opened is not None and opened.identity.role is Role.VIEWER


def test_favourites_of_a_name_do_not_wait_for_its_next_account(db: Database) -> None:
    create(db, "eve")
    delete(db, "eve")
    with db.write() as tx:  # by a request that was on its way
        raw(
            tx,
            "INSERT INTO file (path, input_hash, inputs, parsed_at, duration_s) VALUES ('/d.py', 'h', '[]', 1, 0.5) RETURNING 1",
        )
        raw(tx, "INSERT INTO dag (dag_id, group_no, file_pk, input_hash) VALUES ('d', 1, 1, 'h') RETURNING 1")
        assert favorite_dags.add_favorite(tx, "eve", 1, NOW)
    create(db, "eve")
    with db.read() as tx:
        assert not favorite_dags.list_favorites(tx, "eve")
