/**
 * A cause of time on the critical path. Each nanosecond between navigation and the end of a critical path has exactly
 * one cause (`criticalPath.ts`).
 */
export interface CauseKind<N extends string = string> {
  /** The name in JSON, CSV and tests. */
  readonly name: N;
  /** The name in the window, in figures and in tables. */
  readonly label: string;
  /** The words that a sentence of a comparison uses: `5.20 s less {of}`. */
  readonly of: string;
  /** A description of the time that has this cause. */
  readonly about: string;
  /** Where the rule or the term comes from. */
  readonly source: string;
  /** Causes of one group have shades of one colour. */
  readonly group: CauseGroup;
}

/** The groups of causes, in the order in which a load passes through them, with their names in legends. */
export const CAUSE_GROUPS = {
  'set-up': 'set-up',
  request: 'request waits',
  server: 'server',
  window: 'window full',
  link: 'link',
  propagation: 'propagation',
  recovery: 'lost data',
  blocking: 'blocked',
  page: 'paint',
  unknown: 'not known',
} as const;

export type CauseGroup = keyof typeof CAUSE_GROUPS;

/** All causes, in the order in which figures stack them. */
export const CAUSE_KINDS = [
  {
    name: 'dns',
    label: 'DNS',
    of: 'for DNS',
    about: 'The address of the origin is looked up, and no connection can be opened yet.',
    source: 'RFC 1035; the duration is the setting dnsMs',
    group: 'set-up',
  },
  {
    name: 'set-up',
    label: 'transport’s set-up',
    of: 'for the set-up of connections',
    about:
      'The handshake of the connection runs, and the request waits for it. With QUIC, this contains TLS, because ' +
      'both are one handshake, and also the time in which data has arrived and cannot be read yet, because a packet ' +
      'of the handshake is missing.',
    source: 'RFC 9293 §3.5, RFC 9260 §5.1, RFC 9000 §7, RFC 9001 §5.7',
    group: 'set-up',
  },
  {
    name: 'tls',
    label: 'TLS',
    of: 'for TLS',
    about: 'The transport is connected, and the handshake of TLS runs.',
    source: 'RFC 8446 §2',
    group: 'set-up',
  },
  {
    name: 'scripts',
    label: 'scripts and parser',
    of: 'for scripts',
    about:
      'The bytes that name the object have arrived, and the browser has not found the object yet: it has not begun ' +
      'to read, a script or a style sheet has to run first, or the parser is blocked. The start of the navigation ' +
      'also has this cause.',
    source: 'HTML §13.2, docs/browsers.md; the durations of scripts are those of the recorded page',
    group: 'request',
  },
  {
    name: 'request-wait',
    label: 'waiting for a connection or stream',
    of: 'of waiting for a free connection or stream',
    about:
      'The browser knows the object. Every connection or stream that may carry the request is in use, or the browser ' +
      'still needs some time to send its first requests.',
    source: 'RFC 9112 §9.3, N08 §3',
    group: 'request',
  },
  {
    name: 'request-queue',
    label: 'browser’s queue',
    of: 'in the browser’s queue',
    about:
      'The browser knows the object and holds its request back, because other requests are more urgent, or because ' +
      'the browser still needs some time to send its first requests.',
    source: 'the rules of the browser (docs/browsers.md)',
    group: 'request',
  },
  {
    name: 'server',
    label: 'server',
    of: 'at the server',
    about:
      'The server has the request and has not sent any of the response, although the link is idle and the window is ' +
      'not full: the server thinks, or answers other requests first.',
    source: 'the setting serverThinkMs',
    group: 'server',
  },
  {
    name: 'slow-start',
    label: 'window: slow start',
    of: 'in slow start',
    about: 'The link is idle, because the congestion window is full and still grows in slow start.',
    source: 'RFC 5681 §3.1, RFC 9002 §7.3.1, RFC 9260 §7.2.1',
    group: 'window',
  },
  {
    name: 'window',
    label: 'window: congestion avoidance',
    of: 'of a full window',
    about: 'The link is idle, because the congestion window is full in congestion avoidance.',
    source: 'RFC 5681 §3.1, RFC 9002 §7.3.3, RFC 9260 §7.2.2',
    group: 'window',
  },
  {
    name: 'recovery-window',
    label: 'window: recovery',
    of: 'of a window that a loss had reduced',
    about: 'The link is idle, because the congestion window is full while the sender repairs a loss of other data.',
    source: 'RFC 6675 §5, RFC 9002 §7.3.2, RFC 9260 §7.2.4',
    group: 'window',
  },
  {
    name: 'pacing',
    label: 'pacing',
    of: 'of pacing',
    about:
      'The link is idle and the window is not full, but the sender spaces its packets: pacing, a limit of the burst, ' +
      'or, over bare datagrams, the rate limit of the server.',
    source: 'RFC 9002 §7.7, RFC 9260 §7.2.1 (max.burst), C03 §4',
    group: 'window',
  },
  {
    name: 'own-bytes',
    label: 'link: own bytes',
    of: 'of the link for its own bytes',
    about: 'The link serialises packets of the object itself.',
    source: 'bits of the packet divided by the rate of the link',
    group: 'link',
  },
  {
    name: 'other-bytes',
    label: 'link: other objects',
    of: 'of the link for other objects',
    about: 'The link serialises packets with data of other objects of the page before those of this object.',
    source: 'bits of the packets divided by the rate of the link',
    group: 'link',
  },
  {
    name: 'other-traffic',
    label: 'link: other traffic',
    of: 'of the link for other traffic',
    about: 'The link serialises packets that do not belong to the page.',
    source: 'bits of the packets divided by the rate of the link',
    group: 'link',
  },
  {
    name: 'queue',
    label: 'link: queue',
    of: 'in the queue behind packets without page data',
    about:
      'The object’s data waits for the link. The link serialises packets without data of the page, such as ' +
      'acknowledgements and handshakes, or has no capacity at this time.',
    source: 'the order in which packets leave the queue',
    group: 'link',
  },
  {
    name: 'propagation',
    label: 'propagation',
    of: 'of propagation',
    about: 'The packet is on its way: the one-way delay of the path, once for the request and once for the response.',
    source: 'half of the RTT in each direction',
    group: 'propagation',
  },
  {
    name: 'transit',
    label: 'network',
    of: 'in the network',
    about: 'The packet is in the network. A live load or a capture does not show where.',
    source: 'times of sending and arrival',
    group: 'propagation',
  },
  {
    name: 'recovery-ack',
    label: 'recovery by acknowledgements',
    of: 'of recovery by acknowledgements',
    about:
      'Data of the object was lost. The time runs from the first sending of this data until acknowledgements made ' +
      'the sender repeat it, or, over bare datagrams, until the client requested it again.',
    source: 'RFC 6675 §4, RFC 8985 §6, RFC 9002 §6.1, RFC 9260 §7.2.4',
    group: 'recovery',
  },
  {
    name: 'recovery-probe',
    label: 'recovery by a probe',
    of: 'of recovery by a probe',
    about:
      'Data of the object was lost. The time runs from the first sending of this data until a tail loss probe or a ' +
      'PTO repeated it.',
    source: 'RFC 8985 §7, RFC 9002 §6.2',
    group: 'recovery',
  },
  {
    name: 'recovery-timeout',
    label: 'recovery by a timeout',
    of: 'of recovery by a timeout',
    about:
      'Data of the object was lost. The time runs from the first sending of this data until the retransmission timer ' +
      'repeated it.',
    source: 'RFC 6298 §5, RFC 9260 §6.3.3',
    group: 'recovery',
  },
  {
    name: 'hand-over',
    label: 'hand-over',
    of: 'of a hand-over',
    about:
      'The client moved to another path. The time runs from the first sending of data that was lost on the old path ' +
      'until it was sent again on the new path. Time in which the server is idle because it does not know the new ' +
      'address also counts. If the connection did not follow the client, the time runs from the request on the old ' +
      'connection until the client opens a new one.',
    source: 'RFC 9000 §9; the setting handover',
    group: 'recovery',
  },
  {
    name: 'blocking',
    label: 'head-of-line blocking',
    of: 'behind lost packets of other objects',
    about:
      'All needed data of the object has arrived, and waits for earlier data of its stream. The earlier data was ' +
      'lost, and belongs to other objects.',
    source: 'RFC 9000 §2.2 explains the term; N07 §2',
    group: 'blocking',
  },
  {
    name: 'paint',
    label: 'layout and paint',
    of: 'of layout and paint',
    about: 'All needed bytes have arrived, and the frame that shows them is not painted yet.',
    source: 'Paint Timing §4; the model of the browser (docs/browsers.md)',
    group: 'page',
  },
  {
    name: 'unknown',
    label: 'not known',
    of: 'of unknown cause',
    about:
      'The trace does not show what happened. Computed loads have no such time. A live load has it for everything ' +
      'that the path and the server did.',
    source: 'none',
    group: 'unknown',
  },
] as const satisfies readonly CauseKind[];

export type CauseName = (typeof CAUSE_KINDS)[number]['name'];

/** Returns the record of a cause. @throws RangeError if there is no such cause, which is a bug */
export function causeKind(name: CauseName): CauseKind {
  const kind = KINDS.get(name);
  if (kind === undefined) throw new RangeError(`invalid cause: ${name}`);
  return kind;
}

const KINDS: ReadonlyMap<CauseName, CauseKind> = new Map(CAUSE_KINDS.map(kind => [kind.name, kind]));
