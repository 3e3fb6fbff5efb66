import {DatagramExchange} from '../../http/datagrams/datagramExchange.ts';
import {SplitReceiver} from '../../http/datagrams/splitReceiver.ts';
import {splitResponse} from '../../http/datagrams/splitResponse.ts';
import type {StagePath} from '../../http/transports.ts';
import type {Pipeline} from '../pipeline.ts';
import {type PaneOf, RATE_PERCENT, type Settings} from '../setting.ts';
import {rateText, tcpSetUp} from '../settingTexts.ts';
import {ByteLog, DatagramLog} from '../writeLog.ts';

const settings = {
  abstract: {
    kind: 'choice',
    help:
      "How the HTML's tags are sent (C03 §4): priority sends them before all other data, twice does the same and " +
      'sends each datagram with tags two times, and tcp sends them over TCP.',
    label: 'Abstract',
    isAlwaysVisible: true,
    choices: [
      ['priority', 'first'],
      ['twice', 'first, twice'],
      ['tcp', 'over TCP'],
    ],
    default: 'priority',
  },
  visit: {
    kind: 'choice',
    help: "On a repeated visit (again) the browser has the HTML's tags in its cache, so the server does not send them (C03 §4).",
    label: 'Visit',
    choices: [
      ['first', 'the first'],
      ['again', 'another one'],
    ],
    default: 'first',
  },
  adapter: {
    kind: 'switch',
    help: "Whether an adapter fetches the page from the server over TCP. The scenario's path begins at the adapter (C03 §5).",
    label: 'Adapter',
    texts: ['TCP to the server', 'none'],
    default: false,
  },
  wiredRttMs: {
    kind: 'number',
    help: 'The round-trip time between adapter and server, in ms.',
    least: 0,
    most: 60_000,
    default: 60,
  },
  wiredRateBps: {
    kind: 'number',
    help: 'The rate between adapter and server in each direction, in bits per second.',
    least: 1000,
    most: 1e12,
    default: 10_000_000,
  },
  wiredLossPercent: {
    kind: 'number',
    help: 'The loss between adapter and server in each direction, in % of the packets.',
    least: 0,
    most: 100,
    default: 0,
  },
  frameBytes: {
    kind: 'number',
    help: 'The size of the data in a datagram, in bytes. With null, or if it is too large, a datagram fills a packet.',
    least: 128,
    most: 65_507,
    default: null,
  },
  ratePercent: RATE_PERCENT,
} as const satisfies Settings;

type CatpPane = PaneOf<'catp', typeof settings>;

/** Context-Aware Transmission (C03). It sends the page's structure first, then the contents in any order. */
export const catp: Pipeline<'catp', typeof settings> = {
  name: 'catp',
  paneNoun: 'a catp pane',
  isOfPapers: true,
  label: 'CATP',
  carries: 'HTTP',
  longLabel: 'HTTP over CATP',
  stack: 'own stack',
  about: "HTTP in UDP datagrams: the page's tags first, then their contents in any order (C03)",
  settings,
  refusals: {
    congestion: 'absent: datagrams are sent at a constant rate, without congestion control',
    ecn: 'absent: without congestion control nothing would react to marks',
  },
  httpVersion: 'http/1.1',
  numbers: 'chunk',
  isOfDatagrams: true,
  acknowledges: 'data',
  timer: 'RTO',
  gapReport: 'request for a range',
  open: (network, pane, options) => {
    const {ratePercent, frameBytes, abstract, visit} = pane;
    return new DatagramExchange(network, {
      ...options,
      frame: splitResponse,
      newReceiver: () => new SplitReceiver(),
      frameBytes,
      rateBps: (options.rateBps * ratePercent) / 100,
      isAbstractTwice: abstract === 'twice',
      isAbstractCached: visit === 'again',
      isAbstractByTcp: abstract === 'tcp' && visit === 'first',
      wiredPath: pane.adapter ? network.addPath(wiredPath(pane)) : null,
    });
  },
  // The first connection uses UDP, all others TCP.
  openWriteLog: connection => (connection === 0 ? new DatagramLog() : new ByteLog()),
  setUp: ({abstract, visit}) =>
    abstract === 'tcp' && visit === 'first' ? tcpSetUp({tls: false, visit: 'first', earlyData: false}) : null,
  modelled: () => null,
  streamsOf: () => 1,
  interleaves: () => false,
  headerWords: pane => [abstractWord(pane), ...visitWords(pane), ...adapterWords(pane)],
  nameWords: pane => [
    'CATP',
    ...(pane.abstract === 'priority' ? [] : [abstractWord(pane)]),
    ...visitWords(pane),
    ...adapterWords(pane),
  ],
  settingWords: pane => [
    rateText(pane.ratePercent),
    pane.frameBytes === null ? 'full packets' : `${pane.frameBytes} B frames`,
    ...wiredWords(pane),
  ],
};

function wiredPath({wiredRttMs, wiredRateBps, wiredLossPercent}: CatpPane): StagePath {
  return {rttMs: wiredRttMs, rateBps: wiredRateBps, loss: wiredLossPercent / 100};
}

function adapterWords({adapter}: CatpPane): readonly string[] {
  return adapter ? ['via an adapter'] : [];
}

/**
 * Returns the words for the path between adapter and server. They are empty without an adapter, because the settings
 * then have no effect.
 */
function wiredWords({adapter, wiredRttMs, wiredRateBps, wiredLossPercent}: CatpPane): readonly string[] {
  if (!adapter) return ['', '', ''];
  const loss = wiredLossPercent === 0 ? 'no loss to the server' : `${wiredLossPercent} % loss to the server`;
  return [`${wiredRttMs} ms to the server`, `${wiredRateBps / 1e6} Mbit/s to the server`, loss];
}

function abstractWord({abstract, visit}: CatpPane): string {
  if (visit === 'again') return 'structure cached';
  return {priority: 'structure first', twice: 'structure twice', tcp: 'structure over TCP'}[abstract];
}

function visitWords({visit}: CatpPane): readonly string[] {
  return visit === 'again' ? ['another visit'] : [];
}
