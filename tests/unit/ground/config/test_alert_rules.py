"""Rules and channels of alerts in gnomon.toml: what is read, and the sentence for each mistake."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gnomon.ground.config import load_config
from gnomon.ground.config.alert_channels import read_span
from gnomon.ground.config.alert_rules import KINDS, AlertRule, read_alert_settings
from gnomon.ground.config.language_files import find_language
from gnomon.ground.config.option import OptionError
from gnomon.model.alerts import AlertKind
from gnomon.model.languages.translation import translate
from gnomon.model.sentences.catalogue import TERMS

CHANNEL = '[alerts.channels.ops]\ntype = "email"\nto = ["a@x.test", "b@x.test"]\n'
HOOK = '[alerts.channels.ops]\ntype = "webhook"\nurl = "https://h.test/a/b?key=1"\n'


def read(folder: Path, text: str) -> tuple[AlertRule, ...]:
    (folder / "gnomon.toml").write_text(text)
    return read_alert_settings(folder).rules


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(OptionError) as caught:
        read(folder, text)
    return str(caught.value).replace(str(folder / "gnomon.toml"), "FILE")


def test_a_home_without_a_file_has_no_rules(tmp_path: Path) -> None:
    assert read_alert_settings(tmp_path).rules == ()


def test_the_kinds_are_those_of_the_model() -> None:
    assert KINDS == tuple(AlertKind)


def test_each_kind_is_a_word_that_languages_translate() -> None:
    assert {kind.value for kind in AlertKind} <= set(TERMS)


def test_a_rule_has_its_keys_and_defaults(tmp_path: Path) -> None:
    (first, second) = read(
        tmp_path,
        CHANNEL
        + """
[[alerts.rules]]
when = "failure"
to = "ops"

