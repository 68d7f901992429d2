"""The api-server. For now a health page on the standard library's server: docs/decisions/0002 says why."""
