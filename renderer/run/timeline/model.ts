import type {ScaleLinear} from 'd3-scale';
import type {Cause} from '../../../app/run/cause/cause.ts';
import type {PaneMetrics} from '../../../app/run/metrics/metrics.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {Caption} from '../../../app/telling/movie/captions.ts';
import type {Axis, TimelineName} from '../../../app/telling/movie/options.ts';
import type {Theme} from '../../kit/objectColours.ts';
import type {Hovered} from '../../session/hovered.ts';
import type {Box, Drawing, Point} from './drawing.ts';
import type {Sender} from './senders.ts';
import type {Firing} from './timers.ts';

/** Everything that the timeline's picture depends on. */
export interface TimelineModel {
  readonly panes: readonly TimelinePane[];
  readonly view: View;
  /** What the percent view counts. */
  readonly axis: Axis;
  /** Null until it is known what is to be seen of the page. */
  readonly eye: Eye | null;
  readonly layout: Layout;
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly selected: number | null;
  /** A loss that is explained in its pane's graph; none by default. */
  readonly explained?: ExplainedLoss | null;
  /** A packet that is looked into; none by default. */
  readonly lookedInto?: {readonly trace: Trace; readonly packet: number} | null;
  /** When the path changes, and to what. */
  readonly changes: readonly Caption[];
  /** The whole picture, CSS px. */
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
  /** Of a picture's column: where it begins, `width` being where it ends, and how many graphs have room below each other. */
  readonly leftPx?: number;
  readonly rows?: number;
  /** All panes of the picture that this is a column of: what is compared has one scale. */
  readonly allPanes?: readonly TimelinePane[];
  /** What of the run is on show. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Nothing that happened after it is drawn or found; without it all is. */
  readonly revealNs?: number | undefined;
}

/** What a lost packet did, in the pane whose trace it is. */
export interface ExplainedLoss {
  readonly trace: Trace;
  readonly cause: Cause;
}

/** One pane of the run, and what it is called. */
export interface TimelinePane {
  readonly trace: Trace;
  readonly metrics: PaneMetrics;
  readonly label: string;
  /** As short as tells it from the others, where there is one line for it; its label without. */
  readonly shortName?: string;
  /** The same pane's load before the settings changed: a ghost behind its lines. */
  readonly before?: Trace | undefined;
  /** When L06's model has the page complete; none where it says nothing, or is not to be shown. */
  readonly modelNs?: number | undefined;
}

export type Layout = 'stacked' | 'overlaid';

/** A graph with its scale of time; `panes` are drawn in it. */
export interface Plot {
  readonly box: Box;
  readonly panes: readonly TimelinePane[];
  /** Below the box: marks of packets, a row for each pane. */
  readonly strip: Box;
  /** ns to CSS px. */
  readonly x: ScaleLinear<number, number>;
}

/** A way to draw a run over time. `views/list.ts` has them all. */
export interface View {
  /** As files and `--timeline` name it. */
  readonly name: TimelineName;
  /** On its button. */
  readonly label: string;
  /** `KeyboardEvent.key` that shows it. */
  readonly key: string;
  /** Names or values stand so far to the left of the graphs, em. */
  readonly leftEm: number;
  /**
   * How much of the window and of a movie it needs; timeline.css and movie.css have them all. Beside `most` the pages
   * stand in one row: what is to be seen is in the picture.
   */
  readonly height: 'usual' | 'high' | 'most';
  /** Whether marks of packets stand below its graphs. */
  readonly hasStrip: boolean;
  /**
   * What tells panes in one graph apart: the dashes of their lines, the place of their bars in each row, or rows of
   * their own, whose names the view draws.
   */
  readonly apartBy: 'dashes' | 'rows' | 'own rows';
  /** Whether each pane's name has a line above the graph for itself, and what is told beside it. */
  readonly hasNameLines: boolean;
  /** The panes of each of its graphs. */
  readonly graphs: (panes: readonly TimelinePane[], layout: Layout) => readonly (readonly TimelinePane[])[];
  /** What the marks of a graph of these panes are: text and colour. It ends the first line above the graph. */
  readonly legend: (
    theme: Theme,
    panes: readonly TimelinePane[],
  ) => readonly (readonly [text: string, colour: string])[];
  /** What each mark of these panes is, for a legend beside the picture. */
  readonly marks: (panes: readonly TimelinePane[], layout: Layout, axis: Axis) => readonly Mark[];
  /** Its marks are packets: a lost one is looked into, too. */
  readonly hasPackets?: true;
  /** It tells of each loss what that did: the one that is explained needs no more. */
  readonly tellsLosses?: true;
  /** Where in its graphs the model's page time is told, which has a line there; without this, it is not. */
  readonly modelAt?: 'top' | 'bottom';
  /** What is in a graph, with the values to its left. A function of its arguments alone. */
  readonly draw: (drawing: Drawing, model: TimelineModel, plot: Plot) => void;
  /** Where in a graph a lost packet's mark is, CSS px; without this, in the strip, or at the graph's foot. */
  readonly lossY?: (model: TimelineModel, plot: Plot, loss: ExplainedLoss) => number | undefined;
  /** What of a graph is at a point of it or of its strip. */
  readonly hit: (model: TimelineModel, plot: Plot, point: Point) => Hit | undefined;
}

/** One kind of mark, and what it is. */
export interface Mark {
  readonly text: string;
  /** Draws it into a box, as the view does. */
  readonly draw: (drawing: Drawing, style: MarkStyle, box: Box) => void;
}

/** What a mark's look depends on. */
export type MarkStyle = Pick<TimelineModel, 'theme' | 'fontPx'>;

/** What the pointer is on. */
export type Hit = ObjectHit | PacketHit | LossHit | SenderHit;

interface ObjectHit {
  readonly kind: 'object';
  readonly object: number;
  /** Of the pane whose line it is; none where panes share a mark. */
  readonly trace?: Trace;
}

/** A packet that came, with data of that object. */
interface PacketHit {
  readonly kind: 'packet';
  readonly trace: Trace;
  readonly packet: number;
  readonly object: number;
}

/** A sender's view of the path, or one of its timers when it fired. */
export interface SenderHit {
  readonly kind: 'sender';
  readonly sender: Sender;
  /** What of it is told: those of the view. */
  readonly values: 'window' | 'rtt';
  readonly firing?: Firing;
}

/** A packet that the path dropped. */
export interface LossHit {
  readonly kind: 'loss';
  readonly trace: Trace;
  readonly packet: number;
}
