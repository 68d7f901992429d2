import { useQuery } from "@tanstack/react-query";
import { timelineQuery } from "../../api/overviews";
import type { HomeView } from "./homeView";

/** The past and the coming hours. `isWanted`: what stands above is shown; the time line costs the server most and comes after it. */
export function useTimeline(view: HomeView, isWanted: boolean) {
  const group = view.group ?? "tag";
  return useQuery({ ...timelineQuery({ group, within: view.within, value: view.value }), enabled: isWanted });
}
