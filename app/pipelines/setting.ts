import type {BrowserName} from '../browsers/list.ts';
import type {Conversion} from '../page/conversion.ts';
import type {ServerName} from '../servers/list.ts';
import type {PaneDrops} from './drops.ts';

/** One setting of a pane. Scenario documents, help and controls are derived from it. */
export type Setting = ChoiceSetting | NumberSetting | SwitchSetting | SendBufferSetting;

/** Settings by their key in scenario documents, in the order in which they are written and shown. */
export type Settings = {readonly [key: string]: Setting};

interface SettingTexts {
  /** A text for users that explains the setting and its values. */
  readonly help: string;
  /**
   * The label in the window's column of settings. A setting without a label can be changed only by files and `--set`.
   */
  readonly label?: string;
  /** Whether the window always shows the setting. Other settings are hidden until the user unfolds them. */
  readonly isAlwaysVisible?: true;
}

interface ChoiceSetting extends SettingTexts {
  readonly kind: 'choice';
  /** Each value in scenario documents, with its text in the window. */
  readonly choices: readonly (readonly [word: string, text: string])[];
  /** One of the words. */
  readonly default: string;
}

interface NumberSetting extends SettingTexts {
  readonly kind: 'number';
  /** The smallest number that is allowed. All numbers must be whole. */
  readonly least: number;
  readonly most: number;
  /** The default value. Only a setting whose default is null can be set to null. */
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
 * The size of the server's send buffer, in bytes or in multiples of the page's largest response. The paper N07 (§6)
 * predicts that a buffer of K `objects` lets min(L, K) objects arrive at the same time over L streams, but our loads
 * differ (docs/papers.md). If the setting is null, the buffer holds the whole transfer.
 */
export type SendBuffer = {readonly bytes: number} | {readonly objects: number};

/** The type of a setting's values. */
type ValueOf<S extends Setting> = S extends ChoiceSetting
  ? S['choices'][number][0]
  : S extends NumberSetting
    ? number | (null extends S['default'] ? null : never)
    : S extends SwitchSetting
      ? boolean
      : SendBuffer | null;

/** A pane that uses the pipeline with this name. It has a value for each of the pipeline's settings. */
export type PaneOf<N extends string, S extends Settings> = AnyPane<N> & {
  // If the type does not state the pipeline, K is any string. The value may then also be that of a field that all panes
  // have.
  readonly [K in keyof S]: ValueOf<S[K]> | (string extends K ? LivePath | PaneDrops : never);
};

/**
 * The fields of every pane. This is a type instead of an interface, because code for an unknown pipeline sees a pane as
 * an object with an index signature, and TypeScript does not accept an interface there.
 */
type AnyPane<N extends string> = {
  readonly pipeline: N;
  /** The conversion of the page's pictures by a gateway. It is absent if the pictures are sent unchanged. */
  readonly conversion?: Conversion;
  /**
   * The live server of this pane, if the scenario's path is live. It is absent if the pane uses the scenario's path.
   */
  readonly path?: LivePath;
  /**
   * The kind of file in which another program recorded the run. The settings of the pane are then not known. The field
   * is absent from scenario documents, because there it is a part of the path.
   */
  readonly captured?: CaptureKind;
  /** The browser of this pane. It is absent if the pane uses the browser of the scenario. */
  readonly browser?: BrowserName;
  /** The web server of this pane. It is absent if the pane uses the server of the scenario. */
  readonly webServer?: ServerName;
  /** The packets that this pane alone drops. It is absent if the pane loses only what the path loses. */
  readonly drop?: PaneDrops;
};

/**
 * The sending rate of a server that sends bare datagrams. The server of the paper C03 sends more slowly than the link,
 * but the paper does not state by how much.
 */
export const RATE_PERCENT = {
  kind: 'number',
  help: "The server's sending rate, in % of the path's downward rate at the start of the load.",
  label: 'Rate, % of the link rate',
  least: 1,
  most: 100,
  default: 90,
} as const satisfies Setting;

/** The server's send buffer. */
export const SEND_BUFFER = {
  kind: 'send-buffer',
  help: "The size of the server's send buffer. With null the buffer holds the whole transfer.",
  label: 'Send buffer',
  default: null,
} as const satisfies Setting;

/** The rules that both ends of a transport follow. Each pipeline has a help text of its own. */
export const PROFILE = {
  kind: 'choice',
  label: 'Profile',
  choices: [
    ['classic', 'classic (2007)'],
    ['modern', 'modern'],
  ],
  default: 'classic',
} as const;

/** What the profiles of TCP mean, in plain words. */
export const TCP_PROFILE_HELP =
  'classic has the rules of 2007, which the papers used. The first window has 3 packets (RFC 3390). The timeout is ' +
  'at least 1 s, and 3 s at first (RFC 2988). Acknowledgements wait for up to 200 ms. Three later acknowledgements ' +
  'reveal a loss (RFC 6675). The congestion control is Reno. modern has the rules of Linux today. The first window ' +
  'has 10 packets (RFC 6928). The timeout is at least the RTT plus 200 ms, and 1 s at first (RFC 6298). ' +
  'Acknowledgements wait for up to 40 ms. Elapsed time reveals a loss, and probes reveal losses at the end of the ' +
  'data (RACK-TLP, RFC 8985). The congestion control is CUBIC with HyStart (RFC 9438).';

/** What the profiles of QUIC mean, in plain words. */
export const QUIC_PROFILE_HELP =
  'classic has the windows and times of TCP in 2007. The first window has 3 packets, and the probe timeout is 3 s at ' +
  'first. Acknowledgements wait for up to 200 ms. The congestion control is Reno. modern has the windows and times ' +
  'of today. The first window has 10 packets, and the probe timeout is 1 s at first. Acknowledgements wait for up to ' +
  '40 ms. The congestion control is CUBIC. In both, a packet counts as lost if a packet that was sent at least three ' +
  'packets later was acknowledged, or if any later packet was acknowledged and 9/8 of an RTT have passed since the ' +
  'lost one was sent (RFC 9002). With both, the models of Chromium and Firefox have a first probe timeout of 300 ms, ' +
  'and those of Caddy one of 200 ms.';

/** What the profiles of SCTP mean, in plain words. */
export const SCTP_PROFILE_HELP =
  'classic has the rules of 2007, which the papers used. The first window has 3 packets. The timeout is at least ' +
  '1 s, and 3 s at first (RFC 4960). SACKs wait for up to 200 ms. With modern, the first window has 10 packets. The ' +
  'timeout is at least the RTT plus 200 ms, and 1 s at first. SACKs are immediate while the window is small ' +
  '(RFC 7053). In both, a window grows and falls as in RFC 9260 §7.2, like Reno.';

/** Whether the connections of a pipeline use TLS. */
export const TLS = {
  kind: 'switch',
  help: 'Whether connections have the round trip, message sizes and records of TLS 1.3. Nothing is encrypted.',
  label: 'TLS',
  texts: ['TLS 1.3', 'none'],
  default: true,
} as const satisfies Setting;

/** Whether the client has visited the server before, so that it can resume a TLS session. */
export const VISIT = {
  kind: 'choice',
  help:
    'Whether the browser visits the server for the first time, or again and resumes its TLS session, so that the server ' +
    'sends no certificate. Without this key a pane has the visit of the scenario.',
  label: 'Visit',
  choices: [
    ['first', 'the first one'],
    ['again', 'again'],
  ],
  default: 'first',
} as const satisfies Setting;

/** Whether a client that resumes a session sends its first requests before the handshake is complete. */
export const EARLY_DATA = {
  kind: 'switch',
  help:
    'Whether a browser that visits again sends its first requests with its first messages (0-RTT). Caddy accepts ' +
    'this over HTTP/3. Over TCP, Firefox sends early data and Chromium does not, and nginx accepts it only if it is ' +
    'configured to.',
  label: 'Early data',
  texts: ['0-RTT', 'none'],
  default: true,
} as const satisfies Setting;

/** Whether the server compresses its certificate. */
export const CERTIFICATE_COMPRESSION = {
  kind: 'switch',
  help:
    'Whether the server compresses its certificate by brotli, which Chromium offers (RFC 8879). Cloudflare and Google ' +
    'compress theirs, Caddy does not. This has an effect only with the profile modern.',
  texts: ['compressed', 'as it is'],
  default: false,
} as const satisfies Setting;

/**
 * The scheduler that decides which response is written next, in pipelines that multiplex. Browsers request round-robin:
 * Chromium marks all pictures as incremental (`requestPriority`). Nevertheless, some servers use first-come: Caddy
 * sends one picture after the other to Chromium 156 (measured, 2026).
 */
export const SCHEDULER = {
  kind: 'choice',
  help:
    'The order in which the server sends responses, the most urgent first, except with weighted: this gives every ' +
    'response a share, which halves with each step to lower urgency. scan-aware sends the first scans of all ' +
    'pictures first, then their second scans, and so on.',
  label: 'Scheduler',
  choices: [
    ['round-robin', 'round-robin'],
    ['first-come', 'first come'],
    ['weighted', 'weighted'],
    ['scan-aware', 'scans first'],
  ],
  default: 'round-robin',
} as const satisfies Setting;

/**
 * How a gateway converts the page's pictures. Every pane has this setting. The paper N07 (§6) proposed to make pictures
 * progressive.
 */
export const CONVERSION = {
  kind: 'choice',
  help:
    'How a gateway converts JPEG and PNG pictures before they are sent. The result is never larger than the original, ' +
    'and the conversion takes no time. Browsers paint a WebP from the top as it arrives, and an AVIF when it is complete.',
  label: 'Pictures',
  choices: [
    ['none', 'as served'],
    ['progressive', 'progressive'],
    ['webp', 'WebP, painted from the top'],
    ['avif', 'AVIF, painted when complete'],
  ],
  default: 'none',
} as const satisfies Setting;

/** The kinds of files in which other programs record page loads. */
export const CAPTURE_KINDS = ['pcap', 'qlog', 'netlog', 'har'] as const;

export type CaptureKind = (typeof CAPTURE_KINDS)[number];

/**
 * How a pane reaches a live server. This is a type instead of an interface, because scenario documents contain it as
 * JSON, which has an index signature, and TypeScript does not accept an interface there.
 */
export type LivePath = {
  /** `HOST:PORT` of the server, or of an emulated path to the server. */
  readonly live: string;
  /** The TCP stack: the simulator's own stack over UDP (`udp`), or the kernel's if this is absent. */
  readonly tcp?: 'udp';
  /** SHA-256 of the certificate of a QUIC server, as 64 hexadecimal digits. No other certificate is accepted. */
  readonly fingerprint?: string;
};
