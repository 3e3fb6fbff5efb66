/** Another text in the place of a part of one. */
export interface Edit {
  /** Characters; `end` is the one after it. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The text with all edits, which do not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return pieces.join('') + text.slice(at);
}
