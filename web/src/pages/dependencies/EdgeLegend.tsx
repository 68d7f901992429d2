/** What the kinds of lines mean. */

import { t } from "../../state/language";
import styles from "../../components/graph/graph.module.css";

export function EdgeLegend() {
  const kinds: [string, string][] = [
    ["waits", t("waits for its runs")],
    ["triggers", t("triggers")],
    ["writes", t("writes the asset")],
    ["schedules", t("schedules the DAG")],
    ["reads", t("reads it")],
    ["alias", t("alias")],
  ];
  return (
    <ul className="legend" aria-label={t("Kinds of lines")}>
      {kinds.map(([kind, words]) => (
        <li key={kind}>
          <svg width={28} height={10} aria-hidden="true" className={`${styles.edge} ${styles[`edge-${kind}`] ?? ""}`}>
            <path d="M1 5H27" />
          </svg>{" "}
          {words}
        </li>
      ))}
    </ul>
  );
}
