"""What author code asks while a command asks it: a Variable of this home."""

from __future__ import annotations

from gnomon.config import Config
from gnomon.model.questions import AnyQuestion
from gnomon.store import NotInitialised, home_cipher, open_database
from gnomon.taskapi import answer
from gnomon.userhost.interface import Answers


def stored_answers(cfg: Config) -> Answers:
    """Answers from the home's database, which is opened for each question: few ask any."""
    def answered(question: AnyQuestion) -> object:
        try:
            db = open_database(cfg.database_url, cipher=home_cipher(cfg))
        except NotInitialised:
            return None  # a home without a database has no Variables
        try:
            return answer(db, None, question)
        finally:
            db.close()

    return answered
