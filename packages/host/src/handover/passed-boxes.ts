import type { JsonObject } from "@galley/engine";
import * as z from "zod";
import type { Turn } from "../store/turn-store.ts";

const detailsSchema = z.object({ passed: z.array(z.object({ boxId: z.string(), version: z.int() })).default([]) });

/** A box that was passed to a turn, with the version that it had. */
export type PassedBox = z.output<typeof detailsSchema>["passed"][number];

/** The boxes that were passed to a turn explicitly. */
export function passedBoxes({ details }: Turn): readonly PassedBox[] {
  return detailsSchema.safeParse(details).data?.passed ?? [];
}

/** How a turn remembers the boxes that were passed to it. */
export function passedDetails(passed: readonly PassedBox[]): JsonObject {
  return passed.length === 0 ? {} : { passed: passed.map(({ boxId, version }) => ({ boxId, version })) };
}
