import type { JsonObject, ModelMessage, SystemMessage } from "../../model/messages.ts";

/** Spread it into `generateText` or `streamText`: `generateText({ model, ...request })`. */
export interface AiSdkRequest {
  readonly instructions?: SystemMessage[];
  readonly messages: ModelMessage[];
  /** Set where a system message stands inside the conversation: the AI SDK refuses that unless asked not to. */
  readonly allowSystemInMessages?: true;
  readonly tools?: Record<string, AiSdkTool>;
}

interface AiSdkTool {
  readonly description?: string;
  readonly inputSchema: AiSdkSchema;
}

/** A JSON Schema in the two coats that the AI SDK knows: its own, and Standard Schema's. */
export interface AiSdkSchema {
  readonly jsonSchema: JsonObject;
  readonly validate: undefined;
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => { readonly value: unknown };
    readonly jsonSchema: {
      readonly input: () => Record<string, unknown>;
      readonly output: () => Record<string, unknown>;
    };
  };
}

// The mark of the AI SDK's `jsonSchema()`. With it the schema is sent as it is; as a mere Standard Schema the AI SDK
// would close every object in it.
const mark = Symbol.for("vercel.ai.schema");

export function aiSdkSchema(jsonSchema: JsonObject): AiSdkSchema {
  // A copy, because the AI SDK writes into what it gets here.
  const copy = (): Record<string, unknown> => JSON.parse(JSON.stringify(jsonSchema)) as Record<string, unknown>;
  const schema: AiSdkSchema = {
    jsonSchema,
    validate: undefined,
    "~standard": {
      version: 1,
      vendor: "galley",
      validate: (value) => ({ value }),
      jsonSchema: { input: copy, output: copy },
    },
  };
  return Object.assign(schema, { [mark]: true });
}
