/**
 * Objects that are highlighted: those under the pointer, those that the loss under the pointer delayed, or those of a
 * story's step.
 */
export type Hovered = ReadonlySet<number>;

export const NONE_HOVERED: Hovered = new Set();

/** Whether an object is dimmed, so that others stand out. */
export function isDimmed(hovered: Hovered, object: number): boolean {
  return hovered.size > 0 && !hovered.has(object);
}
