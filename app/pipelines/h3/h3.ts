import {USUAL_QPACK_TABLE_BYTES} from '../../http/h3/h3Server.ts';
import {Http3} from '../../http/h3/http3.ts';
import {plainRules} from '../../http/serverRules.ts';
import {CONGESTION, congestionOption, congestionText, stackWords} from '../congestion.ts';
import {ECN_SETTING, ecnOption, ecnProblem, ecnText} from '../ecn.ts';
import type {Pipeline} from '../pipeline.ts';
import {
  CERTIFICATE_COMPRESSION,
  EARLY_DATA,
  type PaneOf,
  PROFILE,
  QUIC_PROFILE_HELP,
  SCHEDULER,
  SEND_BUFFER,
  type Settings,
  VISIT,
} from '../setting.ts';
import {bufferText, certificateText, hasEarlyData, resumptionText, schedulerText, visitText} from '../settingTexts.ts';
import {StreamLog} from '../writeLog.ts';

const settings = {
  profile: {...PROFILE, help: `The rules that QUIC follows. ${QUIC_PROFILE_HELP}`},
  congestion: {
    ...CONGESTION,
    help:
      `${CONGESTION.help} With profile, the server of a Caddy model (quic-go) has Reno, but keeps 70 % of the window ` +
      'after a loss.',
  },
  ecn: ECN_SETTING,
  scheduler: {...SCHEDULER, isAlwaysVisible: true},
  visit: VISIT,
  earlyData: EARLY_DATA,
  certificateCompression: CERTIFICATE_COMPRESSION,
  firstWindowPackets: {
    kind: 'number',
    help:
      'The initial congestion window in packets. With null the client has that of the profile: 3 (classic) or 10 ' +
      '(modern, as in RFC 9002, Cloudflare’s quiche and quinn). The server then has that of its model, if the model has ' +
      'one (caddy: 32, as in quic-go), and otherwise that of the profile. Google’s QUICHE, the stack of Chromium, has ' +
      '32, too.',
    least: 2,
    most: 1000,
    default: null,
  },
  firstDatagramBytes: {
    kind: 'number',
    help:
      'The largest UDP payload at first, in bytes. With null the client has that of the profile: classic fills the MTU ' +
      'of the path, and modern begins with 1250, as Chromium. The server then has that of its model, if the model has ' +
      'one (caddy: 1252, caddy-2.11: 1280), and otherwise that of the profile (modern: 1280). No datagram is larger ' +
      'than the path allows.',
    least: 1200,
    most: 65_507,
    default: null,
  },
  mtuDiscovery: {
    kind: 'switch',
    help:
      'Whether both ends search for larger datagrams, up to 1452 bytes, with one probe in each round trip. The server ' +
      'of a Caddy model never searches. This has no effect if the first datagrams already have this size or fill the ' +
      'MTU of the path, as with classic.',
    label: 'MTU discovery',
    texts: ['up to 1452 bytes', 'off'],
    default: true,
  },
  qpackTableBytes: {
    kind: 'number',
    help:
      "The size of QPACK's dynamic table that the server allows and uses, in bytes. With 0 both ends use only the " +
      'static table, as with Cloudflare (quiche). The models of Caddy (quic-go) have no table, whatever this setting ' +
      'says.',
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
    // By its priority, a request can ask a live server for round-robin or first-come, but not for other schedulers.
    lackOf: ({visit, congestion, ecn, scheduler, firstWindowPackets, qpackTableBytes}) => {
      if (visit === 'again') return 'visit';
      if (congestion !== 'profile') return 'congestion';
      if (ecn !== 'off') return 'ecn';
      if (firstWindowPackets !== null) return 'firstWindowPackets';
      if (qpackTableBytes !== USUAL_QPACK_TABLE_BYTES) return 'qpackTableBytes';
      return scheduler === 'weighted' || scheduler === 'scan-aware' ? 'scheduler' : undefined;
    },
  },
  acknowledges: 'packets',
  timer: 'PTO',
  // RFC 9002 §6.1.1 uses this term. The ACK acknowledges packets that were sent after the lost one.
  gapReport: 'ACK',
  // A path must carry datagrams of 1200 bytes (RFC 9000 §14). The headers of UDP and IP have 28 bytes.
  leastMtuBytes: 1228,
  open: (network, pane, options) => {
    const {profile, scheduler, qpackTableBytes, sendBuffer} = pane;
    // The HTTP server decides which response is written next. QUIC's scheduler only orders the data in the send buffer.
    const server = options.server.h3 ?? plainRules(scheduler, 3);
    const firstWindowPackets = pane.firstWindowPackets ?? server.firstWindowPackets;
    const {
      rttvarFactor,
      decimatesAcks = false,
      firstTimeoutMs = null,
      sendsRequestsApart = false,
    } = options.browser.rules ?? {};
    const end = {
      profile,
      ...congestionOption(pane.congestion),
      ...ecnOption(pane.ecn),
      compressesCertificate: pane.certificateCompression,
      lacksHybridShare: options.server.lacksHybridShare === true,
      scheduler: scheduler === 'first-come' ? 'first-come' : 'round-robin',
      searchesMtu: pane.mtuDiscovery,
      ...(pane.firstDatagramBytes !== null && {firstDatagramBytes: pane.firstDatagramBytes}),
      ...(pane.firstWindowPackets !== null && {firstWindowPackets: pane.firstWindowPackets}),
    } as const;
    const connection = network.openQuic({
      client: {
        ...end,
        resumes: pane.visit === 'again' || options.hasSession === true,
        earlyData: hasEarlyData(pane),
        ...(rttvarFactor !== undefined && {rttvarFactor}),
        ...(decimatesAcks && {decimatesAcks}),
        ...(firstTimeoutMs !== null && {firstTimeoutMs}),
      },
      server: {
        ...end,
        ...(server.keepsDatagramBytes === true && {searchesMtu: false}),
        ...(pane.firstDatagramBytes === null &&
          server.firstDatagramBytes !== undefined && {firstDatagramBytes: server.firstDatagramBytes}),
        ...(firstWindowPackets !== undefined && {firstWindowPackets}),
        ...(pane.congestion === 'profile' && server.congestion !== undefined && {congestion: server.congestion}),
        ...(server.pacesEach === true && {pacesEach: true}),
        ...(server.firstTimeoutMs !== undefined && {firstTimeoutMs: server.firstTimeoutMs}),
        sendBufferBytes: options.bufferBytes(sendBuffer),
        aheadBytes: server.aheadBytes,
        ...(options.handsOver === true && {migration: true}),
      },
    });
    return new Http3(network, connection, {
      ...options,
      scheduler,
      server,
      earlyStreams: hasEarlyData(pane) ? REMEMBERED_STREAMS : null,
      sendsRequestsApart,
      qpackTableBytes,
    });
  },
  hasHandOver: true,
  // Version 0.1.0 had the setting `zeroRtt` instead of `visit`.
  ofOlderVersion: ({zeroRtt, ...pane}) =>
    typeof zeroRtt === 'boolean'
      ? {visit: zeroRtt ? 'again' : 'first', ...pane}
      : {...pane, ...(zeroRtt !== undefined && {zeroRtt})},
  setUp: pane => ({text: `QUIC with TLS 1.3 inside${resumptionText(pane)}`, hasTls: true}),
  openWriteLog: () => new StreamLog(),
  modelled: () => null,
  hasPriorities: true,
  // This is the number of streams that a server allows at the start of a connection.
  streamsOf: () => REMEMBERED_STREAMS,
  interleaves: ({scheduler}) => scheduler === 'round-robin' || scheduler === 'weighted',
  headerWords: pane => [schedulerText(pane.scheduler), ...stackWords(pane)],
  nameWords: ({scheduler, profile}: H3Pane) => [`HTTP/3 ${profile}`, schedulerText(scheduler)],
  settingWords: ({qpackTableBytes, sendBuffer, ...pane}) => [
    congestionText(pane.congestion),
    ecnText(pane.ecn),
    visitText(pane),
    certificateText(pane, true),
    pane.firstWindowPackets === null ? 'usual first window' : `first window ${pane.firstWindowPackets} packets`,
    datagramsText(pane),
    qpackTableBytes > 0 ? `QPACK table ${qpackTableBytes} B` : 'QPACK without a table',
    bufferText(sendBuffer),
  ],
  problemOf: ecnProblem,
};

function datagramsText({
  firstDatagramBytes,
  mtuDiscovery,
}: Pick<H3Pane, 'firstDatagramBytes' | 'mtuDiscovery'>): string {
  const first = firstDatagramBytes === null ? 'usual datagrams' : `datagrams of ${firstDatagramBytes} B`;
  return mtuDiscovery ? first : `${first}, no MTU discovery`;
}

/** The server's transport parameter `initial_max_streams_bidi`. A client that resumes a session remembers it. */
const REMEMBERED_STREAMS = 100;
