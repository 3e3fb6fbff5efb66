import type {Exchange, ExchangeOptions} from '../http/exchange.ts';
import type {Transports} from '../http/transports.ts';
import type {LivePath} from './livePath.ts';
import type {PaneOf, SendBuffer, Settings} from './setting.ts';
import type {WriteLog} from './writeLog.ts';

/**
 * One way to load a page: all that scenario, load, trace, timeline, header, controls and help know of it. A folder of
 * its own and a line in `list.ts` make a pipeline.
 */
export interface Pipeline<N extends string = string, S extends Settings = Settings> {
  /** In scenario documents and results. */
  readonly name: N;
  /** With its article, as messages say it: `a tcp pane`. */
  readonly paneNoun: string;
  readonly label: string;
  /** In a sentence, where a setting makes so much of another thing of it that it is no longer called so. */
  labelOf?(pane: PaneOf<N, S>): string;
  /** Where it is chosen. */
  readonly longLabel: string;
  /** Whose transport it is. */
  readonly stack: string;
  /** Of its messages, as DevTools writes it into a HAR. */
  readonly httpVersion: string;
  /** One line for people: what it does. */
  readonly about: string;
  readonly settings: S;
  /** What `ChunkColumns.first` counts: bytes of the connection's stream, or whole chunks. */
  readonly numbers: 'byte' | 'chunk';
  /** What its acknowledgements count: its data, by its numbers, or packets (RFC 9000 §13.1). */
  readonly acknowledges: 'data' | 'packets';
  /** How long it waits for an acknowledgement: TCP's and SCTP's RTO, or QUIC's PTO (RFC 9002 §6.2). */
  readonly timer: 'RTO' | 'PTO';
  /** What tells its sender that later data came and earlier data did not, as its RFC calls one of them. */
  readonly gapReport: string;
  /** Which of L06's two transports it is: behind a loss all waits, or nothing does. Null if the model has it not. */
  modelled(pane: PaneOf<N, S>): 'in order' | 'by stream' | null;
  /** Whether its requests say how urgent they are (RFC 9218): then what a browser asks for decides what comes when. */
  readonly hasPriorities?: true;
  /** Of a load from a live server; absent where no live server has it. */
  readonly live?: LivePipeline<N, S>;
  /** The smallest `path.mtuBytes` that it can do with, if that is more than a path may have. */
  readonly leastMtuBytes?: number;
  /** What is exchanged before the first GET can go; null where nothing is. */
  setUp(pane: PaneOf<N, S>): SetUp | null;
  /** Makes the pane's connections, and its HTTP over them. Clients' buffers hold the whole transfer. */
  open(network: Transports, pane: PaneOf<N, S>, options: OpenOptions): Exchange;
  /** For one direction of one connection, by its place in the exchange's list. */
  openWriteLog(connection: number): WriteLog;
  /** Streams that the pane asks for, over all its connections. */
  streamsOf(pane: PaneOf<N, S>): number;
  /** Whether objects that are asked for at once are sent a piece of each in turn. */
  sendsInTurn(pane: PaneOf<N, S>): boolean;
  /** What a header tells in any room; `streams` are those that there are. */
  headerWords(pane: PaneOf<N, S>, streams: number): readonly string[];
  /** What it is called beside other panes, the most telling first. */
  nameWords(pane: PaneOf<N, S>): readonly string[];
  /** A word for each setting that neither of these tells, each in its place; empty for one without effect. */
  settingWords(pane: PaneOf<N, S>): readonly string[];
  /** A setting that is right by itself and wrong beside the others, and what it must be. */
  problemOf?(pane: PaneOf<N, S>): {readonly key: keyof S & string; readonly limit: string} | undefined;
}

export interface LivePipeline<N extends string, S extends Settings> {
  /** Whether its packets pass through us on that path; a kernel keeps those of its own. */
  seesPackets(path: LivePath): boolean;
  /** Whether it goes over TCP: whose, the path says. */
  readonly isOverTcp?: true;
  /** Whether a stream's bytes are frames, of one request and its response. */
  readonly hasFrames?: true;
  /** Whether its server is known by a certificate: then the path has its fingerprint. */
  readonly hasCertificate?: true;
  /** A setting of the pane that no live server has. */
  lackOf(pane: PaneOf<N, S>): (keyof S & string) | undefined;
}

export interface SetUp {
  /** In few words. */
  readonly text: string;
  /** Whether TLS's sizes and round trips are in it. */
  readonly hasTls: boolean;
}

export interface OpenOptions extends ExchangeOptions {
  /** Bytes that the server's send buffer has for a setting. */
  readonly bufferBytes: (sendBuffer: SendBuffer | null) => number;
  /** Of the path's way down as the load begins, for a server that keeps below it by itself. */
  readonly rateBps: number;
}
