/** Sentences of the server, with links where they name something. */

import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { type CommandPlace, findPlace } from "../state/commandPlaces";
import { cutSpans, dropCommands, type Span } from "../state/sentenceSpans";
import { useCut } from "./LongText";
import { RunName } from "./Names";
import { Time } from "./Time";

interface SentenceProps {
  text: string;
  /** Undefined: the sentence names nothing. */
  spans: readonly Span[] | undefined;
  /** A button beside it does what its command would. */
  hasButton?: boolean;
}

export function SentenceList({ sentences, className }: { sentences: readonly SentenceProps[]; className?: string }) {
  return (
    <ul className={className}>
      {sentences.map((one, at) => (
        <li key={at}>
          <Sentence text={one.text} spans={one.spans} />
        </li>
      ))}
    </ul>
  );
}

/** Longer than any sentence without texts of users in it. */
const SENTENCE_MAX = 1_000;

/** A sentence of the server, in the language of the page, with its instants in the chosen zone, and links where it names something that has a page. */
export function Sentence({ text, spans, hasButton }: SentenceProps) {
  const { shown, button } = useCut(text, SENTENCE_MAX);
  const pieces = spans && dropCommands(shown === text ? spans : cutSpans(spans, shown.length), hasButton);
  return (
    <>
      <bdi>{pieces ? pieces.map((one, at) => <Piece key={at} span={one} />) : shown}</bdi>
      {button}
    </>
  );
}

function Piece({ span }: { span: Span }) {
  const { kind, text, dag_id: dagId, run_id: runId, task_id: taskId, map_index: mapIndex, command } = span;
  if (kind === "instant") return <Time at={text} isDate />;
  if (kind === "pool")
    return (
      <Link to="/pools" hash={`pool-${text}`}>
        {text}
      </Link>
    );
  const words = kind === "run" ? <RunName runId={text} /> : text;
  const place = command ? findPlace(command) : dagId ? { dagId, runId, taskId, mapIndex, words } : undefined;
  return place ? <PlaceLink place={place} command={command ? text : undefined} /> : <span>{words}</span>;
}

type NamedPlace = Omit<CommandPlace, "runId" | "taskId" | "words"> & {
  words: ReactNode;
  runId?: string | null | undefined;
  taskId?: string | null | undefined;
  mapIndex?: number | null | undefined;
};

function PlaceLink({ place, command }: { place: NamedPlace; command: string | undefined }) {
  const { dagId, runId, taskId, mapIndex, hash, words } = place;
  if (!runId)
    return (
      <Link to="/dags/$dagId" params={{ dagId }} search={{}} hash={hash} title={command}>
        {words}
      </Link>
    );
  if (!taskId)
    return (
      <Link
        to="/dags/$dagId/runs/$runId"
        params={{ dagId, runId }}
        title={command ?? runId}
        className={command ? "" : "name"}
      >
        {words}
      </Link>
    );
  return (
    <Link
      to="/dags/$dagId/runs/$runId/tasks/$taskId"
      params={{ dagId, runId, taskId }}
      search={mapIndex == null || mapIndex < 0 ? {} : { map: mapIndex }}
      hash={hash}
      title={command}
    >
      {words}
    </Link>
  );
}
