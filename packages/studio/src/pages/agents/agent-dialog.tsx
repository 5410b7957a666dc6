import type { RouteInput, RouteReply } from "galley/api";
import type { ReactElement } from "react";
import { useAction } from "../../api/use-api.ts";
import { agentDialogText } from "../../i18n/agent-dialog.ts";
import { useText } from "../../i18n/use-text.ts";
import { CodeDialog } from "../../kit/code-dialog.tsx";
import { Checkbox, Select, TextField } from "../../kit/fields.tsx";
import { type FormState, useForm } from "../../kit/form.tsx";
import { ModelBox } from "../../place/model-box.tsx";
import { PresetSelect } from "../../place/preset-select.tsx";
import type { AgentDetails } from "./agent-parts.tsx";

type AgentList = RouteReply<"agents.list">;
type Body = RouteInput<"agents.save">["body"];
type Archetype = NonNullable<Body["archetype"]>;

interface AgentDialogProps {
  readonly list: AgentList;
  /** The one that is changed; without it one is added. */
  readonly agent?: AgentDetails | undefined;
  /** The one to begin with; the first that is installed if absent or empty. */
  readonly program?: string;
  readonly onClose: () => void;
  readonly onSaved?: (name: string) => void;
}

/** Stands for a program that is none of those that Galley knows. */
const own = "own";

interface Form {
  readonly name: string;
  readonly program: string;
  readonly command: string;
  readonly args: string;
  readonly cwd: string;
  readonly archetype: Archetype;
  readonly without: readonly string[];
  readonly rules: string;
  readonly skills: string;
  readonly mcp: string;
  readonly preset: string;
  readonly model: string;
}

/** Adds an agent, or changes one. What a page must not decide alone takes the code that the terminal prints. */
export function AgentDialog({ list, agent, program, onClose, onSaved }: AgentDialogProps): ReactElement {
  const text = useText(agentDialogText);
  const save = useAction("agents.save");
  const state = useForm<Form>(() => formOf(list, agent, program));
  const { form } = state;
  const name = form.name.trim();
  const isOwn = form.program === own;
  return (
    <CodeDialog
      title={agent ? text.changeTitle(agent.name) : text.add}
      confirm={text.save}
      isDisabled={name === "" || (isOwn && !agent && form.command.trim() === "")}
      onConfirm={async (code) => {
        await save.mutateAsync({ params: { name }, body: { ...bodyOf(form, agent), ...code } });
        onSaved?.(name);
      }}
      onClose={onClose}
    >
      <ProgramFields list={list} state={state} isNew={!agent} />
      <TurnFields state={state} />
      <ProviderFields list={list} state={state} kept={agent?.declared.providers ?? []} />
    </CodeDialog>
  );
}

function formOf({ programs, folder }: AgentList, agent: AgentDetails | undefined, wanted = ""): Form {
  const first = programs.find(({ id, installed }) => installed && (wanted === "" || id === wanted));
  const declared = agent?.declared;
  return {
    name: agent?.name ?? first?.id ?? "",
    program: agent ? (declared?.program ?? own) : (first?.id ?? own),
    command: "",
    args: "",
    cwd: declared?.cwd ?? folder,
    archetype: declared?.archetype ?? "service",
    without: declared?.withoutProviders ?? [],
    rules: "",
    skills: "",
    mcp: "",
    preset: declared?.preset ?? "",
    model: declared?.model ?? "",
  };
}

/** Fields that were left empty keep what is there; for a folder, a preset and a model, empty means none. */
function bodyOf(form: Form, agent: AgentDetails | undefined): Body {
  const command = form.command.trim();
  const [rules, skills, mcp] = [form.rules.trim(), form.skills.trim(), form.mcp.trim()];
  const isSameProgram = agent !== undefined && form.program === (agent.declared.program ?? own);
  const providers = [
    ...(rules ? [{ type: "rules" as const, file: rules }] : []),
    ...(skills ? [{ type: "skills" as const, folders: [skills] }] : []),
    ...(mcp ? [{ type: "mcp" as const, file: mcp }] : []),
  ];
  return {
    ...(form.program !== own && !isSameProgram && { program: form.program }),
    ...(form.program === own && command !== "" && { command, args: linesOf(form.args), backendType: "generic" }),
    cwd: form.cwd.trim() || null,
    archetype: form.archetype,
    withoutProviders: [...form.without],
    ...(providers.length > 0 && { providers }),
    preset: form.preset || null,
    model: form.model || null,
  };
}

