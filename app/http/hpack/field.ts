/** A field line or pseudo-header; one character per byte, the name in lower case. */
export type Field = readonly [name: string, value: string];

/** What it counts in tables and lists (RFC 7541 §4.1; RFC 9113 §6.5.2). */
export function fieldBytes([name, value]: Field): number {
  return name.length + value.length + 32;
}
