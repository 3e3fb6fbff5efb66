/** A field line or pseudo-header. Both texts have one character per byte. The name is in lower case. */
export type Field = readonly [name: string, value: string];

/** Returns the size of a field in bytes, as defined for tables and header lists (RFC 7541 §4.1; RFC 9113 §6.5.2). */
export function fieldBytes([name, value]: Field): number {
  return name.length + value.length + 32;
}
