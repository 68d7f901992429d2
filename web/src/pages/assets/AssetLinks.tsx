/** Links to the DAGs and tasks that name an asset, the first few of many. */

import { Link } from "@tanstack/react-router";
import { t } from "../../state/language";

const SHOWN_MAX = 8;

export function DagLinks({ dagIds }: { dagIds: string[] }) {
  if (dagIds.length === 0) return <span className="soft none">–</span>;
  return (
    <>
      {dagIds.slice(0, SHOWN_MAX).map((dagId) => (
        <Link key={dagId} className="name block" to="/dags/$dagId" params={{ dagId }} search={{}}>
          {dagId}
        </Link>
      ))}
      <More count={dagIds.length - SHOWN_MAX} />
    </>
  );
}

export function TaskLinks({ tasks }: { tasks: { dag_id: string; task_id: string }[] }) {
  if (tasks.length === 0) return <span className="soft none">–</span>;
  return (
    <>
      {tasks.slice(0, SHOWN_MAX).map((one) => (
        <span key={`${one.dag_id} ${one.task_id}`} className="block">
          <Link className="name" to="/dags/$dagId" params={{ dagId: one.dag_id }} search={{ task: one.task_id }}>
            {one.dag_id}.{one.task_id}
          </Link>
        </span>
      ))}
      <More count={tasks.length - SHOWN_MAX} />
    </>
  );
}

function More({ count }: { count: number }) {
  return count > 0 ? <span className="soft block">{t("and {count} more", { count })}</span> : null;
}
