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
