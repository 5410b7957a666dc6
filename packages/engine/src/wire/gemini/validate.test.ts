import { describe } from "vitest";
import type { GeminiPart } from "./types.ts";
import { expectFaults, objectSchema, toolNames } from "../testing/planted-faults.ts";
import { validateGemini } from "./validate.ts";

describe("gemini", () => {
  const call = (name: string, more: object = {}): GeminiPart => ({ functionCall: { name, args: {}, ...more } });
  const response = (name: string, more: object = {}): GeminiPart => ({
    functionResponse: { name, response: {}, ...more },
  });
  const hi: GeminiPart[] = [{ text: "hi" }];
  const talk = (...contents: GeminiPart[][]) => ({
    contents: contents.map((parts, index) => ({
      role: index % 2 === 0 ? ("user" as const) : ("model" as const),
      parts,
    })),
  });
  expectFaults<Parameters<typeof validateGemini>[0]>(
    "contents",
    [
      [
        "a whole conversation",
        talk(
          hi,
          [{ text: "", thoughtSignature: "s" }, call("f"), call("g")],
          [response("f"), response("g"), { text: "x" }],
          hi,
        ),
        undefined,
      ],
      ["no content", { contents: [] }, "contents"],
      ["the model first", { contents: [{ role: "model", parts: hi }] }, "contents[0].role"],
      [
        "two of one role",
        {
          contents: [
            { role: "user", parts: hi },
            { role: "user", parts: hi },
          ],
        },
        "contents[1].role",
      ],
      ["no parts", talk([]), "contents[0].parts"],
      ["an empty text", talk([{ text: "" }]), "contents[0].parts[0].text"],
      ["a part of nothing", talk([{} as GeminiPart]), "contents[0].parts[0]"],
      [
        "a part of two kinds",
        talk([{ text: "x", inlineData: { mimeType: "image/png", data: "A" } }]),
        "contents[0].parts[0]",
      ],
      [
        "empty data",
        talk([{ inlineData: { mimeType: "image/png", data: "" } }]),
        "contents[0].parts[0].inlineData.data",
      ],
      [
        "a mere family of types",
        talk([{ inlineData: { mimeType: "image", data: "A" } }]),
        "contents[0].parts[0].inlineData.mimeType",
      ],
      ["an empty URI", talk([{ fileData: { fileUri: "" } }]), "contents[0].parts[0].fileData.fileUri"],
      ["fewer responses than calls", talk(hi, [call("f"), call("f")], [response("f")]), "contents[1]"],
      ["a call at the end", talk(hi, [call("f")]), "contents[1]"],
      ["responses in another order", talk(hi, [call("f"), call("g")], [response("g"), response("f")]), "contents[1]"],
      ["a response without a call", talk([response("f")]), "contents[0]"],
      ["a user's call", talk([call("f")], hi, [response("f")]), "contents[0].parts[0]|contents[0]|contents[2]"],
      [
        "a name that is none",
        talk(hi, [call("1f")], [response("1f")]),
        "contents[1].parts[0].functionCall.name|contents[2].parts[0].functionResponse.name",
      ],
      [
        "arguments that are not an object",
        talk(hi, [call("f", { args: [] })], [response("f")]),
        "contents[1].parts[0].functionCall.args",
      ],
      [
        "a response that is not an object",
        talk(hi, [call("f")], [response("f", { response: "x" })]),
        "contents[2].parts[0].functionResponse.response",
      ],
      ["an empty system instruction", { ...talk(hi), systemInstruction: { parts: [] } }, "systemInstruction.parts"],
    ],
    (request) => validateGemini(request),
  );
  const declare = (...declared: string[]) => [
    { functionDeclarations: declared.map((name) => ({ name, parametersJsonSchema: objectSchema })) },
  ];
  expectFaults<ReturnType<typeof declare>>(
    "tools",
    [
      ["names with dots and colons", declare("a.b:c-d"), undefined],
      ["a name that begins with a digit", declare("1a"), "tools[0].functionDeclarations[0].name"],
      ["two of one name", declare("a", "a"), "tools[0].functionDeclarations[1].name"],
      ["513 tools", declare(...toolNames(513)), "tools"],
    ],
    (tools) => validateGemini({ ...talk(hi), tools }),
  );
});
