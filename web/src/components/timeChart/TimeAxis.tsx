/** The axis of a chart with a line for each thing: times above the track, and lines through all rows. */

import type { Ref } from "react";
import { chooseTicks } from "../../state/timeTicks";
import { stackLabels } from "./stackLabels";
import { percentOf, type Span, type TimeMark, TURNED_PERCENT } from "./timeSpan";
import { formatClock, formatDay, useZone } from "../../state/times";
import { findAhead } from "../../state/zonedTimes";
import styles from "./timeChart.module.css";

const LABEL_PX = 64;
const TICKS_MAX = 12;
const DAY_MS = 86_400_000;
interface AxisProps {
  span: Span;
  heading: string;
  /** Measures the width of the track. */
  track: Ref<HTMLDivElement>;
  width: number;
  marks?: readonly TimeMark[];
}

/** The marks with a label stand in lines below the times. */
export function TimeAxis({ span, heading, track, width, marks = [] }: AxisProps) {
  const zone = useZone();
  const most = Math.max(1, Math.min(TICKS_MAX, Math.floor(width / LABEL_PX / 1.2)));
  const ticks = chooseTicks(span.from, span.to, most, findAhead(span.from, zone));
  const step = (ticks[1] ?? span.to) - (ticks[0] ?? span.from);
  const format = (at: number) => {
    const text = new Date(at).toISOString();
    if (step >= DAY_MS) return formatDay(text, zone);
    const clock = formatClock(text, zone);
    return step < 60_000 ? clock : clock.slice(0, 5);
  };
  /** A label before its tick needs the room of two: that of the tick before it stands behind that one. */
  const hasRoom = (at: number) =>
    percentOf(span, at) <= TURNED_PERCENT || ticks.length < 2 || (width * step) / (span.to - span.from) >= 2 * LABEL_PX;
  const lanes = stackLabels(span, width, marks);
  return (
    <div className={styles.head}>
      <div className={styles.axis}>
        <span className={styles.name}>{heading}</span>
        <div className={styles.track} ref={track} aria-hidden="true">
          {ticks.filter(hasRoom).map((at) => (
            <Label key={at} span={span} at={at} className={styles.tick} text={format(at)} />
          ))}
        </div>
      </div>
      {lanes.map((lane, at) => (
        <div key={at} className={styles.axis}>
          <span className={styles.name} />
          <div className={styles.track}>
            {lane.map((mark) => (
              <Label
                key={`${mark.label} ${mark.at}`}
                span={span}
                at={mark.at}
                className={`${styles.tick} ${styles.mark} ${styles[mark.tone]}`}
                text={mark.label}
              />
            ))}
          </div>
        </div>
      ))}
    </div>
  );
}

function Label({ span, at, text, className }: { span: Span; at: number; text: string; className: string | undefined }) {
  const left = percentOf(span, at);
  return (
    <span
      className={left > TURNED_PERCENT ? `${className} ${styles.turned}` : className}
      style={{ left: `${left}%` }}
      title={text}
    >
      {text}
    </span>
  );
}

/** The lines of the marks that lie in the span, over all rows. */
export function TimeLines({ span, marks }: { span: Span; marks: readonly TimeMark[] }) {
  return (
    <div className={styles.lines} aria-hidden="true">
      {marks
        .filter(({ at }) => at >= span.from && at <= span.to)
        .map((mark, at) => (
          <span
            key={at}
            className={`${styles.mark} ${styles[mark.tone]}`}
            style={{ left: `${percentOf(span, mark.at)}%` }}
          />
        ))}
    </div>
  );
}
