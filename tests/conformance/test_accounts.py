"""Accounts, logins, sessions and tokens on both databases."""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from gnomon.ground.clock import VirtualClock
from gnomon.model.accounts import Account, Author, Grant, GrantKind, Identity, Role
from gnomon.model.errors.product import UserError
from gnomon.model.instants import SECOND
from gnomon.queries.accounts import account_changes, api_tokens, passwords, saved_views
from gnomon.queries.accounts.authentication import Authenticator
from gnomon.queries.accounts.first_account import create_first_account
from gnomon.queries.accounts.logins import LoginRefused, find_network, log_in
from gnomon.queries.accounts.provider_accounts import ClaimRules, find_provider_account
from gnomon.queries.accounts.sessions import SessionRules, begin_session, end_session
from gnomon.queries.accounts.signed_tokens import PURPOSE, TokenSigner
from gnomon.storage.store import Database, Transaction
from gnomon.storage.store.accounts import account_rows, saved_view_rows, session_rows, token_rows
from gnomon.storage.store.accounts.saved_view_rows import SavedView
from gnomon.storage.store.dag_records.event_log import list_events

NOW = 1_772_355_600_000_000  # 2026-03-01T09:00:00Z
ROOT = Author("cli:root", NOW)
PASSWORD = "correct horse"
HOME, ELSEWHERE = "192.0.2.7", "198.51.100.9"


