/** The printed names of keys whose name differs from `KeyboardEvent.key`. */
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
