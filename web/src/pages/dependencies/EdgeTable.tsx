/** The graph as a table: one line for each edge. */

import { useState } from "react";
import { PageSteps } from "../../components/PageSteps";
import { t } from "../../state/language";
import type { ShownGraph } from "./graphModel";
import { EDGE_WORDS } from "./NodeDetails";
import styles from "./day.module.css";

const PAGE = 50;

export function EdgeTable({ graph }: { graph: ShownGraph }) {
  const [page, setPage] = useState(1);
  const names = new Map(graph.nodes.map((one) => [one.key, one.name]));
  return (
    <section className={styles.table}>
      <div className="scroll" tabIndex={0} role="region" aria-label={t("Edges of the graph")}>
        <table>
          <thead>
            <tr>
              <th>{t("Before")}</th>
              <th>{t("Relation")}</th>
              <th>{t("After")}</th>
              <th>{t("Details")}</th>
            </tr>
          </thead>
          <tbody>
            {graph.edges.slice((page - 1) * PAGE, page * PAGE).map((edge, at) => (
              <tr key={at}>
                <td className="name">{names.get(edge.from)}</td>
                <td>
                  {t(EDGE_WORDS[edge.kind])}
                  {edge.isWrong && <span className="bad"> {t("(wrong)")}</span>}
                </td>
                <td className="name">{names.get(edge.to)}</td>
                <td>
                  {edge.label}
                  {edge.count > 1 ? ` ×${edge.count}` : ""}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <PageSteps page={page} size={PAGE} total={graph.edges.length} go={(to) => setPage(to ?? 1)} />
    </section>
  );
}
