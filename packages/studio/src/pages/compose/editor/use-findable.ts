import { isAdvanced, kindOf } from "@galley/engine";
import { useCallback } from "react";
import { callName } from "../../../document/preset-names.ts";
import { shownSteps } from "../../../document/shown-steps.ts";
import { type PageItem, usePageItems } from "../../../frame/page-actions.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { useEditor } from "../state/editor-state.ts";

/** Lets the palette find the messages of the preset: a template opens for all that use it, a message of a list in its row. */
export function useFindable(): void {
  const { document, view } = useEditor();
  const { kinds } = useText(composeText);
  const list = useCallback((): readonly PageItem[] => {
    const { preset } = document.store.getState();
    if (isAdvanced(preset)) {
      return (preset.messageTemplates ?? []).map((template) => {
        const { id, name, content = "" } = template;
        const label = callName({ id, name, content, kind: kindOf(template) }, kinds);
        return { id, label, text: content, run: () => view.setState({ openTemplate: id }) };
      });
    }
    return shownSteps(preset, 0).map((step) => ({
      id: step.key,
      label: callName(step, kinds),
      text: step.content,
      run: () => {
        view.setState({ openStep: step.key });
        window.document.querySelector(`[data-step-index="${step.index}"]`)?.scrollIntoView({ block: "nearest" });
      },
    }));
  }, [document, view, kinds]);
  usePageItems(list);
}
