/** The picture of a day: a lane for each DAG, a mark for each slot or a band for dense ones, and lines to what each waits for. */

import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from "react";
import { useNow } from "../../components/Ago";
import { useSize } from "../../components/useSize";
import { t } from "../../state/language";
import {
  type Bundle,
  bundleLinks,
  countStates,
  drawDay,
  findNeighbours,
  type Link,
  listTicks,
  type Mark,
} from "./dayGeometry";
import type { DayModel } from "./dayModel";
import { ZoneClock } from "../../state/days";
import { MarkDetails } from "./MarkDetails";
import styles from "./day.module.css";

const LANE = 64;
const TOP = 26;
const NAME = 20;
const RADIUS = 5;
/** A mark and its ring. */
const EDGE = 9;
/** How far a mark may be from the pointer. */
const REACH = 14;
/** A drag over this share of the width moves the day. */
const DRAG_SHARE = 0.2;
const CLICK_PX = 4;

export interface DayChartProps {
  model: DayModel;
  start: number;
  end: number;
  day: string;
  zone: string;
  move: (days: number) => void;
}

export function DayChart({ model, start, end, day, zone, move }: DayChartProps) {
  const [frame, width] = useSize<HTMLDivElement>();
  const navigate = useNavigate();
  const clock = useMemo(() => new ZoneClock(zone), [zone]);
  const drawing = useMemo(() => drawDay(model, start, end, width, EDGE), [model, start, end, width]);
  const [active, setActive] = useState<string>();
  const [chosen, setChosen] = useState<string>();
  const drag = useDrag(width, move);
  const shown = drawing.marks.find((one) => one.key === active) ?? drawing.marks.find((one) => one.key === chosen);
  const near = shown && findNeighbours(drawing.links, shown.key);
  const lines = useMemo(() => bundleLinks(drawing.links), [drawing.links]);
  const stateOf = (link: Link) =>
    !near ? "" : near.waitsFor.includes(link) ? "for" : near.waitedBy.includes(link) ? "by" : "dim";
  const lit = new Set(
    near ? [...near.waitsFor.map((one) => one.to.key), ...near.waitedBy.map((one) => one.from.key), shown.key] : [],
  );
  const open = (mark: Mark) => {
    setChosen(mark.key);
    const slot = mark.slots.length === 1 ? mark.slots[0] : undefined;
    const lane = model.lanes[mark.lane];
    if (slot?.runId && lane)
      void navigate({ to: "/dags/$dagId/runs/$runId", params: { dagId: lane.dagId, runId: slot.runId } });
  };
  const find = (event: PointerEvent) => findMark(drawing.marks, event, frame.current);
  const onKey = (event: KeyboardEvent) => {
    if (event.key === "PageUp" || event.key === "PageDown") move(event.key === "PageUp" ? -1 : 1);
    else if (event.key === "Enter" && shown) open(shown);
    else if (event.key === "Escape") {
      setActive(undefined);
      setChosen(undefined);
    } else if (event.key.startsWith("Arrow")) setActive(stepMark(drawing.marks, shown, event.key)?.key);
    else return;
    event.preventDefault();
  };
  return (
    <section>
      <p className="unseen" id="day-keys">
        {t("Arrow keys go from run to run, Enter opens one, Page Up and Page Down or a drag change the day.")}
      </p>
      <div
        className={styles.frame}
        ref={frame}
        tabIndex={0}
        role="group"
        aria-label={t("Time line of {day}", { day })}
        aria-describedby="day-keys"
        onKeyDown={onKey}
        onPointerDown={drag.start}
        onPointerCancel={drag.cancel}
        onPointerLeave={() => {
          if (!drag.isOn) setActive(undefined);
        }}
        onPointerMove={(event) => {
          drag.go(event);
          if (!drag.isOn) setActive(find(event)?.key);
        }}
        onPointerUp={(event) => {
          if (drag.end(event) < CLICK_PX) {
            const mark = find(event);
            if (mark) open(mark);
          }
        }}
      >
        {width > 0 && (
          <svg
            width={width}
            height={TOP + model.lanes.length * LANE}
            aria-hidden="true"
            style={{ transform: `translateX(${drag.dx}px)` }}
          >
            {model.lanes.map((lane, at) => (
              <g key={lane.dagId} className={`${styles.lane} ${styles[lane.role] ?? ""}`}>
                <rect x={0} y={TOP + at * LANE} width={width} height={LANE - 4} rx={6} />
              </g>
            ))}
            <Axis drawing={drawing} clock={clock} height={TOP + model.lanes.length * LANE} />
            {lines.alone.map((link, at) => (
              <LinkPath key={at} link={link} state={stateOf(link)} />
            ))}
            {lines.bundles.map((bundle) => (
              <BundlePath key={bundle.key} bundle={bundle} stateOf={stateOf} />
            ))}
            {drawing.marks.map((mark) => (
              <MarkShape key={mark.key} mark={mark} isLit={lit.has(mark.key)} isActive={mark.key === shown?.key} />
            ))}
          </svg>
        )}
        <div className={styles.names} aria-hidden="true">
          {model.lanes.map((lane, at) => (
            <span
              key={lane.dagId}
              className={`name ${styles[lane.role] ?? ""}`}
              style={{ top: TOP + at * LANE + 2 }}
              title={lane.dagId}
            >
              {lane.dagId}
              {lane.paused ? ` (${t("paused")})` : ""}
            </span>
          ))}
        </div>
      </div>
      <Legend />
      <MarkDetails model={model} mark={shown} near={near} day={day} clock={clock} />
      {drawing.hidden > 0 && (
        <p className="soft">
          {t("{count} slots are too far away to be drawn; the table has them.", { count: drawing.hidden })}
        </p>
      )}
    </section>
  );
}

