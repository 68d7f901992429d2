/** The states of a list as facets: each is a filter that one click sets and another takes away. */

import type { Search } from "../../state/searchValues";
import { listTexts } from "../../state/searchValues";
import { Facet } from "../../ui/Pill";
import { toggleValue } from "./chipSearch";
import type { SetFilters } from "./ListFrame";

interface Props<View extends Search> {
  search: View;
  set: SetFilters<View>;
  states: readonly string[];
  nameOf: (state: string) => string;
  /** How many entries each state has; undefined: they are not counted. */
  counts?: Record<string, number>;
}

export function StateFacets<View extends Search>({ search, set, states, nameOf, counts }: Props<View>) {
  const chosen = listTexts(search["state"]);
  return states.map((state) => (
    <Facet
      key={state}
      label={nameOf(state)}
      state={state}
      count={counts && (counts[state] ?? 0)}
      isChosen={chosen.includes(state)}
      toggle={() => set(toggleValue(search, "state", state))}
    />
  ));
}
