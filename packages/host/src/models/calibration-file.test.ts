import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noCalibration } from "@galley/engine/models";
import { expect, test } from "vitest";
import { dataFolder } from "../galley/testing/temp-galley.ts";
import { calibrationFile } from "./calibration-file.ts";

test("[F4] what was reported is there when the file is opened again", async () => {
  const data = dataFolder();
  const file = calibrationFile(data);
  file.observe({ model: "m", estimated: 1000, reported: 1200 });
  await file.idle();
  expect(calibrationFile(data).current()).toEqual({ models: { m: { ratios: [1.2] } } });
});

test("[F4] what is reported while the file is written waits for the next time, and is not lost", async () => {
  const data = dataFolder();
  const file = calibrationFile(data);
  file.observe({ model: "m", estimated: 1000, reported: 1200 });
  const first = file.idle();
  await Promise.resolve();
  file.observe({ model: "m", estimated: 1000, reported: 1300 });
  await first;
  expect(calibrationFile(data).current()).toEqual({ models: { m: { ratios: [1.2] } } });
  await file.idle();
  expect(calibrationFile(data).current()).toEqual({ models: { m: { ratios: [1.2, 1.3] } } });
});

test.each(["{", "[]", '{"v":1,"models":{"m":{"ratios":[1e9,1e9,1e9]}}}', '{"v":1,"models":{"m":{"ratios":[-1]}}}'])(
  "[F4] a damaged file is replaced: %s",
  (content) => {
    const data = dataFolder();
    mkdirSync(data);
    writeFileSync(join(data, "calibration.json"), content);
    expect(calibrationFile(data).current()).toEqual(noCalibration);
  },
);
