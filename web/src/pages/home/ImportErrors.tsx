/** The DAG files that cannot be loaded, in one line: it opens to the file, the line, what is wrong, and what to do. */

import { useQuery } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { importErrorsQuery } from "../../api/queries";
import type { ImportErrorList } from "../../api/shapes";
import { Answer } from "../../components/Answer";
import { t, tn } from "../../state/language";
import { shortPath } from "../../state/paths";
import { readProblem } from "./importProblem";
import styles from "./importErrors.module.css";

const NAMED_MAX = 3;

export function ImportErrors() {
  const isWanted = useRouterState({ select: (state) => state.location.hash === "import-errors" });
  return (
    <Answer query={useQuery(importErrorsQuery())} what={t("the import errors")}>
      {({ import_errors: errors, total_entries: total }) =>
        errors.length ? (
          <details className={styles.errors} id="import-errors" aria-label={t("Import errors")} open={isWanted}>
            <summary>
              <b>{tn("{count} DAG file cannot be loaded", "{count} DAG files cannot be loaded", total)}</b>
              <span className={styles.names}>
                {errors
                  .slice(0, NAMED_MAX)
                  .map((one) => shortPath(one.filename))
                  .join(", ")}
                {total > NAMED_MAX && ", …"}
              </span>
              {errors.length === 1 && errors[0] && (
                <span className={`name ${styles.why}`}>{tellProblem(errors[0])}</span>
              )}
            </summary>
            {errors.map((one) => (
              <Problem key={one.import_error_id} error={one} />
            ))}
            <p>
              {t(
                "Correct the file: it is read again when it changes, and this line goes away. Runs of its DAGs keep the version that was read last.",
              )}
            </p>
          </details>
        ) : null
      }
    </Answer>
  );
}

/** What is wrong, in short: of the only file there is room for it. */
function tellProblem(error: ImportErrorList["import_errors"][number]): string {
  const { line, message } = readProblem(error.stack_trace, error.filename);
  return [line === undefined ? "" : t("line {line}", { line }), message].filter(Boolean).join(": ");
}

function Problem({ error }: { error: ImportErrorList["import_errors"][number] }) {
  const problem = readProblem(error.stack_trace, error.filename);
  return (
    <details className={styles.problem}>
      <summary>
        <span className="name strong" title={error.filename}>
          {shortPath(error.filename)}
        </span>
        {problem.line !== undefined && <> {t("line {line}", { line: problem.line })}</>}:{" "}
        <span className="name">{problem.message}</span>
      </summary>
      <pre tabIndex={0} aria-label={t("Traceback")}>
        {error.stack_trace}
      </pre>
    </details>
  );
}
