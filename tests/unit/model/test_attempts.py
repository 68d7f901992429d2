"""Log paths: readable, distinct, and always a legal file name."""

from __future__ import annotations

from gnomon.model.attempts import build_attempt_log_path


def test_a_path_says_which_attempt_it_is() -> None:
    assert (
        build_attempt_log_path("etl", "manual__1", "load", -1, 2)
        == "dag_id=etl/run_id=manual__1/task_id=load.attempt=2.log"
    )
    assert (
        build_attempt_log_path("etl", "r", "load", 7, 1) == "dag_id=etl/run_id=r/task_id=load.map_index=7.attempt=1.log"
    )


def test_ids_cannot_leave_their_folder() -> None:
    assert build_attempt_log_path("d", "../../etc", "t", -1, 1).split("/")[1] == "run_id=..%2F..%2Fetc"
    assert "\n" not in build_attempt_log_path("d", "a\nb", "t", -1, 1)


def test_ids_of_any_length_give_legal_distinct_names() -> None:
    for letter in ("t", "ü", "時", "/"):
        one, two = (build_attempt_log_path("d" * 250, "r", letter * 249 + end, 99_999, 999) for end in ("a", "b"))
        assert one != two
        assert all(len(part.encode()) <= 255 for part in one.split("/"))


def test_long_ids_of_one_checksum_have_logs_of_their_own() -> None:
    """The two ids begin with the same 196 bytes and have one CRC32, so their former logs are one file."""
    first, second = ("t" * 196 + end for end in ("gnyijstj", "etislvlf"))
    assert _build_path(first, True) == _build_path(second, True)
    assert _build_path(first, False) != _build_path(second, False)


def test_no_id_has_the_name_that_a_longer_one_is_given() -> None:
    name = _build_path("ü" * 200, False).split("/")[2].removeprefix("task_id=").removesuffix(".attempt=1.log")
    assert _build_path(name, False) != _build_path("ü" * 200, False)


def _build_path(task_id: str, is_former: bool) -> str:
    return build_attempt_log_path("d", "r", task_id, -1, 1, is_former=is_former)
