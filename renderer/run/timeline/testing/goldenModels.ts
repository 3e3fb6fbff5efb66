import {measure} from '../../../../app/run/metrics/metrics.ts';
import type {PageQuality} from '../../../../app/run/quality/pageQuality.ts';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {PLAIN_OPTIONS} from '../../../../app/run/why/testing/plainOptions.ts';
import type {TimelineModel, TimelinePane} from '../model.ts';
import {VIEWS} from '../views/list.ts';
import {percent} from '../views/percent.ts';
import {queue} from '../views/queue.ts';
import {waterfall} from '../views/waterfall.ts';
import {lateLoad, parallelLoad, sctpLoad, sharedLoad, tcpLoad} from './handmadeLoads.ts';
import {PLAIN_MODEL} from './plainModel.ts';

// For tests: models of every view with one to five panes. Most models show about 1 s of the run.

const MS = 1e6;
const [tcp, sctp, late, parallel] = [
  paneOf('TCP classic', tcpLoad()),
  paneOf('SCTP classic, 3 streams', sctpLoad()),
  paneOf('TCP late', lateLoad()),
  paneOf('TCP × 3', parallelLoad()),
];
const CHANGES = [
  {atNs: 400 * MS, text: 'rate 1 → 2 Mbit/s'},
  {atNs: 600 * MS, text: 'loss 4 % → 0'},
];

const CAPACITY = {
  way: 'down' as const,
  rates: {atNs: [0, 150, 420, 800].map(ms => ms * MS), bps: [1e6, 2.5e6, 0, 0.5e6]},
};

const PICTURES: {readonly [name: string]: Partial<TimelineModel>} = {
  stacked: {panes: [tcp, sctp], changes: CHANGES},
  overlaid: {panes: [tcp, sctp], layout: 'overlaid', height: 200, hovered: new Set([1])},
  three: {panes: [tcp, sctp, late], layout: 'overlaid', height: 200, theme: 'dark', selected: 2},
  zoomed: {
    panes: [late],
    width: 480,
    height: 160,
    fromNs: 365 * MS,
    toNs: 865 * MS,
    hovered: new Set([2]),
    selected: 1,
  },
  small: {panes: [tcp, sctp], changes: CHANGES, width: 320, height: 120, fontPx: 11},
  ghost: {
    panes: [
      {...tcp, before: lateLoad()},
      {...sctp, before: lateLoad()},
    ],
    toNs: 1120 * MS,
  },
  revealed: {panes: [tcp, sctp], changes: CHANGES, revealNs: 580 * MS},
};

const WITHOUT_PANES: TimelineModel = {...PLAIN_MODEL, width: 640, fontPx: 13, toNs: 1020 * MS};

/** The visual quality of the page: 1000 bytes of HTML, a.jpg with three scans, b.png with one; d.gif is missing. */
const QUALITY: PageQuality = {
  screen: {width: 200, height: 100},
  objects: [
    {kind: 'text', area: 4000, curve: [[1000, 1]], scanEnds: [1000]},
    {
      kind: 'picture',
      area: 10_000,
      scanEnds: [500, 2000, 3000],
      curve: [
        [400, 0.4],
        [1000, 0.7],
        [3000, 1],
      ],
    },
    {
      kind: 'picture',
      area: 6000,
      scanEnds: [2000],
      curve: [
        [1000, 0.65],
        [2000, 1],
      ],
    },
    null,
  ],
};
const EYE = {quality: QUALITY, thresholds: {recognisable: 0.6, good: 0.8}};

/** The models whose pictures are compared with stored pictures (goldens). */
export const GOLDEN_MODELS: readonly {readonly name: string; readonly model: TimelineModel}[] = [
  ...VIEWS.flatMap(view => pictures(view.name, {view})),
  ...pictures('scans', {axis: 'scans', eye: EYE}),
  ...pictures('visual', {axis: 'visual', eye: EYE}),
  ...[percent, waterfall].map(view => ({
    name: `${view.name}-predicted`,
    model: {...WITHOUT_PANES, view, panes: [withPredictionAt(tcp, 700), withPredictionAt(sctp, 1000)]},
  })),
  ...[percent, waterfall].map(view => ({
    name: `${view.name}-five`,
    model: {...WITHOUT_PANES, view, panes: [tcp, sctp, late, sctp, tcp].map(again), changes: CHANGES},
  })),
  ...VIEWS.filter(({name}) => name !== 'percent').map(view => ({
    name: `${view.name}-parallel`,
    model: {...WITHOUT_PANES, view, panes: [parallel, tcp]},
  })),
  {name: 'queue-traffic', model: {...WITHOUT_PANES, view: queue, panes: [paneOf('HTTP/2', sharedLoad())]}},
  ...[percent, waterfall].map(view => ({
    name: `${view.name}-capacity`,
    model: {...WITHOUT_PANES, view, panes: [tcp, sctp], capacity: CAPACITY},
  })),
  {name: 'visual-measuring', model: {...WITHOUT_PANES, ...PICTURES['overlaid'], axis: 'visual'}},
];

function pictures(prefix: string, own: Partial<TimelineModel>) {
  return Object.entries(PICTURES).map(([name, part]) => ({
    name: `${prefix}-${name}`,
    model: {...WITHOUT_PANES, ...part, ...own},
  }));
}

function paneOf(label: string, trace: Trace): TimelinePane {
  return {trace, metrics: measure(trace.data), label, why: PLAIN_OPTIONS};
}

/** Another pane with the same load. */
function again({trace, label}: TimelinePane, i: number): TimelinePane {
  return paneOf(`${i + 1} ${label}`, new Trace(trace.data));
}

function withPredictionAt(pane: TimelinePane, ms: number): TimelinePane {
  return {...pane, predictedNs: ms * MS};
}
