import type {Conversion} from '../page/conversion.ts';
import type {LivePath} from './livePath.ts';

/** One setting of a pane: scenario documents, help and controls are made of it. */
export type Setting = ChoiceSetting | NumberSetting | SwitchSetting | SendBufferSetting;

/** By their keys in a scenario document, in the order in which they are written and shown. */
export type Settings = {readonly [key: string]: Setting};

interface SettingTexts {
  /** One line for people: what it is, and what its values mean. */
  readonly help: string;
  /** In the window's column of settings; one without is set by files and `--set` only. */
  readonly label?: string;
  /** What is changed of such a pane first: the window has it at hand, and folds the others. */
  readonly isAtHand?: true;
}

interface ChoiceSetting extends SettingTexts {
  readonly kind: 'choice';
  /** Each word, and what the window calls it. */
  readonly choices: readonly (readonly [word: string, text: string])[];
  /** One of the words. */
  readonly default: string;
}

interface NumberSetting extends SettingTexts {
  readonly kind: 'number';
  /** A whole number from `least` to `most`. */
  readonly least: number;
  readonly most: number;
  /** Null is a value, too, if it is the default. */
  readonly default: number | null;
}

interface SwitchSetting extends SettingTexts {
  readonly kind: 'switch';
  /** What the window calls true, and false. */
  readonly texts: readonly [on: string, off: string];
  readonly default: boolean;
}

interface SendBufferSetting extends SettingTexts {
  readonly kind: 'send-buffer';
  readonly default: null;
}

/**
 * How much the server's transport takes before a write has to wait; null holds the whole transfer. `objects` K counts
 * in the page's largest response, so that the concurrency level is min(L, K) (N07 §6).
 */
export type SendBuffer = {readonly bytes: number} | {readonly objects: number};

/** What a setting can be. */
type ValueOf<S extends Setting> = S extends ChoiceSetting
  ? S['choices'][number][0]
  : S extends NumberSetting
    ? number | (null extends S['default'] ? null : never)
    : S extends SwitchSetting
      ? boolean
      : SendBuffer | null;

/** A pane over the pipeline of that name: a value for each of its settings. */
export type PaneOf<N extends string, S extends Settings> = AnyPane<N> & {
  // of a pipeline that is not known by name, what any pane has is under any key
  readonly [K in keyof S]: ValueOf<S[K]> | (string extends K ? LivePath : never);
};

/** What a pane has whatever its pipeline. A type, not an interface: pipelines that are not known by name take any pane. */
type AnyPane<N extends string> = {
  readonly pipeline: N;
  /** What a gateway makes of the page's pictures before they are sent; absent: they are as served. */
  readonly conversion?: Conversion;
  /** Where it loads from, of a scenario whose path is live; absent: from where the scenario says. */
  readonly path?: LivePath;
};

/** Of a server over datagrams: C03's keeps below the link's rate, by how much it does not say. */
export const RATE_PERCENT = {
  kind: 'number',
  help: "that the server sends at, % of the path's rate down as the load begins",
  label: "Rate, % of the link's",
  least: 1,
  most: 100,
  default: 90,
} as const satisfies Setting;

/** The server's send buffer. */
export const SEND_BUFFER = {
  kind: 'send-buffer',
  help: '{"bytes": N} or {"objects": K}: the server\'s; null holds the whole transfer',
  label: 'Send buffer',
  default: null,
} as const satisfies Setting;

/** Which stack a transport's ends play. */
export const PROFILE = {
  kind: 'choice',
  help: 'classic is of 2007',
  label: 'Profile',
  choices: [
    ['classic', 'classic (2007)'],
    ['modern', 'modern'],
  ],
  default: 'classic',
} as const satisfies Setting;

/** Whether a pipeline's TCP connections are TLS's. */
export const TLS = {
  kind: 'switch',
  help: "TLS 1.3's round trip, sizes and records; nothing is encrypted",
  label: 'TLS',
  texts: ['TLS 1.3', 'none'],
  default: true,
} as const satisfies Setting;

/**
 * Which response is written next, of those that multiplex. Round-robin is what browsers ask for: Chromium's pictures
 * are all incremental (`requestPriority`). First-come is what they get: Caddy sends Chromium 156 one picture after the
 * other (measured, 2026).
 */
export const SCHEDULER = {
  kind: 'choice',
  help: 'whose data is sent next, the most urgent first; weighted halves a share with each step of urgency, scan-aware sends all first scans first, then beginnings of second ones',
  label: 'Scheduler',
  choices: [
    ['round-robin', 'round-robin'],
    ['first-come', 'first come'],
    ['weighted', 'weighted'],
    ['scan-aware', 'scans first'],
  ],
  default: 'round-robin',
} as const satisfies Setting;

/** What a gateway makes of the page's pictures: a setting of every pane. N07 §6 proposes progressive ones. */
export const CONVERSION = {
  kind: 'choice',
  help:
    'what a gateway makes of JPEG and PNG before they are sent, never larger, at no time; a WebP is painted from the ' +
    'top as it comes, an AVIF when it is whole',
  label: 'Pictures',
  choices: [
    ['none', 'as served'],
    ['progressive', 'progressive'],
    ['webp', 'WebP, painted from the top'],
    ['avif', 'AVIF, painted when whole'],
  ],
  default: 'none',
} as const satisfies Setting;
