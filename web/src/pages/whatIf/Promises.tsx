/** Baselines and expectations in both worlds: those that stand differently first. */

import { Link } from "@tanstack/react-router";
import type { ComparedBaseline, SimulationAnswer } from "../../api/simulations";
import { Sentence } from "../../components/Sentences";
import { Time } from "../../components/Time";
import { t } from "../../state/language";
import { Pill } from "../../ui/Pill";
import { formatShare, LEVELS } from "../baselines/baselineLevels";
import type { BaselineLevel } from "../../api/baselines";
import styles from "./whatIf.module.css";

export function Promises({ answer }: { answer: SimulationAnswer }) {
  const baselines = answer.baselines.toSorted((one, other) => Number(isSame(one)) - Number(isSame(other)));
  if (baselines.length === 0 && answer.expectations.length === 0) return null;
  return (
    <section>
      <h2>{t("What is promised")}</h2>
      <ul className={styles.promises}>
        {baselines.map((baseline) => (
          <li key={`${baseline.name} ${baseline.due_at}`}>
            <Link to="/baselines/$name" params={{ name: baseline.name }} className="name strong">
              {baseline.name}
            </Link>
            <span className={styles.levels}>
              <Level level={baseline.level_before} />
              {!isSame(baseline) && (
                <>
                  <span aria-hidden="true">→</span> <Level level={baseline.level_after} />
                </>
              )}
            </span>
            <span className="soft">
              {t("due|baseline")} <Time at={baseline.due_at} />
            </span>
            <span>
              {t("done about")} <Time at={baseline.end_after} />
              {baseline.end_after !== baseline.end_before && (
                <span className="soft">
                  {" "}
                  {t("instead of")} <Time at={baseline.end_before} />
                </span>
              )}
            </span>
            <span className="soft">
              {t("late with probability {share}", { share: formatShare(baseline.breach_after) })}
            </span>
          </li>
        ))}
        {answer.expectations.map(({ text, broken_before: before, broken_after: after, why }) => (
          <li key={text}>
            <bdi className="strong">{text}</bdi>
            <span className={styles.levels}>
              <Held broken={before} />
              {before !== after && (
                <>
                  <span aria-hidden="true">→</span> <Held broken={after} />
                </>
              )}
            </span>
            {why && (
              <span className={`soft ${styles.why}`}>
                <Sentence text={why} spans={answer.spans[why]} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

export function isSame(baseline: ComparedBaseline): boolean {
  return baseline.level_before === baseline.level_after;
}

function Level({ level }: { level: string | null }) {
  if (level === null) return <Pill>{t("no run")}</Pill>;
  const { words, tone } = LEVELS[level as BaselineLevel];
  return <Pill tone={tone}>{t(words)}</Pill>;
}

function Held({ broken }: { broken: number }) {
  if (broken === 0) return <Pill tone="good">{t("holds")}</Pill>;
  return <Pill tone="bad">{t("broken in {share} of the futures", { share: formatShare(broken) })}</Pill>;
}
