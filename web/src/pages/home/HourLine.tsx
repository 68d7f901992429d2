/** How many runs ended in each of the past hours, as a line. */

import type { Timeline } from "../../api/shapes";
import { t } from "../../state/language";
import styles from "./summary.module.css";

const WIDTH = 96;
const HEIGHT = 24;

export function HourLine({ timeline, current }: { timeline: Timeline; current: number }) {
  const ended = timeline.total.success
    .slice(0, current + 1)
    .map((count, at) => count + (timeline.total.failed[at] ?? 0));
  const most = Math.max(1, ...ended);
  const step = WIDTH / Math.max(1, ended.length - 1);
  const points = ended.map((count, at) => [at * step, HEIGHT - 2 - ((HEIGHT - 4) * count) / most] as const);
  const line = points.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ");
  const text = t("runs that ended, hour by hour: {counts}", { counts: ended.join(", ") });
  return (
    <svg className={styles.line} viewBox={`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label={text}>
      <title>{text}</title>
      <polygon points={`0,${HEIGHT} ${line} ${WIDTH},${HEIGHT}`} />
      <polyline points={line} />
    </svg>
  );
}
