import type { DescribeOptions } from "@galley/engine/proof";
import type { RouteReply } from "galley/api";
import { useMemo } from "react";
import { useApi } from "../../api/use-api.ts";
import { presetCallNames, presetNames } from "../../document/preset-names.ts";
import { messageTexts } from "../../i18n/message.ts";
import { useText } from "../../i18n/use-text.ts";
import { namesInBuild } from "../../message/message-names.ts";

type Call = RouteReply<"sessions.call">;

interface CallNames extends DescribeOptions {
  readonly names: ReadonlyMap<string, string>;
  readonly given: ReadonlyMap<string, string> | undefined;
}

/** What the preset calls its messages and recipes, where it is still there; else each by how it begins. */
export function useCallNames({ preset: id = "", recipe, messages, ledger }: Call): CallNames {
  const { kinds } = useText(messageTexts);
  const isThere = useApi("presets.list", {}, { isEnabled: id !== "" }).data?.presets.some((item) => item.id === id);
  const found = useApi("presets.get", { params: { id } }, { isEnabled: isThere === true }).data;
  const preset = found?.preset;
  const own = preset?.contextRecipes?.find((item) => item.id === recipe?.id);
  const names = useMemo(
    () =>
      new Map([
        ["chat_history", kinds.chat_history],
        ["user_profile", kinds.user_profile],
        ...namesInBuild(messages, ledger),
        ...(preset ? presetCallNames(preset, kinds) : []),
      ]),
    [messages, ledger, preset, kinds],
  );
  return { recipe: own?.name || recipe?.id, names, given: preset && presetNames(preset) };
}
