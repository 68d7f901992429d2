/** How the predicted end of a due time has changed: the band between the middle and the late end, which narrows towards the end, and the levels below it. */

import type { BaselineLevel, Prediction } from "../../api/baselines";
import { useSize } from "../../components/useSize";
import { t } from "../../state/language";
import { formatClock, formatSoon, useZone } from "../../state/times";
import { chooseTicks } from "../../state/timeTicks";
import { findAhead } from "../../state/zonedTimes";
import { LEVELS } from "./baselineLevels";
import styles from "./baselines.module.css";
import { drawFan } from "./fanGeometry";

const HEIGHT = 220;
const LEFT = 64;
const RIGHT = 12;
const TOP = 8;
const AXIS = 20;
const STRIP = 10;
const GAP = 6;
const LABEL_PX = 70;
const TICKS_UP = 5;

interface Props {
  predictions: readonly Prediction[];
  dueAt: string;
  /** The newest instant of which something is known. */
  until: string;
}

export function PredictionFan({ predictions, dueAt, until }: Props) {
  const [frame, width] = useSize<HTMLDivElement>();
  const zone = useZone();
  const newest = predictions.at(-1);
  if (!newest) return null;
  if (!predictions.some(({ end_p50 }) => end_p50)) {
    return (
      <p className="soft">
        {t("No prediction has an end: in half of the futures it has not ended when the forecast stops.")}
      </p>
    );
  }
  const clock = (at: string) => formatClock(at, zone).slice(0, 5);
  const words = t("{count} predictions of the end; the newest: {p50}, nine of ten by {p90}; due {due}", {
    count: predictions.length,
    p50: newest.end_p50 ? clock(newest.end_p50) : "–",
    p90: newest.end_p90 ? clock(newest.end_p90) : "–",
    due: formatSoon(dueAt, zone, Date.parse(newest.at)),
  });
  return (
    <>
      <div ref={frame} className={styles.fan} role="img" aria-label={words}>
        {width > 0 && <Picture predictions={predictions} dueAt={dueAt} until={until} width={width} />}
      </div>
      <ul className="legend">
        <li>
          <span className={`${styles.swatch} ${styles.middle}`} aria-hidden="true" /> {t("end in half of the futures")}
        </li>
        <li>
          <span className={`${styles.swatch} ${styles.band}`} aria-hidden="true" />{" "}
          {t("up to the end in nine of ten futures")}
        </li>
        <li>
          <span className={`${styles.swatch} ${styles.dueLine}`} aria-hidden="true" /> {t("due|baseline")}
        </li>
        {[...new Set(predictions.map(({ level }) => level))].map((level) => (
          <li key={level}>
            <span className={`${styles.swatch} ${toneClass(level)}`} aria-hidden="true" /> {t(LEVELS[level].words)}
          </li>
        ))}
      </ul>
    </>
  );
}

function toneClass(level: BaselineLevel): string | undefined {
  return { good: styles.good, warn: styles.warn, bad: styles.bad }[LEVELS[level].tone];
}

function Picture({ predictions, dueAt, until, width }: Props & { width: number }) {
  const zone = useZone();
  const bottom = HEIGHT - AXIS - STRIP - GAP;
  const box = { left: LEFT, right: width - RIGHT, top: TOP, bottom };
  const fan = drawFan(predictions, Date.parse(dueAt), Date.parse(until), box);
  const ahead = findAhead(fan.across[0], zone);
  const upTicks = chooseTicks(...fan.up, TICKS_UP, ahead);
  const most = Math.max(1, Math.floor((box.right - box.left) / LABEL_PX));
  const acrossTicks = chooseTicks(...fan.across, most, ahead);
  const clock = (at: number, [first, second]: number[]) => {
    const text = formatClock(new Date(at).toISOString(), zone);
    return (second ?? Infinity) - (first ?? 0) < 60_000 ? text : text.slice(0, 5);
  };
  const across = (at: number) =>
    LEFT + ((at - fan.across[0]) / (fan.across[1] - fan.across[0])) * (box.right - box.left);
  const up = (at: number) => bottom - ((at - fan.up[0]) / (fan.up[1] - fan.up[0])) * (bottom - TOP);
  return (
    <svg width={width} height={HEIGHT} aria-hidden="true">
      {upTicks.map((at) => (
        <g key={at} className={styles.grid}>
          <line x1={LEFT} x2={box.right} y1={up(at)} y2={up(at)} />
          <text x={LEFT - 6} y={up(at) + 4} textAnchor="end">
            {clock(at, upTicks)}
          </text>
        </g>
      ))}
      {acrossTicks.map((at) => (
        <g key={at} className={styles.grid}>
          <line x1={across(at)} x2={across(at)} y1={TOP} y2={bottom} />
          <text x={across(at)} y={HEIGHT - 5} textAnchor={across(at) > box.right - LABEL_PX / 2 ? "end" : "middle"}>
            {clock(at, acrossTicks)}
          </text>
        </g>
      ))}
      {fan.bands.map((path) => (
        <path key={path} d={path} className={styles.band} />
      ))}
      {fan.lines.map((path) => (
        <path key={path} d={path} className={styles.middle} />
      ))}
      {fan.points.map(
        ({ x, p50 }, at) => p50 !== undefined && <circle key={at} cx={x} cy={p50} r={2.5} className={styles.dot} />,
      )}
      <line x1={LEFT} x2={box.right} y1={fan.due} y2={fan.due} className={styles.dueLine} />
      {fan.levels.map(({ x, width: wide, level }) => (
        <rect key={x} x={x} y={bottom + GAP} width={Math.max(1, wide)} height={STRIP} className={toneClass(level)} />
      ))}
    </svg>
  );
}
