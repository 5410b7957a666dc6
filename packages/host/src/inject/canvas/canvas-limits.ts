import * as z from "zod";

/** The most that a canvas may hold, in bytes of UTF-8 [I8]. */
export const maximumHtmlBytes = 512 * 1024;

/** The arguments of `actant_canvas_update`. */
export const canvasUpdateSchema = z.strictObject({
  html: z
    .string()
    .meta({ description: `The whole page, as HTML with inline CSS; at most ${maximumHtmlBytes / 1024} KiB.` }),
  title: z.string().max(200).optional().meta({ description: "A short title; the last one stays if there is none." }),
});
