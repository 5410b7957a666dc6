// What would move the cursor, colour or hide text, or turn its direction around. Line ends and tabs stay.
// oxlint-disable-next-line no-control-regex -- a prompt must not be able to steer the terminal
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text that a terminal can be given: control characters are shown, not obeyed. */
export function cleanLines(text: string): string {
  return text.replace(steering, "�");
}

// oxlint-disable-next-line no-control-regex -- the colours of `styleFor`, and nothing else that begins so
const ownColour = /(\u001b\[(?:[012]|3[1236])m)/;

/** The last door before a screen, for what a command has not cleaned itself: of all that steers, our own colours pass. */
export function cleanScreen(text: string): string {
  return text
    .replaceAll("\r\n", "\n")
    .split(ownColour)
    .map((piece, index) => (index % 2 === 1 ? piece : cleanLines(piece)))
    .join("");
}
