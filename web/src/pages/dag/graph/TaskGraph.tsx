/** The graph of a DAG in one run: which groups are open, what its nodes are, and where they lead. */

import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { columnQuery, runTimelineQuery } from "../../../api/dagViews";
import type { Structure } from "../../../api/shapes";
import { useNow } from "../../../components/Ago";
import { GraphPicture } from "../../../components/graph/GraphPicture";
import type { PictureGraph, PictureNode } from "../../../components/graph/picture";
import { useNarrow } from "../../../components/useNarrow";
import { t } from "../../../state/language";
import { IconButton } from "../../../ui/Button";
import { EmptyState } from "../../../ui/EmptyState";
import { FoldAllIcon, GraphIcon, OpenAllIcon, TurnIcon } from "../../../ui/icons";
import { foldGraph, listFoldings } from "./foldGraph";
import { GraphTable } from "./GraphTable";
import { type GraphView, readOpen, writeOpen } from "./graphView";
import { describeNode } from "./NodeDetails";
import { buildPicture, findMatches } from "./taskPicture";
import { collectSpans, collectStates } from "./taskStates";

interface Props {
  structure: Structure;
  runId: string | undefined;
  view: GraphView;
  isDown: boolean;
  set: (some: GraphView) => void;
  /** The graph is a pane of the page of a run, which shows the chosen task. */
  isPane?: boolean;
}

export function TaskGraph({ structure, runId, view, isDown, set, isPane }: Props) {
  const column = useQuery(columnQuery(structure.dag_id, runId)).data;
  const timeline = useQuery({ ...runTimelineQuery(structure.dag_id, runId), enabled: column !== undefined }).data;
  const isNarrow = useNarrow();
  const navigate = useNavigate();
  const now = useNow();
  const folded = useMemo(() => {
    const open = readOpen(view.open);
    return (open ? [open] : listFoldings(structure)).map((groups) => foldGraph(structure, groups));
  }, [structure, view.open]);
  const states = useMemo(() => collectStates(structure, column), [structure, column]);
  const spans = useMemo(() => collectSpans(structure, timeline), [structure, timeline]);
  const isRunning = spans.some((span) => span && span.end === undefined);
  const present = isRunning ? now : 0;
  const facts = useMemo(() => ({ states, spans, now: present }), [states, spans, present]);
  const graphs = useMemo(() => folded.map((one) => buildPicture(one, facts)), [folded, facts]);
  const find = view.find ?? "";
  const listMatches = useCallback((graph: PictureGraph) => findMatches(graph, structure, find), [structure, find]);
  if (structure.tasks.length === 0) return <EmptyState icon={GraphIcon} title={t("This DAG has no tasks.")} />;
  if (view.as === "table") return <GraphTable structure={structure} runId={runId} states={states} />;
  const setOpen = (groups: ReadonlySet<string>) => set({ open: writeOpen(groups) });
  const toggle = (node: PictureNode, graph: PictureGraph) => {
    const open = new Set(graph.nodes.flatMap(({ kind, key }) => (kind === "open" ? [key.slice("group:".length)] : [])));
    const group = node.key.slice("group:".length);
    if (!open.delete(group)) open.add(group);
    setOpen(open);
  };
  const activate = ({ key }: PictureNode) => {
    const outside = key.startsWith("outside:") ? structure.outside[Number(key.slice("outside:".length))] : undefined;
    if (outside?.kind === "dag")
      void navigate({ to: "/dags/$dagId/graph", params: { dagId: outside.name }, search: {} });
    else if (key.startsWith("task:") && runId !== undefined)
      void navigate({
        to: "/dags/$dagId/runs/$runId/tasks/$taskId",
        params: { dagId: structure.dag_id, runId, taskId: key.slice("task:".length) },
        search: {},
      });
  };
  return (
    <GraphPicture
      graphs={graphs}
      direction={isDown ? "TB" : "LR"}
      find={find}
      listMatches={listMatches}
      chosen={view.node}
      choose={(node) => set({ node })}
      activate={activate}
      toggle={toggle}
      describe={(at, graph, choose) => describeNode({ structure, runId, facts, toggle }, at, graph, choose)}
      fileName={structure.dag_id}
      isPane={isPane}
      controls={
        <>
          <IconButton
            icon={TurnIcon}
            label={isDown ? t("From left to right") : t("From top to bottom")}
            onClick={() => set({ down: isDown === isNarrow ? (isDown ? "no" : "yes") : undefined })}
          />
          {structure.groups.length > 0 && (
            <>
              <IconButton icon={FoldAllIcon} label={t("Fold all groups")} onClick={() => setOpen(new Set())} />
              <IconButton
                icon={OpenAllIcon}
                label={t("Open all groups")}
                onClick={() => setOpen(new Set(structure.groups.map((group) => group.group_id)))}
              />
            </>
          )}
        </>
      }
    />
  );
}
