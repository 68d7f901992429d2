import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { timelineQuery } from "../../api/overviews";
import { useZone } from "../../state/times";
import { findAhead } from "../../state/zonedTimes";
import { type HomeView, minutesPastHour } from "./homeView";

/** The past and the coming hours. `isWanted`: what stands above is shown; the time line costs the server most and comes after it. */
export function useTimeline(view: HomeView, isWanted: boolean) {
  const group = view.group ?? "tag";
  const [opened] = useState(() => Date.now());
  const ahead = minutesPastHour(findAhead(opened, useZone()));
  return useQuery({ ...timelineQuery({ group, within: view.within, value: view.value, ahead }), enabled: isWanted });
}
