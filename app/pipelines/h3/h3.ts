import {Http3} from '../../http/h3/http3.ts';
import {AHEAD_BYTES} from '../../http/room.ts';
import type {Pipeline} from '../pipeline.ts';
import {type PaneOf, PROFILE, SCHEDULER, SEND_BUFFER, type Settings} from '../setting.ts';
import {bufferText, schedulerText} from '../settingTexts.ts';
import {StreamLog} from '../writeLog.ts';

const settings = {
  profile: {...PROFILE, help: `QUIC's profile, with TCP's windows and acknowledgements. ${PROFILE.help}`},
  scheduler: {...SCHEDULER, isAtHand: true},
  zeroRtt: {
    kind: 'switch',
    help: 'Whether the client was here before, and sends its request with its first packets.',
    label: '0-RTT',
    texts: ['a second visit', 'a first visit'],
    default: false,
  },
  sendBuffer: SEND_BUFFER,
} as const satisfies Settings;

type H3Pane = PaneOf<'h3', typeof settings>;

/** HTTP/3 (RFC 9114) on one QUIC connection. */
export const h3: Pipeline<'h3', typeof settings> = {
  name: 'h3',
  paneNoun: 'an h3 pane',
  label: 'HTTP/3',
  longLabel: 'HTTP/3, QUIC',
  stack: 'quinn',
  about: 'HTTP/3 on one QUIC connection, with the sizes of its encryption; QPACK uses no dynamic table',
  settings,
  httpVersion: 'h3',
  numbers: 'byte',
  live: {
    seesPackets: () => true,
    hasFrames: true,
    hasCertificate: true,
    // A request can ask for these two. The others are a server's own choice.
    lackOf: ({zeroRtt, scheduler}) => {
      if (zeroRtt) return 'zeroRtt';
      return scheduler === 'weighted' || scheduler === 'scan-aware' ? 'scheduler' : undefined;
    },
  },
  acknowledges: 'packets',
  timer: 'PTO',
  // RFC 9002 §6.1.1: acknowledgements beyond a gap.
  gapReport: 'ACK',
  // A UDP datagram of 1200 bytes (RFC 9000 §14) with its headers.
  leastMtuBytes: 1228,
  open: (network, {profile, scheduler, zeroRtt, sendBuffer}, options) => {
    // The server decides which response is written next. Streams take turns with the data written ahead.
    const end = {profile, scheduler: scheduler === 'first-come' ? 'first-come' : 'round-robin'} as const;
    const connection = network.openQuic({
      client: {...end, zeroRtt},
      server: {...end, sendBufferBytes: options.bufferBytes(sendBuffer), aheadBytes: AHEAD_BYTES},
    });
    return new Http3(network, connection, {
      ...options,
      scheduler,
      earlyStreams: zeroRtt ? REMEMBERED_STREAMS : null,
    });
  },
  setUp: ({zeroRtt}) => ({text: `QUIC with TLS 1.3 inside${zeroRtt ? ', 0-RTT' : ''}`, hasTls: true}),
  openWriteLog: () => new StreamLog(),
  modelled: () => null,
  hasPriorities: true,
  // The initial limit that a server grants.
  streamsOf: () => REMEMBERED_STREAMS,
  sendsInTurn: ({scheduler}) => scheduler === 'round-robin' || scheduler === 'weighted',
  headerWords: ({scheduler, profile}) => [schedulerText(scheduler), profile],
  nameWords: ({scheduler, profile}: H3Pane) => [`HTTP/3 ${profile}`, schedulerText(scheduler)],
  settingWords: ({zeroRtt, sendBuffer}) => [zeroRtt ? '0-RTT' : '1-RTT', bufferText(sendBuffer)],
};

/** The server's `initial_max_streams_bidi`. */
const REMEMBERED_STREAMS = 100;
