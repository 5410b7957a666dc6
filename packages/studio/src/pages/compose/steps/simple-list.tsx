import { type ChatMessageNode, isAdvanced, kindOf } from "@galley/engine";
import { Plus } from "lucide-react";
import { type ReactElement, memo } from "react";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { Menu } from "../../../kit/menu.tsx";
import { recipesOf, useDocument } from "../state/editor-state.ts";
import { StepList } from "./step-list.tsx";
import { useStepActions } from "./use-step-actions.ts";

/** Simple mode: one list, and nothing else. */
export const SimpleList = memo(function SimpleList(): ReactElement {
  const text = useText(composeText);
  const actions = useStepActions();
  const isFixed = useDocument((state) => isAdvanced(state.preset));
  const recipes = useDocument((state) => recipesOf(state.preset).length);
  return (
    <section aria-label={text.list} className="min-h-0 flex-1 overflow-y-auto p-3">
      <div className="mx-auto flex max-w-3xl flex-col gap-3">
        {isFixed && (
          <p className="text-xs text-muted">
            {text.cannotAdd} {recipes > 1 && text.editsForAll(recipes)}
          </p>
        )}
        <StepList empty={text.emptyList} />
        {!isFixed && (
          <div>
            <Menu
              label={text.addStepTo}
              trigger={<Button icon={Plus}>{text.addStep}</Button>}
              groups={nodeGroups.map((nodes) =>
                nodes.map((node) => ({ label: text.kinds[kindOf(node)], onAction: () => actions.addMessage(node) })),
              )}
            />
          </div>
        )}
      </div>
    </section>
  );
});

/** What a list may be given, in groups. */
const nodeGroups: readonly (readonly ChatMessageNode[])[] = [
  [
    { id: "message", role: "system", content: "" },
    { id: "anchor", type: "placeholder", role: "system" },
  ],
  [
    { id: "chat_history", type: "chat_history", role: "user" },
    { id: "user_profile", type: "user_profile", role: "system" },
  ],
];
