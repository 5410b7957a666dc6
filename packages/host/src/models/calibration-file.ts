import { dirname } from "node:path";
import { type Calibration, type Observation, calibrate, noCalibration } from "@galley/engine/models";
import * as z from "zod";
import { findDocument } from "../disk/data-files.ts";
import { pathIn } from "../disk/data-paths.ts";
import { replaceFile } from "../disk/replace-file.ts";
import { makeFolder } from "../disk/private-folder.ts";

const ratio = z.number().min(0.4).max(2.5);
const fileSchema = z.looseObject({
  v: z.literal(1),
  // What no observation gives is damage: a factor of a thousand would leave no room for any message.
  models: z.record(z.string(), z.object({ ratios: z.array(ratio), factor: ratio.optional() })),
});

/** What providers reported about the sizes of requests, kept in the data folder for the estimates to come [F4]. */
export interface CalibrationFile {
  current(): Calibration;
  observe(observation: Observation): void;
  idle(): Promise<void>;
}

/** In ms: a file for each call of a model would cost more than the call's own record, and the next report says the same again. */
const patience = 1000;

export function calibrationFile(data: string): CalibrationFile {
  const file = pathIn(data, "calibration.json");
  // A file that cannot be read is started again: it is derived from what comes in anyway.
  const { models } = findDocument(file, fileSchema) ?? noCalibration;
  let current: Calibration = { models };
  // What a newer version has learned stays: it may be more than this one can write.
  const isNewer = (findDocument(file, z.looseObject({ v: z.number() }))?.v ?? 0) > 1;
  let writing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStale = false;
  const write = async (): Promise<void> => {
    isStale = false;
    makeFolder(dirname(file));
    await replaceFile(file, [`${JSON.stringify({ v: 1, ...current })}\n`]);
  };
  const begin = (): void => {
    clearTimeout(timer);
    timer = undefined;
    // Estimates are only ever better for it: a disk that refuses it now must not stop a run.
    writing ??= write()
      .catch(() => undefined)
      .finally(() => {
        writing = undefined;
        // What came meanwhile waits like the first: calls that follow each other closely would have it written all the time.
        if (isStale) wait();
      });
  };
  const wait = (): void => {
    timer ??= setTimeout(begin, patience).unref();
  };
  return {
    current: () => current,
    observe(observation) {
      const next = calibrate(current, observation);
      if (next === current) return;
      current = next;
      if (isNewer) return;
      isStale = true;
      wait();
    },
    async idle() {
      await writing;
      if (isStale) begin();
      await writing;
    },
  };
}
