import {DatagramExchange} from '../../http/datagrams/exchange.ts';
import {SplitReceiver} from '../../http/datagrams/splitReceiver.ts';
import {splitResponse} from '../../http/datagrams/splitResponse.ts';
import type {Pipeline} from '../pipeline.ts';
import {type PaneOf, RATE_PERCENT, type Settings} from '../setting.ts';
import {rateText, tcpSetUp} from '../words.ts';
import {DatagramLog} from '../writeLog.ts';

const settings = {
  abstract: {
    kind: 'choice',
    help: "how the HTML's tags travel: before all else, each datagram of them twice, or over TCP (C03 §4)",
    label: 'Abstract',
    isAtHand: true,
    choices: [
      ['priority', 'first'],
      ['twice', 'first, twice'],
      ['tcp', 'over TCP'],
    ],
    default: 'priority',
  },
  visit: {
    kind: 'choice',
    help: "again: the HTML's tags are in the cache, and only what stands between them travels, and pictures (C03 §4)",
    label: 'Visit',
    choices: [
      ['first', 'the first'],
      ['again', 'another one'],
    ],
    default: 'first',
  },
  frameBytes: {
    kind: 'number',
    help: 'bytes of a datagram with its header; null fills a packet',
    ...{least: 128, most: 65_507, default: null},
  },
  ratePercent: RATE_PERCENT,
} as const satisfies Settings;

type CatpPane = PaneOf<'catp', typeof settings>;

/** C03's Context-Aware Transmission: the page's structure first, then what stands in it, in whatever order it comes. */
export const catp: Pipeline<'catp', typeof settings> = {
  name: 'catp',
  paneNoun: 'a catp pane',
  label: 'CATP',
  longLabel: 'CATP, context-aware',
  stack: 'own stack',
  about: "HTTP in UDP datagrams: the page's tags first, then what stands in them wherever it belongs (C03)",
  settings,
  httpVersion: 'http/1.1',
  scheme: () => 'http',
  numbers: 'chunk',
  acknowledges: 'data',
  timer: 'RTO',
  gapReport: 'request for a range',
  open: (network, {ratePercent, frameBytes, abstract, visit}, options) =>
    new DatagramExchange(network, {
      ...options,
      ...{frame: splitResponse, newReceiver: () => new SplitReceiver(), frameBytes},
      rateBps: (options.rateBps * ratePercent) / 100,
      ...{isAbstractTwice: abstract === 'twice', isAbstractCached: visit === 'again'},
      isAbstractByTcp: abstract === 'tcp' && visit === 'first',
    }),
  setUp: ({abstract, visit}) => (abstract === 'tcp' && visit === 'first' ? tcpSetUp(false) : null),
  // TCP, whose messages are all of number 0, has the first object alone
  openWriteLog: () => new DatagramLog(),
  modelled: () => null,
  streamsOf: () => 1,
  sendsInTurn: () => false,
  headerWords: pane => [abstractWord(pane), ...visitWords(pane)],
  nameWords: pane => [
    'CATP',
    ...(pane.abstract === 'priority' ? [] : [abstractWord(pane)]),
    ...visitWords(pane),
  ],
  settingWords: ({ratePercent, frameBytes}) => [
    rateText(ratePercent),
    frameBytes === null ? 'full packets' : `${frameBytes} B frames`,
  ],
};

function abstractWord({abstract, visit}: CatpPane): string {
  if (visit === 'again') return 'structure cached';
  return {priority: 'structure first', twice: 'structure twice', tcp: 'structure by TCP'}[abstract];
}

function visitWords({visit}: CatpPane): readonly string[] {
  return visit === 'again' ? ['another visit'] : [];
}
