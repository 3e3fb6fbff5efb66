// Functions that lay out the text of help.

/** Returns a label with its text to the right of it, or below it if the label is too long. */
export function row(label: string, text: string, column: number): string {
  const indent = ' '.repeat(column);
  const lines = wrap(text, WIDTH - column)
    .trimEnd()
    .split('\n');
  const body = lines.map(line => `${indent}${line}\n`).join('');
  const start = `  ${label}`;
  return start.length + 2 <= column ? start + body.slice(start.length) : `${start}\n${body}`;
}

/** Wraps paragraphs of prose. A paragraph with an indented line stays unchanged. */
export function layOut(text: string): string {
  const paragraphs = text.trim().split(/\n\n+/);
  return paragraphs
    .map(paragraph => (/^ {2}/m.test(paragraph) ? `${paragraph}\n` : wrap(paragraph.replaceAll('\n', ' '))))
    .join('\n');
}

/** Wraps a text into lines of at most `width` characters, each with a line end. A longer word is not broken. */
export function wrap(text: string, width = WIDTH): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/)) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map(each => `${each}\n`).join('');
}

/** The width of help in characters, which is that of a usual terminal. */
const WIDTH = 80;
