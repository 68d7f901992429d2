/** What each part of the page of a task instance is given. */

import type { InstancePlace } from "../../api/queries";
import type { TaskInstance, TaskInstanceList } from "../../api/shapes";
import type { TaskView } from "./taskSearch";

export interface PartProps {
  at: InstancePlace;
  one: TaskInstance;
  tries: TaskInstanceList | undefined;
  view: TaskView;
  set: (view: TaskView) => void;
}