@pytest.fixture(autouse=True)
def _cheap_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hashes that take a hundredth of the time and memory; the rules are the same."""
    monkeypatch.setattr(passwords, "MEMORY_KIB", 64)
    monkeypatch.setattr(passwords, "ROUNDS", 1)
    passwords._hasher.cache_clear()
    passwords._unused_hash.cache_clear()


def create(db: Database, name: str, role: Role = Role.VIEWER, password: str | None = PASSWORD) -> Account:
    with db.write() as tx:
        return account_changes.create_account(tx, ROOT, name, role, password)


def read(db: Database, name: str) -> Account | None:
    with db.read() as tx:
        return account_rows.find_account(tx, name)


def authenticator(db: Database, *, at: int = NOW, idle_s: float = 3600.0) -> Authenticator:
    return Authenticator(db, VirtualClock(at), TokenSigner((b"k" * 64,)), SessionRules(idle_s))


def changes(db: Database) -> list[tuple[str, dict[str, object]]]:
    with db.read() as tx:
        return [(event.kind, json.loads(event.body)) for event in reversed(list_events(tx))]


# ---- accounts --------------------------------------------------------------------------------------------------------
def test_each_change_of_an_account_is_in_the_audit_log(db: Database) -> None:
    create(db, "root", Role.ADMIN)
    create(db, "Ada")
    with db.write() as tx:
        account_changes.set_role(tx, Author("root", NOW, HOME), "ada", Role.USER)
        account_changes.add_grant(tx, ROOT, "ADA", Grant(GrantKind.TAG, "finance", Role.OPERATOR))
        account_changes.remove_grant(tx, ROOT, "ada", GrantKind.TAG, "finance")
        account_changes.reset_password(tx, ROOT, "ada", "another horse")
        account_changes.delete_account(tx, ROOT, "ada")
    assert read(db, "ada") is None
    assert changes(db)[1:] == [
        ("account_created", {"account": "Ada", "after": {"role": "viewer"}}),
        (
            "account_role_changed",
            {"account": "Ada", "before": {"role": "viewer"}, "after": {"role": "user"}, "from": HOME},
        ),
        ("account_grant_added", {"account": "Ada", "after": {"tag": "finance", "role": "operator"}}),
        ("account_grant_removed", {"account": "Ada", "before": {"tag": "finance"}}),
        ("account_password_changed", {"account": "Ada", "after": {"ended_sessions": 0}}),
        ("account_deleted", {"account": "Ada", "before": {"role": "user"}}),
    ]


REFUSED: list[tuple[Callable[[Transaction], object], str]] = [
    (
        lambda tx: account_changes.create_account(tx, ROOT, "ROOT", Role.USER, PASSWORD),
        "an account 'ROOT' exists already",
    ),
    (
        lambda tx: account_changes.create_account(tx, ROOT, "a b", Role.USER, PASSWORD),
        "'a b' cannot be the name of an account",
    ),
    (
        lambda tx: account_changes.create_account(tx, ROOT, "x\0", Role.USER, PASSWORD),
        "cannot be the name of an account",
    ),
    (
        lambda tx: account_changes.create_account(tx, ROOT, "eve", Role.USER, "short"),
        "the password has 5 characters; give one with at least 8",
    ),
    (
        lambda tx: account_changes.create_account(tx, ROOT, "eve.smith", Role.USER, "EVE.smith"),
        "the password is the name of the account",
    ),
    (
        lambda tx: account_changes.create_account(tx, ROOT, "eve", Role.USER, "x" * 1001),
        "has 1,001 characters; give one with at most 1,000",
    ),
    (
        lambda tx: account_changes.set_role(tx, ROOT, "roof", Role.USER),
        "there is no account 'roof'; did you mean 'root'?",
    ),
    (
        lambda tx: account_changes.set_role(tx, ROOT, "root", Role.USER),
        "'root' is the only account with the role admin, so its role cannot be lowered",
    ),
    (
        lambda tx: account_changes.delete_account(tx, ROOT, "root"),
        "'root' is the only account with the role admin, so it cannot be deleted",
    ),
    (
        lambda tx: account_changes.add_grant(tx, ROOT, "root", Grant(GrantKind.DAG, "*", Role.ADMIN)),
        "admin is no role for single DAGs",
    ),
    (
        lambda tx: account_changes.add_grant(tx, ROOT, "root", Grant(GrantKind.DAG, "", Role.USER)),
        "'' cannot be a pattern",
    ),
    (
        lambda tx: account_changes.remove_grant(tx, ROOT, "root", GrantKind.DAG, "x"),
        "account 'root' has no grant --dag x; its grants: none",
    ),
]


def test_a_change_that_is_refused_says_why_and_changes_nothing(db: Database) -> None:
    create(db, "root", Role.ADMIN)
    before = changes(db)
    for change, sentence in REFUSED:
        with pytest.raises(UserError) as refused, db.write() as tx:
            change(tx)
        assert sentence in str(refused.value)
    assert changes(db) == before
    assert read(db, "root") is not None


def test_two_changes_at_once_do_not_take_away_both_administrators(db: Database) -> None:
    create(db, "one", Role.ADMIN)
    create(db, "two", Role.ADMIN)
    start, refused = threading.Barrier(2), []

    def delete(name: str) -> None:
        start.wait()
        try:
            with db.write() as tx:
                account_changes.delete_account(tx, ROOT, name)
        except UserError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=delete, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.read() as tx:
        assert len(account_rows.list_accounts(tx)) == len(refused) == 1


@pytest.mark.parametrize(
    ("first", "second", "outcome"),
    [
        (("s-1", "boss"), ("s-2", "boss"), "does not belong to this login"),  # two people, one account that exists
        (("s-1", "new"), ("s-2", "new"), "does not belong to this login"),
        (("s-1", "new"), ("s-1", "newer"), "new"),  # one person twice, whose name has just changed
        (("s-1", "new"), ("s-1", "new"), "new"),
    ],
)
def test_first_logins_at_a_provider_at_the_same_time_give_an_account_to_one_subject(
    db: Database, first: tuple[str, str], second: tuple[str, str], outcome: str
) -> None:
    create(db, "boss")
    rules = ClaimRules("https://idp.example", default_role=Role.VIEWER, links_existing=True)
    outcomes: list[str] = []
    looked, done = threading.Event(), threading.Event()

    def log_in_second() -> None:
        looked.wait()
        try:
            with db.write() as tx:
                outcomes.append(
                    find_provider_account(tx, ROOT, {"sub": second[0], "preferred_username": second[1]}, rules).name
                )
        except Exception as error:  # compared below
            outcomes.append(str(error))
        done.set()

    thread = threading.Thread(target=log_in_second)
    thread.start()
    with db.write() as tx:
        account = find_provider_account(tx, ROOT, {"sub": first[0], "preferred_username": first[1]}, rules)
        looked.set()
        done.wait(0.3)  # the other one has to wait for the end of this transaction
    thread.join()
    assert account.name == first[1]
    assert len(outcomes) == 1
    assert outcome in outcomes[0]
    with db.read() as tx:
        assert [row.name for row in account_rows.list_accounts(tx)] == sorted({"boss", first[1]})


def test_views_are_replaced_by_page_and_name_and_changes_at_once_keep_the_limit(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(saved_views, "VIEWS_MAX", 3)
    account, other = create(db, "one"), create(db, "two")
    start, refused = threading.Barrier(5), []

    def save(owner: Account, name: str, query: str) -> None:
        with db.write() as tx:
            saved_views.save_view(tx, owner, SavedView("/dags", name, query, is_default=True))

    def save_at_once(name: str) -> None:
        start.wait()
        try:
            save(account, name, "")
        except UserError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=save_at_once, args=(str(number),)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with db.read() as tx:
        kept = saved_view_rows.list_views(tx, account.account_pk)
    assert (len(kept), len(refused), sum(view.is_default for view in kept)) == (3, 2, 1)
    save(account, kept[1].name, "state=failed")
    save(other, kept[1].name, "")
    with db.write() as tx:
        assert not saved_view_rows.delete_view(tx, account.account_pk, "/runs", kept[0].name)
        assert saved_view_rows.delete_view(tx, account.account_pk, "/dags", kept[0].name)
        assert saved_view_rows.list_views(tx, account.account_pk) == [
            SavedView("/dags", kept[1].name, "state=failed", is_default=True),
            SavedView("/dags", kept[2].name, "", is_default=False),
        ]
        account_changes.delete_account(tx, ROOT, "one")
        assert saved_view_rows.list_views(tx, account.account_pk) == []
        assert len(saved_view_rows.list_views(tx, other.account_pk)) == 1
        with pytest.raises(UserError, match="account 'one' was deleted"):
            saved_views.save_view(tx, account, kept[0])


def test_the_first_account_is_created_once(db: Database) -> None:
    password = create_first_account(db, NOW)
    assert password is not None
    assert log_in(db, "admin", password, HOME, NOW).role is Role.ADMIN
    assert create_first_account(db, NOW) is None


# ---- what a role permits ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("identity", "dag_id", "tags", "expected"),
    [
        (Identity("a", Role.USER), "etl", (), Role.USER),
        (Identity("a", Role.NONE), "etl", (), Role.NONE),
        (Identity("a", Role.NONE, (Grant(GrantKind.DAG, "etl_*", Role.USER),)), "etl_1", (), Role.USER),
        (Identity("a", Role.NONE, (Grant(GrantKind.DAG, "etl_*", Role.USER),)), "ETL_1", (), Role.NONE),
        (Identity("a", Role.NONE, (Grant(GrantKind.DAG, "etl_*", Role.USER),)), "x", ("etl_1",), Role.NONE),
        (Identity("a", Role.VIEWER, (Grant(GrantKind.TAG, "fin", Role.OPERATOR),)), "x", ("fin", "b"), Role.OPERATOR),
        (Identity("a", Role.OPERATOR, (Grant(GrantKind.TAG, "fin", Role.VIEWER),)), "x", ("fin",), Role.OPERATOR),
        (Identity("a", Role.ADMIN, ceiling=Role.VIEWER), "x", (), Role.VIEWER),
        (
            Identity("a", Role.NONE, (Grant(GrantKind.DAG, "x", Role.OPERATOR),), ceiling=Role.VIEWER),
            "x",
            (),
            Role.VIEWER,
        ),
    ],
)
def test_the_role_on_a_dag(identity: Identity, dag_id: str, tags: tuple[str, ...], expected: Role) -> None:
    assert identity.find_dag_role(dag_id, tags) is expected


def test_grants_give_nothing_that_belongs_to_no_dag() -> None:
    assert Identity("a", Role.NONE, (Grant(GrantKind.DAG, "*", Role.OPERATOR),)).everywhere is Role.NONE


# ---- passwords -------------------------------------------------------------------------------------------------------
def test_a_login_needs_the_right_password_of_an_existing_account(db: Database) -> None:
    create(db, "ada")
    create(db, "robot", password=None)
    assert log_in(db, "ADA", PASSWORD, HOME, NOW).name == "ada"
    for name, password in (
        ("ada", "wrong horse"),
        ("eve", PASSWORD),
        ("robot", ""),
        ("robot", PASSWORD),
        ("a\0", PASSWORD),
        ("ada", "x" * 10_000),
    ):
        with pytest.raises(LoginRefused, match="wrong name or password"):
            log_in(db, name, password, ELSEWHERE if name == "ada" else f"{HOME}{len(name)}", NOW)


def fail(db: Database, times: int, name: str, address: str, at: int = NOW) -> float:
    """Try a wrong password so often; returns the pause that the last try was told."""
    pause_s = 0.0
    for _ in range(times):
        with pytest.raises(LoginRefused) as refused:
            log_in(db, name, "wrong horse", address, at)
        pause_s = refused.value.retry_after_s
    return pause_s


def test_failures_stop_the_address_and_not_the_owner_of_the_account(db: Database) -> None:
    create(db, "ada")
    assert fail(db, 5, "ada", ELSEWHERE) == 0
    assert fail(db, 1, "ada", ELSEWHERE) == 15
    with pytest.raises(LoginRefused, match="try again in 15 s"):
        log_in(db, "ada", PASSWORD, ELSEWHERE, NOW)
    assert log_in(db, "ada", PASSWORD, HOME, NOW).name == "ada"
    after = NOW + 16 * SECOND
    assert fail(db, 1, "ada", ELSEWHERE, after) == 0
    assert fail(db, 1, "ada", ELSEWHERE, after) == 30
    assert log_in(db, "ada", PASSWORD, ELSEWHERE, after + 31 * SECOND).name == "ada"
    assert fail(db, 1, "ada", ELSEWHERE, after + 31 * SECOND) == 0, "a login that succeeds ends the count"


def test_an_address_that_tries_many_names_is_stopped_too(db: Database) -> None:
    for number in range(50):
        assert fail(db, 1, f"name{number}", ELSEWHERE) == 0
    assert fail(db, 1, "another", ELSEWHERE) == 15
    assert fail(db, 1, "another", ELSEWHERE, NOW + 3601 * SECOND) == 0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::ffff:1", True),
        ("2001:db8::1", "2001:db8:0:1::1", False),
        ("::ffff:192.0.2.7", "192.0.2.7", True),
        ("192.0.2.7", "192.0.2.8", False),
        ("testclient", "testclient", True),
    ],
)
def test_what_counts_as_one_address(one: str, other: str, same: bool) -> None:
    assert (find_network(one) == find_network(other)) is same


def test_a_hash_with_old_parameters_is_replaced_at_the_next_login(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = create(db, "ada")
    monkeypatch.setattr(passwords, "ROUNDS", 2)
    passwords._hasher.cache_clear()
    log_in(db, "ada", PASSWORD, HOME, NOW)
    after = read(db, "ada")
    assert after is not None and after.password_hash != before.password_hash and "t=2" in (after.password_hash or "")
    assert after.epoch == before.epoch


# ---- API tokens ------------------------------------------------------------------------------------------------------
def make_token(db: Database, account: Account, role: Role = Role.VIEWER, lifetime_s: float | None = 60.0) -> str:
    with db.write() as tx:
        return api_tokens.create_token(tx, ROOT, account, "ci", role, lifetime_s)


def test_an_api_token_is_its_account_with_a_lower_role(db: Database) -> None:
    token = make_token(db, create(db, "ada", Role.OPERATOR), Role.USER)
    found = authenticator(db).identify_header(f"Bearer {token}")
    assert found is not None and (found.name, found.everywhere, found.token_uid) == (
        "ada",
        Role.USER,
        token.split("_")[1],
    )
    with db.write() as tx:
        account_changes.set_role(tx, ROOT, "ada", Role.VIEWER)
    lowered = authenticator(db).identify_header(f"bearer  {token} ")
    assert lowered is not None and lowered.everywhere is Role.VIEWER
    with db.read() as tx:
        assert [row.used_at for row in token_rows.list_tokens(tx)] == [NOW]
        stored = token_rows.find_token(tx, token.split("_")[1])
    secret = token.split("_", 2)[2]
    assert stored is not None and stored[1] == hashlib.sha256(secret.encode()).hexdigest()


TOKEN_CHANGES: list[Callable[[str], str]] = [
    lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
    lambda token: token + "x",
    lambda token: token.replace("gnm_", "gnm_0", 1)[:-1],
    lambda token: token.upper(),
    lambda token: "gnm_",
    lambda token: "",
    lambda token: token + "\u00e9",
    lambda token: "x" * 10_000,
]


def test_a_token_that_was_changed_is_nobody(db: Database) -> None:
    token = make_token(db, create(db, "ada"))
    for change in TOKEN_CHANGES:
        assert authenticator(db).identify_header(f"Bearer {change(token)}") is None
    assert authenticator(db).identify_header(f"Basic {token}") is None


def test_a_token_ends_when_it_expires_is_revoked_or_its_account_is_deleted(db: Database) -> None:
    create(db, "root", Role.ADMIN)
    account = create(db, "ada")
    expiring, revoked, orphaned = (
        make_token(db, account),
        make_token(db, account, lifetime_s=None),
        make_token(db, account, lifetime_s=None),
    )
    assert authenticator(db, at=NOW + 60 * SECOND).identify_header(f"Bearer {expiring}") is None
    with db.write() as tx:
        api_tokens.revoke_token(tx, ROOT, revoked.split("_")[1])
    assert authenticator(db).identify_header(f"Bearer {revoked}") is None
    with pytest.raises(UserError, match="was revoked before"), db.write() as tx:
        api_tokens.revoke_token(tx, ROOT, revoked.split("_")[1])
    assert authenticator(db).identify_header(f"Bearer {orphaned}") is not None
    with db.write() as tx:
        account_changes.delete_account(tx, ROOT, "ada")
    assert authenticator(db).identify_header(f"Bearer {orphaned}") is None
    with db.read() as tx:
        assert token_rows.list_tokens(tx) == []


def test_a_token_is_refused_a_role_that_its_account_does_not_have(db: Database) -> None:
    account = create(db, "ada")
    with pytest.raises(UserError, match="account 'ada' has the role viewer, so its tokens cannot have the role user"):
        make_token(db, account, Role.USER)
    granted = replace(account, grants=(Grant(GrantKind.DAG, "etl", Role.USER),))
    assert make_token(db, granted, Role.USER).startswith("gnm_")


# ---- signed tokens ---------------------------------------------------------------------------------------------------
def signed(account: Account, key: bytes = b"k" * 64, lifetime_s: float = 60.0) -> str:
    return TokenSigner((key,)).sign(account, NOW, lifetime_s)


def test_a_signed_token_is_valid_for_its_time_and_while_the_password_stays(db: Database) -> None:
    create(db, "root", Role.ADMIN)
    token = signed(create(db, "ada", Role.USER))
    found = authenticator(db).identify_header(f"Bearer {token}")
    assert found is not None and (found.name, found.everywhere) == ("ada", Role.USER)
    assert authenticator(db, at=NOW + 69 * SECOND).identify_header(f"Bearer {token}") is not None, "the leeway"
    assert authenticator(db, at=NOW + 70 * SECOND).identify_header(f"Bearer {token}") is None
    assert authenticator(db, at=NOW - 11 * SECOND).identify_header(f"Bearer {token}") is None
    with db.write() as tx:
        account_changes.reset_password(tx, ROOT, "ada", "another horse")
    assert authenticator(db).identify_header(f"Bearer {token}") is None


def test_a_signed_token_of_a_deleted_account_is_not_one_of_its_successor(db: Database) -> None:
    create(db, "root", Role.ADMIN)
    token = signed(create(db, "ada", Role.ADMIN))
    with db.write() as tx:
        account_changes.delete_account(tx, ROOT, "ada")
    other = create(db, "eve")
    assert other.account_pk >= 1
    assert authenticator(db).identify_header(f"Bearer {token}") is None


def test_forged_and_foreign_signed_tokens_are_nobody(db: Database) -> None:
    account = create(db, "ada", Role.ADMIN)
    token = signed(account)
    head, body, signature = token.split(".")

    def encode(value: object) -> str:
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    claims = json.loads(base64.urlsafe_b64decode(body + "=="))
    without_end = {name: value for name, value in claims.items() if name != "exp"}
    forged = [
        signed(account, b"x" * 64),
        f"{encode({'alg': 'none', 'typ': 'JWT'})}.{body}.",
        f"{encode({'alg': 'none'})}.{body}.{signature}",
        f"{head}.{encode(claims | {'sub': 'root'})}.{signature}",
        f"{head}.{body}.",
        f"{head}.{body}",
        "..",
        "a.b.c",
        f"{token}.{signature}",
    ]
    import jwt

    for change in (
        {"account": "1"},
        {"account": True},
        {"epoch": 1},
        {"iss": "other"},
        {"exp": "9e99"},
        {"exp": None},
        {"iat": NOW},
        {"account": 10**30},
    ):
        forged.append(jwt.encode(claims | change, b"k" * 64, algorithm="HS512"))
    forged.append(jwt.encode(without_end, b"k" * 64, algorithm="HS512"))
    forged.append(jwt.encode(claims, b"k" * 64, algorithm="HS256"))
    assert authenticator(db).identify_header(f"Bearer {token}") is not None
    for text in forged:
        assert authenticator(db).identify_header(f"Bearer {text}") is None, text


def test_every_key_of_the_deployment_is_accepted_and_the_first_one_signs(db: Database) -> None:
    account = create(db, "ada")
    before = signed(account, b"o" * 64)
    rotated = TokenSigner((b"n" * 64, b"o" * 64))
    with db.read() as tx:
        assert rotated.identify(tx, before, NOW) is not None
        assert rotated.identify(tx, signed(account, b"n" * 64), NOW) is not None
        assert TokenSigner((b"n" * 64,)).identify(tx, before, NOW) is None


def test_keys_for_tokens_are_derived_from_those_of_the_database(db: Database) -> None:
    with db.read() as tx:
        (key,) = tx.cipher.derive_keys(PURPOSE)
        assert len(key) == 64
        assert tx.cipher.derive_keys("something else") != (key,)


# ---- sessions --------------------------------------------------------------------------------------------------------
def begin(db: Database, account: Account) -> str:
    with db.write() as tx:
        return begin_session(tx, account, HOME, NOW, SessionRules(3600.0))


def test_a_session_lives_while_it_is_used_and_ends_at_once_when_it_is_ended(db: Database) -> None:
    secret = begin(db, create(db, "ada", Role.USER))
    opened = authenticator(db).identify_cookie(secret)
    assert opened is not None and (opened.identity.name, opened.identity.everywhere, opened.new_secret) == (
        "ada",
        Role.USER,
        None,
    )
    assert authenticator(db, at=NOW + 3000 * SECOND).identify_cookie(secret) is not None
    assert authenticator(db, at=NOW + 3500 * SECOND).identify_cookie(secret) is not None
    assert authenticator(db, at=NOW + 7200 * SECOND).identify_cookie(secret) is None, "not used for more than an hour"
    with db.write() as tx:
        end_session(tx, opened.session_pk)
    assert authenticator(db).identify_cookie(secret) is None
    for text in ("", "x", secret[:-1], "x" * 10_000):
        assert authenticator(db).identify_cookie(text) is None


def test_the_secret_of_a_session_is_rotated_and_an_old_one_ends_the_session(db: Database) -> None:
    first = begin(db, create(db, "ada"))
    later = NOW + 3601 * SECOND
    opened = authenticator(db, at=later, idle_s=7200).identify_cookie(first)
    assert opened is not None and opened.new_secret is not None
    second = opened.new_secret
    at_once = authenticator(db, at=later + 30 * SECOND, idle_s=7200).identify_cookie(first)
    assert at_once is not None and at_once.new_secret is None, "requests on their way"
    assert authenticator(db, at=later + 61 * SECOND, idle_s=7200).identify_cookie(second) is not None
    assert authenticator(db, at=later + 62 * SECOND, idle_s=7200).identify_cookie(first) is None
    assert authenticator(db, at=later + 62 * SECOND, idle_s=7200).identify_cookie(second) is None, (
        "one of both was stolen"
    )
    assert changes(db)[-1] == ("session_ended", {"account": "ada", "why": "an old secret was used again"})


def test_no_session_lives_for_ever(db: Database) -> None:
    account = create(db, "ada")
    begin(db, account)
    with db.write() as tx:
        begin_session(tx, account, HOME, NOW + 31 * 86400 * SECOND, SessionRules(10.0**9))
    with db.read() as tx:
        assert len(session_rows.list_sessions(tx, account.account_pk)) == 1


def test_a_new_password_ends_sessions(db: Database) -> None:
    secret = begin(db, create(db, "ada"))
    with db.write() as tx:
        account_changes.reset_password(tx, ROOT, "ada", "another horse")
    assert authenticator(db).identify_cookie(secret) is None
