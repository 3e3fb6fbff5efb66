/** A field line or pseudo-header. It has one character per byte, and the name is in lower case. */
export type Field = readonly [name: string, value: string];

/** The size that counts in tables and lists (RFC 7541 §4.1; RFC 9113 §6.5.2). */
export function fieldBytes([name, value]: Field): number {
  return name.length + value.length + 32;
}
