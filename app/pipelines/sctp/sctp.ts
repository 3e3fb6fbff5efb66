import type {Wire} from '../../http/h1/h1Wire.ts';
import {Http1} from '../../http/h1/http1.ts';
import {AHEAD_BYTES} from '../../http/room.ts';
import type {Transports} from '../../http/transports.ts';
import type {Pipeline} from '../pipeline.ts';
import {type PaneOf, PROFILE, SCHEDULER, SCTP_PROFILE_HELP, SEND_BUFFER, type Settings, TLS} from '../setting.ts';
import {bufferText, schedulerText, streamsText, tlsText} from '../settingTexts.ts';
import {MessageLog} from '../writeLog.ts';

const settings = {
  profile: {...PROFILE, help: `The rules that SCTP follows. ${SCTP_PROFILE_HELP}`},
  streams: {
    kind: 'number',
    help: 'The number of streams that the client requests. The server offers the same number, unless serverStreams is set.',
    label: 'Streams',
    isAlwaysVisible: true,
    least: 1,
    most: 64,
    default: 10,
  },
  serverStreams: {
    kind: 'number',
    help:
      'The number of streams that the server offers. With null it offers as many as the client requests. The smaller ' +
      'number applies in both directions (N07 §4).',
    least: 1,
    most: 64,
    default: null,
  },
  firstStreams: {
    kind: 'number',
    help:
      'The number of streams that are used until index.html is complete; then all are used (N07 §4.1). The handshake ' +
      'reserves all streams, because dcSCTP cannot add streams later (RFC 6525).',
    least: 1,
    most: 64,
    default: null,
  },
  resetStreams: {
    kind: 'switch',
    help: 'Whether a stream carries one object at a time and is reset before the next object (RFC 6525).',
    label: 'After an object',
    texts: ['streams are reset', 'streams stay open'],
    default: false,
  },
  fragmentation: {
    kind: 'switch',
    help: 'Whether responses are cut into messages of one packet. With false each response is one message.',
    label: 'Messages',
    texts: ['of one packet', 'one per response'],
    default: true,
  },
  messageBytes: {
    kind: 'number',
    help: 'The size of a message with fragmentation, in bytes. With null a message fills a packet. R02 used 1024.',
    least: 64,
    most: 65_535,
    default: null,
  },
  idata: {
    kind: 'switch',
    help:
      'Whether messages that are larger than a packet can interleave, so that they are delivered piece by piece ' +
      '(I-DATA chunks, RFC 8260).',
    label: 'Large messages',
    texts: ['interleave (I-DATA)', 'block other messages'],
    default: false,
  },
  scheduler: {
    ...SCHEDULER,
    help: `${SCHEDULER.help} With weighted and scan-aware, the server answers all requests at once.`,
  },
  server: {
    kind: 'choice',
    help: 'Whether the server answers one request at a time, or all requests at once (each in its own thread).',
    label: 'Server',
    choices: [
      ['sequential', 'one response at a time'],
      ['interleaving', 'several at once'],
    ],
    default: 'sequential',
  },
  tls: {
    ...TLS,
    help:
      'Whether the association runs over DTLS 1.3 and UDP, as WebRTC has it (RFC 8261). The handshake takes one round ' +
      'trip, and each packet has 30 more bytes. A session is never resumed.',
    default: false,
  },
  sendBuffer: SEND_BUFFER,
} as const satisfies Settings;

export type SctpPane = PaneOf<'sctp', typeof settings>;

/** HTTP over the streams of one SCTP association (N07 §4). */
export const sctp: Pipeline<'sctp', typeof settings> = {
  name: 'sctp',
  paneNoun: 'an sctp pane',
  isOfPapers: true,
  label: 'SCTP',
  carries: 'HTTP',
  longLabel: 'HTTP over SCTP',
  stack: 'dcSCTP',
  httpVersion: 'http/1.1',
  about: 'HTTP over the streams of one SCTP association',
  settings,
  // each text completes ‘must be …’
  refusals: {
    congestion:
      'absent: dcSCTP has its own congestion control (RFC 9260 §7.2), which is part of its retransmission queue and ' +
      'cannot be exchanged',
    ecn: 'absent: dcSCTP has no ECN, it neither offers it nor answers marks (RFC 4960 appendix A)',
  },
  numbers: 'chunk',
  hasOrigins: true,
  live: {
    seesPackets: () => true,
    lackOf: ({serverStreams, server, scheduler, tls}) => {
      if (tls) return 'tls';
      if (serverStreams !== null) return 'serverStreams';
      if (server !== 'sequential') return 'server';
      return scheduler === 'weighted' || scheduler === 'scan-aware' ? 'scheduler' : undefined;
    },
  },
  acknowledges: 'data',
  timer: 'RTO',
  // RFC 9260 §7.2.4 uses this term.
  gapReport: 'SACK',
  open: (network, pane, options) =>
    new Http1(network, openSctp(network, pane, options.bufferBytes(pane.sendBuffer)), options),
  hasHandOver: true,
  setUp: ({tls}) => ({text: tls ? 'DTLS 1.3 over UDP, then SCTP' : 'SCTP without TLS', hasTls: tls}),
  openWriteLog: () => new MessageLog(),
  modelled: () => 'by stream',
  streamsOf: negotiated,
  // Without `fragmentation`, a response is one large message, and such messages take turns only with `idata`. If the
  // size of the send buffer is limited, messages are sent one after the other in any case.
  interleaves: pane =>
    negotiated(pane) > 1 &&
    (pane.scheduler === 'round-robin' || pane.scheduler === 'weighted') &&
    (pane.fragmentation || pane.idata) &&
    pane.sendBuffer === null,
  headerWords: ({profile}, streams) => [streamsText(streams), profile],
  nameWords: pane => [`SCTP ${pane.profile}`, streamsText(negotiated(pane))],
  settingWords: pane => [
    messagesText(pane),
    schedulerText(pane.scheduler),
    pane.server,
    tlsText(pane.tls),
    bufferText(pane.sendBuffer),
    pane.idata ? 'I-DATA' : 'DATA',
    pane.firstStreams === null ? 'all streams at once' : `first ${streamsText(pane.firstStreams)}`,
    pane.resetStreams ? 'streams reset' : 'streams stay open',
    pane.serverStreams === null ? 'server offers as many streams' : `server offers ${streamsText(pane.serverStreams)}`,
  ],
  problemOf: ({streams, firstStreams}) =>
    firstStreams !== null && firstStreams > streams
      ? {key: 'firstStreams', limit: `at most ${streams}, the value of streams`}
      : undefined,
};

