"""Decisions as tables and small functions of frozen facts: transitions, trigger rules, retries, run outcomes."""
