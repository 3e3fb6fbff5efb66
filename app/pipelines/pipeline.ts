import type {Exchange, ExchangeOptions} from '../http/exchange.ts';
import type {Transports} from '../http/transports.ts';
import type {LivePath, PaneOf, SendBuffer, Settings} from './setting.ts';
import type {WriteLog} from './writeLog.ts';

/**
 * One way to load a page, with everything that scenario, load, trace, timeline, header, controls and help know about
 * it. A pipeline is a folder of its own and a line in `list.ts`.
 */
export interface Pipeline<N extends string = string, S extends Settings = Settings> {
  /** Its name in scenario documents and results. */
  readonly name: N;
  /** With an article, for messages: `a tcp pane`. */
  readonly paneNoun: string;
  readonly label: string;
  /** The label for use in sentences, if a setting changes it. */
  labelOf?(pane: PaneOf<N, S>): string;
  /** Its label where it is chosen. */
  readonly longLabel: string;
  /** The implementation of its transport. */
  readonly stack: string;
  /** The HTTP version of its messages, as DevTools writes it in a HAR. */
  readonly httpVersion: string;
  /** One line for people about what it does. */
  readonly about: string;
  readonly settings: S;
  /** The unit of `ChunkColumns.first`: bytes of the connection's stream, or whole chunks. */
  readonly numbers: 'byte' | 'chunk';
  /** What its acknowledgements count: data by their numbers, or packets (RFC 9000 §13.1). */
  readonly acknowledges: 'data' | 'packets';
  /** The timer for a missing acknowledgement: the RTO of TCP and SCTP, or QUIC's PTO (RFC 9002 §6.2). */
  readonly timer: 'RTO' | 'PTO';
  /** The RFC's name for the message that reports later data as received and earlier data as missing. */
  readonly gapReport: string;
  /**
   * Which of L06's two transports it corresponds to: after a loss, all data wait, or only those of one stream. Null if
   * the model covers neither.
   */
  modelled(pane: PaneOf<N, S>): 'in order' | 'by stream' | null;
  /**
   * Whether its requests state priorities (RFC 9218), so that the browser's priorities decide the order of responses.
   */
  readonly hasPriorities?: true;
  /** How it loads from a live server. Absent if live servers do not support it. */
  readonly live?: LivePipeline<N, S>;
  /** The smallest `path.mtuBytes` that it supports, if that exceeds the general minimum. */
  readonly leastMtuBytes?: number;
  /** What is exchanged before the first GET. Null if nothing is. */
  setUp(pane: PaneOf<N, S>): SetUp | null;
  /** Opens the pane's connections and HTTP over them. The clients' buffers hold the whole transfer. */
  open(network: Transports, pane: PaneOf<N, S>, options: OpenOptions): Exchange;
  /** A write log for one direction of one connection. `connection` is its index in the exchange's list. */
  openWriteLog(connection: number): WriteLog;
  /** The number of streams that the pane requests, over all its connections. */
  streamsOf(pane: PaneOf<N, S>): number;
  /** Whether simultaneous responses take turns, piece by piece. */
  sendsInTurn(pane: PaneOf<N, S>): boolean;
  /** The words that a header always shows. `streams` is the actual number of streams. */
  headerWords(pane: PaneOf<N, S>, streams: number): readonly string[];
  /** Its name beside other panes, most distinctive words first. */
  nameWords(pane: PaneOf<N, S>): readonly string[];
  /**
   * One word for each setting that neither of these shows, always in the same order. Empty for a setting without
   * effect.
   */
  settingWords(pane: PaneOf<N, S>): readonly string[];
  /** A setting that is valid alone but conflicts with others, and the limit that it must meet. */
  problemOf?(pane: PaneOf<N, S>): {readonly key: keyof S & string; readonly limit: string} | undefined;
}

export interface LivePipeline<N extends string, S extends Settings> {
  /** Whether its packets pass through our own code on this path. The kernel hides the packets of its own TCP. */
  seesPackets(path: LivePath): boolean;
  /** Whether it uses TCP. The path tells which TCP stack. */
  readonly isOverTcp?: true;
  /** Whether each stream carries frames of one request and its response. */
  readonly hasFrames?: true;
  /** Whether its server is identified by a certificate, so that the path needs its fingerprint. */
  readonly hasCertificate?: true;
  /** A setting of the pane that live servers do not support. */
  lackOf(pane: PaneOf<N, S>): (keyof S & string) | undefined;
}

export interface SetUp {
  /** A short text for people. */
  readonly text: string;
  /** Whether it includes TLS's sizes and round trips. */
  readonly hasTls: boolean;
}

export interface OpenOptions extends ExchangeOptions {
  /** Size of the server's send buffer for a setting. */
  readonly bufferBytes: (sendBuffer: SendBuffer | null) => number;
  /** The path's downward rate at the start of the load, for a server that limits its own rate. */
  readonly rateBps: number;
}
