import type {Pane} from '../../pipelines/index.ts';

/** The names of panes that are alike in something, in the order of the first of them. */
export function grouped<K>(
  panes: readonly Pane[],
  names: readonly string[],
  keyOf: (pane: Pane) => K,
): readonly (readonly [key: K, names: readonly string[]])[] {
  const groups = new Map<K, string[]>();
  for (const [i, pane] of panes.entries()) {
    const key = keyOf(pane);
    const group = groups.get(key) ?? [];
    group.push(names[i] ?? '');
    groups.set(key, group);
  }
  return [...groups];
}
