"""What author code uses while it runs: connections, Variables, notifiers, and the hooks of installed provider packages. `channel` is the way to the
process that answers requests: open it first. `xcom` has what is stored of a value and where a back end of the author acts, `connection` and
`secrets_lookup` where a connection is looked for, `secret_masking` what counts as a secret, `email` how mail is sent.
"""