/** Returns the number of streams after the handshake, which is the smaller of both ends' limits. */
function negotiated({streams, serverStreams}: SctpPane): number {
  return Math.min(streams, serverStreams ?? streams);
}

function messagesText({fragmentation, messageBytes}: SctpPane): string {
  if (!fragmentation) return 'whole messages';
  return messageBytes === null ? 'messages of one packet' : `${messageBytes} B messages`;
}

/**
 * Opens an association. Without `fragmentation`, each response is one message, unless it is larger than the transport
 * accepts. With `fragmentation`, a message has the size `messageBytes`, or fills a packet if `messageBytes` is null.
 */
function openSctp(network: Transports, pane: SctpPane, sendBufferBytes: number): Wire {
  const {profile, streams, serverStreams, idata, firstStreams} = pane;
  // The SCTP stack has the schedulers round-robin and first-come. The HTTP server implements the other schedulers.
  const isServers = pane.scheduler === 'weighted' || pane.scheduler === 'scan-aware';
  const scheduler = pane.scheduler === 'first-come' ? 'first-come' : 'round-robin';
  const isInterleaving = isServers || pane.server === 'interleaving';
  const ends = {profile, streams, scheduler, idata, dtls: pane.tls} as const;
  const {client, server} = network.openSctp({
    client: {
      ...ends,
      // dcSCTP and usrsctp, the stacks of WebRTC, send data with the COOKIE ECHO chunk. FreeBSD's stack, which the
      // papers used, did not.
      dataWithCookieEcho: profile === 'modern',
      // An interleaving server begins each message with a tag that names the request. With partial delivery, only the
      // first piece of a message would have the tag.
      partialDelivery: !isInterleaving,
    },
    server: {
      ...ends,
      streams: serverStreams ?? streams,
      sendBufferBytes,
      ...(isInterleaving && {aheadBytes: AHEAD_BYTES}),
    },
  });
  const packetBytes = network.maxMessageInPacketBytes(server);
  const pieceBytes = pane.fragmentation ? (pane.messageBytes ?? packetBytes) : Number.POSITIVE_INFINITY;
  // The scheduler gives each response turns, whose size can be limited. If each message fills one packet, and it
  // were cut where a turn ends, the cut message would not fill its packet. The next message would begin in the rest of
  // this packet, and so would be split over two packets. In a measurement, this took a tenth more packets.
  const endsWithTurn = pieceBytes > packetBytes;
  return {
    connections: [{client, server}],
    requests: pane.resetStreams ? 'when-renewed' : 'round-robin',
    ...(firstStreams !== null && {firstStreams}),
    renew: (endpoint, stream) => network.renew(endpoint, stream),
    framing: {
      mode: isInterleaving ? 'interleaving' : 'sequential',
      ...(isServers && {scheduler: pane.scheduler, endsWithTurn}),
      isTagged: isInterleaving,
      pieceBytes,
      largestPieceBytes: Math.min(sendBufferBytes, LARGEST_MESSAGE_BYTES),
    },
    send: (endpoint, stream, bytes, object) => (network.send(endpoint, stream, bytes, object) ? bytes.length : 0),
    receive: event => (event.type === 'message' ? {stream: event.stream, bytes: event.bytes} : undefined),
  };
}

/**
 * The size in bytes of the largest message that we send. A receiver must hold a whole message before it can deliver the
 * message, so a message may fill at most half of the receive buffer, which has 4 MiB. `max_message_bytes` of the native
 * core has the same limit.
 */
const LARGEST_MESSAGE_BYTES = 2 * 1024 * 1024;
