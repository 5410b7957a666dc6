import { Validator } from "@seriousme/openapi-schema-validator";
import { expect, test } from "vitest";
import { routes } from "../../api/index.ts";
import { openapiDocument } from "./openapi.ts";

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly schema: object }[];
  readonly requestBody?: object;
}
const document = openapiDocument("1.2.3");
const paths = document["paths"] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;

test("the document is OpenAPI 3.1", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  expect(result).toMatchObject({ valid: true });
  expect(validator.version).toBe("3.1");
});

test("a document that is none is found out", async () => {
  const broken = { ...structuredClone(document), info: { title: "no version" } };
  expect(await new Validator().validate(broken)).toMatchObject({ valid: false });
});

test("every reference leads somewhere", () => {
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)];
  expect(references.length).toBeGreaterThan(20);
  const components = document["components"] as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  for (const [, kind = "", name = ""] of references) expect(components[kind]).toHaveProperty([name]);
  expect(text).not.toContain("#/$defs");
});

test.each(Object.entries(routes))("%s is there with its parameters", (name, route) => {
  const operation = paths[`/api${route.path}`]?.[route.method.toLowerCase()];
  expect(operation?.operationId).toBe(name);
  const inPath = operation?.parameters.filter((parameter) => parameter.in === "path").map((each) => each.name);
  expect(inPath).toEqual([...route.path.matchAll(/\{(\w+)\}/g)].map(([, each]) => each));
  expect(operation?.requestBody === undefined).toBe(!("body" in route || "rawBody" in route));
  // A query says what each of its values must be.
  for (const parameter of operation?.parameters ?? []) expect(Object.keys(parameter.schema)).not.toEqual([]);
});
