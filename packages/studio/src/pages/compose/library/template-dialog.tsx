import {
  type ChatMessageRole,
  type InheritedFields,
  type InjectionStrategy,
  type MessageTemplate,
  kindOf,
} from "@galley/engine";
import { type ReactElement, useState } from "react";
import { freeName } from "../../../document/document-draft.ts";
import { callName } from "../../../document/preset-names.ts";
import { advancedForm } from "../../../document/shown-steps.ts";
import { addTemplate, editTemplate, renameTemplate } from "../../../document/template-edits.ts";
import { composeText } from "../../../i18n/compose.ts";
import { useText } from "../../../i18n/use-text.ts";
import { Select, TextField } from "../../../kit/fields.tsx";
import { type FormState, useForm } from "../../../kit/form.tsx";
import { ContentEditor } from "../steps/content-editor.tsx";
import { useDocument, useEditor } from "../state/editor-state.ts";
import { InjectionForm } from "../steps/injection-form.tsx";
import { PriorityField, RoleField } from "../steps/step-settings.tsx";
import { AskDialog } from "../../../kit/dialog.tsx";

export interface TemplateDialogProps {
  /** Without one, a new template is made. */
  readonly id?: string;
  readonly onClose: () => void;
}

interface Fields {
  readonly id: string;
  readonly name: string;
  readonly kind: InheritedFields["kind"];
  readonly role: ChatMessageRole;
  readonly content: string;
  readonly strategy: InjectionStrategy | undefined;
  readonly priority: number | undefined;
}

function fieldsOf(template: MessageTemplate | undefined): Fields {
  return {
    id: template?.id ?? "",
    name: template?.name ?? "",
    kind: template ? kindOf(template) : "message",
    role: template === undefined || template.role === "placeholder" ? "system" : template.role,
    content: template?.content ?? "",
    strategy: template?.defaultInjectionStrategy,
    priority: template?.priority,
  };
}

/** What the fields say as a template; what is not said does not stand in it. */
function templateOf({ id, name, kind, role, content, strategy, priority }: Fields): MessageTemplate {
  return {
    id: id.trim(),
    role,
    ...(name.trim() === "" ? {} : { name: name.trim() }),
    ...(kind === "message" ? {} : { type: kind }),
    ...(content === "" ? {} : { content }),
    ...(strategy && Object.keys(strategy).length > 0 ? { defaultInjectionStrategy: strategy } : {}),
    ...(priority === undefined ? {} : { priority }),
  };
}

const builtIn = new Set(["chat_history", "user_profile"]);

export function TemplateDialog({ id, onClose }: TemplateDialogProps): ReactElement {
  const text = useText(composeText);
  const { document } = useEditor();
  const templates = useDocument((state) => advancedForm(state.preset).messageTemplates) ?? [];
  const [known] = useState(() => fieldsOf(templates.find((template) => template.id === id)));
  const state = useForm<Fields>(() =>
    id === undefined ? { ...known, id: freeName("template", new Set(templates.map((one) => one.id))) } : known,
  );
  const fields = state.form;
  const wanted = fields.id.trim();
  const isTaken = wanted !== id && templates.some((template) => template.id === wanted);
  const isReserved = fields.kind === "placeholder" && builtIn.has(wanted);
  const problem =
    wanted === ""
      ? text.templateIdEmpty
      : isTaken
        ? text.templateIdTaken
        : isReserved
          ? text.templateIdReserved
          : undefined;
  const save = (): void => {
    const template = templateOf(fields);
    const { id: newId, ...rest } = template;
    if (id === undefined) document.edit("add template", (draft) => addTemplate(draft, template));
    else {
      document.edit("edit template", (draft) => {
        const none = {
          name: undefined,
          type: undefined,
          content: undefined,
          defaultInjectionStrategy: undefined,
          priority: undefined,
        };
        editTemplate(draft, id, { ...none, ...rest });
        if (newId !== id) renameTemplate(draft, id, newId);
      });
    }
  };
  return (
    <AskDialog
      title={id === undefined ? text.newTemplate : text.editTemplate(callName({ ...known, id }, text.kinds))}
      width="wide"
      confirm={text.save}
      isDisabled={problem !== undefined}
      onClose={onClose}
      onConfirm={save}
    >
      <TemplateFields state={state} problem={problem} isNew={id === undefined} />
    </AskDialog>
  );
}

interface TemplateFieldsProps {
  readonly state: FormState<Fields>;
  readonly problem: string | undefined;
  readonly isNew: boolean;
}

function TemplateFields({ state, problem, isNew }: TemplateFieldsProps): ReactElement {
  const text = useText(composeText);
  const { form: fields, field } = state;
  const hasText = fields.kind === "message" || fields.kind === "placeholder";
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-start gap-4">
        <TextField
          label={text.templateName}
          placeholder={callName({ ...fields, name: undefined }, text.kinds)}
          {...field("name")}
          className="min-w-48 flex-1"
        />
        <TextField
          label={text.templateId}
          {...field("id")}
          isInvalid={problem !== undefined && (!isNew || fields.id !== "")}
          errorMessage={problem}
          mono
          className="min-w-48 flex-1"
        />
        <Select
          label={text.kind}
          {...field("kind")}
          options={(["message", "placeholder", "chat_history", "user_profile"] as const).map((kind) => ({
            id: kind,
            label: text.kinds[kind],
          }))}
          className="w-56 max-w-full"
        />
      </div>
      {hasText && <RoleField label={text.role} {...field("role")} />}
      {hasText && <ContentEditor label={text.content} {...field("content")} isFocused />}
      <div role="group" aria-label={text.defaultInjection} className="flex flex-col gap-2 border-t border-line pt-3">
        <h3 className="font-semibold">{text.defaultInjection}</h3>
        <InjectionForm id={fields.id} strategy={fields.strategy} onChange={(strategy) => state.change({ strategy })} />
        <PriorityField {...field("priority")} />
      </div>
    </div>
  );
}
