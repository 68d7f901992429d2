/** What changes something: shown only to accounts that may do it, on this DAG or everywhere. Each button, form or link of an act stands inside. */

import type { ReactNode } from "react";
import { mayChangeEverything, useMay, useMayChange, useMe } from "../state/account";

type ActProps = {
  children: ReactNode;
  /** What an account sees in its place that may not do it. */
  otherwise?: ReactNode;
} & (
  | {
      /** The DAG that is changed, with its runs and tasks. */
      dagId: string;
    }
  | {
      /** A permission with its resource, for what is of no DAG: `edit asset`. */
      needs: string;
    }
);

export function Act({ children, otherwise = null, ...what }: ActProps) {
  const me = useMe();
  if ("dagId" in what && mayChangeEverything(me)) return children;
  return "dagId" in what ? (
    <OnDag dagId={what.dagId} otherwise={otherwise}>
      {children}
    </OnDag>
  ) : (
    <Everywhere needs={what.needs} otherwise={otherwise}>
      {children}
    </Everywhere>
  );
}

function OnDag({ dagId, children, otherwise }: { dagId: string; children: ReactNode; otherwise: ReactNode }) {
  return useMayChange(dagId) ? children : otherwise;
}

function Everywhere({ needs, children, otherwise }: { needs: string; children: ReactNode; otherwise: ReactNode }) {
  return useMay(needs) ? children : otherwise;
}
