import type { PostProcessing } from "@galley/engine";
import { Trash2 } from "lucide-react";
import { type ReactElement, useState } from "react";
import { setPostProcessing, setText, setVariable } from "../../../document/recipe-edits.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button, IconButton } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Switch, TextField } from "../../../kit/fields.tsx";
import { useDocument, useEditor, usePreview } from "../state/editor-state.ts";

/** Name, description, variables and post-processing. Every change is an edit at once. */
export function DetailsDialog({ onClose }: { readonly onClose: () => void }): ReactElement {
  const text = useText(composeText);
  const { document, preview } = useEditor();
  const name = useDocument((state) => state.preset.name ?? "");
  const description = useDocument((state) => state.preset.description ?? "");
  const profile = usePreview((state) => state.userProfile);
  return (
    <Dialog title={text.detailsTitle} onClose={onClose} width="wide">
      <div className="flex flex-col gap-5">
        <TextField
          label={text.displayName}
          value={name}
          onChange={(value) => document.edit("rename preset", (draft) => setText(draft, "name", value), "name")}
        />
        <TextField
          label={text.description}
          rows={2}
          value={description}
          onChange={(value) =>
            document.edit("edit description", (draft) => setText(draft, "description", value), "description")
          }
        />
        <Variables />
        <TextField
          label={text.profileText}
          description={text.profileHint}
          rows={2}
          value={profile}
          onChange={(userProfile) => preview.set({ userProfile })}
        />
        <Processing />
      </div>
    </Dialog>
  );
}

function Variables(): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const variables = useDocument((state) => state.preset.variables) ?? {};
  const [name, setName] = useState("");
  const add = (): void => {
    document.edit("set variable", (draft) => setVariable(draft, name.trim(), ""));
    setName("");
  };
  return (
    <section aria-label={text.variables} className="flex flex-col gap-2">
      <h3 className="font-semibold">{text.variables}</h3>
      <p className="text-xs text-muted">{text.variablesHint}</p>
      {Object.entries(variables).map(([key, value]) => (
        <div key={key} className="flex items-end gap-2">
          <TextField
            label={`{{${key}}}`}
            value={value}
            onChange={(next) =>
              document.edit("set variable", (draft) => setVariable(draft, key, next), `variable ${key}`)
            }
            className="flex-1"
          />
          <IconButton
            label={text.deleteVariable(key)}
            onPress={() => document.edit("delete variable", (draft) => setVariable(draft, key, undefined))}
            icon={Trash2}
          />
        </div>
      ))}
      <div className="flex items-end gap-2">
        <TextField label={text.variableName} value={name} onChange={setName} mono className="flex-1" />
        <Button isDisabled={name.trim() === "" || name.trim() in variables} onPress={add}>
          {text.addVariable}
        </Button>
      </div>
    </section>
  );
}

const order: readonly (keyof PostProcessing)[] = [
  "mergeInjected",
  "keepBlank",
  "omitHistory",
  "continueLast",
  "squashSystem",
  "mergeSystemToHead",
  "systemToUser",
  "mergeNeighbours",
  "forceAlternation",
];

function Processing(): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const processing = useDocument((state) => state.preset.postProcessing) ?? {};
  const set = (key: Exclude<keyof PostProcessing, "continueLast">, value: boolean): void =>
    document.edit("set post-processing", (draft) => setPostProcessing(draft, key, value));
  const setContinue = (value: string | undefined): void =>
    document.edit("set post-processing", (draft) => setPostProcessing(draft, "continueLast", value), "continueLast");
  return (
    <section aria-label={text.postProcessing} className="flex flex-col gap-2">
      <h3 className="font-semibold">{text.postProcessing}</h3>
      <p className="text-xs text-muted">{text.postProcessingHint}</p>
      {order.map((key) => {
        const [label, hint] = text.processing[key] ?? [key, ""];
        const isOn = key === "continueLast" ? processing.continueLast !== undefined : processing[key] === true;
        return (
          <div key={key} className="flex flex-col gap-1">
            <Switch
              isSelected={isOn}
              onChange={(next) => (key === "continueLast" ? setContinue(next ? "" : undefined) : set(key, next))}
            >
              {label}
            </Switch>
            <span className="pl-10 text-xs text-muted">{hint}</span>
            {key === "continueLast" && isOn && (
              <TextField
                label={text.continueLastText}
                value={processing.continueLast ?? ""}
                onChange={setContinue}
                className="pl-10"
              />
            )}
          </div>
        );
      })}
    </section>
  );
}
