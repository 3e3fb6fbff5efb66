// For tests: how different two colours are, also for eyes without one kind of cone.

type Triple = readonly [number, number, number];

/**
 * Matrices from linear sRGB to what eyes see of it: usual eyes, and eyes without one kind of cone (Machado, Oliveira &
 * Fernandes 2009, severity 1.0).
 */
export const EYES: {readonly [eyes: string]: readonly [Triple, Triple, Triple]} = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanope: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranope: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
};

/** Returns how the given {@link EYES} see a colour, as CIELAB. `eyes` is a key such as `protanope`. */
export function seenColour(eyes: string, colour: string): Triple {
  return lab(seenBy(eyes, linear(colour)));
}

/** Returns the backgrounds of lines and blocks from the window's style sheet. */
export function backgrounds(css: string, theme: 'light' | 'dark'): readonly string[] {
  const [light = '', dark = ''] = css.split(':root[data-theme="dark"]');
  return ['background', 'surface'].map(name => {
    const value = new RegExp(`--${name}: (#\\w{6});`).exec(theme === 'light' ? light : dark)?.[1];
    if (value === undefined) throw new Error(`theme.css has no --${name} for ${theme}`);
    return value;
  });
}

function linear(colour: string): Triple {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map(at => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return [r, g, b];
}

function seenBy(eyes: string, [r, g, b]: Triple): Triple {
  const rows = EYES[eyes]?.map(row => Math.min(Math.max(row[0] * r + row[1] * g + row[2] * b, 0), 1));
  const [red = 0, green = 0, blue = 0] = rows ?? [];
  return [red, green, blue];
}

function luminance([r, g, b]: Triple): number {
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

export function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [one, other].map(each => luminance(linear(each))).sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

/** CIELAB of linear sRGB, white D65. */
function lab([r, g, b]: Triple): Triple {
  const f = (t: number) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** CIEDE2000 of two CIELAB colours, after Sharma, Wu & Dalal 2005. */
export function difference([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const far = (chroma: number) => Math.sqrt(chroma ** 7 / (chroma ** 7 + 25 ** 7));
  const stretch = 1 + 0.5 * (1 - far((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2));
  const [c1, c2] = [Math.hypot(a1 * stretch, b1), Math.hypot(a2 * stretch, b2)];
  const [h1, h2] = [hue(a1 * stretch, b1), hue(a2 * stretch, b2)];
  const turn = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const l = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  const h = c1 * c2 === 0 ? h1 + h2 : (h1 + turn / 2 + 360) % 360;
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const lightness = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const chroma = (c2 - c1) / (1 + 0.045 * c);
  const hues = (2 * Math.sqrt(c1 * c2) * cos(90 - turn / 2)) / (1 + 0.015 * c * t);
  const rotation = -cos(90 - 60 * Math.exp(-(((h - 275) / 25) ** 2))) * 2 * far(c);
  return Math.sqrt(lightness ** 2 + chroma ** 2 + hues ** 2 + rotation * chroma * hues);
}

/** Degrees, 0–360. */
function hue(a: number, b: number): number {
  return ((Math.atan2(b, a) * 180) / Math.PI + 360) % 360;
}

function cos(degrees: number): number {
  return Math.cos((degrees * Math.PI) / 180);
}
