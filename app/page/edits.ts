/** A replacement of one part of a text. */
export interface Edit {
  /** Offsets in characters. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Applies all edits, which must not overlap. */
export function edited(text: string, edits: readonly Edit[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start)) {
    pieces.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return pieces.join('') + text.slice(at);
}
