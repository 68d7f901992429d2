/** The numbers of the page in one line: each leads to its part. */

import type { Failures, Timeline, Work } from "../../api/shapes";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { HourLine } from "./HourLine";
import type { Wait, WaitKind } from "./sortWaits";
import styles from "./summary.module.css";

/** The server lists so many of each. */
const LISTED_MAX = 200;

interface Props {
  failures: Failures | undefined;
  waits: Record<WaitKind, Wait[]> | undefined;
  work: Work | undefined;
  timeline: Timeline | undefined;
}

export function Summary({ failures, waits, work, timeline }: Props) {
  const broken = failures?.dags.filter((one) => one.is_broken).length;
  const current = timeline ? Math.floor((Date.parse(timeline.at) - Date.parse(timeline.since)) / 3_600_000) : 0;
  return (
    <ul className={styles.tiles} aria-label={t("In short")}>
      <Tile
        to="failed"
        count={broken}
        tone={broken ? "bad" : "good"}
        label={broken === 0 ? t("nothing is broken") : tn("DAG broken", "DAGs broken", broken ?? 0)}
      />
      <Tile
        to="asked"
        count={waits?.asked.length}
        tone={waits?.asked.length ? "accent" : undefined}
        label={tn("run waits for you", "runs wait for you", waits?.asked.length ?? 0)}
      />
      <Tile
        to="blocked"
        count={waits?.blocked.length}
        tone={waits?.blocked.length ? "warn" : undefined}
        label={t("blocked")}
      />
      <Tile to="late" count={work?.late.length} tone={work?.late.length ? "warn" : undefined} label={t("late")} />
      <Tile to="running" count={work?.running.length} label={tn("task runs", "tasks run", work?.running.length ?? 0)}>
        {timeline && <HourLine timeline={timeline} current={current} />}
      </Tile>
      <Tile to="timeline" count={timeline?.within_hour} label={t("due within the hour")} />
    </ul>
  );
}

interface TileProps {
  to: string;
  /** Undefined: not known yet. */
  count: number | undefined;
  label: string;
  tone?: "good" | "bad" | "warn" | "accent";
  children?: React.ReactNode;
}

function Tile({ to, count, label, tone, children }: TileProps) {
  return (
    <li>
      <a href={`#${to}`} className={styles.tile}>
        <b className={tone && styles[tone]}>
          {count === undefined ? "–" : count >= LISTED_MAX ? t("{count}+", { count }) : formatCount(count)}
        </b>
        <span>{label}</span>
        {children}
      </a>
    </li>
  );
}
