"""All English words of sentences for users, by code, in one table; each module of this package has those of a subject, and no other module has a word.

A name in braces is an argument; `ARGUMENTS` gives each name its kind, the same in all sentences. `{name!r}` puts the argument between quotes. Words
with a number are a pair: for a `count` of 1, and for any other. An argument of the kind `phrase` may be nothing, so words that begin with a separator
are its clause.
"""

from gnomon.model.sentences.catalogue.account_words import WORDS as ACCOUNT_WORDS
from gnomon.model.sentences.catalogue.alert_words import WORDS as ALERT_WORDS
from gnomon.model.sentences.catalogue.argument_kinds import ARGUMENTS
from gnomon.model.sentences.catalogue.author_warning_words import WORDS as AUTHOR_WARNING_WORDS
from gnomon.model.sentences.catalogue.baseline_words import WORDS as BASELINE_WORDS
from gnomon.model.sentences.catalogue.bundle_words import WORDS as BUNDLE_WORDS
from gnomon.model.sentences.catalogue.code_words import WORDS as CODE_WORDS
from gnomon.model.sentences.catalogue.command_words import WORDS as COMMAND_WORDS
from gnomon.model.sentences.catalogue.connection_words import WORDS as CONNECTION_WORDS
from gnomon.model.sentences.catalogue.dag_words import WORDS as DAG_WORDS
from gnomon.model.sentences.catalogue.dependency_words import WORDS as DEPENDENCY_WORDS
from gnomon.model.sentences.catalogue.executor_words import WORDS as EXECUTOR_WORDS
from gnomon.model.sentences.catalogue.file_words import WORDS as FILE_WORDS
from gnomon.model.sentences.catalogue.installation_words import WORDS as INSTALLATION_WORDS
from gnomon.model.sentences.catalogue.migration_words import WORDS as MIGRATION_WORDS
from gnomon.model.sentences.catalogue.name_words import WORDS as NAME_WORDS
from gnomon.model.sentences.catalogue.option_words import WORDS as OPTION_WORDS
from gnomon.model.sentences.catalogue.process_words import WORDS as PROCESS_WORDS
from gnomon.model.sentences.catalogue.provider_words import WORDS as PROVIDER_WORDS
from gnomon.model.sentences.catalogue.reason_words import WORDS as REASON_WORDS
from gnomon.model.sentences.catalogue.request_words import WORDS as REQUEST_WORDS
from gnomon.model.sentences.catalogue.run_words import WORDS as RUN_WORDS
from gnomon.model.sentences.catalogue.schedule_words import WORDS as SCHEDULE_WORDS
from gnomon.model.sentences.catalogue.service_words import WORDS as SERVICE_WORDS
from gnomon.model.sentences.catalogue.simulation_words import WORDS as SIMULATION_WORDS
from gnomon.model.sentences.catalogue.storage_words import WORDS as STORAGE_WORDS
from gnomon.model.sentences.catalogue.task_words import WORDS as TASK_WORDS
from gnomon.model.sentences.catalogue.term_words import NAME_ARGUMENTS, TERM_ARGUMENTS, TERMS
from gnomon.model.sentences.catalogue.timetable_words import WORDS as TIMETABLE_WORDS
from gnomon.model.sentences.catalogue.value_words import WORDS as VALUE_WORDS

__all__ = ["ARGUMENTS", "NAME_ARGUMENTS", "TABLES", "TERMS", "TERM_ARGUMENTS", "WORDS"]

TABLES = (
    NAME_WORDS,
    SCHEDULE_WORDS,
    RUN_WORDS,
    REASON_WORDS,
    TASK_WORDS,
    DAG_WORDS,
    DEPENDENCY_WORDS,
    INSTALLATION_WORDS,
    ACCOUNT_WORDS,
    ALERT_WORDS,
    AUTHOR_WARNING_WORDS,
    BASELINE_WORDS,
    BUNDLE_WORDS,
    CODE_WORDS,
    COMMAND_WORDS,
    CONNECTION_WORDS,
    EXECUTOR_WORDS,
    FILE_WORDS,
    MIGRATION_WORDS,
    OPTION_WORDS,
    PROCESS_WORDS,
    PROVIDER_WORDS,
    REQUEST_WORDS,
    SERVICE_WORDS,
    SIMULATION_WORDS,
    STORAGE_WORDS,
    TIMETABLE_WORDS,
    VALUE_WORDS,
)
"""The words of each subject."""

WORDS: dict[str, str | tuple[str, str]] = {code: words for table in TABLES for code, words in table.items()}
"""The words of each code."""
