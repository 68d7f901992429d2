/** What stands below the head of a task instance: why it waits, its question, its note, and the chosen part. */

import { useQuery } from "@tanstack/react-query";
import { hitlQuery } from "../../api/hitl";
import type { InstancePlace } from "../../api/places";
import { taskExplanationQuery, triesQuery } from "../../api/queries";
import type { TaskInstance } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { HitlForm } from "../../components/HitlForm";
import { Note } from "../../components/NoteDialog";
import { Why } from "../../components/Why";
import { t } from "../../state/language";
import { TabButtons } from "../../ui/Tabs";
import { DeferralFacts } from "./DeferralFacts";
import { Details } from "./Details";
import styles from "./instance.module.css";
import { LogPart } from "./LogPart";
import { PART_NAMES, PARTS } from "./taskParts";
import type { TaskView } from "./taskSearch";
import { Tries } from "./Tries";
import { XComs } from "./XComs";

interface Props {
  at: InstancePlace;
  one: TaskInstance;
  view: TaskView;
  set: (view: TaskView) => void;
  /** The view around it says already why the task waits or failed. */
  isExplained?: boolean;
  /** It stands inside of a view about something else. */
  isInside?: boolean;
}

export function PartTabs({ view, set }: Pick<Props, "view" | "set">) {
  return (
    <TabButtons
      label={t("Parts of the task instance")}
      value={view.part ?? "log"}
      options={PARTS.map((name) => ({ value: name, label: t(PART_NAMES[name]) }))}
      choose={(name) => set({ ...view, part: name === "log" ? undefined : name })}
    />
  );
}

export function InstanceBody({ at, one, view, set, isExplained, isInside }: Props) {
  const tries = useQuery(triesQuery(at));
  const why = useQuery(taskExplanationQuery(at));
  const part = view.part ?? "log";
  return (
    <div className={styles.body}>
      {!isExplained && <Why query={why} dagId={at.dagId} name={isInside ? at.taskId : undefined} />}
      <Question at={at} one={one} />
      {one.state === "deferred" && <DeferralFacts at={at} />}
      <Note note={one.note} />
      {part === "log" && <LogPart at={at} one={one} tries={tries.data} view={view} set={set} />}
      {part === "tries" && (
        <Answer query={tries} what={t("the tries")}>
          {(found) => <Tries at={at} one={one} tries={found} view={view} set={set} />}
        </Answer>
      )}
      {part === "xcoms" && <XComs at={at} />}
      {part === "details" && <Details at={at} one={one} />}
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
