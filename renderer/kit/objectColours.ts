export type Theme = 'light' | 'dark';

/** The colour of object i everywhere: its line, its frame, its packets. As CSS, for a theme's background. */
export function objectColour(i: number, theme: Theme): string {
  const palette = PALETTES[theme];
  return palette[i % palette.length] ?? 'gray';
}

// The first is index.html's. After Paul Tol, Colour Schemes (SRON/EPS/TN/09-002, 2021), `muted` on light and
// `light` on dark, and Okabe & Ito's blue and orange; then moved apart in hue and lightness until the test's
// least differences and contrasts hold for dichromats too.
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
