import type {Session} from '../../session/session.ts';

/**
 * Leaves presenter mode, opens the settings, and moves the focus to the field of a setting. `key` is written as in
 * `--set`. {@link fieldOf} says which field this is.
 */
export function focusSetting({display}: Session, key: string): void {
  display.present(false);
  display.set({areControlsOpen: true});
  // React renders the settings first
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const fields = [...document.querySelectorAll<HTMLElement>('.side [data-setting]')];
      const field = fieldOf(fields, key);
      const folded = field?.closest('details');
      if (folded != null) folded.open = true;
      const control = field?.querySelector<HTMLElement>('input[type=text], select');
      control?.focus();
      control?.scrollIntoView({block: 'center'});
      if (control instanceof HTMLInputElement) control.select();
    }),
  );
}

/**
 * Returns the field with exactly this key, or else the first field whose key begins with it. If the user has split a
 * field, this is the field of the first direction: `path.loss.down.rate` for `path.loss.rate`.
 */
export function fieldOf<T extends {readonly dataset: DOMStringMap}>(fields: readonly T[], key: string): T | undefined {
  const keyOf = ({dataset}: T): string => dataset['setting'] ?? '';
  const isOf = (field: T): boolean => {
    const own = keyOf(field);
    return own.startsWith(key) || own.replace(/\.(down|up)\b/, '').startsWith(key);
  };
  return fields.find(field => keyOf(field) === key) ?? fields.find(isOf);
}
