// What the engine uses besides the language: every browser and Node have it, and it gives the same everywhere. Types of
// Node or of the DOM would let in all that is not so.

declare class TextEncoder {
  encode(text: string): Uint8Array;
}

declare class TextDecoder {
  constructor(label?: "utf-8", options?: { readonly fatal?: boolean; readonly ignoreBOM?: boolean });
  decode(bytes: Uint8Array): string;
}

/** Throws when it is not base64. */
declare function atob(base64: string): string;
declare function btoa(latin1: string): string;
