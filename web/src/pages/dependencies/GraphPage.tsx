/** The graph of DAGs and assets: what waits for, triggers, writes and is scheduled by what. Fold, search and focus are the address. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { dependencyGraphQuery, graphNodesQuery, newestRunsQuery } from "../../api/across";
import { Answer } from "../../components/Answer";
import { TypedField } from "../../components/TypedField";
import { t, tn } from "../../state/language";
import { EdgeTable } from "./EdgeTable";
import { GraphPicture } from "./GraphPicture";
import {
  buildGraph,
  chooseFold,
  focusGraph,
  type Fold,
  foldGraph,
  hideAssets,
  SHOWN_MAX,
  type WholeGraph,
} from "./graphModel";

export interface GraphView {
  fold?: Fold;
  /** Names of open groups, as JSON. */
  open?: string;
  find?: string;
  /** Only this DAG, what comes before it and what comes after it. */
  dag?: string;
  assets?: "hidden";
}

const FOLDS: [Fold, string][] = [
  ["none", /* text */ "not at all"],
  ["folder", /* text */ "by folder"],
  ["tag", /* text */ "by first tag"],
  ["owner", /* text */ "by owner"],
];
const DRAWN_MAX = 1500;

const route = getRouteApi("/dependencies/graph");

export function GraphPage() {
  const found = useQuery(dependencyGraphQuery());
  const nodes = useQuery(graphNodesQuery());
  return (
    <>
      <h1>{t("Graph of DAGs and assets")}</h1>
      <Answer query={found} what={t("the dependencies")}>
        {(dependencies) => (
          <Answer query={nodes} what={t("the DAGs and assets")}>
            {(parts) => <Views key="views" graph={buildCached(dependencies, parts)} />}
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

function Views({ graph }: { graph: WholeGraph }) {
  const view = route.useSearch();
  const navigate = useNavigate();
  const set = (some: GraphView) =>
    void navigate({ to: "/dependencies/graph", search: { ...view, ...some }, replace: true });
  const runs = useQuery(newestRunsQuery()).data?.runs;
  const key = view.dag === undefined ? undefined : `dag ${view.dag}`;
  const focused = useMemo(() => {
    let shown = { nodes: [...graph.nodes.values()], edges: graph.edges };
    if (view.assets === "hidden") shown = hideAssets(shown);
    return key === undefined ? shown : focusGraph(shown, key);
  }, [graph, view.assets, key]);
  const fold = view.fold ?? (focused.nodes.length <= SHOWN_MAX ? "none" : chooseFold(graph));
  const open = useMemo(() => readOpen(view.open), [view.open]);
  const shown = useMemo(
    () => foldGraph(focused, fold === "none" ? undefined : graph.groups[fold], open),
    [focused, graph, fold, open],
  );
  const wrong = shown.nodes.filter((one) => one.error !== undefined);
  const setOpen = (names: string[]) => set({ open: names.length ? JSON.stringify(names) : undefined });
  return (
    <>
      <form className="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <TypedField
          type="search"
          label={t("Search")}
          placeholder={t("part of a name")}
          value={view.find ?? ""}
          onTyped={(find) => set({ find: find || undefined })}
        />
        <label>
          {t("Fold")}{" "}
          <select value={fold} onChange={(event) => set({ fold: event.target.value as Fold, open: undefined })}>
            {FOLDS.map(([one, words]) => (
              <option key={one} value={one}>
                {t(words)}
              </option>
            ))}
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={view.assets !== "hidden"}
            onChange={(event) => set({ assets: event.target.checked ? undefined : "hidden" })}
          />{" "}
          {t("assets")}
        </label>
        {fold !== "none" && open.size > 0 && (
          <button type="button" onClick={() => setOpen([])}>
            {t("Fold all groups")}
          </button>
        )}
        {view.dag !== undefined && (
          <button type="button" onClick={() => set({ dag: undefined })}>
            {t("Show all, not only around {dag}", { dag: view.dag })}
          </button>
        )}
      </form>
      <p className="soft" role="status">
        {tn("{count} node", "{count} nodes", shown.nodes.length)},{" "}
        {tn("{count} edge", "{count} edges", shown.edges.length)}
        {graph.unrelated > 0 &&
          `; ${tn("{count} DAG without any relation is not shown", "{count} DAGs without any relation are not shown", graph.unrelated)}`}
      </p>
      {wrong.length > 0 && (
        <details className="notice">
          <summary>
            {tn(
              "{count} node has a circle or a dependency that can never be met",
              "{count} nodes have a circle or a dependency that can never be met",
              wrong.length,
            )}
          </summary>
          <ul>
            {wrong.slice(0, 20).map((one) => (
              <li key={one.key}>
                <b className="name">{one.name}</b>: {one.error}
              </li>
            ))}
          </ul>
        </details>
      )}
      {shown.nodes.length === 0 && (
        <p>
          {view.dag === undefined
            ? t("No DAG depends on another one, triggers one or names an asset.")
            : t("There is nothing before or after DAG {dag}.", { dag: view.dag })}
        </p>
      )}
      {shown.nodes.length > DRAWN_MAX && (
        <p className="notice">
          {t("{count} nodes are too many for a picture: fold them, or show only what is around one DAG.", {
            count: shown.nodes.length,
          })}
        </p>
      )}
      {shown.nodes.length > 0 && shown.nodes.length <= DRAWN_MAX && (
        <GraphPicture
          graph={shown}
          runs={runs}
          find={view.find ?? ""}
          canFold={fold !== "none"}
          groupOf={fold === "none" ? undefined : graph.groups[fold]}
          toggle={(name) => setOpen(open.has(name) ? [...open].filter((one) => one !== name) : [...open, name])}
          focus={(dag) => set({ dag })}
        />
      )}
      {shown.edges.length > 0 && <EdgeTable graph={shown} />}
    </>
  );
}

function readOpen(text: string | undefined): Set<string> {
  try {
    const found: unknown = JSON.parse(text ?? "[]");
    return new Set(Array.isArray(found) ? found.map(String) : []);
  } catch {
    return new Set();
  }
}
