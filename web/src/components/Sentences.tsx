import type { UseQueryResult } from "@tanstack/react-query";
import type { Explanation } from "../api/shapes";
import { splitInstants } from "../state/times";
import { Answer } from "./Answer";
import { Time } from "./Time";

/** The sentences of `explain`: why something does not run, or how it ended. */
export function Sentences({ query, none }: { query: UseQueryResult<Explanation>; none: string }) {
  return (
    <section className="why" aria-label="Why">
      <Answer query={query} what="the explanation">
        {(found) => (found.sentences.length ? <ul>{found.sentences.map((one, at) => <li key={at}><Sentence text={one} /></li>)}</ul> : <p>{none}</p>)}
      </Answer>
    </section>
  );
}

/** A sentence of the server, with its instants in the chosen zone. */
export function Sentence({ text }: { text: string }) {
  return splitInstants(text).map((one, at) => (one.isInstant ? <Time key={at} at={one.text} /> : <span key={at}>{one.text}</span>));
}
