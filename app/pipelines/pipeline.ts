import type {Browser} from '../browsers/browser.ts';
import type {Exchange, ExchangeOptions} from '../http/exchange.ts';
import type {TlsTickets} from '../http/tls/tlsTickets.ts';
import type {Transports} from '../http/transports.ts';
import type {Server} from '../servers/server.ts';
import type {LivePath, PaneOf, SendBuffer, Settings} from './setting.ts';
import type {WriteLog} from './writeLog.ts';

/**
 * One way to load a page. The record contains all data about a pipeline that other code needs (scenario, load, trace,
 * timeline, header, controls, help). Each pipeline has its own folder and a line in `list.ts`.
 */
export interface Pipeline<N extends string = string, S extends Settings = Settings> {
  /** The name in scenario documents and results. */
  readonly name: N;
  /** A pane of this pipeline, with an article, for messages: `a tcp pane`. */
  readonly paneNoun: string;
  /**
   * Whether one of the papers (docs/papers.md) loads pages with this pipeline. `clockOf` uses this to decide whether
   * times count from navigation or from the first request.
   */
  readonly isOfPapers?: true;
  /** The label in short texts: `TCP`. */
  readonly label: string;
  /** Returns the label of a pane. The function is present if the label depends on a setting: `TCP × 6`. */
  labelOf?(pane: PaneOf<N, S>): string;
  /**
   * The name of HTTP that precedes the label in a pane's title: `HTTP/1.1` in `HTTP/1.1 over TCP`, `HTTP` in `HTTP over
   * SCTP`. It is absent if the label is a version of HTTP itself.
   */
  readonly carries?: string;
  /** The label in the list from which the user chooses a pipeline. */
  readonly longLabel: string;
  /** The name of the transport's implementation. */
  readonly stack: string;
  /** The version of HTTP, as DevTools writes it in a HAR. */
  readonly httpVersion: string;
  /** One line that explains the pipeline to users. */
  readonly about: string;
  readonly settings: S;
  /**
   * Settings that only other pipelines have. Each has the text that completes the message `must be …` to a user who
   * sets it in a pane of this pipeline. For all other unknown settings, the message says that the key is unknown.
   */
  readonly refusals?: Readonly<Record<string, string>>;
  /** The unit of `ChunkColumns.first`: bytes (of TCP's stream, or of each QUIC stream), or whole chunks. */
  readonly numbers: 'byte' | 'chunk';
  /**
   * Whether the client requests objects in bare datagrams. Nothing acknowledges these: the client repeats requests, and
   * requests missing data again (C03).
   */
  readonly isOfDatagrams?: true;
  /** What an acknowledgement reports as received: data, or packets (RFC 9000 §13.1). */
  readonly acknowledges: 'data' | 'packets';
  /** The timer for a missing acknowledgement: the RTO of TCP and SCTP, or QUIC's PTO (RFC 9002 §6.2). */
  readonly timer: 'RTO' | 'PTO';
  /**
   * The name of the message that reports later data as received and earlier data as missing. It is the RFC's name if
   * the transport has an RFC.
   */
  readonly gapReport: string;
  /**
   * Returns the transport to which the pane corresponds in the model of the paper L06. With `in order`, all data wait
   * after a loss. With `by stream`, only the data of one stream wait. Returns null if the model does not cover the
   * pane.
   */
  modelled(pane: PaneOf<N, S>): 'in order' | 'by stream' | null;
  /**
   * Whether requests state priorities (RFC 9218), so that the browser's priorities determine the order of responses.
   */
  readonly hasPriorities?: true;
  /** Whether a connection carries one request at a time, so that others wait for it. Absent if it never does. */
  carriesOne?(pane: PaneOf<N, S>): boolean;
  /**
   * Set if the client can open separate connections for the origins of the page. Which origins share a connection is
   * decided by `placesOf`; a plain browser requests everything from one origin. If this is absent, all origins are
   * loaded from one server.
   */
  readonly hasOrigins?: true;
  /** Returns what the pipeline needs and the server lacks, such as `HTTP/3`. Absent if every server suffices. */
  lackOfServer?(server: Server): string | undefined;
  /**
   * Converts a pane of an older version of scenarios to the current settings. The function is absent if the settings of
   * the pipeline have not changed since then.
   */
  ofOlderVersion?(pane: {readonly [key: string]: unknown}): {readonly [key: string]: unknown};
  /** The properties of loads from live servers. The field is absent if live servers do not support the pipeline. */
  readonly live?: LivePipeline<N, S>;
  /** Whether the client can move to another path in the middle of a load. The field is absent if it cannot. */
  readonly hasHandOver?: true;
  /** The smallest `path.mtuBytes` that the pipeline supports. It is absent if the general minimum applies. */
  readonly leastMtuBytes?: number;
  /** Returns a description of the messages that the ends exchange before the first GET, or null if there are none. */
  setUp(pane: PaneOf<N, S>): SetUp | null;
  /** Opens the pane's connections, and HTTP over them. The clients' receive buffers must hold the whole transfer. */
  open(network: Transports, pane: PaneOf<N, S>, options: OpenOptions): Exchange;
  /**
   * Returns a write log for one direction of one connection. `connection` is the connection's index in the exchange.
   */
  openWriteLog(connection: number): WriteLog;
  /** Returns the number of streams that the pane can use, over all its connections. */
  streamsOf(pane: PaneOf<N, S>): number;
  /** Returns whether simultaneous responses take turns piece by piece. */
  interleaves(pane: PaneOf<N, S>): boolean;
  /** Returns the words that the pane's header always shows. `streams` is the number of streams that the load has. */
  headerWords(pane: PaneOf<N, S>, streams: number): readonly string[];
  /** Returns the words of the pane's name, the most distinctive first. */
  nameWords(pane: PaneOf<N, S>): readonly string[];
  /**
   * Returns one text for each setting that {@link Pipeline.nameWords} does not contain. The order of the settings is
   * always the same. The text is empty for a setting without effect, and for some settings that have their usual value.
   */
  settingWords(pane: PaneOf<N, S>): readonly string[];
  /**
   * Returns a setting that conflicts with other settings of the pane, and the limit that it must meet. Returns
   * undefined if there is no conflict.
   */
  problemOf?(pane: PaneOf<N, S>): {readonly key: keyof S & string; readonly limit: string} | undefined;
}

