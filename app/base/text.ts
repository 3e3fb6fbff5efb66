/**
 * Makes text from outside (a file name, a key, an address) safe to show in a message of one line. Control characters
 * and characters that change the text direction are escaped, and long text is cut.
 */
export function showName(text: string, mostCharacters = SHOWN_CHARACTERS): string {
  const shown = cut(text, mostCharacters);
  return shown.replaceAll(UNSHOWN, character => `\\u{${character.codePointAt(0)?.toString(16)}}`);
}

/**
 * Makes a JSON value safe to show, like {@link showName}. Only the part that is shown is read, no matter how deep or
 * long the value is.
 */
export function showValue(value: unknown): string {
  return showName(write(value, SHOWN_CHARACTERS));
}

/**
 * Writes a value as JSON. Stops when the text has more than `room` characters. Each level of nesting adds a character,
 * so deep values cannot overflow the stack.
 */
function write(value: unknown, room: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room + 1));
  // JSON has neither NaN nor Infinity, but callers may pass them.
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

/** Cuts a text to `most` characters. It never splits a surrogate pair, because half a pair is not a character. */
function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  const splitsPair = last >= 0xd800 && last < 0xdc00;
  return `${text.slice(0, splitsPair ? most - 1 : most)}…`;
}

/** The number of characters of a value that are shown. They suffice to recognise the value in a message. */
const SHOWN_CHARACTERS = 60;

/** Control characters, line ends, direction marks (UAX #9), and halves of surrogate pairs. */
const UNSHOWN = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/** Returns the word that is most similar to what the user typed, or undefined if no word is similar enough. */
export function nearest(typed: string, words: readonly string[]): string | undefined {
  const letters = typed.slice(0, 40).toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(letters.length / 3)) + 1;
  for (const word of words) {
    const isStart = word.toLowerCase().startsWith(letters);
    const distance = editDistance(letters, word.toLowerCase()) - (isStart ? 0.5 : 0);
    if (distance < bestDistance) [best, bestDistance] = [word, distance];
  }
  return best;
}

/**
 * Returns the Levenshtein distance (1966), which is the number of insertions, deletions and substitutions that change
 * one word into the other.
 */
function editDistance(a: string, b: string): number {
  let row = Array.from({length: b.length + 1}, (_, column) => column);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

/** Returns the message of a value that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Escapes the characters that have a meaning in HTML and XML, for element contents and attributes in double quotes. */
export function escapeMarkup(text: string): string {
  return text.replaceAll(/[&<>"]/g, character => ENTITIES[character] ?? character);
}

const ENTITIES: {readonly [character: string]: string} = {'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'};

/** Writes a number for a sentence: `no`, `three`, `13`. Numbers up to twelve are words. */
export function countText(count: number): string {
  return SMALL[count] ?? String(count);
}

/** The words by number. */
const SMALL: readonly string[] = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
];

/** Joins texts: `a, b and c`. */
export function joined(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  return texts.length < 2 ? last : `${texts.slice(0, -1).join(', ')} and ${last}`;
}

/** Keeps a number of seconds on one line with its unit, and `×` on one line with what is before and after it. */
export function unbroken(sentence: string): string {
  return sentence.replaceAll(/(?<=\d) s\b/g, '\u00a0s').replaceAll(' × ', '\u00a0×\u00a0');
}
