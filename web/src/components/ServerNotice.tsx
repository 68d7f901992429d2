/** What every page says below its header: that an answer is under way, that the server does not answer, and which services are silent. */

import { useIsFetching, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { silentServicesQuery } from "../api/queries";
import { t } from "../state/language";
import { Sentence } from "./Sentences";
import styles from "./serverNotice.module.css";

/** After so long without an answer the page says so. */
const LONG_MS = 5_000;

export function ServerNotice() {
  const waits = useIsFetching({ predicate: (query) => query.state.data === undefined }) > 0;
  const isLong = useIsLong(waits);
  const silent = useQuery(silentServicesQuery()).data ?? [];
  if (!waits && silent.length === 0) return null;
  return (
    <section aria-label={t("What the server says")}>
      {waits && <div className={styles.progress} role="progressbar" aria-label={t("An answer is under way")} />}
      {isLong && (
        <p className={styles.bar} role="alert">
          {t("The server does not answer. It may be busy or stopped; what you see may be old.")}
        </p>
      )}
      {silent.map((sentence) => (
        <p key={sentence.code} className={styles.bar} role="alert">
          <Sentence {...sentence} />
        </p>
      ))}
    </section>
  );
}

/** Whether it has been true for a long time. */
function useIsLong(isTrue: boolean): boolean {
  const [isLong, setLong] = useState(false);
  useEffect(() => {
    if (!isTrue) return;
    const timer = window.setTimeout(() => setLong(true), LONG_MS);
    return () => {
      window.clearTimeout(timer);
      setLong(false);
    };
  }, [isTrue]);
  return isLong;
}
