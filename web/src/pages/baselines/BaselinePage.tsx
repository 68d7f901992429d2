/** One baseline: how it stands, which step costs the time, the path that decides, how the prediction changed, and how it ended before. */

import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { type BaselineDetails, baselineQuery } from "../../api/baselines";
import { useNow } from "../../components/Ago";
import { Answer } from "../../components/Answer";
import { DagLink } from "../../components/Names";
import { Sentence } from "../../components/Sentences";
import { Time } from "../../components/Time";
import { useNarrow } from "../../components/useNarrow";
import { t, tn } from "../../state/language";
import { formatCount } from "../../state/numbers";
import { formatDuration } from "../../state/times";
import { Card } from "../../ui/Card";
import { PageHeader } from "../../ui/PageHeader";
import { BaselineAccuracy } from "./BaselineAccuracy";
import { BaselineActs } from "./BaselineActs";
import { namePromise, nameWeekday, Slack, Standing } from "./BaselineFacts";
import { formatShare } from "./baselineLevels";
import styles from "./baselines.module.css";
import { DefinitionHistory } from "./DefinitionHistory";
import { DueTimes } from "./DueTimes";
import { KeyPathChart } from "./KeyPathChart";
import { PredictionFan } from "./PredictionFan";

const route = getRouteApi("/baselines/$name");

export function BaselinePage() {
  const { name } = route.useParams();
  const query = useQuery(baselineQuery(name));
  return (
    <>
      <PageHeader
        path={<Link to="/baselines">{t("Baselines")}</Link>}
        title={name}
        state={query.data && <Standing baseline={query.data} />}
        facts={query.data && <HeaderFacts baseline={query.data} />}
        acts={query.data && <BaselineActs baseline={query.data} />}
      />
      <Answer query={query} what={t("the baseline")}>
        {(baseline) => <Details baseline={baseline} />}
      </Answer>
    </>
  );
}

/** On a phone there is room for when it is due; the sentence below has the rest. */
function HeaderFacts({ baseline }: { baseline: BaselineDetails }) {
  const isNarrow = useNarrow();
  return (
    <>
      {baseline.due_at && (
        <span>
          {t("due|baseline")} <Time at={baseline.due_at} />
        </span>
      )}
      {!isNarrow && <FurtherFacts baseline={baseline} />}
    </>
  );
}

function FurtherFacts({ baseline }: { baseline: BaselineDetails }) {
  return (
    <>
      {baseline.level !== null && !baseline.ended_at && baseline.breach !== null && (
        <span>{t("late with probability {share}", { share: formatShare(baseline.breach) })}</span>
      )}
      {!baseline.ended_at && baseline.slack !== null && (
        <span>
          {t("slack")} <Slack seconds={baseline.slack} />
        </span>
      )}
      {baseline.owner && <span className="name">{baseline.owner}</span>}
    </>
  );
}

