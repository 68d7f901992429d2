/** What is shown of the graph of DAGs and assets: a line of controls, and the picture or its table. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { newestEventsQuery, newestRunsQuery } from "../../api/across";
import { useNow } from "../../components/Ago";
import { GraphPicture } from "../../components/graph/GraphPicture";
import type { PictureGraph, PictureNode } from "../../components/graph/picture";
import { useNarrow } from "../../components/useNarrow";
import { t } from "../../state/language";
import { IconButton } from "../../ui/Button";
import { EmptyState } from "../../ui/EmptyState";
import { FoldAllIcon, GraphIcon } from "../../ui/icons";
import { buildPicture } from "./dependencyPicture";
import { EdgeTable } from "./EdgeTable";
import { GraphControls } from "./GraphControls";
import { chooseFold, focusGraph, foldGraph, type Fold, hideAssets, SHOWN_MAX, type WholeGraph } from "./graphModel";
import type { GraphView } from "./graphView";
import { describeNode } from "./NodeDetails";

const DRAWN_MAX = 1500;
/** So few nodes are never folded by themselves, even where they do not fit. */
const OPEN_MAX = 60;

interface Props {
  whole: WholeGraph;
  view: GraphView;
  set: (some: GraphView) => void;
}

export function DependencyGraph({ whole, view, set }: Props) {
  const runs = useQuery(newestRunsQuery()).data?.runs;
  const events = useQuery(newestEventsQuery()).data?.events;
  const navigate = useNavigate();
  const isNarrow = useNarrow();
  const now = useNow();
  const focused = useMemo(() => {
    let shown = { nodes: [...whole.nodes.values()], edges: whole.edges };
    if (view.assets === "hidden") shown = hideAssets(shown);
    return view.dag === undefined ? shown : focusGraph(shown, `dag ${view.dag}`);
  }, [whole, view.assets, view.dag]);
  const open = useMemo(() => readOpen(view.open), [view.open]);
  const folds = useMemo((): Fold[] => {
    if (view.fold) return [view.fold];
    if (focused.nodes.length <= OPEN_MAX) return ["none"];
    return focused.nodes.length <= SHOWN_MAX ? ["none", chooseFold(whole)] : [chooseFold(whole)];
  }, [view.fold, focused, whole]);
  const shown = useMemo(
    () => folds.map((fold) => foldGraph(focused, fold === "none" ? undefined : whole.groups[fold], open)),
    [focused, whole, folds, open],
  );
  const facts = useMemo(() => ({ runs, events, now }), [runs, events, now]);
  const graphs = useMemo(() => shown.map((one) => buildPicture(one, facts)), [shown, facts]);
  const find = view.find ?? "";
  const listMatches = useCallback(
    ({ nodes }: PictureGraph) => findMatches(nodes, whole, folds, find),
    [whole, folds, find],
  );
  const fullest = shown[0];
  if (!fullest) return null;
  const foldOf = (graph: PictureGraph): Fold => folds[Math.max(0, graphs.indexOf(graph))] ?? "none";
  const toggle = (group: string, fold: Fold) => {
    const next = open.has(group) ? [...open].filter((one) => one !== group) : [...open, group];
    set({ open: next.length > 0 ? JSON.stringify(next) : undefined, fold });
  };
  const activate = ({ key, name }: PictureNode) => {
    const node = whole.nodes.get(key);
    if (node?.kind === "dag") void navigate({ to: "/dags/$dagId", params: { dagId: name }, search: {} });
    else if (node?.assetId !== undefined)
      void navigate({ to: "/assets/$assetId", params: { assetId: String(node.assetId) }, search: {} });
  };
  return (
    <>
      <GraphControls whole={whole} shown={fullest} fold={view.fold} view={view} set={set} />
      {fullest.nodes.length === 0 && (
        <EmptyState
          icon={GraphIcon}
          title={
            view.dag === undefined
              ? t("No DAG depends on another one, triggers one or names an asset.")
              : t("There is nothing before or after DAG {dag}.", { dag: view.dag })
          }
        />
      )}
      {fullest.nodes.length > DRAWN_MAX && view.as !== "table" && (
        <p className="notice">
          {t("{count} nodes are too many for a picture: fold them, or show only what is around one DAG.", {
            count: fullest.nodes.length,
          })}
        </p>
      )}
      {view.as === "table" && <EdgeTable graph={fullest} />}
      {fullest.nodes.length > 0 && fullest.nodes.length <= DRAWN_MAX && view.as !== "table" && (
        <GraphPicture
          graphs={graphs}
          direction={isNarrow ? "TB" : "LR"}
          find={find}
          listMatches={listMatches}
          chosen={view.node}
          choose={(node) => set({ node })}
          activate={activate}
          toggle={(node, graph) => toggle(node.name, foldOf(graph))}
          describe={(at, graph, choose) =>
            describeNode(
              {
                shown: shown[Math.max(0, graphs.indexOf(graph))] ?? fullest,
                facts,
                groupOf: (key) => {
                  const fold = foldOf(graph);
                  return fold === "none" ? undefined : whole.groups[fold].get(key);
                },
                toggle: (group) => toggle(group, foldOf(graph)),
                focus: (dag) => set({ dag }),
              },
              at,
              graph,
              choose,
            )
          }
          fileName="dependencies"
          controls={
            open.size > 0 && (
              <IconButton icon={FoldAllIcon} label={t("Fold all groups")} onClick={() => set({ open: undefined })} />
            )
          }
        />
      )}
    </>
  );
}

/** The nodes that have the text in their name; a folded group also if one of its DAGs has it. */
function findMatches(nodes: readonly PictureNode[], whole: WholeGraph, folds: readonly Fold[], find: string): number[] {
  const text = find.toLowerCase();
  const inside = new Set<string>();
  for (const fold of folds)
    if (fold !== "none")
      for (const [key, group] of whole.groups[fold]) if (key.toLowerCase().includes(text)) inside.add(`group ${group}`);
  const matches = nodes.flatMap((node, at) =>
    node.kind !== "open" && (node.name.toLowerCase().includes(text) || inside.has(node.key)) ? [at] : [],
  );
  return [
    ...matches.filter((at) => nodes[at]?.name.toLowerCase() === text),
    ...matches.filter((at) => nodes[at]?.name.toLowerCase() !== text),
  ];
}

function readOpen(text: string | undefined): Set<string> {
  try {
    const names: unknown = JSON.parse(text ?? "[]");
    return new Set(Array.isArray(names) ? names.map(String) : []);
  } catch {
    return new Set();
  }
}
