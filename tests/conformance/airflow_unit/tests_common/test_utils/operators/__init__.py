"""Operators that defer."""
