import { type ReactElement, useState } from "react";
import { useAction } from "../../../api/use-api.ts";
import { freeName } from "../../../document/document-draft.ts";
import { exampleStarter, simpleStarter } from "../../../document/starter-presets.ts";
import { navigate } from "../../../frame/navigation-state.ts";
import { pathTo } from "../../../frame/routes.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorNotice } from "../../../kit/error-notice.tsx";
import { RadioGroup } from "../../../kit/radio-group.tsx";
import { TextField } from "../../../kit/text-field.tsx";

type Start = "simple" | "example";

export interface NewPresetDialogProps {
  readonly start: Start;
  readonly taken: readonly string[];
  readonly onClose: () => void;
}

const goodName = /^[\p{L}\p{N}][\p{L}\p{N}._ -]{0,99}$/u;

/** Names differ in more than letter case, because they become files. */
export function freePresetName(wanted: string, taken: readonly string[]): string {
  const lower = new Set(taken.map((name) => name.toLowerCase()));
  return freeName(wanted, { has: (name) => lower.has(name.toLowerCase()) });
}

export function NewPresetDialog({ start, taken, onClose }: NewPresetDialogProps): ReactElement {
  const text = useText(composeText);
  const save = useAction("presets.save");
  const [from, setFrom] = useState<Start>(start);
  const [name, setName] = useState(() => freePresetName(start === "example" ? "travel-desk" : "my-preset", taken));
  const id = name.trim();
  const isTaken = taken.some((other) => other.toLowerCase() === id.toLowerCase());
  const problem = !goodName.test(id) ? text.presetNameBad : isTaken ? text.presetNameTaken : undefined;
  const create = (): void => {
    const preset = from === "example" ? exampleStarter : simpleStarter;
    save.mutate(
      { params: { id }, body: { preset, expectedVersion: 0, label: "new" } },
      { onSuccess: () => navigate(pathTo("compose", { preset: id })) },
    );
  };
  return (
    <Dialog
      title={text.newPreset}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>{text.cancel}</Button>
          <Button look="primary" isDisabled={problem !== undefined || save.isPending} onPress={create}>
            {text.create}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <TextField
          label={text.presetName}
          description={text.presetNameHint}
          value={name}
          onChange={setName}
          isInvalid={problem !== undefined}
          {...(problem ? { errorMessage: problem } : {})}
          onKeyDown={(event) => event.key === "Enter" && !problem && create()}
        />
        <RadioGroup<Start>
          label={text.from}
          value={from}
          onChange={setFrom}
          options={[
            { id: "simple", label: text.fromSimple },
            { id: "example", label: text.fromExample },
          ]}
        />
        {save.error && <ErrorNotice error={save.error} />}
      </div>
    </Dialog>
  );
}
