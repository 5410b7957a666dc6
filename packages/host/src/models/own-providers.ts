import * as z from "zod";
import { providerName, servedKind } from "../config/models-schema.ts";
import { type KeptList, keptList } from "../disk/kept-list.ts";

const ownProvider = z.strictObject({
  name: providerName,
  type: servedKind,
  /** With the address that it was entered for: a key is sent nowhere else. */
  baseUrl: z.string(),
  apiKey: z.string().min(1).optional(),
  /** Those that the server named when it was last asked. */
  models: z.array(z.string()).default([]),
});

/** A provider of models that a person has added, by Studio or by `galley provider add`. */
export type OwnProvider = Readonly<z.output<typeof ownProvider>>;

/** Where the providers that a person has added to a data folder are kept. */
export type OwnProviders = KeptList<OwnProvider>;

export function ownProviders(dataFolder: string): OwnProviders {
  return keptList("providers", ownProvider, dataFolder);
}
