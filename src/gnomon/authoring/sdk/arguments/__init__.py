"""Values that authors give as arguments, each checked by itself: `converters` has the checks, `params` and `json_schema` the params of a DAG, `notset` and
`resolvable` what stands for a value that is not there yet, `code_location` the author's line for messages. `signatures` says who has which argument.
"""
