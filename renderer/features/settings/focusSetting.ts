import type {Session} from '../../session/session.ts';

/**
 * Leaves presenter mode, opens the settings, and moves the focus to the field of a setting. `key` is written as in
 * `--set`. If no field has exactly this key, the first field whose key begins with it gets the focus, for example that
 * of one direction if the user has split the field.
 */
export function focusSetting({display}: Session, key: string): void {
  display.present(false);
  display.set({areControlsOpen: true});
  // React renders the settings first
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const fields = [...document.querySelectorAll<HTMLElement>('.side [data-setting]')];
      const field =
        fields.find(({dataset}) => dataset['setting'] === key) ??
        fields.find(({dataset}) => dataset['setting']?.startsWith(key) === true);
      const folded = field?.closest('details');
      if (folded != null) folded.open = true;
      const control = field?.querySelector<HTMLElement>('input[type=text], select');
      control?.focus();
      control?.scrollIntoView({block: 'center'});
      if (control instanceof HTMLInputElement) control.select();
    }),
  );
}
