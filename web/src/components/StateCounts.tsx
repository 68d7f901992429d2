/** Numbers of runs by state, each a link to these runs. */

import type { RunSearch } from "../api/overviews";
import { listHref } from "../state/addresses";
import { t } from "../state/language";
import { formatCount, formatShort } from "../state/numbers";
import { PlainLink } from "./PlainLink";
import { stateClass, stateName, stateShape } from "./StateBadge";

const ORDER = ["failed", "running", "queued", "success"];

interface StateCountsProps {
  counts: Record<string, number>;
  search: RunSearch;
  /** What is counted, for screen readers. */
  label: string;
}

export function StateCounts({ counts, search, label }: StateCountsProps) {
  const states = ORDER.filter((state) => counts[state]);
  if (states.length === 0) return null;
  return (
    <span className="counts" role="group" aria-label={label}>
      {states.map((state) => (
        <PlainLink
          key={state}
          href={listHref("/runs", { ...search, state: [state] })}
          className={`count ${stateClass(state)}`}
          aria-label={t("{count} {state}, {what}", { count: counts[state] ?? 0, state: stateName(state), what: label })}
          title={`${stateName(state)}: ${formatCount(counts[state] ?? 0)}`}
        >
          <span aria-hidden="true">{stateShape(state)}</span> {formatShort(counts[state] ?? 0)}
        </PlainLink>
      ))}
    </span>
  );
}