function Details({ baseline }: { baseline: BaselineDetails }) {
  const { due_at: dueAt, key_path: steps, predictions, due_times: dueTimes, costly, acts } = baseline;
  const now = useNow(); // a prediction holds until the next one
  const earlier = dueTimes.filter((one) => one.due_at !== dueAt || one.ended_at !== null);
  return (
    <>
      <section className={styles.said} aria-label={t("How it stands")}>
        <p>
          <Sentence text={baseline.sentence.text} spans={baseline.sentence.spans} />
        </p>
        {costly && (
          <p>
            <span className={styles.costly} aria-hidden="true">
              ◆
            </span>{" "}
            <Sentence text={costly.text} spans={costly.spans} />
          </p>
        )}
        <Acts acts={acts} />
      </section>
      {dueAt && steps.length > 0 && (
        <Card title={t("Key path")}>
          <KeyPathChart steps={steps} dueAt={dueAt} costly={baseline.costly_step} />
        </Card>
      )}
      {dueAt && predictions.length > 0 && (
        <Card title={t("Predictions of this due time")}>
          <PredictionFan
            predictions={predictions}
            dueAt={dueAt}
            until={baseline.ended_at ?? new Date(now).toISOString()}
          />
        </Card>
      )}
      {earlier.length > 0 && (
        <Card title={t("Earlier due times")}>
          <DueTimes dueTimes={earlier} />
        </Card>
      )}
      <Card title={t("The promise")}>
        <Promise baseline={baseline} />
      </Card>
      <BaselineAccuracy baseline={baseline} />
      {baseline.is_stored && <DefinitionHistory name={baseline.name} />}
      {baseline.assumptions.length > 0 && (
        <Card title={t("Assumptions")}>
          <ul className={styles.assumptions}>
            {baseline.assumptions.map((text) => (
              <li key={text}>
                <bdi>{text}</bdi>
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}

/** Each act leads to the page of the run or the task that it explains. */
function Acts({ acts }: { acts: BaselineDetails["acts"] }) {
  const places = acts.flatMap(({ verb, names: [dagId, runId, task] }) =>
    verb === "explain" && dagId && runId ? [{ dagId, runId, task }] : [],
  );
  if (places.length === 0) return null;
  return (
    <ul className={styles.acts}>
      {places.map(({ dagId, runId, task }) => {
        const [taskId, index] = task?.match(/^(.*)\[(\d+)\]$/)?.slice(1) ?? [task];
        return (
          <li key={`${dagId} ${runId} ${task}`}>
            {taskId ? (
              <Link
                to="/dags/$dagId/runs/$runId/tasks/$taskId"
                params={{ dagId, runId, taskId }}
                search={index === undefined ? {} : { map: Number(index) }}
              >
                {t("Why {name} takes so long", { name: `${dagId} › ${task}` })}
              </Link>
            ) : (
              <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>
                {t("Why a run of {name} failed", { name: dagId })}
              </Link>
            )}
          </li>
        );
      })}
    </ul>
  );
}

/** `gnomon.toml, line 9`, with the word in the language of the page. */
function namePlace(place: string): string {
  const [, file, line] = /^(.*), line (\d+)$/.exec(place) ?? [];
  return file && line ? t("{file}, line {line}", { file, line: Number(line) }) : place;
}

function Promise({ baseline }: { baseline: BaselineDetails }) {
  const {
    of,
    margin,
    weekdays,
    calendar,
    to,
    priority,
    samples,
    unfinished,
    since,
    predicted_at: predictedAt,
  } = baseline;
  return (
    <dl className="facts">
      <div>
        <dt>{t("What must be done")}</dt>
        <dd>
          {of.map((text, at) => (
            <span key={text}>
              {at > 0 && ", "}
              {text.includes(".") ? <span className="name">{text}</span> : <DagLink dagId={text} />}
            </span>
          ))}
        </dd>
      </div>
      <div>
        <dt>{t("By|time")}</dt>
        <dd className="name">{namePromise(baseline)}</dd>
      </div>
      {weekdays.length > 0 && (
        <div>
          <dt>{t("On")}</dt>
          <dd>{weekdays.map(nameWeekday).join(", ")}</dd>
        </div>
      )}
      {calendar && (
        <div>
          <dt>{t("Calendar")}</dt>
          <dd>{t("business days of {name}", { name: calendar })}</dd>
        </div>
      )}
      {margin > 0 && (
        <div>
          <dt>{t("Margin")}</dt>
          <dd>{formatDuration(margin)}</dd>
        </div>
      )}
      <div>
        <dt>{t("At risk above")}</dt>
        <dd>{formatShare(baseline.at_risk)}</dd>
      </div>
      {baseline.owner && (
        <div>
          <dt>{t("Owner")}</dt>
          <dd className="name">{baseline.owner}</dd>
        </div>
      )}
      {to.length > 0 && (
        <div>
          <dt>{t("Channels")}</dt>
          <dd className="name">{to.join(", ")}</dd>
        </div>
      )}
      {priority.length > 0 && (
        <div>
          <dt>{t("Priority while at risk")}</dt>
          <dd className="name">{[...new Set(priority)].join("-")}</dd>
        </div>
      )}
      {!baseline.is_stored && (
        <div>
          <dt>{t("Is changed in")}</dt>
          <dd className="name">{namePlace(baseline.place)}</dd>
        </div>
      )}
      {since && (
        <div>
          <dt>{t("Level since")}</dt>
          <dd>
            <Time at={since} />
          </dd>
        </div>
      )}
      {predictedAt && (
        <div>
          <dt>{t("Predicted")}</dt>
          <dd>
            <Time at={predictedAt} />
            {samples > 0 && <> {tn("from {count} future", "from {count} futures", samples)}</>}
          </dd>
        </div>
      )}
      {unfinished > 0 && (
        <div>
          <dt>{t("Runs that have not ended")}</dt>
          <dd>{formatCount(unfinished)}</dd>
        </div>
      )}
    </dl>
  );
}
