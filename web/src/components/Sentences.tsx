import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Explanation } from "../api/shapes";
import { t } from "../state/language";
import { splitPools } from "../state/sentencePools";
import { findRun } from "../state/sentenceRuns";
import { type CommandPlace, splitCommands } from "../state/sentenceCommands";
import { splitInstants } from "../state/times";
import { Answer } from "./Answer";
import { useCut } from "./LongText";
import { Time } from "./Time";

/** The sentences of `explain`: why something does not run, or how it ended. */
export function Sentences({ query, none, dagId }: { query: UseQueryResult<Explanation>; none: string; dagId: string }) {
  return (
    <section className="why" aria-label={t("Why")}>
      <Answer query={query} what={t("the explanation")}>
        {(found) =>
          found.sentences.length ? (
            <ul>
              {found.sentences.map((one, at) => (
                <li key={at}>
                  <RunSentence text={one} dagId={dagId} />
                </li>
              ))}
            </ul>
          ) : (
            <p>{none}</p>
          )
        }
      </Answer>
    </section>
  );
}

/** A sentence about a run of the DAG begins with a link to it. */
function RunSentence({ text, dagId }: { text: string; dagId: string }) {
  const runId = findRun(text);
  if (runId === undefined) return <Sentence text={text} />;
  return (
    <>
      run{" "}
      <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} className="name">
        {runId}
      </Link>
      <Sentence text={text.slice("run ".length + runId.length)} />
    </>
  );
}

/** Longer than any sentence without texts of users in it. */
const SENTENCE_MAX = 1_000;

/** A sentence of the server, which is English in each language of the page, with its instants in the chosen zone, and links in place of commands for which the page has a place. */
export function Sentence({ text }: { text: string }) {
  const { shown, button } = useCut(text, SENTENCE_MAX);
  return (
    <>
      <bdi lang="en">
        {splitCommands(shown).map((one, at) =>
          one.place ? <PlaceLink key={at} place={one.place} command={one.text} /> : <Pools key={at} text={one.text} />,
        )}
      </bdi>
      {button}
    </>
  );
}

/** The pools that a text names as the reason of a wait, as links to them. */
function Pools({ text }: { text: string }) {
  return splitPools(text).map((one, at) =>
    one.pool === undefined ? (
      <Instants key={at} text={one.text} />
    ) : (
      <Link key={at} to="/pools" hash={`pool-${one.pool}`}>
        {one.text}
      </Link>
    ),
  );
}

function Instants({ text }: { text: string }) {
  return splitInstants(text).map((one, at) =>
    one.isInstant ? <Time key={at} at={one.text} /> : <span key={at}>{one.text}</span>,
  );
}

function PlaceLink({
  place: { dagId, runId, taskId, hash, words },
  command,
}: {
  place: CommandPlace;
  command: string;
}) {
  if (!runId)
    return (
      <Link to="/dags/$dagId" params={{ dagId }} search={{}} hash={hash} title={command}>
        {words}
      </Link>
    );
  if (!taskId)
    return (
      <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} title={command}>
        {words}
      </Link>
    );
  return (
    <Link
      to="/dags/$dagId/runs/$runId/tasks/$taskId"
      params={{ dagId, runId, taskId }}
      search={{}}
      hash={hash}
      title={command}
    >
      {words}
    </Link>
  );
}
