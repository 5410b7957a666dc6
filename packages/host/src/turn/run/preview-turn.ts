import type { ContextConfig, ModelMessage, Problem, SessionEntry, ToolSpec, UserMessage } from "@galley/engine";
import { type SettingInForce, settingsInForce } from "../../config/context-settings.ts";
import { specOf } from "../../tools/tool-specs.ts";
import { type BuiltCall, type CallInput, buildCall, canRecall, callInput } from "../call/build-call.ts";
import { describedModel } from "../call/resolve-model.ts";
import { modelIdOf } from "../call/resolve-settings.ts";
import { placeOf } from "../places/turn-place.ts";
import type { Services } from "../services/services.ts";
import type { TurnRequest } from "../services/turn-types.ts";
import { type ContextFill, contextFill } from "./context-fill.ts";
import { prepareTurn } from "./prepare-turn.ts";
import { userMessage } from "./run-request.ts";

/** A turn that is only looked at; what the user will say may be left open. */
export type PreviewRequest = Omit<TurnRequest, "input"> & Partial<Pick<TurnRequest, "input">>;

/** What the next call of a place would be made of, by the account of the call itself [T14]. */
export interface TurnPreview {
  readonly session: string;
  readonly model: string;
  /** Of the library, where it is from there. */
  readonly presetId?: string;
  /** Names the tokenizer with its calibration. */
  readonly tokenizer: string;
  /** The most that may be sent, and what else limits it. */
  readonly config: ContextConfig;
  /** The model's window, what of it is kept for the reply, and whether both are only a guess because the model is unknown. */
  readonly room: { readonly window: number; readonly reserve: number; readonly isGuess: boolean };
  readonly entries: readonly SessionEntry[];
  /** What would be added to the entries: what was given as input. */
  readonly pending: readonly ModelMessage[];
  readonly tools: readonly ToolSpec[];
  /** What else the engine is given. */
  readonly input: CallInput;
  readonly settings: readonly SettingInForce[];
  readonly problems: readonly Problem[];
  /** What the model would read. */
  readonly build: () => Promise<BuiltCall>;
  /** How full its window would be, and of what. Asks no model. */
  readonly fill: () => Promise<ContextFill>;
}

/** What the next call of a place would read, as data: for a command and for programs elsewhere. */
export async function lookAt(
  { preview }: { preview: (request: PreviewRequest) => Promise<TurnPreview> },
  request: PreviewRequest,
) {
  const { session, model, presetId, room, settings, build } = await preview(request);
  const { recorded: _, ...built } = await build();
  return { session, model, ...(presetId !== undefined && { preset: presetId }), room, settings, ...built };
}

/** Stands for what is not said yet; it is not part of the preview. */
const nothingSaid: UserMessage = { role: "user", content: "…" };

/** Looks at the next call of a place. Keeps nothing, and calls no model but one that writes summaries, for `build`. */
export async function previewTurn(parts: Services, request: PreviewRequest): Promise<TurnPreview> {
  const name = placeOf(request);
  const model = await describedModel(parts, await modelIdOf(parts, name, request.model));
  const input = request.input === undefined ? nothingSaid : parts.redactor.redact(userMessage(request.input));
  const asked = { runId: "preview", input, inputTs: parts.now(), tools: request.tools };
  const { plan, place, problems } = await prepareTurn(parts, name, model, request, asked);
  const looked = request.input === undefined ? { ...place, pending: () => [] } : place;
  const { reserveOutputTokens: reserve = 0, maxInputTokens, ...config } = plan.config;
  return {
    session: place.session,
    model: model.id,
    presetId: plan.presetId,
    tokenizer: model.tokenizer.id,
    config: {
      ...config,
      maxInputTokens: maxInputTokens - reserve,
      ...(canRecall(place.tools) ? { recall: true } : {}),
    },
    room: { window: model.info.window, reserve, isGuess: !model.info.isKnown },
    entries: place.entries(),
    pending: looked.pending(),
    tools: place.tools.map(specOf),
    input: callInput(place, plan),
    settings: settingsInForce(plan),
    problems,
    build: () => buildCall(parts, looked, plan, { problems }),
    fill: () => contextFill(parts, looked, plan, problems),
  };
}
