import {USUAL_QPACK_TABLE_BYTES} from '../../http/h3/h3Server.ts';
import {Http3} from '../../http/h3/http3.ts';
import {plainRules} from '../../http/serverRules.ts';
import type {Pipeline} from '../pipeline.ts';
import {type PaneOf, PROFILE, SCHEDULER, SEND_BUFFER, type Settings} from '../setting.ts';
import {bufferText, schedulerText} from '../settingTexts.ts';
import {StreamLog} from '../writeLog.ts';

const settings = {
  profile: {...PROFILE, help: `QUIC's profile, which has the windows and acknowledgements of TCP. ${PROFILE.help}`},
  scheduler: {...SCHEDULER, isAlwaysVisible: true},
  zeroRtt: {
    kind: 'switch',
    help: 'Whether the client resumes an earlier session and sends its first request with its first packets.',
    label: '0-RTT',
    texts: ['a second visit', 'a first visit'],
    default: false,
  },
  qpackTableBytes: {
    kind: 'number',
    help:
      "The size of QPACK's dynamic table that the server allows and uses, in bytes. With 0 both ends use only the " +
      'static table, as with Caddy (quic-go) and Cloudflare (quiche).',
    least: 0,
    most: 65_536,
    default: USUAL_QPACK_TABLE_BYTES,
  },
  sendBuffer: SEND_BUFFER,
} as const satisfies Settings;

type H3Pane = PaneOf<'h3', typeof settings>;

/** HTTP/3 (RFC 9114) on one QUIC connection. */
export const h3: Pipeline<'h3', typeof settings> = {
  name: 'h3',
  paneNoun: 'an h3 pane',
  label: 'HTTP/3',
  longLabel: 'HTTP/3 over QUIC',
  stack: 'quinn',
  about: 'HTTP/3 over one QUIC connection; packets have the sizes of encrypted ones',
  settings,
  httpVersion: 'h3',
  numbers: 'byte',
  hasOrigins: true,
  lackOfServer: ({lacksH3}) => (lacksH3 ? 'HTTP/3' : undefined),
  live: {
    seesPackets: () => true,
    hasFrames: true,
    hasCertificate: true,
    // A request can ask for round-robin or first-come. The other schedulers are the choice of the server.
    lackOf: ({zeroRtt, scheduler}) => {
      if (zeroRtt) return 'zeroRtt';
      return scheduler === 'weighted' || scheduler === 'scan-aware' ? 'scheduler' : undefined;
    },
  },
  acknowledges: 'packets',
  timer: 'PTO',
  // RFC 9002 §6.1.1 uses this term. The ACK acknowledges packets that were sent after the lost one.
  gapReport: 'ACK',
  // The smallest datagram has 1200 bytes (RFC 9000 §14). The headers of UDP and IP have 28 bytes.
  leastMtuBytes: 1228,
  open: (network, {profile, scheduler, zeroRtt, qpackTableBytes, sendBuffer}, options) => {
    // The HTTP server decides which response is written next. QUIC's scheduler only orders the data in the send buffer.
    const server = options.server.h3 ?? plainRules(scheduler, 3);
    const end = {profile, scheduler: scheduler === 'first-come' ? 'first-come' : 'round-robin'} as const;
    const connection = network.openQuic({
      client: {...end, zeroRtt},
      server: {...end, sendBufferBytes: options.bufferBytes(sendBuffer), aheadBytes: server.aheadBytes},
    });
    return new Http3(network, connection, {
      ...options,
      scheduler,
      server,
      earlyStreams: zeroRtt ? REMEMBERED_STREAMS : null,
      qpackTableBytes,
    });
  },
  setUp: ({zeroRtt}) => ({text: `QUIC with TLS 1.3 inside${zeroRtt ? ', 0-RTT' : ''}`, hasTls: true}),
  openWriteLog: () => new StreamLog(),
  modelled: () => null,
  hasPriorities: true,
  // The limit that a server announces at the start of a connection.
  streamsOf: () => REMEMBERED_STREAMS,
  interleaves: ({scheduler}) => scheduler === 'round-robin' || scheduler === 'weighted',
  headerWords: ({scheduler, profile}) => [schedulerText(scheduler), profile],
  nameWords: ({scheduler, profile}: H3Pane) => [`HTTP/3 ${profile}`, schedulerText(scheduler)],
  settingWords: ({zeroRtt, qpackTableBytes, sendBuffer}) => [
    zeroRtt ? '0-RTT' : '1-RTT',
    qpackTableBytes > 0 ? `QPACK table ${qpackTableBytes} B` : 'QPACK without a table',
    bufferText(sendBuffer),
  ],
};

/** The server's transport parameter `initial_max_streams_bidi`. A client that resumes a session remembers it. */
const REMEMBERED_STREAMS = 100;
