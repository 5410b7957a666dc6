import { encodeBase64 } from "../../../model/base64.ts";
import { objectCheck, wrongInput } from "../../../model/check-input.ts";
import type { JsonObject } from "../../../model/messages.ts";
import { importReport } from "../../files/import-report.ts";
import { isPng } from "../../files/read-png-texts.ts";
import { plainPng, writePngTexts } from "../../files/write-png-texts.ts";
import { cardAs } from "./card-versions.ts";

/** A card as a picture: with both versions of it, as SillyTavern writes them; a plain grey where no PNG is given. */
export function cardPicture(card: JsonObject, picture?: Uint8Array): Uint8Array {
  objectCheck(card, "card");
  if (picture !== undefined && (!(picture instanceof Uint8Array) || !isPng(picture)))
    throw wrongInput("picture", "the bytes of a PNG", picture);
  const encoded = (version: "v2" | "v3"): string =>
    encodeBase64(new TextEncoder().encode(JSON.stringify(cardAs(card, version, importReport()))));
  // The first is what programs of before version 3 read: what only version 3 can say stands in the second.
  return writePngTexts(picture ?? plainPng(), { chara: encoded("v2"), ccv3: encoded("v3") });
}
