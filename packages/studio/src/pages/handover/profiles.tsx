import type { RouteReply } from "galley/api";
import { type ReactElement, useState } from "react";
import { Form } from "react-aria-components";
import { useAction, useApi } from "../../api/use-api.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { AskDialog } from "../../kit/dialog.tsx";
import { Select, TextField } from "../../kit/fields.tsx";
import { ErrorNotice, showToast } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { Tag } from "../../kit/tag.tsx";

type Profile = RouteReply<"profiles.list">["profiles"][number];

/** Who tasks can be given to, and a form for a new one or for one that is to change. */
export function Profiles(): ReactElement | null {
  const text = useText(handoverText);
  const { data } = useApi("profiles.list", {});
  const [edited, setEdited] = useState<Profile | "new">();
  if (!data) return null;
  const isOpen = edited !== undefined || data.profiles.length === 0;
  return (
    <Section title={text.profiles}>
      {data.profiles.length === 0 && <p className="mb-2">{text.noProfiles}</p>}
      {data.profiles.length > 0 && (
        <ul className="mb-3 flex flex-col divide-y divide-line rounded-md border border-line">
          {data.profiles.map((profile) => (
            <ProfileItem key={profile.name} profile={profile} onEdit={() => setEdited(profile)} />
          ))}
        </ul>
      )}
      {isOpen ? (
        <ProfileForm
          key={typeof edited === "object" ? edited.name : ""}
          profile={typeof edited === "object" ? edited : undefined}
          onClose={() => setEdited(undefined)}
        />
      ) : (
        <Button onPress={() => setEdited("new")}>{text.newProfile}</Button>
      )}
    </Section>
  );
}

function ProfileItem({ profile, onEdit }: { readonly profile: Profile; readonly onEdit: () => void }): ReactElement {
  const text = useText(handoverText);
  const { name, text: said, model, preset, isDeclared } = profile;
  return (
    <li data-profile={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="font-mono text-xs font-semibold">{name}</span>
      <span className="line-clamp-1 min-w-0 flex-1 basis-60 text-muted">{said}</span>
      {model !== undefined && <Tag mono>{model}</Tag>}
      {preset !== undefined && <Tag mono>{preset}</Tag>}
      {isDeclared ? (
        <span className="text-xs text-muted">galley.config</span>
      ) : (
        <>
          <Button size="small" aria-label={text.editProfile(name)} onPress={onEdit}>
            {text.edit}
          </Button>
          <RemoveProfile name={name} />
        </>
      )}
    </li>
  );
}

function RemoveProfile({ name }: { readonly name: string }): ReactElement {
  const text = useText(handoverText);
  const remove = useAction("profiles.delete");
  const [isAsking, setAsking] = useState(false);
  return (
    <>
      <Button size="small" aria-label={text.removeProfile(name)} onPress={() => setAsking(true)}>
        {text.remove}
      </Button>
      {isAsking && (
        <AskDialog
          title={text.removeProfile(name)}
          confirm={text.remove}
          isDangerous
          onConfirm={() => remove.mutateAsync({ params: { name } })}
          onClose={() => setAsking(false)}
        >
          <p>{text.removeProfileLead}</p>
        </AskDialog>
      )}
    </>
  );
}

interface ProfileFormProps {
  readonly profile: Profile | undefined;
  readonly onClose: () => void;
}

const none = "(none)";

function ProfileForm({ profile, onClose }: ProfileFormProps): ReactElement {
  const text = useText(handoverText);
  const presets = useApi("presets.list", {});
  const save = useAction("profiles.save");
  const [name, setName] = useState(profile?.name ?? "");
  const [said, setSaid] = useState(profile?.text ?? "");
  const [model, setModel] = useState(profile?.model ?? "");
  const [preset, setPreset] = useState(profile?.preset ?? none);
  const submit = (): void => {
    const body = {
      text: said,
      ...(model.trim() === "" ? {} : { model: model.trim() }),
      ...(preset === none ? {} : { preset }),
    };
    save.mutate(
      { params: { name: name.trim() }, body },
      {
        onSuccess: () => {
          showToast({ text: text.profileSaved(name.trim()) });
          onClose();
        },
      },
    );
  };
  return (
    <Form
      aria-label={text.newProfile}
      className="flex flex-col gap-3 rounded-md border border-line bg-raised p-4"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="flex flex-wrap gap-3">
        <TextField label={text.profileName} className="w-48" value={name} onChange={setName} />
        <TextField label={text.profileModel} className="w-60" value={model} onChange={setModel} />
        <Select
          label={text.profilePreset}
          className="w-48"
          options={[
            { id: none, label: text.noPreset },
            ...(presets.data?.presets ?? []).map(({ id, name: shown }) => ({ id, label: shown || id })),
          ]}
          value={preset}
          onChange={setPreset}
        />
      </div>
      <TextField label={text.profileText} rows={3} value={said} onChange={setSaid} />
      <div className="flex gap-2">
        <Button type="submit" look="primary" isDisabled={name.trim() === "" || said.trim() === "" || save.isPending}>
          {text.saveProfile}
        </Button>
        <Button onPress={onClose}>{text.closeForm}</Button>
      </div>
      {save.error && <ErrorNotice error={save.error} />}
    </Form>
  );
}
