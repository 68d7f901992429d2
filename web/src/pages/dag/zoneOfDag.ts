/** While a page of a DAG is shown, "zone of the DAG" is the zone of this DAG. */

import { useEffect } from "react";
import { setDagZone } from "../../state/times";

export function useZoneOfDag(timezone: string | null | undefined): void {
  useEffect(() => {
    setDagZone(timezone ?? undefined);
    return () => setDagZone(undefined);
  }, [timezone]);
}
