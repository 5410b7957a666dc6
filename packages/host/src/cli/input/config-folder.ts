import { Option } from "commander";
import { findConfig } from "../../config/find-config.ts";

/** `--config`, for commands that read the configuration; where none is named it is the nearest one. */
export function configOption(): Option {
  const description = "the folder of galley.config.ts or galley.config.json";
  return new Option("--config <folder>", description).default(findConfig(".") ?? ".", "the nearest, from here upwards");
}
