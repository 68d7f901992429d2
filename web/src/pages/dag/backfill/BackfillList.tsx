/** The newest backfills of a DAG. */

import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { backfillsQuery } from "../../../api/across";
import { Answer } from "../../../components/Answer";
import { BackfillItem } from "../../../components/BackfillItem";
import { t, tn } from "../../../state/language";
import styles from "../../../components/backfill.module.css";

export function BackfillList({ dagId }: { dagId: string }) {
  return (
    <section>
      <h2>{t("Backfills")}</h2>
      <Answer query={useQuery(backfillsQuery({ dag: dagId }))} what={t("the backfills")}>
        {(found) => (
          <>
            {found.backfills.length === 0 && <p>{t("This DAG has had no backfill yet.")}</p>}
            <ul className={styles.list}>
              {found.backfills.map((one) => (
                <BackfillItem key={one.backfill_id} backfill={one} />
              ))}
            </ul>
            {found.total_entries > found.backfills.length && (
              <p>
                <Link to="/backfills" search={{ dag: dagId }}>
                  {tn("All {count} backfill", "All {count} backfills", found.total_entries)}
                </Link>
              </p>
            )}
          </>
        )}
      </Answer>
    </section>
  );
}
