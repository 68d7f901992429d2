"""The modules that the tests import helpers from."""
