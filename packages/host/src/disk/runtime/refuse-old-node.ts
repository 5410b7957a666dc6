// The first import of every entry: an older Node is told in a sentence what is needed, before anything fails in it [J4].
// Whether Bun and Deno keep what is written, `sqlite-module.ts` finds out.
import { GalleyError } from "@galley/engine";
import { isNeededNode, isNode, neededHint, neededNode, runtimeName } from "./needed-node.js";

if (isNode && !isNeededNode)
  throw new GalleyError("StoreUnavailable", `${neededNode}; this is ${runtimeName}.`, { hint: neededHint });
