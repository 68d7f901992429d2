/** What a view gives to the picture of its graph. */

import type { ReactNode } from "react";
import type { Direction } from "./layout";
import type { PictureGraph, PictureNode } from "./picture";

export interface NodeDetails {
  title: ReactNode;
  aside?: ReactNode;
  content: ReactNode;
}

export interface GraphPictureProps {
  /** Ways to fold the same graph, the least folded first. */
  graphs: readonly PictureGraph[];
  direction: Direction;
  /** What is searched for, and the nodes that have it, the best first. */
  find: string;
  listMatches: (graph: PictureGraph) => number[];
  /** The key of the chosen node. */
  chosen: string | undefined;
  choose: (key: string | undefined) => void;
  /** Enter or a double click: the page of the node. */
  activate: (node: PictureNode) => void;
  /** Opens or folds a group of the graph that is shown. */
  toggle: (node: PictureNode, graph: PictureGraph) => void;
  describe: (at: number, graph: PictureGraph, choose: (at: number) => void) => NodeDetails;
  /** Further controls over the picture. */
  controls?: ReactNode;
  /** The name of the file that is saved. */
  fileName: string;
  /** The picture is a pane of a view, which tells of the chosen node itself: it fills the pane, and has no sheet and no small map. */
  isPane?: boolean;
}