[[alerts.rules]]
name = "slow"
when = ["late", "waiting"]
to = ["ops"]
dags = ["team_*"]
tags = ["etl"]
longer_than = "2h"
group_by = "none"
resolved = false
""",
    )
    assert (first.name, first.when, first.to, first.group_by, first.resolved) == (
        "rule 1",
        ("failure",),
        ("ops",),
        "dag",
        True,
    )
    assert (second.name, second.longer_than_s, second.group_by, second.resolved) == ("slow", 7200.0, "none", False)
    assert second.matches("team_a", ("etl",)) and not second.matches("team_a", ()) and not second.matches("a", ("etl",))


def test_options_beside_rules_keep_their_lines(tmp_path: Path) -> None:
    (tmp_path / "gnomon.toml").write_text(
        "[alerts]\ngroup_wait = 3\n"
        + CHANNEL
        + '[[alerts.rules]]\nwhen = "failure"\nto = "ops"\n[core]\nparallelism = 7\n'
    )
    cfg = load_config({}, tmp_path)
    assert (cfg.number("alerts", "group_wait"), cfg.integer("core", "parallelism")) == (3.0, 7)
    assert cfg.source("core", "parallelism").endswith("line 10")


def test_a_target_hides_the_secret_part_of_an_address(tmp_path: Path) -> None:
    (tmp_path / "gnomon.toml").write_text(HOOK + 'secret = "s3cret"\n')
    channel = read_alert_settings(tmp_path).channels["ops"]
    assert channel.target == "https://h.test/***"
    assert "s3cret" not in repr(channel) and "key=1" not in repr(channel)


@pytest.mark.parametrize(("text", "seconds"), [("30s", 30), ("10m", 600), ("2h", 7200), ("1.5d", 129600), (90, 90)])
def test_spans_are_read(text: object, seconds: float) -> None:
    assert read_span(text, "FILE", "longer_than") == seconds


def test_a_channel_may_have_a_language_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "gnomon.toml").write_text(
        HOOK + 'language = "zh"\n' + HOOK.replace("ops", "chat") + 'language = "en"\n' + HOOK.replace("ops", "mail")
    )
    channels = read_alert_settings(tmp_path).channels
    assert {name: channel.language for name, channel in channels.items()} == {"ops": "zh", "chat": "en", "mail": ""}


def test_the_language_of_alerts_is_one_that_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gnomon.toml").write_text('[alerts]\nlanguage = "xx"\n')
    with pytest.raises(OptionError, match=r"\[alerts\] language.*line 2.*write one of: en, zh"):
        load_config({}, tmp_path).text("alerts", "language")
    (tmp_path / "languages").mkdir()
    (tmp_path / "languages" / "xx.json").write_text('{"name": "X"}')
    monkeypatch.setenv("GNOMON_LANGUAGES", str(tmp_path / "languages"))
    assert load_config({}, tmp_path).text("alerts", "language") == "xx"


MISTAKES = [
    (
        HOOK + 'language = "fr"\n',
        "FILE, line 4: language of channel 'ops' is 'fr'; write one of: en, zh",
    ),
    (HOOK + "language = 3\n", "FILE, line 4: language of channel 'ops' is 3; write one of: en, zh"),
    (CHANNEL + '[[alerts.rules]]\nto = "ops"\n', "FILE, line 4: when is missing; write one of failure, task_failure, "),
    (CHANNEL + '[[alerts.rules]]\nwhen = "fail"\nto = "ops"\n', "FILE, line 5: when is 'fail'; write one of failure"),
    (CHANNEL + '[[alerts.rules]]\nwhen = "failure"\n', 'FILE, line 4: the rule has no receiver; add to = ["CHANNEL"]'),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "failure"\nto = "opps"\n',
        "FILE, line 6: there is no channel 'opps'; the channels are ops; add [alerts.channels.opps]",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "failure"\nto = "ops"\ndag = "x"\n',
        "FILE, line 7: a rule has no key 'dag'; did you mean dags?",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "late"\nto = "ops"\n',
        "FILE, line 5: a rule about late runs needs longer_than",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "waiting"\nto = "ops"\n',
        "FILE, line 5: a rule about waiting runs needs longer_than",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "late"\nto = "ops"\nby = "7:30"\n',
        "FILE, line 7: by is '7:30'; write a time of day such as \"07:30\"",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "failure"\nto = "ops"\nby = "07:30"\n',
        "FILE, line 7: by has no effect for when = 'failure'",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "failure"\nto = "ops"\nlonger_than = "1h"\n',
        "FILE, line 7: longer_than has no effect for when = 'failure'",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "late"\nto = "ops"\nlonger_than = "soon"\n',
        "FILE, line 7: longer_than is 'soon'; write a number of seconds",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "import_error"\nto = "ops"\ndags = "x"\n',
        "FILE, line 7: dags has no effect for when = 'import_error'",
    ),
    (
        CHANNEL + '[[alerts.rules]]\nwhen = "failure"\nto = "ops"\ngroup_by = "day"\n',
        "FILE, line 7: group_by is 'day'; write one of dag, rule, reason, none",
    ),
    (
        CHANNEL + 2 * '[[alerts.rules]]\nname = "a"\nwhen = "failure"\nto = "ops"\n',
        "two rules have the name 'a'; give each its own",
    ),
    (
        '[alerts.channels.ops]\nto = "a@x.test"\n',
        "FILE, line 1: type of channel 'ops' is missing; write one of \"email\"",
    ),
    ('[alerts.channels.ops]\ntype = "pager"\n', "FILE, line 2: type of channel 'ops' is 'pager'"),
    ('[alerts.channels.ops]\ntype = "email"\n', "FILE, line 1: channel 'ops' has no receiver"),
    (
        '[alerts.channels.ops]\ntype = "webhook"\n',
        "FILE, line 2: channel 'ops' has no address; give one of url, url_env",
    ),
    (HOOK + 'url_env = "X"\n', "FILE, line 4: channel 'ops' has url and url_env; give one of"),
    (HOOK.replace("https://", ""), "FILE, line 3: url of channel 'ops' is not an address; write https://host/path"),
    (HOOK + 'to = "x"\n', "FILE, line 4: a channel of type 'webhook' has no key 'to'"),
    (HOOK + "max_per_hour = 0\n", "FILE, line 4: max_per_hour is 0; write a whole number of at least 1"),
    ("[alerts]\nrules = 3\n", "FILE: alerts.rules must be a list of tables"),
    ("[alerts]\nchannels = 3\n", "FILE: alerts.channels must consist of tables"),
    ("alerts = 3\n", "FILE: alerts is 3; write rules below [[alerts.rules]]"),
]


@pytest.mark.parametrize(("text", "expected"), MISTAKES)
def test_a_mistake_names_the_file_the_line_the_key_and_the_remedy(tmp_path: Path, text: str, expected: str) -> None:
    assert expected in refusal(tmp_path, text)


@pytest.mark.parametrize("text", [text for text, _ in MISTAKES])
def test_a_mistake_is_put_into_the_language_of_the_reader(tmp_path: Path, text: str) -> None:
    chinese = find_language("zh")
    assert chinese is not None
    with pytest.raises(OptionError) as caught:
        read(tmp_path, text)
    words = translate(str(caught.value), chinese)
    assert re.search("[\u4e00-\u9fff]", words), words
    assert not re.search(r"; (write|add|give|remove|its) ", words), words


def test_the_secret_of_a_wrong_channel_is_not_printed(tmp_path: Path) -> None:
    assert "t0ken" not in refusal(tmp_path, HOOK.replace("https://h.test/a/b?key=1", "h.test/t0ken"))
