import {CAUSE_KINDS, type CauseGroup, type CauseName} from '../../run/why/causeKinds.ts';
import {PALETTES} from './palette.ts';

type Theme = keyof typeof PALETTES;

/**
 * Returns the colour of a cause for a theme's background. The first cause of a group has the group's colour. Each
 * further cause has a lighter shade, or a darker shade in the dark theme.
 */
export function causeColour(name: CauseName, theme: Theme): string {
  return COLOURS[theme][name];
}

/** Returns the colour of a group of causes. It is the colour of the group's first cause. */
export function causeGroupColour(group: CauseGroup, theme: Theme): string {
  return GROUP_COLOURS[theme][group];
}

/** The share of the background in the colours of the first, second, third and fourth cause of a group. */
const SHADES = [0, 0.22, 0.42, 0.6];

/** Mixes two colours of the form `#rrggbb`. `share` is the share of the second one. */
function mixed(one: string, other: string, share: number): string {
  const parts = [1, 3, 5].map(at => {
    const [a, b] = [one, other].map(colour => Number.parseInt(colour.slice(at, at + 2), 16)) as [number, number];
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

// These colours were found by a search that started from Okabe and Ito's hues. It changed them until all differences
// and contrasts were as large as causeColours.test.ts requires, also for colour-blind eyes.
const GROUP_COLOURS: {readonly [T in Theme]: {readonly [G in CauseGroup]: string}} = {
  light: {
    'set-up': '#b171cb',
    request: '#828500',
    server: '#5e4200',
    window: '#0060c8',
    link: '#018b62',
    propagation: '#84898f',
    recovery: '#ff493a',
    blocking: '#8a1f35',
    page: '#3085a3',
    unknown: '#14181c',
  },
  dark: {
    'set-up': '#b77bc0',
    request: '#f7dd61',
    server: '#b09e81',
    window: '#5c9cff',
    link: '#3bd0a9',
    propagation: '#808890',
    recovery: '#fc975e',
    blocking: '#fa4353',
    page: '#90e0ff',
    unknown: '#f2f4f6',
  },
};

const COLOURS = {light: coloursIn('light'), dark: coloursIn('dark')};

function coloursIn(theme: Theme): {readonly [C in CauseName]: string} {
  const used = new Map<CauseGroup, number>();
  const colours = CAUSE_KINDS.map(({name, group}) => {
    const shade = used.get(group) ?? 0;
    used.set(group, shade + 1);
    return [name, mixed(GROUP_COLOURS[theme][group], PALETTES[theme].background, SHADES[shade] ?? 0)] as const;
  });
  return Object.fromEntries(colours) as {readonly [C in CauseName]: string};
}
