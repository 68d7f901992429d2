/** The way to the code of a version of a DAG. */

import { Link } from "@tanstack/react-router";
import { t } from "../state/language";

export function VersionLink({ dagId, version }: { dagId: string; version: number }) {
  return (
    <Link to="/dags/$dagId/code" params={{ dagId }} search={{ version }}>
      {t("{number}, code", { number: version })}
    </Link>
  );
}
