/** Where the guide is read; it opens beside Studio. */
export const guideAddress = "https://github.com/galley-context/galley/blob/main/docs/guide.md";