function linesOf(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

interface FieldsProps {
  readonly state: FormState<Form>;
}

interface ProgramFieldsProps extends FieldsProps {
  readonly list: AgentList;
  readonly isNew: boolean;
}

/** Which program it is, what it is called, and where it works. */
function ProgramFields({ list, state, isNew }: ProgramFieldsProps): ReactElement {
  const text = useText(agentDialogText);
  const { form, change, field } = state;
  const installed = list.programs.filter(({ id, installed: isThere }) => isThere || id === form.program);
  // A name that nobody has typed follows the program.
  const choose = (program: string): void => {
    const isUntouched = isNew && (form.name === form.program || form.name === "");
    change({ program, ...(isUntouched && program !== own && { name: program }) });
  };
  return (
    <>
      <Select
        label={text.program}
        options={[
          ...installed.map(({ id, label, why }) => ({ id, label, note: why })),
          { id: own, label: text.ownProgram },
        ]}
        value={form.program}
        onChange={choose}
      />
      <Missing list={list} />
      {form.program === own && (
        <>
          <TextField
            label={text.command}
            description={isNew ? text.commandNote : text.commandKept}
            mono
            {...field("command")}
          />
          <TextField label={text.args} description={text.argsNote} mono rows={2} {...field("args")} />
        </>
      )}
      {isNew && <TextField label={text.name} {...field("name")} />}
      <TextField label={text.folder} description={text.folderNote} mono {...field("cwd")} />
    </>
  );
}

/** Those that Galley knows and that are not on this machine, with what would bring them there. */
function Missing({ list }: Pick<ProgramFieldsProps, "list">): ReactElement | null {
  const text = useText(agentDialogText);
  const missing = list.programs.filter(({ installed }) => !installed);
  if (missing.length === 0) return null;
  return (
    <details className="text-xs text-muted">
      <summary className="cursor-default">{text.missing(missing.length)}</summary>
      <ul className="mt-1 flex flex-col gap-1">
        {missing.map(({ id, label, why }) => (
          <li key={id}>
            <span className="font-medium text-ink">{label}</span>{" "}
            <code className="break-words">{why.replace("It is not installed: ", "")}</code>
          </li>
        ))}
      </ul>
    </details>
  );
}

/** What it may do, and what turns of Galley's own use that run in its place. */
function TurnFields({ state: { field } }: FieldsProps): ReactElement {
  const text = useText(agentDialogText);
  return (
    <>
      <Select<Archetype>
        label={text.archetype}
        options={(["repo", "service", "employee"] as const).map((id) => ({ id, label: text.archetypes[id] }))}
        {...field("archetype")}
      />
      <PresetSelect label={text.preset} description={text.turnsNote} none={text.noPreset} {...field("preset")} />
      <ModelBox label={text.model} byDefault={text.noModel} {...field("model")} />
    </>
  );
}

interface ProviderFieldsProps extends FieldsProps {
  readonly list: AgentList;
  /** The names of its own that are there. */
  readonly kept: readonly string[];
}

/** What its sessions are given: the providers of all agents, and files of its own. */
function ProviderFields({ list, state, kept }: ProviderFieldsProps): ReactElement {
  const text = useText(agentDialogText);
  const { form, change, field } = state;
  return (
    <>
      <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
        <legend className="mb-1 font-medium">{text.providers}</legend>
        {list.providers.map((name) => (
          <Checkbox
            key={name}
            isSelected={!form.without.includes(name)}
            onChange={(isGiven) =>
              change({ without: isGiven ? form.without.filter((one) => one !== name) : [...form.without, name] })
            }
          >
            <span title={name}>{text.providerNames[name] ?? name}</span>
          </Checkbox>
        ))}
      </fieldset>
      <details>
        <summary className="cursor-default font-medium">{text.files}</summary>
        <div className="mt-2 flex flex-col gap-3">
          <p className="text-xs text-muted">{kept.length > 0 ? text.filesKept(kept.join(", ")) : text.filesNote}</p>
          <TextField label={text.rules} mono {...field("rules")} />
          <TextField label={text.skills} mono {...field("skills")} />
          <TextField label={text.mcp} mono {...field("mcp")} />
        </div>
      </details>
    </>
  );
}
