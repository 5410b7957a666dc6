import { isAdvanced } from "@galley/engine";
import { useQueryState } from "../../../frame/navigation-state.ts";
import { useDocument } from "./editor-state.ts";

/** The mode of the URL; without one, the mode that the document has. */
export function useMode(): "simple" | "advanced" {
  const { query } = useQueryState();
  const isAdvancedDocument = useDocument((state) => isAdvanced(state.preset));
  const named = query["view"];
  if (named === "simple" || named === "advanced") return named;
  return isAdvancedDocument ? "advanced" : "simple";
}
