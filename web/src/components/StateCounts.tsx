/** Numbers of runs by state, each a link to these runs. */

import type { RunSearch } from "../api/overviews";
import { listHref } from "../state/addresses";
import { t } from "../state/language";
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
          title={`${stateName(state)}: ${counts[state]}`}
        >
          <span aria-hidden="true">{stateShape(state)}</span> {shorten(counts[state] ?? 0)}
        </PlainLink>
      ))}
    </span>
  );
}

/** `950`, `12k`, `1.2M`: at most four characters. */
export function shorten(count: number): string {
  if (count < 1000) return String(count);
  const [size, name] = count < 999_500 ? ([1000, "k"] as const) : ([1_000_000, "M"] as const);
  const value = count / size;
  return `${value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value)}${name}`;
}
