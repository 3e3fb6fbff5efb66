import type {Conversion} from '../page/conversion.ts';

/** One setting of a pane. Scenario documents, help and controls are derived from it. */
export type Setting = ChoiceSetting | NumberSetting | SwitchSetting | SendBufferSetting;

/** By key of the scenario document, in the order in which they are written and shown. */
export type Settings = {readonly [key: string]: Setting};

interface SettingTexts {
  /** One line for people about what it is and what its values mean. */
  readonly help: string;
  /** Its label in the window's column of settings. A setting without one is only set by files and `--set`. */
  readonly label?: string;
  /** Whether the window always shows the setting. Other settings are folded away. */
  readonly isAtHand?: true;
}

interface ChoiceSetting extends SettingTexts {
  readonly kind: 'choice';
  /** Each word with its text in the window. */
  readonly choices: readonly (readonly [word: string, text: string])[];
  /** One of the words. */
  readonly default: string;
}

interface NumberSetting extends SettingTexts {
  readonly kind: 'number';
  /** Smallest whole number that is allowed. */
  readonly least: number;
  readonly most: number;
  /** Null is allowed only if it is the default. */
  readonly default: number | null;
}

interface SwitchSetting extends SettingTexts {
  readonly kind: 'switch';
  /** The window's texts for true and false. */
  readonly texts: readonly [on: string, off: string];
  readonly default: boolean;
}

interface SendBufferSetting extends SettingTexts {
  readonly kind: 'send-buffer';
  readonly default: null;
}

/**
 * How much the server's transport accepts before a write must wait. Null holds the whole transfer. `objects` K is
 * measured in the page's largest response, so that the concurrency level is min(L, K) (N07 §6).
 */
export type SendBuffer = {readonly bytes: number} | {readonly objects: number};

/** The values of a setting. */
type ValueOf<S extends Setting> = S extends ChoiceSetting
  ? S['choices'][number][0]
  : S extends NumberSetting
    ? number | (null extends S['default'] ? null : never)
    : S extends SwitchSetting
      ? boolean
      : SendBuffer | null;

/** A pane over the pipeline of this name, with a value for each of its settings. */
export type PaneOf<N extends string, S extends Settings> = AnyPane<N> & {
  // If the pipeline is not known by name, any key may hold a field that all panes have.
  readonly [K in keyof S]: ValueOf<S[K]> | (string extends K ? LivePath : never);
};

/**
 * Fields of every pane. It is a type rather than an interface so that code for an unknown pipeline accepts any pane.
 */
type AnyPane<N extends string> = {
  readonly pipeline: N;
  /** How a gateway converts the page's pictures before sending them. Absent if they are served unchanged. */
  readonly conversion?: Conversion;
  /** Where it loads from, if the scenario's path is live. Absent if the scenario's path applies. */
  readonly path?: LivePath;
};

/**
 * For a server over datagrams. C03's server stays below the link's rate, by an amount that the paper does not state.
 */
export const RATE_PERCENT = {
  kind: 'number',
  help: "The rate at which the server sends, in % of the path's rate down as the load begins.",
  label: "Rate, % of the link's",
  least: 1,
  most: 100,
  default: 90,
} as const satisfies Setting;

/** The server's send buffer. */
export const SEND_BUFFER = {
  kind: 'send-buffer',
  help: "The size of the server's send buffer. With null the whole transfer fits.",
  label: 'Send buffer',
  default: null,
} as const satisfies Setting;

/** Which stack both ends of a transport imitate. */
export const PROFILE = {
  kind: 'choice',
  help: 'The rules of the stack: classic is of 2007, modern of today.',
  label: 'Profile',
  choices: [
    ['classic', 'classic (2007)'],
    ['modern', 'modern'],
  ],
  default: 'classic',
} as const satisfies Setting;

/** Whether a pipeline's TCP connections carry TLS. */
export const TLS = {
  kind: 'switch',
  help: 'Whether the round trip, the sizes and the records of TLS 1.3 count. Nothing is encrypted.',
  label: 'TLS',
  texts: ['TLS 1.3', 'none'],
  default: true,
} as const satisfies Setting;

/**
 * Which response is written next, in pipelines that multiplex. Round-robin is what browsers request: Chromium marks all
 * pictures as incremental (`requestPriority`). First-come is what they get: Caddy sends Chromium 156 one picture after
 * the other (measured, 2026).
 */
export const SCHEDULER = {
  kind: 'choice',
  help:
    'Whose data the server sends next, the most urgent first. weighted halves the share with each step of urgency. ' +
    'scan-aware sends the first scans of all pictures first, then the beginnings of the second ones.',
  label: 'Scheduler',
  choices: [
    ['round-robin', 'round-robin'],
    ['first-come', 'first come'],
    ['weighted', 'weighted'],
    ['scan-aware', 'scans first'],
  ],
  default: 'round-robin',
} as const satisfies Setting;

/** How a gateway converts the page's pictures. Every pane has this setting. N07 §6 proposes progressive pictures. */
export const CONVERSION = {
  kind: 'choice',
  help:
    'What a gateway makes of JPEG and PNG before they are sent. The result is never larger, and takes no time. ' +
    'Browsers paint a WebP from the top as it comes, and an AVIF when it is whole.',
  label: 'Pictures',
  choices: [
    ['none', 'as served'],
    ['progressive', 'progressive'],
    ['webp', 'WebP, painted from the top'],
    ['avif', 'AVIF, painted when whole'],
  ],
  default: 'none',
} as const satisfies Setting;

/** How a pane reaches a live server. It is a type rather than an interface because documents contain it. */
export type LivePath = {
  /** `HOST:PORT` of the server, or of a path that leads to it. */
  readonly live: string;
  /** The TCP stack that is used: the simulator's own over UDP, or the kernel's if this is absent. */
  readonly tcp?: 'udp';
  /** SHA-256 of the certificate of a QUIC server, as 64 hexadecimal digits. No other certificate is accepted. */
  readonly fingerprint?: string;
};
