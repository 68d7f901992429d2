/** What a baseline promises and how it stands, in words: its level, its time of day, its slack. */

import type { Baseline, BaselineLevel } from "../../api/baselines";
import { t, tn } from "../../state/language";
import { formatDuration, formatWeekday } from "../../state/times";
import { Pill } from "../../ui/Pill";
import { LEVELS } from "./baselineLevels";

/** A Monday. */
const MONDAY = Date.UTC(2026, 0, 5);
const DAY_MS = 86_400_000;

export function LevelPill({ level }: { level: BaselineLevel | null }) {
  if (level === null) return <Pill>{t("no prediction")}</Pill>;
  return <Pill tone={LEVELS[level].tone}>{t(LEVELS[level].words)}</Pill>;
}

/** The level, and whether nobody judges it any more: what is shown may no longer be so. */
export function Standing({
  baseline: { level, is_stale: isStale },
}: {
  baseline: Pick<Baseline, "level" | "is_stale">;
}) {
  return (
    <>
      <LevelPill level={level} /> {isStale && <Pill tone="warn">{t("old prediction")}</Pill>}
    </>
  );
}

/** Monday is 0. */
export function nameWeekday(day: number): string {
  return formatWeekday(new Date(MONDAY + day * DAY_MS).toISOString(), "UTC");
}

/** `07:00 Europe/Berlin, 1 day later`. */
export function namePromise({ by, days, timezone }: Pick<Baseline, "by" | "days" | "timezone">): string {
  const time = `${by} ${timezone}`;
  return days === 0 ? time : `${time}, ${tn("{count} day later", "{count} days later", days)}`;
}

export function Slack({ seconds }: { seconds: number | null }) {
  if (seconds === null) return null;
  const span = formatDuration(Math.abs(seconds));
  if (seconds >= 0) return <span>{span}</span>;
  return <span className="bad">{t("{span} too late", { span })}</span>;
}
