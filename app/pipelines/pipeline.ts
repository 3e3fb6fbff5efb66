import type {PaneOf, SendBuffer, Settings} from './setting.ts';
import type {Transports} from './transports.ts';
import type {Wire} from './wire.ts';
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
  /** Where it is chosen. */
  readonly longLabel: string;
  /** Whose transport it is. */
  readonly stack: string;
  /** One line for people: what it does. */
  readonly about: string;
  readonly settings: S;
  /** What `ChunkColumns.first` counts: bytes of the connection's stream, or whole chunks. */
  readonly numbers: 'byte' | 'chunk';
  /** What tells its sender that later data came and earlier data did not, as its RFC calls one of them. */
  readonly gapReport: string;
  /** Which of L06's two transports it is: behind a loss all waits, or nothing does. Without it the model has it not. */
  readonly modelled?: 'in order' | 'by stream';
  /** Opens the pane's connections. Clients' buffers hold the whole transfer. */
  open(network: Transports, pane: PaneOf<N, S>, options: OpenOptions): Wire;
  /** For one direction of one connection. */
  openWriteLog(): WriteLog;
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
}

interface OpenOptions {
  /** Bytes that the server's send buffer has for a setting. */
  readonly bufferBytes: (sendBuffer: SendBuffer | null) => number;
}
