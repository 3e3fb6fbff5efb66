import {DatagramExchange} from '../../http/datagrams/datagramExchange.ts';
import {inSequence} from '../../http/datagrams/framedResponse.ts';
import {MatchingReceiver, SequenceReceiver} from '../../http/datagrams/receiver.ts';
import type {Pipeline} from '../pipeline.ts';
import {RATE_PERCENT, type Settings} from '../setting.ts';
import {rateText} from '../settingTexts.ts';
import {DatagramLog} from '../writeLog.ts';

const settings = {ratePercent: RATE_PERCENT} as const satisfies Settings;

/**
 * HTTP in UDP datagrams that the application puts in order. The paper C03 compares its protocol CATP with this pipeline
 * (§5).
 */
export const udp: Pipeline<'udp', typeof settings> = {
  name: 'udp',
  paneNoun: 'a udp pane',
  isOfPapers: true,
  label: 'UDP',
  carries: 'HTTP',
  longLabel: 'HTTP over UDP',
  stack: 'own stack',
  httpVersion: 'http/1.1',
  about:
    'HTTP in UDP datagrams, which are put in order; the text of an HTML element is shown when its end tag arrives (C03)',
  settings,
  refusals: {
    congestion: 'absent: datagrams are sent at a constant rate, without congestion control',
    ecn: 'absent: without congestion control nothing would react to marks',
  },
  numbers: 'chunk',
  isOfDatagrams: true,
  acknowledges: 'data',
  timer: 'RTO',
  gapReport: 'request for a range',
  open: (network, {ratePercent}, options) =>
    new DatagramExchange(network, {
      ...options,
      frame: (response, payloadBytes) => inSequence(response, payloadBytes, {continues: false}),
      newReceiver: object => (object === 0 ? new MatchingReceiver() : new SequenceReceiver()),
      rateBps: (options.rateBps * ratePercent) / 100,
      frameBytes: null,
      isAbstractTwice: false,
      isAbstractCached: false,
      isAbstractByTcp: false,
      wiredPath: null,
    }),
  setUp: () => null,
  openWriteLog: () => new DatagramLog(),
  modelled: () => null,
  streamsOf: () => 1,
  interleaves: () => false,
  headerWords: ({ratePercent}) => ['in order', rateText(ratePercent)],
  nameWords: () => ['UDP in order'],
  settingWords: ({ratePercent}) => [rateText(ratePercent)],
};
