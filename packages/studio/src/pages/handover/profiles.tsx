import type { RouteReply } from "galley/api";
import { Plus } from "lucide-react";
import { type ReactElement, useState } from "react";
import { useAction, useApi } from "../../api/use-api.ts";
import { handoverText } from "../../i18n/handover.ts";
import { useText } from "../../i18n/use-text.ts";
import { Button } from "../../kit/button.tsx";
import { TextField } from "../../kit/fields.tsx";
import { Ask, AskDialog } from "../../kit/dialog.tsx";
import { showToast } from "../../kit/notices.tsx";
import { Section } from "../../kit/section.tsx";
import { Tag } from "../../kit/tag.tsx";
import { useForm } from "../../kit/form.tsx";
import { ModelBox } from "../../place/model-box.tsx";
import { PresetSelect } from "../../place/preset-select.tsx";

type Profile = RouteReply<"profiles.list">["profiles"][number];

/** Who tasks can be given to; each is edited here. The first one is asked for in place. */
export function Profiles({ profiles }: { readonly profiles: readonly Profile[] }): ReactElement {
  const text = useText(handoverText);
  const [edited, setEdited] = useState<Profile | "new">();
  return (
    <Section title={text.profiles} lead={text.profilesLead}>
      {profiles.length > 0 && (
        <ul className="mb-3 flex flex-col divide-y divide-line rounded-md border border-line">
          {profiles.map((profile) => (
            <ProfileItem key={profile.name} profile={profile} onEdit={() => setEdited(profile)} />
          ))}
        </ul>
      )}
      <Button icon={Plus} look={profiles.length === 0 ? "primary" : "plain"} onPress={() => setEdited("new")}>
        {text.newProfile}
      </Button>
      {edited !== undefined && (
        <ProfileDialog profile={edited === "new" ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Section>
  );
}

function ProfileItem({ profile, onEdit }: { readonly profile: Profile; readonly onEdit: () => void }): ReactElement {
  const text = useText(handoverText);
  const presets = useApi("presets.list", {}).data?.presets;
  const { name, text: said, model, preset, isDeclared } = profile;
  return (
    <li data-profile={name} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
      <span className="font-semibold">{name}</span>
      <span className="line-clamp-1 min-w-0 flex-1 basis-60 text-muted">{said}</span>
      {model !== undefined && <Tag mono>{model}</Tag>}
      {preset !== undefined && <Tag>{presets?.find(({ id }) => id === preset)?.name || preset}</Tag>}
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
  return (
    <Ask
      by={(ask) => (
        <Button size="small" aria-label={text.removeProfile(name)} onPress={ask}>
          {text.remove}
        </Button>
      )}
      title={text.removeProfile(name)}
      confirm={text.remove}
      isDangerous
      onConfirm={() => remove.mutateAsync({ params: { name } })}
    >
      <p>{text.removeProfileLead}</p>
    </Ask>
  );
}

interface ProfileDialogProps {
  readonly profile: Profile | undefined;
  readonly onClose: () => void;
}

function ProfileDialog({ profile, onClose }: ProfileDialogProps): ReactElement {
  const text = useText(handoverText);
  const save = useAction("profiles.save");
  const { form, field } = useForm({ name: "", text: "", model: "", preset: "", ...profile });
  const name = form.name.trim();
  const submit = async (): Promise<void> => {
    const { model, preset } = form;
    const body = { text: form.text, ...(model && { model }), ...(preset && { preset }) };
    await save.mutateAsync({ params: { name }, body });
    showToast({ text: text.profileSaved(name) });
  };
  return (
    <AskDialog
      title={profile ? text.editProfile(profile.name) : text.newProfile}
      width="wide"
      confirm={text.saveProfile}
      isDisabled={name === "" || form.text.trim() === ""}
      onClose={onClose}
      onConfirm={submit}
    >
      <TextField
        // A new one is named first; who it is is what an old one is opened for.
        autoFocus={profile === undefined}
        isReadOnly={profile !== undefined}
        label={text.profileName}
        description={profile === undefined ? text.profileNameHint : undefined}
        {...field("name")}
      />
      <TextField
        autoFocus={profile !== undefined}
        label={text.profileText}
        placeholder={text.profileTextHint}
        rows={6}
        {...field("text")}
      />
      <div className="grid grid-cols-2 gap-3 max-md:grid-cols-1">
        <ModelBox isStacked label={text.profileModel} byDefault={text.callersModel} {...field("model")} />
        <PresetSelect label={text.profilePreset} none={text.noPreset} {...field("preset")} />
      </div>
    </AskDialog>
  );
}
