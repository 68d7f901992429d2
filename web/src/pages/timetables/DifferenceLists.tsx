/** What changes if one schedule takes the place of the other: added, removed, moved slots. */

import { Sentence } from "../../components/Sentences";
import type { Difference, Slot } from "../../api/across";
import { formatDuration } from "../../state/times";
import { t, tn } from "../../state/language";

const SHOWN_MAX = 50;

export function DifferenceLists({ difference }: { difference: Difference }) {
  return (
    <section aria-label={t("What changes")}>
      <h2>{t("What changes")}</h2>
      <p role="status">
        <Sentence {...difference.summary} />
      </p>
      {difference.stop_reasons.map((one) => (
        <p key={one} className="notice">
          {one}
        </p>
      ))}
      <Part
        label={tn("{count} added", "{count} added", difference.gained.length)}
        rows={difference.gained.map(nameSlot)}
      />
      <Part
        label={tn("{count} removed", "{count} removed", difference.lost.length)}
        rows={difference.lost.map(nameSlot)}
      />
      <Part
        label={tn("{count} moved", "{count} moved", difference.moved.length)}
        rows={difference.moved.map(
          (pair) => `${pair.before.local} → ${pair.after.local} (${describeMove(pair.by_seconds)})`,
        )}
      />
      <Part
        label={tn(
          "{count} with another data interval",
          "{count} with another data interval",
          difference.redefined.length,
        )}
        rows={difference.redefined.map((pair) => pair.before.local)}
      />
    </section>
  );
}

function Part({ label, rows }: { label: string; rows: string[] }) {
  if (rows.length === 0) return null;
  return (
    <details open={rows.length <= SHOWN_MAX / 5}>
      <summary>{label}</summary>
      <ul className="lines">
        {rows.slice(0, SHOWN_MAX).map((one, at) => (
          <li key={at}>{one}</li>
        ))}
      </ul>
      {rows.length > SHOWN_MAX && <p className="soft">{t("and {count} more", { count: rows.length - SHOWN_MAX })}</p>}
    </details>
  );
}

function nameSlot(slot: Slot): string {
  return slot.local;
}

function describeMove(seconds: number): string {
  return seconds < 0
    ? t("{span} earlier", { span: formatDuration(-seconds) })
    : t("{span} later", { span: formatDuration(seconds) });
}
