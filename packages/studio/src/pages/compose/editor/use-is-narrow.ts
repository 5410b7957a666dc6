import { useSyncExternalStore } from "react";

const narrow = window.matchMedia("(max-width: 1023px)");

function subscribe(changed: () => void): () => void {
  narrow.addEventListener("change", changed);
  return () => narrow.removeEventListener("change", changed);
}

/** True where columns would be too narrow to read. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
