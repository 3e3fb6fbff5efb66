import {problemsOf, type Shape} from './documentShape.ts';

// For tests: checks a log against draft-ietf-quic-qlog-main-schema-14. Logs of HTTP/3 are also checked against
// draft-ietf-quic-qlog-quic-events-13 and draft-ietf-quic-qlog-h3-events-13. Logs of other pipelines are also checked
// against the parts of quic-events that apply to transports other than QUIC.

/** QlogFileSeq and TraceSeq, with the fields that qvis needs. */
const HEADER: Shape = {
  file_schema: 'urn:ietf:params:qlog:file:sequential',
  serialization_format: 'application/qlog+json-seq',
  qlog_version: '0.3',
  qlog_format: 'JSON-SEQ',
  title: 'text',
  trace: {
    title: 'text',
    vantage_point: {name: 'text', type: 'text'},
    common_fields: {
      time_format: 'relative_to_epoch',
      reference_time: {clock_type: 'monotonic', epoch: 'unknown'},
      protocol_type: 'text',
    },
    event_schemas: ['text'],
  },
};

const PACKET: Shape = {header: {packet_number: 'count'}, raw: {length: 'count'}, 'frames?': ['any']};

const METRICS: Shape = {
  congestion_window: 'count',
  bytes_in_flight: 'count',
  'ssthresh?': 'count',
  'smoothed_rtt?': 'number',
  'retransmission_timeout?': 'number',
};

type Event = readonly [category: string, data: Shape];

/**
 * The category in which qvis looks for each event, and the shape of the event's data. The namespace of these events is
 * the name of the pipeline.
 */
const EVENTS: {readonly [name: string]: Event} = {
  packet_sent: ['transport', PACKET],
  packet_received: ['transport', PACKET],
  packet_lost: ['recovery', {header: {packet_number: 'count'}}],
  metrics_updated: ['recovery', METRICS],
  congestion_state_updated: ['recovery', {'old?': 'text', new: 'text'}],
};

const AGAIN = {'retransmission?': 'flag'};
const PLACE = {stream_id: 'count', offset: 'count', length: 'count'} as const;
const FRAMES: {readonly [type: string]: Shape} = {
  stream: {
    frame_type: 'stream',
    ...PLACE,
    ...AGAIN,
    'sctp_stream?': 'count',
    'tsn?': 'count',
    'message?': 'count',
    'chunk?': 'count',
    'datagram?': 'count',
    'http2_stream?': 'count',
    'tcp_offset?': 'count',
  },
  ack: {frame_type: 'ack', 'cumulative?': 'count', 'acked_ranges?': [['count']], 'largest_acknowledged?': 'count'},
};

const QUIC_HEADER: Shape = {
  packet_type: 'text',
  'packet_number?': 'count',
  'version?': 'text',
  'scid?': 'text',
  'dcid?': 'text',
};
const RAW: Shape = {length: 'count', payload_length: 'count'};
const QUIC_PACKET: Shape = {header: QUIC_HEADER, raw: RAW, frames: ['any']};
const HTTP3_FRAME: Shape = {stream_id: 'count', byte_length: 'count', frame: 'any'};

/** The events whose namespace is not the name of the pipeline. The keys are `namespace:name`. */
const DRAFT_EVENTS: {readonly [name: string]: Event} = {
  'simulation:scenario': ['simulation', {details: 'any'}],
  'simulation:marker': ['simulation', {type: 'packet_dropped', message: 'text'}],
  'quic:packet_sent': ['transport', QUIC_PACKET],
  'quic:packet_received': ['transport', QUIC_PACKET],
  'quic:packet_lost': ['recovery', {header: {packet_type: 'text', packet_number: 'count'}}],
  'quic:recovery_metrics_updated': ['recovery', METRICS],
  'quic:congestion_state_updated': ['recovery', {'old?': 'text', new: 'text'}],
  'http3:frame_created': ['http', HTTP3_FRAME],
  'http3:frame_parsed': ['http', HTTP3_FRAME],
  'http3:stream_type_set': ['http', {initiator: 'text', stream_id: 'count', stream_type: 'text'}],
};

