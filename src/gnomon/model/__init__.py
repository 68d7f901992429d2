"""Words: ids, instants, states, slots, specs, records, verdicts. Values only; nothing here acts."""
