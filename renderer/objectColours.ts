export type Theme = 'light' | 'dark';

/** The colour of object i everywhere: its line, its frame, its packets. As CSS, for a theme's background. */
export function objectColour(i: number, theme: Theme): string {
  const palette = PALETTES[theme];
  return palette[i % palette.length] ?? 'gray';
}

// The first is index.html's. After Paul Tol, Colour Schemes (SRON/EPS/TN/09-002, 2021), `muted` on light and
// `light` on dark, which colour-blind viewers tell apart, and Okabe & Ito's blue, vermilion and orange.
const PALETTES: {readonly [T in Theme]: readonly string[]} = {
  light: [
    ...['#555555', '#332288', '#0072b2', '#44aa99', '#117733', '#999933'],
    ...['#c8a415', '#d55e00', '#cc6677', '#882255', '#aa4499', '#661100'],
  ],
  dark: [
    ...['#dddddd', '#77aadd', '#ee8866', '#eedd88', '#ffaabb', '#99ddff'],
    ...['#44bb99', '#bbcc33', '#aaaa00', '#c8a2e0', '#e69f00', '#ff6666'],
  ],
};
