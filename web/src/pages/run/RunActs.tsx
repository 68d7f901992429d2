/** The acts on a run: what failed runs again first, the rest in a menu; and the ways to the runs beside it. */

import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { neighboursQuery } from "../../api/runs";
import type { DagRun } from "../../api/shapes";
import { Act } from "../../components/Act";
import { ActMenu } from "../../components/ActMenu";
import { NoteDialog, NoteItem } from "../../components/NoteDialog";
import { useKeys } from "../../components/useKeys";
import { useNarrow } from "../../components/useNarrow";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { EarlierIcon, HistoryIcon, LaterIcon } from "../../ui/icons";
import { MenuItem } from "../../ui/Menu";
import { FAILED_AGAIN, listRunChoices } from "./runChoices";
import { countFailed, sumCounts, useRunTasks } from "./runCounts";
import { NeighbourLink, RunNeighbours, useSameView } from "./RunNeighbours";

export function RunActs({ run }: { run: DagRun }) {
  const place = { dagId: run.dag_id, runId: run.dag_run_id };
  const navigate = useNavigate();
  const isNarrow = useNarrow();
  const found = useRunTasks(run);
  const neighbours = useQuery(neighboursQuery(run)).data;
  const openBeside = useSameView();
  const [isNoteOpen, setNoteOpen] = useState(false);
  const failed = found ? countFailed(sumCounts(found)) : 0;
  useKeys({
    "[": () => neighbours?.previous && openBeside(neighbours.previous),
    "]": () => neighbours?.next && openBeside(neighbours.next),
  });
  return (
    <>
      {!isNarrow && neighbours && <RunNeighbours neighbours={neighbours} />}
      <ActMenu
        target={place}
        choices={listRunChoices(run.state)}
        scopes={["onlyFailed", "otherDags"]}
        first={
          failed > 0
            ? {
                choice: FAILED_AGAIN,
                words: tn("Run {count} failed again", "Run {count} failed again", failed),
                short: isNarrow ? formatCount(failed) : undefined,
              }
            : undefined
        }
        onDone={(act) => {
          if (act === "delete") void navigate({ to: "/dags/$dagId", params: { dagId: run.dag_id }, search: {} });
        }}
      >
        <NoteItem place={place} note={run.note} open={() => setNoteOpen(true)} />
        {isNarrow && neighbours?.previous && (
          <MenuItem icon={EarlierIcon} render={<NeighbourLink run={neighbours.previous} />}>
            {t("Previous run")}
          </MenuItem>
        )}
        {isNarrow && neighbours?.next && (
          <MenuItem icon={LaterIcon} render={<NeighbourLink run={neighbours.next} />}>
            {t("Next run")}
          </MenuItem>
        )}
        <MenuItem
          icon={HistoryIcon}
          render={<Link to="/dags/$dagId/audit" params={{ dagId: run.dag_id }} search={{ run: run.dag_run_id }} />}
        >
          {t("All events")}
        </MenuItem>
      </ActMenu>
      <Act dagId={place.dagId}>
        {isNoteOpen && <NoteDialog place={place} note={run.note} close={() => setNoteOpen(false)} />}
      </Act>
    </>
  );
}
