/** One task instance: its state and why, its question, its acts, and its parts as tabs: log, tries, XComs, details. */

import { TabButtons } from "../../ui/Tabs";
import { useQuery } from "@tanstack/react-query";
import { hitlQuery } from "../../api/hitl";
import type { InstancePlace } from "../../api/places";
import { instanceQuery, taskExplanationQuery, triesQuery } from "../../api/queries";
import { ActPanel } from "../../components/ActPanel";
import { Answer } from "../../components/Answer";
import { HitlForm } from "../../components/HitlForm";
import { NoteEditor } from "../../components/NoteEditor";
import type { TaskInstance } from "../../api/shapes";
import { StateBadge } from "../../components/StateBadge";
import { Time } from "../../components/Time";
import { Why } from "../../components/Why";
import { t } from "../../state/language";
import { formatDuration } from "../../state/times";
import { DeferralFacts } from "./DeferralFacts";
import { Details } from "./Details";
import { LogPart } from "./LogPart";
import { RUNNING_ACTS, TASK_ACTS, useActTarget } from "./taskActs";
import { PARTS, type TaskPart, type TaskView } from "./taskSearch";
import { Tries } from "./Tries";
import { XComs } from "./XComs";

const LABELS: Record<TaskPart, string> = {
  log: /* text */ "Log",
  tries: /* text */ "Tries",
  xcoms: /* text */ "XComs",
  details: /* text */ "Details",
};

export function InstanceView({ at, view, set }: { at: InstancePlace; view: TaskView; set: (view: TaskView) => void }) {
  const instance = useQuery(instanceQuery(at));
  const tries = useQuery({ ...triesQuery(at), enabled: instance.data !== undefined });
  const why = useQuery(taskExplanationQuery(at));
  const target = useActTarget(at);
  const part = view.part ?? "log";
  return (
    <Answer query={instance} what={t("the task instance")}>
      {(one) => (
        <>
          <Head one={one} />
          <Why query={why} dagId={at.dagId} none={t("Nothing prevents this task from running.")} />
          <Question at={at} one={one} />
          {one.state === "deferred" && <DeferralFacts at={at} />}
          <ActPanel
            target={target}
            choices={one.state === "running" || one.state === "queued" ? RUNNING_ACTS : TASK_ACTS}
            scopes={[
              "upstream",
              "downstream",
              "past",
              "future",
              "onlyFailed",
              ...(target.groupId ? ["group" as const] : []),
              ...(at.mapIndex >= 0 ? ["allIndexes" as const] : []),
            ]}
          />
          <TabButtons
            label={t("Parts of the task instance")}
            value={part}
            options={PARTS.map((name) => ({ value: name, label: t(LABELS[name]) }))}
            choose={(name) => set({ ...view, part: name === "log" ? undefined : name })}
          />
          {part === "log" && <LogPart at={at} one={one} tries={tries.data} view={view} set={set} />}
          {part === "tries" && (
            <Answer query={tries} what={t("the tries")}>
              {(found) => <Tries at={at} one={one} tries={found} view={view} set={set} />}
            </Answer>
          )}
          {part === "xcoms" && <XComs at={at} />}
          {part === "details" && <Details at={at} one={one} />}
        </>
      )}
    </Answer>
  );
}

function Head({ one }: { one: TaskInstance }) {
  return (
    <div className="head">
      <p>
        <StateBadge state={one.state} /> {one.operator} ·{" "}
        {t("try {number} of at most {most}", { number: one.try_number, most: (one.max_tries ?? 0) + 1 })}
        {one.start_date && (
          <>
            {" "}
            · <Time at={one.start_date} />
          </>
        )}
        {one.end_date && (
          <>
            {" "}
            {t("to")} <Time at={one.end_date} />
          </>
        )}
        {one.duration !== null && <span className="soft"> ({formatDuration(one.duration)})</span>}
      </p>
      <NoteEditor
        place={{ dagId: one.dag_id, runId: one.dag_run_id, taskId: one.task_id, mapIndex: one.map_index }}
        note={one.note}
      />
    </div>
  );
}

/** The question of a task that asks a person; asked for only where a question can be. */
function Question({ at, one }: { at: InstancePlace; one: TaskInstance }) {
  const asks =
    String(one.state) === "awaiting_input" ||
    one.state === "deferred" ||
    /hitl|approval|human/i.test(one.operator ?? "");
  const question = useQuery({ ...hitlQuery(at), enabled: asks });
  if (!question.data) return null;
  return (
    <div id="question">
      <HitlForm detail={question.data} heading="h2" />
    </div>
  );
}
