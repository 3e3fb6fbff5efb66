/**
 * Text of others as it can stand in a line for people: what a terminal would obey, and what would turn its order or
 * hide, is escaped (`\u{1b}`), and the end is left out of what is longer than `most` characters.
 */
export function printable(text: string, most = SHOWN_CHARACTERS): string {
  const shown = text.slice(0, most).replace(UNPRINTABLE, character => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`;
  });
  return text.length > most ? `${shown}…` : shown;
}

/** Enough to recognise a name. */
const SHOWN_CHARACTERS = 80;

/** Control and format characters, line separators, halves of characters. */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;
