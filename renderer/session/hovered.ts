/** The objects that are pointed at, or that the loss pointed at concerns; none if it is empty. */
export type Hovered = ReadonlySet<number>;

export const NONE_HOVERED: Hovered = new Set();

/** Whether an object steps back, so that others stand out. */
export function isDimmed(hovered: Hovered, object: number): boolean {
  return hovered.size > 0 && !hovered.has(object);
}
