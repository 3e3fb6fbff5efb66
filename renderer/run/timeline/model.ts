import type {ScaleLinear} from 'd3-scale';
import type {Cause} from '../../../app/run/cause/cause.ts';
import type {PaneMetrics} from '../../../app/run/metrics/metrics.ts';
import type {Eye} from '../../../app/run/quality/states.ts';
import type {PathCapacity} from '../../../app/run/scenario/capacity.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {PathSpan, WhyOptions} from '../../../app/run/why/criticalPath.ts';
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
  /** What the y axis of the view `percent` counts. */
  readonly axis: Axis;
  /** The measured quality of the page's pictures; null until it is measured. */
  readonly eye: Eye | null;
  readonly layout: Layout;
  readonly theme: Theme;
  readonly hovered: Hovered;
  readonly selected: number | null;
  /** The loss that is explained in its pane's graph; by default none. */
  readonly explained?: ExplainedLoss | null;
  /** The packet that the packet panel shows; by default none. */
  readonly openedPacket?: {readonly trace: Trace; readonly packet: number} | null;
  /** The changes of the path, each with its time and its text. */
  readonly changes: readonly Caption[];
  /** The rate of the path over time; null or undefined if it is constant or not known. */
  readonly capacity?: PathCapacity | null;
  /** The size of the whole picture, CSS px. */
  readonly width: number;
  readonly height: number;
  readonly fontPx: number;
  /**
   * The least height of a graph, CSS px. If four graphs below each other would be lower than this, and the picture is
   * wide enough for two columns, they are placed in two columns. Undefined if there is no such limit.
   */
  readonly leastPlotPx?: number;
  /** For one column of a picture: the x at which the column begins. The column ends at `width`. */
  readonly leftPx?: number;
  /** For one column of a picture: the number of graphs in the fullest column. */
  readonly rows?: number;
  /** For one column of a picture: the panes of all columns, for a view whose graphs all have the same y scale. */
  readonly allPanes?: readonly TimelinePane[];
  /** The start and the end of the visible part of the run, ns. */
  readonly fromNs: number;
  readonly toNs: number;
  /** Events after this time are not drawn, and the pointer does not find them. Undefined to show the whole run. */
  readonly revealNs?: number | undefined;
}

/** A lost packet's effect, in the pane with this trace. */
export interface ExplainedLoss {
  readonly trace: Trace;
  readonly cause: Cause;
}

/** One pane of the run, and its names. */
export interface TimelinePane {
  readonly trace: Trace;
  readonly metrics: PaneMetrics;
  readonly label: string;
  /** The shortest name that distinguishes the pane, for places with little room; by default the label. */
  readonly shortName?: string;
  /** The same pane's load before the settings changed. It is drawn as a faint ghost. */
  readonly before?: Trace | undefined;
  /** Whether the pane's graph is folded to its name and a strip with its losses; by default not. */
  readonly isFolded?: boolean;
  /**
   * When the page is complete according to the model of the paper L06. Undefined if there is no prediction or it is not
   * shown.
   */
  readonly predictedNs?: number | undefined;
  /** What the critical paths of the load depend on besides its trace. Undefined if no critical paths are drawn. */
  readonly why?: WhyOptions | undefined;
}

export type Layout = 'stacked' | 'overlaid';

/** One graph of the picture: its position, its time scale, and the panes that are drawn in it. */
export interface Plot {
  readonly box: Box;
  readonly panes: readonly TimelinePane[];
  /** The area below the box for marks of packets. It has a row for each pane. */
  readonly strip: Box;
  /** Set if the graph is folded: its box has no height, and only its name and its strip are drawn. */
  readonly isFolded?: true;
  /** Converts ns to CSS px. */
  readonly x: ScaleLinear<number, number>;
}

