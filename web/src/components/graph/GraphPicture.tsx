/** The picture of a graph: it can be moved, zoomed, searched, walked by keys and saved; the chosen node is told in a sheet beside it. */

import { useMemo } from "react";
import { t } from "../../state/language";
import { Fill } from "../../ui/PageHeader";
import { useSize } from "../useSize";
import { Picture } from "./Picture";
import type { GraphPictureProps } from "./pictureProps";
import { useGraphLayout } from "./useGraphLayout";
import styles from "./graph.module.css";

export function GraphPicture(props: GraphPictureProps) {
  const [frame, width, height] = useSize<HTMLDivElement>();
  const size = useMemo(() => ({ width, height }), [width, height]);
  const { laidOut, problem } = useGraphLayout(props.graphs, props.direction, size);
  const picture = (
    <div className={styles.picture} ref={frame}>
      {problem && (
        <p className="notice" role="alert">
          {problem}
        </p>
      )}
      {!laidOut && !problem && (
        <p className={`${styles.waiting} soft`} aria-busy="true">
          {t("Laying out the graph …")}
        </p>
      )}
      {laidOut && <Picture {...props} laidOut={laidOut} frame={size} />}
    </div>
  );
  return props.isPane ? (
    <div className={styles.inPane}>{picture}</div>
  ) : (
    <Fill className={styles.graph}>{picture}</Fill>
  );
}
