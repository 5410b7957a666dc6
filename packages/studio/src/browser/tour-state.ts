import { create } from "zustand";
import { usePreferences } from "./preferences.ts";

/** What a newcomer does in the tour, in this order. */
export const deeds = ["depth", "send", "why", "back"] as const;
export type Deed = (typeof deeds)[number];

interface TourState {
  /** Which deed is asked for. */
  readonly step: number;
  /** It was done, and what came of it is being read. */
  readonly isDone: boolean;
}

const start: TourState = { step: 0, isDone: false };

export const useTourState = create<TourState>()(() => start);

/** Says that a person did something, wherever that is possible; the tour goes on where it has asked for it. */
export function did(deed: Deed): void {
  if (usePreferences.getState().tourIsDone) return;
  if (deeds[useTourState.getState().step] === deed) useTourState.setState({ isDone: true });
}

export function nextDeed(): void {
  useTourState.setState(({ step }) => ({ step: step + 1, isDone: false }));
}

export function restartTour(): void {
  useTourState.setState(start);
  usePreferences.setState({ tourIsDone: false });
}
