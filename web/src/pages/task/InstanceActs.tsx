/** The acts on a task instance: run it again first, the rest in a menu. */

import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { InstancePlace } from "../../api/places";
import type { TaskInstance } from "../../api/shapes";
import { Act } from "../../components/Act";
import { ActMenu } from "../../components/ActMenu";
import { NoteDialog, NoteItem } from "../../components/NoteDialog";
import { useNarrow } from "../../components/useNarrow";
import { t } from "../../state/language";
import { ListIcon } from "../../ui/icons";
import { MenuItem } from "../../ui/Menu";
import { CLEAR, listScopes, RUNNING_ACTS, TASK_ACTS, useActTarget } from "./taskActs";

interface Props {
  at: InstancePlace;
  one: TaskInstance;
  isSmall?: boolean;
}

export function InstanceActs({ at, one, isSmall }: Props) {
  const target = useActTarget(at);
  const isNarrow = useNarrow();
  const [isNoteOpen, setNoteOpen] = useState(false);
  const isActive = one.state === "running" || one.state === "queued";
  const hasEnded = ["failed", "upstream_failed"].includes(one.state ?? "");
  return (
    <>
      <ActMenu
        target={target}
        choices={isActive ? RUNNING_ACTS : TASK_ACTS}
        scopes={listScopes(target)}
        first={hasEnded ? { choice: CLEAR, words: t("Run again"), short: isNarrow ? null : undefined } : undefined}
        isSmall={isSmall}
      >
        <NoteItem place={at} note={one.note} open={() => setNoteOpen(true)} />
        <MenuItem icon={ListIcon} render={<Link to="/tasks" search={{ dag_id: at.dagId, task: at.taskId }} />}>
          {t("This task in all runs")}
        </MenuItem>
      </ActMenu>
      <Act dagId={at.dagId}>
        {isNoteOpen && <NoteDialog place={at} note={one.note} close={() => setNoteOpen(false)} />}
      </Act>
    </>
  );
}
