/** The icons of the window's buttons. A name says what the button does. */
export type IconName = keyof typeof SHAPES;

/**
 * An icon with the size and colour of the text around it. It has no name of its own: its button has a label, or a text
 * beside the icon.
 */
export function Icon({name}: {readonly name: IconName}) {
  return (
    <svg className="icon" viewBox="0 0 16 16" aria-hidden="true" focusable="false" data-icon={name}>
      <path d={SHAPES[name]} />
    </svg>
  );
}

/** The paths, in a square of 16 units. They are drawn as lines of width 1.5; theme.css also fills some of them. */
const SHAPES = {
  play: 'M4.5 2.5v11l8.5-5.5z',
  pause: 'M4.5 3v10M11.5 3v10',
  stepBack: 'M12.5 3v10M9 3.5v9l-5.5-4.5z',
  step: 'M3.5 3v10M7 3.5v9l5.5-4.5z',
  previous: 'M10 3l-5 5 5 5',
  next: 'M6 3l5 5-5 5',
  up: 'M8 13V3M4 7l4-4 4 4',
  down: 'M8 3v10M4 9l4 4 4-4',
  undo: 'M6 2.5L2.5 6 6 9.5M2.5 6H9a4 4 0 0 1 0 8H6',
  redo: 'M10 2.5L13.5 6 10 9.5M13.5 6H7a4 4 0 0 0 0 8h3',
  again: 'M13.5 2.5v4h-4M13.2 6.5A5.5 5.5 0 1 0 13.5 8.7',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  split: 'M5 13V3M2.5 5.5L5 3l2.5 2.5M11 3v10M8.5 10.5L11 13l2.5-2.5',
  join: 'M3 6h10M3 10h10',
  search: 'M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.7 3.7',
  settings: 'M2.5 4.5h4M10.5 4.5h3M8.5 2.5v4M2.5 11.5h3M9.5 11.5h4M7.5 9.5v4',
  help: 'M5.5 5.7a2.6 2.6 0 1 1 4 2.2c-1 .6-1.5 1-1.5 2.1M8 13h.01',
  present: 'M2 3h12v7.5H2zM8 10.5v3M5 13.5h6',
  fold: 'M6 4l4 4-4 4',
} as const;
