/** Questions of tasks to people: those that wait, one's own first, equal ones together, and the answers that were given. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { openQuestionsQuery, type Question, questionCountQuery } from "../../api/administration";
import { Answer } from "../../components/Answer";
import { HitlForm } from "../../components/HitlForm";
import { useMay, useMe } from "../../state/account";
import { t, tn } from "../../state/language";
import { EmptyState } from "../../ui/EmptyState";
import { CheckIcon } from "../../ui/icons";
import { PageHeader } from "../../ui/PageHeader";
import { TabLinks } from "../../ui/Tabs";
import { AnsweredQuestions } from "./AnsweredQuestions";
import { EqualQuestions } from "./EqualQuestions";
import { QuestionPlace } from "./QuestionPlace";
import { groupEqual, sortQuestions } from "./sortQuestions";
import styles from "./inbox.module.css";

const route = getRouteApi("/inbox");

export function InboxPage() {
  const { view } = route.useSearch();
  const count = useQuery(questionCountQuery()).data;
  const tab = (isHere: boolean) => (isHere ? { className: "active", "aria-current": "page" as const } : {});
  return (
    <>
      <PageHeader
        title={t("Questions to people")}
        facts={
          count !== undefined && (
            <span role="status">{tn("{count} question waits", "{count} questions wait", count)}</span>
          )
        }
        tabs={
          <TabLinks label={t("Views of the questions")}>
            <Link to="/inbox" search={{}} {...tab(view !== "answered")}>
              {t("Waiting")}
            </Link>
            <Link to="/inbox" search={{ view: "answered" }} {...tab(view === "answered")}>
              {t("Answered")}
            </Link>
          </TabLinks>
        }
      />
      {view === "answered" ? <AnsweredQuestions /> : <Open />}
    </>
  );
}

function Open() {
  const me = useMe();
  const mayAnswer = useMay("edit question");
  return (
    <Answer query={useQuery(openQuestionsQuery())} what={t("the questions")}>
      {(answer) => {
        const { mine, open, others } = sortQuestions(answer.hitl_details, me?.account ?? "");
        return (
          <div className={styles.questions}>
            {!mayAnswer && me && (
              <p className="notice">
                {t("Your account may read questions and not answer them: answering needs the role user.")}
              </p>
            )}
            <Group title={t("For you")} questions={mine} />
            <Group title={t("For everybody")} questions={open} />
            <Group title={t("For others")} questions={others} />
            {answer.total_entries > answer.hitl_details.length && (
              <p className="soft">{t("The {count} oldest are shown.", { count: answer.hitl_details.length })}</p>
            )}
            {answer.total_entries === 0 && (
              <EmptyState icon={CheckIcon} title={t("No task waits for a person.")}>
                {t("A task that asks somebody, as an ApprovalOperator does, stands here until it is answered.")}
              </EmptyState>
            )}
          </div>
        );
      }}
    </Answer>
  );
}

function Group({ title, questions }: { title: string; questions: Question[] }) {
  if (questions.length === 0) return null;
  return (
    <section>
      <h2>{title}</h2>
      {groupEqual(questions).map((equal) => {
        const first = equal[0] as Question;
        return equal.length > 1 ? (
          <EqualQuestions key={first.task_instance.id} questions={equal} />
        ) : (
          <article key={first.task_instance.id} className={styles.question}>
            <QuestionPlace question={first} />
            <HitlForm detail={first} />
          </article>
        );
      })}
    </section>
  );
}
