/** The worker that lays graphs out, one for the page, and the last layouts: a graph that is shown again is there at once. */

type Answer = Record<string, unknown>;
interface Waiting {
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

const KEPT_MAX = 8;
/** By the text of the request, the last used at the end. */
const kept = new Map<string, Answer>();
const waiting = new Map<number, Waiting>();
let worker: Worker | undefined;
let count = 0;

/** The answer to a request that was answered before. */
export function findLayout<A>(key: string): A | undefined {
  const found = kept.get(key);
  if (found) {
    kept.delete(key);
    kept.set(key, found);
  }
  return found as A | undefined;
}

/** The answer of the worker, which is kept. `key`: the text of the request. Rejects when the worker cannot compute. */
export async function askLayout<A>(key: string, request: object): Promise<A> {
  const number = ++count;
  const answer = await new Promise<Answer>((resolve, reject) => {
    waiting.set(number, { resolve, reject });
    startWorker().postMessage({ ...request, number });
  });
  kept.set(key, answer);
  for (const oldest of kept.keys()) {
    if (kept.size <= KEPT_MAX) break;
    kept.delete(oldest);
  }
  return answer as A;
}

/** The worker; it starts while what it will lay out is still read. */
export function startWorker(): Worker {
  if (worker) return worker;
  const started = new Worker(new URL("./layoutWorker.ts", import.meta.url), { type: "module" });
  started.onmessage = (event: MessageEvent<Answer & { number: number }>) => {
    waiting.get(event.data.number)?.resolve(event.data);
    waiting.delete(event.data.number);
  };
  started.onerror = (event) => {
    worker = undefined;
    started.terminate();
    const error = new Error(event.message || "the layout worker does not start");
    for (const one of waiting.values()) one.reject(error);
    waiting.clear();
  };
  worker = started;
  return started;
}
