import type {Json} from '../../base/json.ts';
import type {Preset} from './presets.ts';

const GROUP = 'Links that queue and change';

const PANES = [
  {pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false, tls: true},
  {pipeline: 'h2', profile: 'modern', scheduler: 'first-come'},
  {pipeline: 'h3', profile: 'modern', scheduler: 'first-come'},
] as const;

/** A path with an upload. At 1 Mbit/s, the link needs about one second to send 128 KB, the modem's buffer. */
const UPLOAD_PATH = {
  rateBps: {down: 20_000_000, up: 1_000_000},
  rttMs: 30,
  traffic: [{kind: 'tcp', direction: 'up', congestion: 'cubic', startMs: -20_000}],
} as const;

const UPLOAD_SOURCE =
  'Gettys and Nichols, Bufferbloat: Dark Buffers in the Internet, 2012, describe the problem. The rates of an access ' +
  'line, its RTT, a buffer of 128 KB in the modem (one second), and an upload that began 20 s before are our choice.';

/** Presets whose links have other traffic in their queues, a trace, or a hand-over. */
export const LINK_PRESETS: readonly Preset[] = [
  upload('upload', 'The upload that breaks the page: 20/1 Mbit/s, 30 ms, a modem with 128 KB', {
    kind: 'droptail',
    bytes: 128_000,
  }),
  upload('upload-codel', 'The same upload, but the modem has CoDel', {kind: 'codel'}),
  upload('upload-fq-codel', 'The same upload, but the modem has FQ-CoDel', {kind: 'fq_codel'}),
  traced('lte-driving', 'LTE in a car, its rate as in a trace; 60 ms', 'lte-driving'),
  {
    name: 'wifi-to-lte',
    title: 'From weak Wi-Fi to LTE, in the middle of the load',
    group: GROUP,
    source:
      'The address changes, so only QUIC’s connection can go on (RFC 9000 §9). The rates, RTTs and the time of the ' +
      'hand-over are our choice, for teaching.',
    varies: ['changes.0.atMs=200|600|1000'],
    scenario: {
      page: 'gallery-15k',
      path: {rateBps: 1_500_000, rttMs: 40},
      changes: [{atMs: 500, path: {rateBps: {down: 12_000_000, up: 5_000_000}, rttMs: 60, handover: true}}],
      panes: PANES,
    },
  },
  traced('starlink', 'Starlink, a new rate and delay every 15 s; 50 ms', 'starlink'),
];

function upload(name: string, title: string, up: Json): Preset {
  const discipline = name === 'upload' ? '' : ' Here, a queue with the settings of its RFC replaces this buffer.';
  return {
    name,
    title,
    group: GROUP,
    source: UPLOAD_SOURCE + discipline,
    varies: [],
    scenario: {page: 'gallery-15k', path: {...UPLOAD_PATH, queue: {up}}, panes: PANES},
  };
}

function traced(name: string, title: string, trace: 'lte-driving' | 'starlink'): Preset {
  const isStarlink = trace === 'starlink';
  return {
    name,
    title,
    group: GROUP,
    source:
      `The shipped trace ${trace}, which is made from a model (fixtures/traces says from which one). ` +
      (isStarlink ? 'The delays are those of the trace.' : 'The RTT is our choice.'),
    varies: [],
    scenario: {
      page: 'gallery-15k',
      path: {
        rttMs: isStarlink ? 50 : 60,
        down: {trace, ...(isStarlink && {delayTrace: trace})},
        up: {trace, ...(isStarlink && {delayTrace: trace})},
      },
      panes: PANES,
    },
  };
}
