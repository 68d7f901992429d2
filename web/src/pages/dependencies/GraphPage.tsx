/** The graph of DAGs and assets: what waits for, triggers, writes and is scheduled by what. Fold, search and focus are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { dependencyGraphQuery, graphNodesQuery } from "../../api/across";
import { Answer } from "../../components/Answer";
import { startWorker } from "../../components/graph/layoutClient";
import { t } from "../../state/language";
import { PageHeader } from "../../ui/PageHeader";
import { DependencyGraph } from "./DependencyGraph";
import { buildGraph, type WholeGraph } from "./graphModel";
import type { GraphView } from "./graphView";

const route = getRouteApi("/dependencies/graph");
startWorker();

export function GraphPage() {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: GraphView) =>
    void navigate({
      to: "/dependencies/graph",
      search: { ...view, ...some },
      replace: true,
    });
  const found = useQuery(dependencyGraphQuery());
  const nodes = useQuery(graphNodesQuery());
  return (
    <>
      <PageHeader title={t("Graph of DAGs and assets")} />
      <Answer query={found} what={t("the dependencies")}>
        {(dependencies) => (
          <Answer query={nodes} what={t("the DAGs and assets")}>
            {(parts) => <DependencyGraph key="views" whole={buildCached(dependencies, parts)} view={view} set={set} />}
          </Answer>
        )}
      </Answer>
    </>
  );
}

const built = new WeakMap<object, { parts: object; graph: WholeGraph }>();

/** The graph of two answers, built once as long as both are the same. */
function buildCached(
  dependencies: Parameters<typeof buildGraph>[0],
  parts: Parameters<typeof buildGraph>[1],
): WholeGraph {
  const known = built.get(dependencies);
  if (known?.parts === parts) return known.graph;
  const graph = buildGraph(dependencies, parts);
  built.set(dependencies, { parts, graph });
  return graph;
}
