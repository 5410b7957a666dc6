import { type Virtualizer, useVirtualizer } from "@tanstack/react-virtual";
import type { RefObject } from "react";

export type Rows = Virtualizer<HTMLDivElement, Element>;

/** The rows of a long list that are in sight, each as high as it turns out to be. */
export function useRows(pane: RefObject<HTMLDivElement | null>, count: number, height: number): Rows {
  // What it gives changes without telling React, so that nothing made of it may be remembered; nothing here is.
  // oxlint-disable-next-line react/incompatible-library
  return useVirtualizer({ count, getScrollElement: () => pane.current, estimateSize: () => height, overscan: 2 });
}
