/** The load of pools over time: taken slots as steps, what waits above them; without the changes as an outline. */

import type { ComparedPool, LoadSpan } from "../../api/simulations";
import type { Span } from "../../components/timeChart/timeSpan";
import { t, tn } from "../../state/language";
import { findWaiting, type Step, stepPath, stepsOf } from "./poolSteps";
import styles from "./whatIf.module.css";

const WIDTH = 1_000;
const HEIGHT = 56;

export function PoolLoads({ pools, span }: { pools: readonly ComparedPool[]; span: Span }) {
  if (pools.length === 0) return null;
  return (
    <section>
      <h2>{t("Pools")}</h2>
      <ul className={styles.pools}>
        {pools.map((pool) => (
          <PoolItem key={pool.pool} pool={pool} span={span} />
        ))}
      </ul>
      <ul className="legend">
        <li>
          <span className={`${styles.takenSwatch} ${styles.swatch}`} aria-hidden="true" /> {t("taken")}
        </li>
        <li>
          <span className={`${styles.waitingSwatch} ${styles.swatch}`} aria-hidden="true" /> {t("waiting|slots")}
        </li>
        <li>
          <span className={`${styles.outlineSwatch} ${styles.swatch}`} aria-hidden="true" />{" "}
          {t("both, without the changes")}
        </li>
      </ul>
    </section>
  );
}

function PoolItem({ pool, span }: { pool: ComparedPool; span: Span }) {
  const [before, after] = [pool.load_before, pool.load_after].map((load) => stepsOf(load, span)) as [Step[], Step[]];
  const most = Math.max(
    1,
    pool.slots_after ?? 0,
    ...[...before, ...after].map(({ taken, waiting }) => taken + waiting),
  );
  const place = { span, most, width: WIDTH, height: HEIGHT };
  return (
    <li className={styles.pool}>
      <span className={styles.poolName}>
        <b className="name">{pool.pool}</b>
        <span className="soft">{describeSlots(pool)}</span>
        <span className="soft">{describeWaiting(pool.load_before, pool.load_after)}</span>
      </span>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" className={styles.load} aria-hidden="true">
        <path d={stepPath(after, place, (step) => step.taken + step.waiting)} className={styles.waiting} />
        <path d={stepPath(after, place, (step) => step.taken)} className={styles.taken} />
        <path d={stepPath(before, place, (step) => step.taken + step.waiting)} className={styles.outline} />
        {pool.slots_after !== null && (
          <line
            x1="0"
            x2={WIDTH}
            y1={HEIGHT * (1 - pool.slots_after / most)}
            y2={HEIGHT * (1 - pool.slots_after / most)}
            className={styles.slots}
          />
        )}
      </svg>
    </li>
  );
}

function describeSlots({ slots_before: before, slots_after: after }: ComparedPool): string {
  const show = (slots: number | null) =>
    slots === null ? t("no limit") : tn("{count} slot|pool", "{count} slots|pool", slots);
  return before === after ? show(after) : t("{now} instead of {before}", { now: show(after), before: show(before) });
}

function describeWaiting(before: readonly LoadSpan[], after: readonly LoadSpan[]): string {
  const [was, is] = [findWaiting(before), findWaiting(after)];
  if (was === is) return is === 0 ? t("nothing waits") : tn("at most {count} waits", "at most {count} wait", is);
  return tn("at most {count} waits instead of {before}", "at most {count} wait instead of {before}", is, {
    before: was,
  });
}
