/** The questions that were answered, the last first: by whom, when and how. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { answeredQuestionsQuery, PAGE, type Question } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { PlaceLinks } from "../../components/Names";
import { PageSteps } from "../../components/PageSteps";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { Value } from "../../components/Value";
import { t } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";

const route = getRouteApi("/inbox");

export function AnsweredQuestions() {
  const { page = 1 } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Answer query={useQuery(answeredQuestionsQuery(page))} what={t("the answers")}>
      {(answer) => (
        <>
          {answer.hitl_details.length === 0 ? (
            <EmptyState title={t("No question has been answered.")} />
          ) : (
            <StackTable
              label={t("Answered")}
              headings={[t("Question"), t("Task"), t("Answer"), t("By|answer"), t("At")]}
            >
              {answer.hitl_details.map((one) => (
                <AnsweredRow key={one.task_instance.id} one={one} />
              ))}
            </StackTable>
          )}
          <PageSteps
            page={page}
            size={PAGE}
            total={answer.total_entries}
            go={(to) => void navigate({ to: "/inbox", search: { view: "answered", page: to } })}
          />
        </>
      )}
    </Answer>
  );
}

function AnsweredRow({ one }: { one: Question }) {
  const params = Object.keys(one.params_input ?? {}).length > 0 ? JSON.stringify(one.params_input) : "";
  return (
    <tr>
      <td>
        <Value text={one.subject} isCode={false} />
      </td>
      <td>
        <PlaceLinks
          dagId={one.task_instance.dag_id}
          runId={one.task_instance.dag_run_id}
          taskId={one.task_instance.task_id}
          mapIndex={one.task_instance.map_index}
        />
      </td>
      <td>
        <span className="name">{(one.chosen_options ?? []).join(", ")}</span>
        {params && <Value text={params} />}
      </td>
      <td>{one.responded_by_user?.name ?? t("nobody: its time was over")}</td>
      <td>
        <Time at={one.responded_at} />
      </td>
    </tr>
  );
}
