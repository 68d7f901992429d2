/** What each part of the page of a task instance is given. */

import type { InstancePlace } from "../../api/places";
import type { TaskInstance, TryList } from "../../api/shapes";
import type { TaskView } from "./taskSearch";

export interface PartProps {
  at: InstancePlace;
  one: TaskInstance;
  tries: TryList | undefined;
  view: TaskView;
  set: (view: TaskView) => void;
}
