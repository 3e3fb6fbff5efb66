/** How the window writes keys and key combinations, where this differs from how a shortcut's `key` writes them. */
export const KEY_NAMES: {readonly [key: string]: string} = {
  ' ': 'Space',
  ArrowRight: '→',
  ArrowLeft: '←',
  'Shift ArrowRight': 'Shift →',
  'Shift ArrowLeft': 'Shift ←',
  N: 'Shift n',
  W: 'Shift w',
  'Ctrl Z': 'Ctrl Shift z',
  PageDown: 'Page Down',
  PageUp: 'Page Up',
  Delete: 'Del',
  'Shift Delete': 'Shift Del',
  Escape: 'Esc',
};

/** Returns the key of an event as a shortcut's `key` writes it, such as `Shift ArrowRight`. */
export function shortcutKey({key, shiftKey}: Pick<KeyboardEvent, 'key' | 'shiftKey'>, isCtrl: boolean): string {
  // Shift is part of the shortcut's name only for these keys; with other keys it changes `key` itself, as in `?`
  const isShift = shiftKey && (key.startsWith('Arrow') || key === 'Delete');
  // Caps Lock changes the letter in `key`, but must not count as Shift
  const letter = shiftKey ? key.toUpperCase() : key.toLowerCase();
  return `${isCtrl ? 'Ctrl ' : ''}${isShift ? 'Shift ' : ''}${key.length === 1 ? letter : key}`;
}
