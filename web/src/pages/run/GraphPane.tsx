/** The graph of the run as a pane: a click on a task chooses it. */

import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { structureQuery } from "../../api/dagViews";
import { Answer } from "../../components/Answer";
import { startWorker } from "../../components/graph/layoutClient";
import { useNarrow } from "../../components/useNarrow";
import { t, tn } from "../../state/language";
import { TaskGraph } from "../dag/graph/TaskGraph";
import ganttStyles from "./gantt/gantt.module.css";
import type { RunView } from "./runSearch";

startWorker();
const TASK = "task:";

interface Props {
  dagId: string;
  runId: string;
  view: RunView;
  set: (some: RunView) => void;
  chosen: string | undefined;
  choose: (taskId: string) => void;
  lead: ReactNode;
  tail: ReactNode;
}

export default function GraphPane({ dagId, runId, view, set, chosen, choose, lead, tail }: Props) {
  const structure = useQuery(structureQuery(dagId, runId));
  const isNarrow = useNarrow();
  const isDown = view.down === undefined ? isNarrow : view.down === "yes";
  return (
    <div className={ganttStyles.pane}>
      <div className={ganttStyles.tools} role="group" aria-label={t("Controls of the graph")}>
        {lead}
        <span className={`soft ${ganttStyles.count}`}>
          {structure.data && tn("{count} task", "{count} tasks", structure.data.tasks.length)}
        </span>
        {tail}
      </div>
      <Answer query={structure} what={t("the graph")}>
        {(found) => (
          <TaskGraph
            isPane
            structure={found}
            runId={runId}
            view={{ open: view.open, down: view.down, node: chosen === undefined ? undefined : TASK + chosen }}
            isDown={isDown}
            set={({ node, ...some }) => {
              if (node?.startsWith(TASK)) choose(node.slice(TASK.length));
              else if (Object.keys(some).length > 0) set(some);
            }}
          />
        )}
      </Answer>
    </div>
  );
}
