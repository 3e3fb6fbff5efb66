import {problemsOf, type Shape} from './fields.ts';

// For tests: a log against its drafts: draft-ietf-quic-qlog-main-schema-14, and of
// draft-ietf-quic-qlog-quic-events-13 what fits a transport that is no QUIC.

/** QlogFileSeq and TraceSeq, with what qvis asks for. */
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

/** The category that qvis looks in, and the data. */
const EVENTS: {readonly [name: string]: readonly [category: string, data: Shape]} = {
  packet_sent: ['transport', PACKET],
  packet_received: ['transport', PACKET],
  packet_lost: ['recovery', {header: {packet_number: 'count'}}],
  metrics_updated: [
    'recovery',
    {
      ...{congestion_window: 'count', bytes_in_flight: 'count', 'ssthresh?': 'count'},
      ...{'smoothed_rtt?': 'number', 'retransmission_timeout?': 'number'},
    },
  ],
  congestion_state_updated: ['recovery', {'old?': 'text', new: 'text'}],
  scenario: ['simulation', {details: 'any'}],
  marker: ['simulation', {type: 'packet_dropped', message: 'text'}],
};

const AGAIN = {'retransmission?': 'flag'};
const FRAMES: {readonly [type: string]: Shape} = {
  stream: {frame_type: 'stream', stream_id: 'count', offset: 'count', length: 'count', ...AGAIN},
  data: {frame_type: 'data', stream_id: 'count', tsn: 'count', message: 'count', length: 'count', ...AGAIN},
  ack: {
    ...{frame_type: 'ack', 'cumulative?': 'count', 'acked_ranges?': [['count']]},
    'largest_acknowledged?': 'count',
  },
};

export interface LoggedEvent {
  readonly time: number;
  readonly name: string;
  readonly category: string;
  readonly group_id?: string;
  readonly data: {
    readonly header?: {readonly packet_number: number};
    readonly frames?: readonly LoggedFrame[];
    readonly [field: string]: unknown;
  };
}

export interface LoggedFrame {
  readonly frame_type: string;
  readonly offset?: number;
  readonly tsn?: number;
  readonly length?: number;
  readonly cumulative?: number;
  readonly acked_ranges?: readonly (readonly number[])[];
}

/** The records of a JSON text sequence (RFC 7464 §2.1). @throws Error unless each begins and ends as it must. */
export function readLog(text: string): {readonly header: unknown; readonly events: readonly LoggedEvent[]} {
  const [before, ...records] = text.split('\u001e');
  if (before !== '' || records.some(record => !record.endsWith('\n'))) throw new Error('no text sequence');
  const [header, ...events] = records.map(record => JSON.parse(record));
  return {header, events};
}

/** What is wrong with a log of the pipeline; empty if nothing is. */
export function logProblems(text: string, pipeline: string): readonly string[] {
  const {header, events} = readLog(text);
  const isFirst = text.slice(1, 257).includes('"serialization_format":"application/qlog+json-seq"');
  return [
    ...(isFirst ? [] : ['the format is not told in the first 256 characters']),
    ...problemsOf(header, HEADER, 'header'),
    ...events.flatMap((event, i) => eventProblems(event, pipeline, `event ${i}`)),
  ];
}

function eventProblems(event: LoggedEvent, pipeline: string, path: string): readonly string[] {
  const [namespace, type = ''] = event.name.split(':');
  const [category, data] = EVENTS[type] ?? ['none', 'any'];
  const own = category === 'simulation' ? 'simulation' : pipeline;
  const frames = event.data.frames ?? [];
  return [
    ...problemsOf(event, {time: 'number', name: `${own}:${type}`, category, 'group_id?': 'text', data}, path),
    ...(namespace === own ? [] : [`${path}: not in ${own}`]),
    ...frames.flatMap((frame, i) =>
      problemsOf(frame, FRAMES[frame.frame_type] ?? 'a known frame', `${path}.frames[${i}]`),
    ),
  ];
}
