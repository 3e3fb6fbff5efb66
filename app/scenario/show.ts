/**
 * Text that others wrote (a file's name, a key, an address), as it may stand in a message of one line: characters
 * that a terminal would obey or that would turn the line around are escaped, and it is cut.
 */
export function showName(text: string, mostCharacters = SHOWN_CHARACTERS): string {
  const shown = cut(text, mostCharacters);
  return shown.replaceAll(UNSHOWN, character => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/** A JSON value likewise. It is read only as far as it is shown, however deep or long it is. */
export function showValue(value: unknown): string {
  return showName(write(value, SHOWN_CHARACTERS));
}

/** JSON of at least `room` characters, or all of it: each level takes one, so that no depth overflows the stack. */
function write(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room + 1));
  // JSON has neither NaN nor Infinity, but a caller may
  if (typeof value !== 'object' || value === null) return String(value);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  let text = open ?? '';
  for (const key in value) {
    if (text.length > room) return text;
    if (text.length > 1) text += ',';
    const item = (value as Record<string, unknown>)[key];
    if (!Array.isArray(value)) text += `${JSON.stringify(key.slice(0, room))}:`;
    text += write(item, room - text.length);
  }
  return text + close;
}

/** By code points: half of a surrogate pair is no character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const splitsPair = last >= 0xd800 && last < 0xdc00;
  return `${text.slice(0, splitsPair ? most - 1 : most)}…`;
}

/** Enough to recognise a value in a message. */
const SHOWN_CHARACTERS = 60;

/** Controls, line ends, marks of direction (UAX #9), and halves of surrogate pairs. */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
