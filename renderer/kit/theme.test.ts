import {readdirSync, readFileSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import {TYPEFACE} from '../../app/study/figures/palette.ts';
import {PALETTES} from '../run/timeline/palette.ts';

const THEME = sheet('kit/theme.css');
/** All style sheets except the theme itself. */
const OTHERS = readdirSync(new URL('..', import.meta.url), {recursive: true, encoding: 'utf8'}).filter(
  path => path.endsWith('.css') && path !== 'kit/theme.css',
);

describe.each(['light', 'dark'] as const)('%s', theme => {
  // WCAG 2.2, 1.4.3: 4.5 for text
  test.each([
    ['text', 'background'],
    ['text', 'surface'],
    ['text-dim', 'background'],
    ['text-dim', 'surface'],
    ['accent', 'background'],
    ['accent', 'accent-soft'],
    ['warning', 'background'],
    ['background', 'accent'],
    ['background', 'warning'],
  ])('%s has enough contrast on %s', (text, ground) => {
    expect(contrast(token(theme, text), token(theme, ground))).toBeGreaterThanOrEqual(4.5);
  });

  // 1.4.11: 3 for the borders of controls
  test.each(['background', 'surface'])('the border of controls has enough contrast on %s', ground => {
    expect(contrast(token(theme, 'edge'), token(theme, ground))).toBeGreaterThanOrEqual(3);
  });

  test('canvases use the colours of the style sheet', () => {
    const {text, dim, line, warning, accent} = PALETTES[theme];
    expect([text, dim, line, warning, accent]).toEqual(
      ['text', 'text-dim', 'line', 'warning', 'accent'].map(name => token(theme, name)),
    );
  });
});

test('canvases and figures use the typeface of the style sheet', () => {
  const [, family = ''] = /font:\n[^"]*("[^;]*);/.exec(THEME) ?? [];
  expect(family.replaceAll(/\s+/g, ' ').replaceAll('"', "'")).toBe(TYPEFACE);
  expect(sheet('kit/fonts.css').split('font-family: "Inter Variable";').length).toBe(3);
});

test('the dark theme has every colour of the light theme', () => {
  const colours = (css: string) => [...css.matchAll(/--([a-z-]+): [^;]*#/g)].map(([, name]) => name);
  const [light = '', dark = ''] = THEME.split(':root[data-theme="dark"]');
  expect(colours(dark.split('}')[0] ?? '')).toEqual(colours(light));
  expect(colours(light).length).toBeGreaterThan(8);
});

test.each(OTHERS)('%s uses only colours, radii and shadows of the theme', path => {
  // exceptions: a page is white and a blank stage black in every theme, and one shade covers the whole window
  const own = ['background: #fff;', 'background: #0006;', ...(path === 'run/narration/stage.css' ? [BLANK] : [])];
  const css = own.reduce((text, declaration) => text.replaceAll(declaration, ''), sheet(path));
  const byHand = [...css.matchAll(/^.*(?:#[0-9a-f]{3,8}\b|border-radius: [1-9.]+px).*$/gm)].map(([line]) =>
    line.trim(),
  );
  expect(byHand).toEqual(path === 'window/presenting.css' ? ['box-shadow: 0 0 1em #0006;'] : []);
});

test.each(OTHERS)('%s uses only font sizes of the theme, except for listed ones', path => {
  const sizes = [...sheet(path).matchAll(/font-size: ([^;]+);/g)].map(([, size]) => size ?? '');
  const own = sizes.filter(size => !size.startsWith('var(--size-') && !size.startsWith('clamp(') && size !== '1em');
  expect(own).toEqual(FITTED[path] ?? []);
});

test.each(OTHERS)('%s uses the spaces of the theme', path => {
  const tokens = [...THEME.matchAll(/--space-\d: ([^;]+);/g)].map(([, length]) => length ?? '');
  expect(tokens).toHaveLength(5);
  const own = [...sheet(path).matchAll(/(?<![-\w])(?:padding|margin|gap|(?:column|row)-gap)(?:-\w+)*: ([^;]+);/g)]
    .flatMap(([, value = '']) => value.match(/(?<![\w.-])[\d.]+em/g) ?? [])
    .filter(length => tokens.includes(length) || !FITTED_SPACES.has(path));
  expect(own).toEqual([]);
});

/** Sheets of pictures and panes, whose texts and pages are fitted to their boxes. They may have spaces of their own. */
const FITTED_SPACES: ReadonlySet<string> = new Set([
  'movie/cards.css',
  'movie/movie.css',
  'movie/storyPresentation.css',
  'run/narration/cause.css',
  'run/narration/stage.css',
  'run/panes/panes.css',
  // as wide as the text behind a bar
  'features/why/why.css',
  // as wide as the range of the slider's thumb
  'run/thumbnails/thumbnails.css',
]);

/** Each kind of control, and its states besides the focus. */
test.each([
  ['button', ['hover', 'active', 'disabled']],
  ['select', ['hover', 'active', 'disabled']],
  ['input[type="text"]', ['hover', 'disabled']],
  ['textarea', ['hover', 'disabled']],
  ['input[type="range"]', ['hover', 'active', 'disabled']],
  ['[type="checkbox"]', ['hover', 'active', 'disabled']],
  ['[type="radio"]', ['hover', 'active', 'disabled']],
  ['.segments label', ['hover', 'active', 'disabled']],
  ['summary', ['hover', 'active']],
  ['a', ['hover', 'active']],
  ['[role="option"]', ['hover', 'active']],
])('%s shows its states', (control, states) => {
  const selectors = [...THEME.matchAll(/^([^@{}]+)\{/gm)].flatMap(([, each = '']) => selectorsOf(each));
  // the states of all inputs apply to each kind
  const names = /type=/.test(control) ? [control, 'input'] : [control];
  for (const state of states) {
    const found = selectors.some(each =>
      names.some(
        name => each.startsWith(name) && new RegExp(`^(:[\\w-]+\\(?)*:${state}\\b`).test(each.slice(name.length)),
      ),
    );
    expect(found, `${control}:${state}`).toBe(true);
  }
});

test('only elements with another mark of the focus have no outline', () => {
  const without = OTHERS.filter(path => /outline: (none|0)\b/.test(sheet(path)));
  expect(without).toEqual(['features/advice/advice.css', 'kit/figure/figure.css']);
});

test('less motion overrides every transition and animation', () => {
  const [, calm = ''] = THEME.split('@media (prefers-reduced-motion: reduce) {');
  expect(calm).toMatch(/^\s*\*,\s*::before,\s*::after,\s*::backdrop \{/);
  for (const property of ['animation-duration: 0s', 'transition-duration: 0s', 'scroll-behavior: auto'])
    expect(calm).toContain(`${property} !important;`);
  const stronger = /(transition|animation|scroll-behavior)[^;]*!important/;
  expect(OTHERS.filter(path => stronger.test(sheet(path)))).toEqual([]);
  // what scripts move does not obey a style sheet
  const scripts = readdirSync(new URL('..', import.meta.url), {recursive: true, encoding: 'utf8'}).filter(path =>
    /(?<!\.test)\.tsx?$/.test(path),
  );
  const moving = /\.animate\(|behavior: 'smooth'|\.transition\(|startViewTransition/;
  expect(scripts.filter(path => moving.test(sheet(path)))).toEqual([]);
});

const FITTED: {readonly [path: string]: readonly string[]} = {
  // the results card, which must be readable from the last row, and the lines above and below four panes
  'window/presenting.css': ['1.6em', '0.8em', '0.65em'],
  // below the title, which may have three lines
  'movie/cards.css': ['0.55em'],
  // the header of a small pane: its clock, its counts above their words, and the one-line headers of low panes
  'run/panes/panes.css': ['0.8em', '0.82em', '1.7em', '1.05em', '0.68em', 'max(0.68em, 11px)'],
  // in a drawing, whose unit is that of its view box
  'features/story/story.css': ['13px'],
  // the compared names in one line over the stage, a pane's facts in narrow panes, and the marks of the legend
  'run/narration/stage.css': ['1.3em', '0.62em', '0.62em', '0.62em', '0.7em'],
};
/** A blank stage is dark in every theme, because the audience is to look at the speaker. */
const BLANK = 'background: #000;';

/** The selectors of a rule, with each `:is(…)` at the start written out. */
function selectorsOf(rule: string): readonly string[] {
  const whole = rule
    .replaceAll(/\/\*.*?\*\//gs, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  const [, choices, rest = ''] = /^:is\(([^()]*)\)(.*)$/.exec(whole) ?? [];
  if (choices !== undefined) return choices.split(', ').map(each => each + rest);
  return whole.split(/, (?![^(]*\))/).flatMap(each => (each === whole ? [each] : selectorsOf(each)));
}

function sheet(path: string): string {
  return readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
}

function token(theme: 'light' | 'dark', name: string): string {
  const [light = '', dark = ''] = THEME.split(':root[data-theme="dark"]');
  const value = new RegExp(`--${name}: (#[0-9a-f]{6});`).exec(theme === 'light' ? light : dark)?.[1];
  if (value === undefined) throw new Error(`theme.css has no --${name} for ${theme}`);
  return value;
}

/** The contrast ratio of two colours `#rrggbb` (WCAG 2.2), 1–21. */
function contrast(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
