/** The most that a canvas may hold, in bytes of UTF-8 [I8]. */
export const maximumHtmlBytes = 512 * 1024;