/** A way to draw a run over time. `views/list.ts` lists all of them. */
export interface View {
  /** The name in files and in `--timeline`. */
  readonly name: TimelineName;
  /** The text of the view's button. */
  readonly label: string;
  /** The `KeyboardEvent.key` that shows this view. */
  readonly key: string;
  /** The room for names or values to the left of the graphs, em. */
  readonly leftEm: number;
  /**
   * How much height the view needs in the window and in movies; timeline.css and movie.css define the heights. With
   * `most`, the pages of a movie are in one row above the picture, unless the movie is 4:5 or narrower.
   */
  readonly height: 'usual' | 'high' | 'most';
  /** Whether there are marks of packets below the view's graphs. */
  readonly hasStrip: boolean;
  /**
   * What distinguishes panes in one graph: the dashes of their lines, the position of their bars in each row, or
   * separate rows. In the last case the view draws the panes' names.
   */
  readonly apartBy: 'dashes' | 'rows' | 'own rows';
  /** Whether each pane's name has its own line above the graph, followed by notes and milestones. */
  readonly hasNameLines: boolean;
  /** Distributes the panes over the view's graphs. */
  readonly graphs: (panes: readonly TimelinePane[], layout: Layout) => readonly (readonly TimelinePane[])[];
  /**
   * The legend inside the picture, at the right end of the first line above a graph: the text and colour of each entry.
   */
  readonly legend: (
    theme: Theme,
    panes: readonly TimelinePane[],
  ) => readonly (readonly [text: string, colour: string])[];
  /** The marks that occur in these panes, for a legend beside the picture. */
  readonly marks: (panes: readonly TimelinePane[], layout: Layout, axis: Axis) => readonly Mark[];
  /** Set for a view that is seldom used. It has no button in the bar unless it is shown. */
  readonly isRare?: true;
  /** Set if the view's marks are packets. A click on a lost packet then also opens the packet panel. */
  readonly hasPackets?: true;
  /** Set if the view itself shows the effect of every loss. An explained loss then needs no arrow. */
  readonly showsLosses?: true;
  /**
   * Where in a graph the label of a predicted time ({@link TimelinePane.predictedNs}) is. If undefined, the prediction
   * is not drawn.
   */
  readonly predictionAt?: 'top' | 'bottom';
  /** Draws the inside of a graph and the values to its left. The result depends only on the arguments. */
  readonly draw: (drawing: Drawing, model: TimelineModel, plot: Plot) => void;
  /**
   * The y of a lost packet's mark in a graph, CSS px. If undefined, the mark is in the strip or at the graph's bottom.
   */
  readonly lossY?: (model: TimelineModel, plot: Plot, loss: ExplainedLoss) => number | undefined;
  /** What is drawn at a point of a graph or of the graph's strip. */
  readonly hit: (model: TimelineModel, plot: Plot, point: Point) => Hit | undefined;
}

/** One kind of mark, for a legend. */
export interface Mark {
  /** What the mark means. */
  readonly text: string;
  /** Draws a sample into a box, in the same way as the view draws the mark. */
  readonly draw: (drawing: Drawing, style: MarkStyle, box: Box) => void;
}

/** What the look of a mark depends on. */
export type MarkStyle = Pick<TimelineModel, 'theme' | 'fontPx'>;

/** What the pointer is on. */
export type Hit = ObjectHit | PacketHit | LossHit | MarkHit | SenderHit | QueueHit | CauseHit;

interface ObjectHit {
  readonly kind: 'object';
  readonly object: number;
  /**
   * The trace of the pane to which the line belongs. Undefined for a row of the views `waterfall` and `why`, which
   * panes can share.
   */
  readonly trace?: Trace;
}

/** A packet with data of the object. It has arrived or is still on its way. */
interface PacketHit {
  readonly kind: 'packet';
  readonly trace: Trace;
  readonly packet: number;
  readonly object: number;
}

/** The line of a sender's values, or the mark of a timer of this sender that fired. */
export interface SenderHit {
  readonly kind: 'sender';
  readonly sender: Sender;
  /** Which of the sender's values the tip shows: those that the view draws. */
  readonly values: 'cwnd' | 'rtt';
  readonly firing?: Firing;
}

/** The queue of a direction. */
interface QueueHit {
  readonly kind: 'queue';
  readonly trace: Trace;
  readonly way: 'down' | 'up';
}

/** An interval of an object's critical path. */
export interface CauseHit {
  readonly kind: 'cause';
  readonly trace: Trace;
  /** The object in whose row the pointer is. The path may pass through another object at this time. */
  readonly object: number;
  readonly span: PathSpan;
}

/** A packet that a queue of the path marked. */
interface MarkHit {
  readonly kind: 'mark';
  readonly trace: Trace;
  readonly packet: number;
}

/** A packet that the path dropped. */
export interface LossHit {
  readonly kind: 'loss';
  readonly trace: Trace;
  readonly packet: number;
}