const NUMBERED = {sequence_number: 'count'} as const;
const QUIC_FRAMES: {readonly [type: string]: {readonly [field: string]: Shape}} = {
  padding: {frame_type: 'padding', raw: {length: 'count'}},
  ping: {frame_type: 'ping'},
  ack: {frame_type: 'ack', ack_delay: 'number', acked_ranges: [['count']]},
  crypto: {frame_type: 'crypto', offset: 'count', length: 'count', raw: {payload_length: 'count'}},
  stream: {frame_type: 'stream', ...PLACE, 'fin?': 'flag', raw: {payload_length: 'count'}},
  new_token: {frame_type: 'new_token', token: {raw: {length: 'count'}}},
  max_data: {frame_type: 'max_data', maximum: 'count'},
  max_stream_data: {frame_type: 'max_stream_data', stream_id: 'count', maximum: 'count'},
  max_streams: {frame_type: 'max_streams', stream_type: 'text', maximum: 'count'},
  data_blocked: {frame_type: 'data_blocked', limit: 'count'},
  stream_data_blocked: {frame_type: 'stream_data_blocked', stream_id: 'count', limit: 'count'},
  streams_blocked: {frame_type: 'streams_blocked', stream_type: 'text', limit: 'count'},
  reset_stream: {
    frame_type: 'reset_stream',
    stream_id: 'count',
    error: 'unknown',
    error_code: 'count',
    final_size: 'count',
  },
  stop_sending: {frame_type: 'stop_sending', stream_id: 'count', error: 'unknown', error_code: 'count'},
  new_connection_id: {
    frame_type: 'new_connection_id',
    ...NUMBERED,
    retire_prior_to: 'count',
    connection_id: 'text',
    stateless_reset_token: 'text',
  },
  retire_connection_id: {frame_type: 'retire_connection_id', ...NUMBERED},
  path_challenge: {frame_type: 'path_challenge', data: 'text'},
  path_response: {frame_type: 'path_response', data: 'text'},
  connection_close: {
    frame_type: 'connection_close',
    error_space: 'text',
    error: 'unknown',
    error_code: 'count',
    reason: 'text',
  },
  handshake_done: {frame_type: 'handshake_done'},
  unknown: {frame_type: 'unknown', frame_type_bytes: 'count', raw: {length: 'count'}},
};

const HTTP3_FRAMES: {readonly [type: string]: Shape} = {
  data: {frame_type: 'data', raw: RAW},
  headers: {frame_type: 'headers', headers: [{name: 'text', value: 'text'}], raw: RAW},
  settings: {frame_type: 'settings', settings: [{name: 'text', value: 'count'}], raw: RAW},
  goaway: {frame_type: 'goaway', id: 'count', raw: RAW},
};

export interface LoggedEvent {
  readonly time: number;
  readonly name: string;
  readonly category: string;
  readonly group_id?: string;
  readonly data: {
    readonly header?: {readonly packet_type?: string; readonly packet_number: number};
    readonly frames?: readonly LoggedFrame[];
    readonly frame?: LoggedFrame;
    readonly stream_id?: number;
    readonly [field: string]: unknown;
  };
}

export interface LoggedFrame {
  readonly frame_type: string;
  readonly [field: string]: unknown;
  readonly stream_id?: number;
  readonly headers?: readonly {readonly name: string; readonly value: string}[];
  readonly offset?: number;
  readonly tsn?: number;
  readonly length?: number;
  readonly cumulative?: number;
  readonly acked_ranges?: readonly (readonly number[])[];
}

/**
 * Returns the records of a JSON text sequence (RFC 7464 §2.1). @throws Error if a record does not begin or end as
 * required
 */
export function readLog(text: string): {readonly header: unknown; readonly events: readonly LoggedEvent[]} {
  const [before, ...records] = text.split('\u001e');
  if (before !== '' || records.some(record => !record.endsWith('\n'))) throw new Error('not a JSON text sequence');
  const [header, ...events] = records.map(record => JSON.parse(record));
  return {header, events};
}

/** Returns the problems of a log of the pipeline. The list is empty if the log is valid. */
export function logProblems(text: string, pipeline: string): readonly string[] {
  const {header, events} = readLog(text);
  const isFirst = text.slice(1, 257).includes('"serialization_format":"application/qlog+json-seq"');
  return [
    ...(isFirst ? [] : ['the first 256 characters do not state the format']),
    ...problemsOf(header, HEADER, 'header'),
    ...events.flatMap((event, i) => eventProblems(event, pipeline, `event ${i}`)),
  ];
}

function eventProblems(event: LoggedEvent, pipeline: string, path: string): readonly string[] {
  const [namespace, type = ''] = event.name.split(':');
  const inDraft = DRAFT_EVENTS[event.name];
  const [category, data] = inDraft ?? EVENTS[type] ?? ['none', 'any'];
  const {frames = [], frame} = event.data;
  // qvis needs frame_size
  const shapeOf = (type: string): Shape =>
    namespace === 'quic' && QUIC_FRAMES[type] !== undefined
      ? {...QUIC_FRAMES[type], frame_size: 'count'}
      : ((namespace === 'quic' ? undefined : FRAMES[type]) ?? 'a known frame');
  return [
    ...problemsOf(event, {time: 'number', name: event.name, category, 'group_id?': 'text', data}, path),
    ...(inDraft !== undefined || namespace === pipeline
      ? []
      : [`${path}: the namespace is ${namespace} instead of ${pipeline}`]),
    ...frames.flatMap((each, i) => problemsOf(each, shapeOf(each.frame_type), `${path}.frames[${i}]`)),
    ...(frame === undefined
      ? []
      : problemsOf(frame, HTTP3_FRAMES[frame.frame_type] ?? 'a known frame', `${path}.frame`)),
  ];
}
