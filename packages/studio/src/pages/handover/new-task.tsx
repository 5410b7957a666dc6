import { type ReactElement, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { navigate } from "../../frame/navigation-state.ts";
import { pathTo } from "../../frame/routes.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { ErrorNotice } from "../../kit/error-notice.tsx";
import { Select } from "../../kit/select.tsx";
import { TextField } from "../../kit/text-field.tsx";

/** Gives a task to a profile, as a person does. */
export function NewTask(): ReactElement | null {
  const text = useText(handoverText);
  const { data } = useApi("profiles.list", {});
  const start = useAction("tasks.start");
  const [chosen, setChosen] = useState<string>();
  const [instruction, setInstruction] = useState("");
  if (!data) return null;
  if (data.profiles.length === 0) {
    return (
      <section aria-label={text.newTask}>
        <p>{text.noProfiles}</p>
        <pre className="mt-2 whitespace-pre-wrap rounded-md border border-line bg-sunken px-3 py-2 font-mono text-xs">
          galley profile add writer --text "You write short, plain sentences."
        </pre>
      </section>
    );
  }
  const profile = chosen ?? data.profiles[0]?.name;
  const give = (): void => {
    if (profile === undefined) return;
    start.mutate(
      { body: { profile, instruction } },
      { onSuccess: ({ taskId }) => navigate(pathTo("boxes", {}, { task: taskId })) },
    );
  };
  return (
    <section aria-label={text.newTask} className="flex flex-col gap-3 rounded-md border border-line bg-raised p-4">
      <h2 className="text-base font-semibold">{text.newTask}</h2>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label={text.profile}
          className="w-48"
          placeholder={text.chooseProfile}
          options={data.profiles.map(({ name }) => ({ id: name, label: name }))}
          value={profile}
          onChange={setChosen}
        />
        <TextField
          label={text.instruction}
          className="min-w-0 flex-1 basis-60"
          value={instruction}
          onChange={setInstruction}
        />
        <Button look="primary" isDisabled={instruction.trim() === "" || start.isPending} onPress={give}>
          {text.give}
        </Button>
      </div>
      {start.error && <ErrorNotice error={start.error} />}
    </section>
  );
}
