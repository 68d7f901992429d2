/** Questions of tasks to people: those that wait, one's own first, and the answers that were given. */

import { TabLinks } from "../../ui/Tabs";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link, useNavigate } from "@tanstack/react-router";
import { answeredQuestionsQuery, openQuestionsQuery, PAGE, type Question } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { HitlForm } from "../../components/HitlForm";
import { PlaceLinks } from "../../components/Names";
import { PageButtons } from "../../components/PageButtons";
import { StackTable } from "../../components/StackTable";
import { Time } from "../../components/Time";
import { Value } from "../../components/Value";
import { useMay, useMe } from "../../state/account";
import { t, tn } from "../../state/language";
import { sortQuestions } from "./sortQuestions";

const route = getRouteApi("/inbox");

export function InboxPage() {
  const { view } = route.useSearch();
  return (
    <>
      <h1>{t("Questions to people")}</h1>
      <TabLinks label={t("Views of the questions")}>
        <Link
          to="/inbox"
          search={{}}
          className={view === "answered" ? undefined : "active"}
          aria-current={view === "answered" ? undefined : "page"}
        >
          {t("Waiting")}
        </Link>
        <Link
          to="/inbox"
          search={{ view: "answered" }}
          className={view === "answered" ? "active" : undefined}
          aria-current={view === "answered" ? "page" : undefined}
        >
          {t("Answered")}
        </Link>
      </TabLinks>
      {view === "answered" ? <Answered /> : <Open />}
    </>
  );
}

function Open() {
  const me = useMe();
  const mayAnswer = useMay("edit question");
  return (
    <Answer query={useQuery(openQuestionsQuery())} what={t("the questions")}>
      {(found) => {
        const { mine, open, others } = sortQuestions(found.hitl_details, me?.account ?? "");
        return (
          <>
            <p className="soft" role="status">
              {tn("{count} question waits", "{count} questions wait", found.total_entries)}
            </p>
            {!mayAnswer && me && (
              <p className="notice">
                {t("Your account may read questions and not answer them: answering needs the role user.")}
              </p>
            )}
            {mine.length > 0 && <Group title={t("For you")} questions={mine} />}
            {open.length > 0 && <Group title={t("For everybody")} questions={open} />}
            {others.length > 0 && <Group title={t("For others")} questions={others} />}
            {found.total_entries > found.hitl_details.length && (
              <p className="soft">{t("The {count} oldest are shown.", { count: found.hitl_details.length })}</p>
            )}
            {found.total_entries === 0 && <p>{t("No task waits for a person.")}</p>}
          </>
        );
      }}
    </Answer>
  );
}

function Group({ title, questions }: { title: string; questions: Question[] }) {
  return (
    <section>
      <h2>{title}</h2>
      {questions.map((one) => (
        <article key={one.task_instance.id} className="asked">
          <p>
            <PlaceLinks
              dagId={one.task_instance.dag_id}
              runId={one.task_instance.dag_run_id}
              taskId={one.task_instance.task_id}
              mapIndex={one.task_instance.map_index}
            />{" "}
            <span className="soft">
              {t("since")} <Time at={one.created_at} />
            </span>
          </p>
          <HitlForm detail={one} />
        </article>
      ))}
    </section>
  );
}

function Answered() {
  const { page = 1 } = route.useSearch();
  const navigate = useNavigate();
  return (
    <Answer query={useQuery(answeredQuestionsQuery(page))} what={t("the answers")}>
      {(found) => (
        <>
          {found.hitl_details.length === 0 ? (
            <p>{t("No question has been answered.")}</p>
          ) : (
            <StackTable
              label={t("Answered")}
              headings={[t("Question"), t("Task"), t("Answer"), t("By|answer"), t("At")]}
            >
              {found.hitl_details.map((one) => (
                <AnsweredRow key={one.task_instance.id} one={one} />
              ))}
            </StackTable>
          )}
          <PageButtons
            page={page}
            size={PAGE}
            total={found.total_entries}
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
