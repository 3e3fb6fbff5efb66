/** What a part of the session reads and sets of its state. */
export interface Slice<Read, Set = Read> {
  readonly get: () => Read;
  readonly set: (change: Partial<Set>) => void;
}