export interface LivePipeline<N extends string, S extends Settings> {
  /** Returns whether packets on this path pass through our own code. The kernel hides the packets of its own TCP. */
  seesPackets(path: LivePath): boolean;
  /** Whether the pipeline uses TCP. The path determines which TCP stack is used. */
  readonly isOverTcp?: true;
  /** Whether each stream carries one request and its response in frames. */
  readonly hasFrames?: true;
  /** Whether a certificate identifies the server, so that the path must contain the certificate's fingerprint. */
  readonly hasCertificate?: true;
  /** Returns a setting of the pane that live servers do not support, or undefined if they support all. */
  lackOf(pane: PaneOf<N, S>): (keyof S & string) | undefined;
}

export interface SetUp {
  /** A short text for users. */
  readonly text: string;
  /** Whether the set-up includes the message sizes and round trips of TLS. */
  readonly hasTls: boolean;
}

export interface OpenOptions extends ExchangeOptions {
  /** The model of the browser. It decides what the client states about its requests. */
  readonly browser: Browser;
  /** The model of the servers. It decides how they write responses. */
  readonly server: Server;
  /** Returns the size of the server's send buffer in bytes for a value of the setting. */
  readonly bufferBytes: (sendBuffer: SendBuffer | null) => number;
  /**
   * The path's downward rate at the start of the load. If the rate follows a trace, this is the mean of the trace.
   * Servers that limit their own rate use it.
   */
  readonly rateBps: number;
  /** Whether the client moves to another path during the load. QUIC connections then continue on the new path. */
  readonly handsOver?: boolean;
  /** Whether the client has connected to this server before in this load. */
  readonly hasSession?: boolean;
  /** The tickets that the client has from this server. All connections of a load to this server share them. */
  readonly tickets?: TlsTickets;
}
