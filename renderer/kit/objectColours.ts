export type Theme = 'light' | 'dark';

/** The CSS colour of object i for a theme's background. The object's line, frame and packets have this colour. */
export function objectColour(i: number, theme: Theme): string {
  const palette = PALETTES[theme];
  return palette[i % palette.length] ?? 'gray';
}

// The first colour is that of the page's HTML. The colours are based on Paul Tol, Colour Schemes (SRON/EPS/TN/09-002,
// 2021; `muted` for the light theme and `light` for the dark theme), and on Okabe and Ito's blue and orange. They were
// then changed in hue and lightness until they had the differences and contrasts that `objectColours.test.ts` requires,
// also for dichromats.
const PALETTES: {readonly [T in Theme]: readonly string[]} = {
  light: [
    '#555555',
    '#3b2893',
    '#0273d0',
    '#009a88',
    '#028349',
    '#4b4a00',
    '#b08409',
    '#a65a13',
    '#d95f73',
    '#8c085d',
    '#b33ca0',
    '#681514',
  ],
  dark: [
    '#dddddd',
    '#629dff',
    '#f67b50',
    '#f8e28d',
    '#ff97ac',
    '#91dfff',
    '#1fb998',
    '#c2d113',
    '#babc71',
    '#d0a2e9',
    '#e49c03',
    '#fc686f',
  ],
};