function Axis({ drawing, clock, height }: { drawing: ReturnType<typeof drawDay>; clock: ZoneClock; height: number }) {
  const now = useNow();
  return (
    <g className={styles.axis}>
      {drawing.segments.map((segment) => (
        <g key={segment.start}>
          {segment.isDay ? (
            listTicks(segment, segment.width > 700 ? 1 : segment.width > 420 ? 3 : 6, (at) => clock.hour(at)).map(
              (tick) => {
                const x = segment.x + ((tick.at - segment.start) / (segment.end - segment.start)) * segment.width;
                return (
                  <g key={tick.at}>
                    <line x1={x} x2={x} y1={TOP - 6} y2={height} />
                    <text x={x + 3} y={TOP - 9}>
                      {String(tick.hour).padStart(2, "0")}
                    </text>
                  </g>
                );
              },
            )
          ) : (
            <rect className={styles.otherDay} x={segment.x} y={0} width={segment.width} height={height} />
          )}
          {segment.isDay && now >= segment.start && now < segment.end && (
            <NowLine
              x={segment.x + ((now - segment.start) / (segment.end - segment.start)) * segment.width}
              height={height}
            />
          )}
          {!segment.isDay && (
            <text x={segment.x + 3} y={TOP - 9}>
              {clock.day(segment.start + (segment.end - segment.start) / 2).slice(5)}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}

function NowLine({ x, height }: { x: number; height: number }) {
  return <line className={styles.now} x1={x} x2={x} y1={TOP - 6} y2={height} />;
}

function MarkShape({ mark, isLit, isActive }: { mark: Mark; isLit: boolean; isActive: boolean }) {
  const y = middle(mark);
  const classes = isLit ? styles.lit : "";
  if (mark.width === 0) {
    return (
      <circle
        className={`${styles.mark} fill-${mark.slots[0]?.state} ${classes}`}
        cx={mark.x}
        cy={y}
        r={isActive ? RADIUS + 2 : RADIUS}
      />
    );
  }
  const whole = mark.width - 2;
  return (
    <g className={`${styles.band} ${classes}`}>
      {divideBand(mark, whole).map(({ state, x, width }) => (
        <rect key={state} className={`fill-${state}`} x={x} y={y - 9} width={width} height={18} />
      ))}
      <rect className={styles.bandFrame} x={mark.x + 1} y={y - 9} width={whole} height={18} rx={3} />
      <text x={mark.x + mark.width / 2} y={y + 4}>
        {mark.slots.length}
      </text>
    </g>
  );
}

/** The share of each state in the width of a band, from left to right. */
function divideBand(mark: Mark, whole: number): { state: string; x: number; width: number }[] {
  let x = mark.x + 1;
  return countStates(mark.slots).map(([state, count]) => {
    const width = (count / mark.slots.length) * whole;
    x += width;
    return { state, x: x - width, width };
  });
}

function LinkPath({ link, state }: { link: Link; state: string }) {
  const from = { x: link.from.x + link.from.width / 2, y: middle(link.from) };
  const to = { x: link.to.x + link.to.width / 2, y: middle(link.to) };
  const sag = from.y === to.y ? from.y + 26 : (from.y + to.y) / 2;
  return (
    <path
      className={`${styles.wait} ${styles[`rule-${link.rule}`] ?? ""} ${styles[state] ?? ""}`}
      d={`M ${from.x} ${from.y} C ${from.x} ${sag}, ${to.x} ${sag}, ${to.x} ${to.y}`}
    />
  );
}

/** How far from the many ends of a bundle its one line fans out. */
const FAN = 22;
const TRUNK_MAX = 5;

function BundlePath({ bundle, stateOf }: { bundle: Bundle; stateOf: (link: Link) => string }) {
  const states = bundle.ends.map((one) => stateOf(one.link));
  const root = { x: bundle.root.x + bundle.root.width / 2, y: middle(bundle.root) };
  const ends = bundle.ends.map(({ mark }) => ({ x: mark.x + mark.width / 2, y: middle(mark) }));
  const y = ends[0]?.y ?? root.y;
  const hub = {
    x: ends.reduce((sum, one) => sum + one.x, 0) / ends.length,
    y: y + (root.y > y ? FAN : -FAN),
  };
  const sag = (root.y + hub.y) / 2;
  const rule = styles[`rule-${bundle.ends[0]?.link.rule}`] ?? "";
  const loudest = ["for", "by", "", "dim"].find((one) => states.includes(one)) ?? "";
  return (
    <>
      <path
        className={`${styles.wait} ${styles.trunk} ${styles[loudest] ?? ""}`}
        style={{ strokeWidth: Math.min(TRUNK_MAX, 1.2 + Math.log2(ends.length)) }}
        d={`M ${root.x} ${root.y} C ${root.x} ${sag}, ${hub.x} ${sag}, ${hub.x} ${hub.y}`}
      />
      {ends.map((end, at) => (
        <path
          key={end.x}
          className={`${styles.wait} ${rule} ${styles[states[at] ?? ""] ?? ""}`}
          d={`M ${hub.x} ${hub.y} Q ${end.x} ${hub.y}, ${end.x} ${end.y}`}
        />
      ))}
    </>
  );
}

function Legend() {
  const states: [string, string][] = [
    ["success", t("success")],
    ["failed", t("failed")],
    ["running", t("running")],
    ["queued", t("queued or waiting")],
    ["planned", t("to come")],
    ["due", t("due, without a run yet")],
    ["none", t("passed without a run")],
  ];
  return (
    <ul className="legend" aria-label={t("Colours")}>
      {states.map(([state, label]) => (
        <li key={state}>
          <svg width={14} height={14} aria-hidden="true">
            <circle className={`${styles.mark} fill-${state}`} cx={7} cy={7} r={5} />
          </svg>{" "}
          {label}
        </li>
      ))}
    </ul>
  );
}

function middle(mark: Mark): number {
  return TOP + mark.lane * LANE + NAME + (LANE - NAME) / 2 - 2;
}

function findMark(marks: Mark[], event: PointerEvent, frame: HTMLElement | null): Mark | undefined {
  if (!frame) return undefined;
  const box = frame.getBoundingClientRect();
  const x = event.clientX - box.left - frame.clientLeft;
  const y = event.clientY - box.top - frame.clientTop;
  let best: Mark | undefined;
  let bestAway = REACH;
  for (const mark of marks) {
    const away = Math.hypot(Math.max(mark.x - x, 0, x - mark.x - mark.width), middle(mark) - y);
    if (away < bestAway) {
      best = mark;
      bestAway = away;
    }
  }
  return best;
}

/** The mark beside, or the nearest one in the next lane that has any. */
function stepMark(marks: Mark[], from: Mark | undefined, key: string): Mark | undefined {
  if (!from) return marks[0];
  if (key === "ArrowLeft" || key === "ArrowRight") {
    const lane = marks.filter((one) => one.lane === from.lane);
    return lane[lane.indexOf(from) + (key === "ArrowLeft" ? -1 : 1)] ?? from;
  }
  const lanes = [...new Set(marks.map((one) => one.lane))].toSorted((one, other) => one - other);
  const lane = lanes[lanes.indexOf(from.lane) + (key === "ArrowUp" ? -1 : 1)];
  const found = marks
    .filter((one) => one.lane === lane)
    .toSorted((one, other) => Math.abs(one.x - from.x) - Math.abs(other.x - from.x));
  return found[0] ?? from;
}

/** A drag of the picture moves the day when it is released. */
function useDrag(width: number, move: (days: number) => void) {
  const [dx, setDx] = useState(0);
  const began = useRef<number | undefined>(undefined);
  return {
    dx,
    isOn: dx !== 0,
    start: (event: PointerEvent) => {
      if (event.button === 0) began.current = event.clientX;
    },
    go: (event: PointerEvent) => {
      if (began.current === undefined) return;
      const moved = event.clientX - began.current;
      if (Math.abs(moved) >= CLICK_PX && !(event.currentTarget as Element).hasPointerCapture(event.pointerId))
        (event.currentTarget as Element).setPointerCapture(event.pointerId);
      setDx(Math.abs(moved) < CLICK_PX ? 0 : moved);
    },
    cancel: () => {
      began.current = undefined;
      setDx(0);
    },
    /** Returns how far the pointer was moved, in px. */
    end: (event: PointerEvent): number => {
      const moved = began.current === undefined ? 0 : event.clientX - began.current;
      began.current = undefined;
      setDx(0);
      if (Math.abs(moved) > width * DRAG_SHARE) move(moved > 0 ? -1 : 1);
      return Math.abs(moved);
    },
  };
}
