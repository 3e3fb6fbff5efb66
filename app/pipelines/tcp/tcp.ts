import {Http1} from '../../http/h1/http1.ts';
import {OverTls} from '../../http/tls/tlsTransports.ts';
import type {TcpTransports} from '../../http/transports.ts';
import {CONGESTION, congestionOption, congestionText, stackWords} from '../congestion.ts';
import {ECN_SETTING, ecnOption, ecnProblem, ecnText} from '../ecn.ts';
import {openTcp, tcpWire, tlsStart} from '../openTcp.ts';
import type {Pipeline} from '../pipeline.ts';
import {
  CERTIFICATE_COMPRESSION,
  EARLY_DATA,
  type PaneOf,
  SEND_BUFFER,
  type Settings,
  TCP_PROFILE_HELP,
  TLS,
  VISIT,
} from '../setting.ts';
import {bufferText, certificateText, connectionsText, tcpSetUp, tlsText, visitText} from '../settingTexts.ts';
import {ByteLog} from '../writeLog.ts';

const settings = {
  profile: {
    kind: 'choice',
    help:
      `The rules that TCP follows. ${TCP_PROFILE_HELP} reno is classic without SACK, as in the paper R02. Each other ` +
      'variant of classic differs from it in one rule: classic-quickack acknowledges every segment at once, ' +
      'classic-iw10 has a first window of 10 packets.',
    label: 'Profile',
    isAlwaysVisible: true,
    choices: [
      ['classic', 'classic (2007)'],
      ['modern', 'modern'],
      ['reno', 'Reno, no SACK'],
      ['classic-quickack', 'classic, ACK each'],
      ['classic-iw10', 'classic, IW 10'],
    ],
    default: 'classic',
  },
  congestion: CONGESTION,
  ecn: ECN_SETTING,
  connections: {
    kind: 'number',
    help: 'The number of connections over which the objects are distributed. Browsers open six to each host.',
    label: 'Connections',
    isAlwaysVisible: true,
    least: 1,
    most: 8,
    default: 1,
  },
  pipelining: {
    kind: 'switch',
    help:
      'With true, requests do not wait for responses. With false, each connection has one request at a time, and ' +
      'another of the connections is opened when a request would have to wait.',
    label: 'Pipelining',
    texts: ['pipelined', 'one at a time'],
    default: true,
  },
  pipelineDepth: {
    kind: 'number',
    help: 'The largest number of unanswered requests on one connection; null means no limit. It requires pipelining.',
    least: 1,
    most: 1000,
    default: null,
  },
  tls: {...TLS, default: false},
  visit: VISIT,
  earlyData: EARLY_DATA,
  certificateCompression: CERTIFICATE_COMPRESSION,
  sendBuffer: SEND_BUFFER,
} as const satisfies Settings;

export type TcpPane = PaneOf<'tcp', typeof settings>;

/**
 * HTTP/1.1 over one TCP connection or several. Responses have the order of the requests on each connection (RFC 9112
 * §9.3.2).
 */
export const tcp: Pipeline<'tcp', typeof settings> = {
  name: 'tcp',
  paneNoun: 'a tcp pane',
  isOfPapers: true,
  label: 'TCP',
  carries: 'HTTP/1.1',
  labelOf: ({connections}) => (connections === 1 ? 'TCP' : `TCP × ${connections}`),
  longLabel: 'HTTP/1.1 over TCP',
  stack: 'own stack',
  httpVersion: 'http/1.1',
  about: 'HTTP/1.1 over one TCP connection or several, pipelined or not',
  settings,
  numbers: 'byte',
  hasOrigins: true,
  live: {
    seesPackets: ({tcp}) => tcp === 'udp',
    isOverTcp: true,
    lackOf: ({tls, congestion, ecn}) => {
      if (tls) return 'tls';
      if (ecn !== 'off') return 'ecn';
      return congestion === 'profile' ? undefined : 'congestion';
    },
  },
  acknowledges: 'data',
  timer: 'RTO',
  // RFC 5681 §2 defines this term, and RFC 6675 §2 defines it for SACK.
  gapReport: 'duplicate ACK',
  open: (network, pane, options) => {
    const sendBufferBytes = options.bufferBytes(pane.sendBuffer);
    const open = (over: TcpTransports) => {
      const stack = {profile: pane.profile, ...congestionOption(pane.congestion), ...ecnOption(pane.ecn)};
      const connections = Array.from({length: pane.connections}, () => openTcp(over, stack, {sendBufferBytes}));
      const backupMs = options.browser.rules?.backupMs;
      const requests = pane.pipelining ? 'round-robin' : 'when-free';
      return new Http1(
        over,
        tcpWire(over, connections, requests, {pipelineDepth: pane.pipelineDepth, backupMs}),
        options,
      );
    };
    return pane.tls ? new OverTls(network, tlsStart(pane, options), open, options.tickets) : open(network);
  },
  hasHandOver: true,
  setUp: tcpSetUp,
  openWriteLog: () => new ByteLog(),
  carriesOne: ({pipelining}) => !pipelining,
  modelled: ({connections, pipelining, pipelineDepth}) =>
    connections === 1 && pipelining && pipelineDepth === null ? 'in order' : null,
  streamsOf: ({connections}) => connections,
  interleaves: () => false,
  headerWords: pane => [...requestsWords(pane), ...stackWords(pane)],
  nameWords: pane => {
    const words = requestsWords(pane);
    const isUsual = pane.connections === 1 && pane.pipelining;
    return [`TCP ${pane.profile}`, ...(isUsual ? [] : words)];
  },
  settingWords: ({tls, sendBuffer, pipelineDepth, ...pane}) => [
    congestionText(pane.congestion),
    ecnText(pane.ecn),
    tlsText(tls),
    tls ? visitText(pane) : '',
    certificateText(pane, tls),
    bufferText(sendBuffer),
    pipelineDepth === null ? '' : `${pipelineDepth} requests at once`,
  ],
  problemOf: ({pipelining, pipelineDepth, ...pane}) =>
    pipelineDepth !== null && !pipelining
      ? {key: 'pipelineDepth', limit: 'null if pipelining is false, because then only one request may be unanswered'}
      : ecnProblem(pane),
};

/**
 * Returns words for the connections and pipelining. With several connections, 'one at a time' is omitted, because this
 * is what browsers do on each of their connections.
 */
function requestsWords({connections, pipelining}: TcpPane): readonly string[] {
  const how = pipelining ? ['pipelined'] : [];
  if (connections > 1) return [connectionsText(connections), ...how];
  return pipelining ? how : ['one at a time'];
}
