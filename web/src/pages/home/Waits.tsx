/** What waits: what a person is asked, what is blocked, and, folded, what waits as planned. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { HowLong } from "../../components/Ago";
import { Sentence } from "../../components/Sentences";
import { t, tn } from "../../state/language";
import { buttonClass } from "../../ui/Button";
import { Lines, RunPlace } from "./Lines";
import type { Wait, WaitKind } from "./sortWaits";
import styles from "./home.module.css";

/** Reasons of one run; its page has all. */
const REASONS_MAX = 3;

/** `late`: what is late, which stands before what goes as planned. */
export function Waits({ waits, late }: { waits: Record<WaitKind, Wait[]>; late: ReactNode }) {
  return (
    <>
      {waits.asked.length > 0 && (
        <section aria-labelledby="asked" className={styles.card}>
          <header>
            <h2 id="asked">{t("For you")}</h2>
            <Link to="/inbox" search={{}} className={buttonClass("plain", true)}>
              {t("Answer …")}
            </Link>
          </header>
          <Lines items={waits.asked} line={line} />
        </section>
      )}
      {waits.blocked.length > 0 && (
        <section aria-labelledby="blocked" className={styles.card}>
          <header>
            <h2 id="blocked">{t("Blocked")}</h2>
          </header>
          <Lines items={waits.blocked} line={line} />
        </section>
      )}
      {late}
      {waits.planned.length > 0 && (
        <details className={styles.card}>
          <summary>
            <h2>{t("As planned")}</h2>
            <span className="soft">{tn("{count} run waits", "{count} runs wait", waits.planned.length)}</span>
          </summary>
          <Lines items={waits.planned} line={line} />
        </details>
      )}
    </>
  );
}

function line(wait: Wait) {
  return (
    <li key={`${wait.dag_id} ${wait.run_id}`} className={styles.row}>
      <RunPlace dagId={wait.dag_id} runId={wait.run_id} state={wait.state}>
        {wait.since && <HowLong since={wait.since} />}
      </RunPlace>
      {wait.coded.slice(0, REASONS_MAX).map((reason) => (
        <span key={reason.text} className="block">
          <Sentence text={reason.text} spans={reason.spans} />
        </span>
      ))}
      {wait.reasons.length > REASONS_MAX && (
        <span className="soft block">
          {t("and {count} more reasons", { count: wait.reasons.length - REASONS_MAX })}
        </span>
      )}
      {wait.reasons.length === 0 && (
        <span className="soft block">
          {t("There are too many unfinished runs to explain all; open the run to see why.")}
        </span>
      )}
    </li>
  );
}
