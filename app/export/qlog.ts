import type {Json} from '../base/json.ts';
import type {Trace} from '../run/trace/trace.ts';
import {type QlogEvent, qlogEvents} from './qlogEvents.ts';

// The format is draft-ietf-quic-qlog-main-schema-14, with additional fields that qvis needs and that the draft permits:
//   qlog_version, qlog_format   header fields of draft-ietf-quic-qlog-main-schema-02, which qvis reads
//   category                    the category in which qvis looks for an event
//
// The events of HTTP/3 are those of draft-ietf-quic-qlog-quic-events-13 and draft-ietf-quic-qlog-h3-events-13. They are
// made from the packets' bytes. qvis also needs `length` in frames with data, `frame_size` in all QUIC frames,
// `byte_length` in HTTP/3 frames, and quic:recovery_metrics_updated under the name metrics_updated. The time of a
// `packet_lost` event is the time at which the packet's data is retransmitted.
//
// Other pipelines use the applicable events of QUIC, in a namespace that has the name of the pipeline. Their traces
// contain neither packet types nor packet numbers. The fields and events have these contents:
//   header.packet_number        the number of the packet among those that the endpoint sends, from 0
//   raw.length                  the length of the IP packet
//   frames                      `ack` frames, and `stream` frames with QUIC's stream numbers (see qlogEvents.ts)
//   metrics_updated             quic:recovery_metrics_updated under the name that qvis reads
// HTTP/3 is logged in the same way if the packets' bytes are not given.

/** The end that observed the events of the log. */
export type Vantage = 'client' | 'server';

export interface QlogOptions {
  readonly vantage: Vantage;
  /** One line that describes the page and the pane. */
  readonly title: string;
  /** The result of `scenarioDocument`, which is written into the log so that the run can be repeated. */
  readonly scenario: Json;
  /** The version of this program: `interleave 0.1.0 (abc1234)`. */
  readonly program: string;
  /**
   * The bytes of each packet, beginning with the IP header, in the order of the trace's rows. They are used only if
   * {@link usesPacketBytes} returns true.
   */
  readonly packets?: readonly Uint8Array[];
}

/**
 * Returns whether the log contains more if the packets' bytes are given. This is true for QUIC, whose packets contain
 * data that the trace does not contain.
 */
export function usesPacketBytes({pipeline}: Trace): boolean {
  return pipeline.acknowledges === 'packets';
}

/**
 * Returns the events of a pane's load that one end observed, as qlog in a JSON text sequence (RFC 7464; `.sqlog`).
 * Times are in ms since the run's start. Unknown values are absent. If there are several connections, the events of
 * each connection form a group. If there is no connection, the log contains only the scenario.
 */
export function qlog(trace: Trace, options: QlogOptions): string {
  const {vantage, title, scenario, program, packets = null} = options;
  const {name, label} = trace.pipeline;
  const quic = usesPacketBytes(trace) && packets !== null ? QUIC_SCHEMAS : [];
  const header = {
    file_schema: 'urn:ietf:params:qlog:file:sequential',
    serialization_format: 'application/qlog+json-seq',
    qlog_version: '0.3',
    qlog_format: 'JSON-SEQ',
    title,
    trace: {
      title: `${title}: ${vantage}`,
      vantage_point: {name: program, type: vantage},
      common_fields: {
        time_format: 'relative_to_epoch',
        // Virtual time has no date.
        reference_time: {clock_type: 'monotonic', epoch: 'unknown'},
        protocol_type: label,
      },
      event_schemas: [...quic, `interleave://qlog/${name}`, 'urn:ietf:params:qlog:events:simulation'],
    },
  };
  return [header, ...eventsOf(trace, vantage, scenario, packets)].map(record).join('');
}

function eventsOf(
  trace: Trace,
  vantage: Vantage,
  scenario: Json,
  packets: readonly Uint8Array[] | null,
): readonly Json[] {
  const {connections} = trace.data;
  const first: QlogEvent = {atNs: 0, name: 'simulation:scenario', category: 'simulation', data: {details: scenario}};
  if (connections.length === 0) return [serialised(first, undefined)];
  const grouped = connections.flatMap(({client, server}, i) => {
    const [own, peer] = vantage === 'client' ? [client, server] : [server, client];
    // qvis requires that either all events have a `group_id` or none.
    const group = connections.length === 1 ? undefined : `connection ${i + 1}`;
    return [first, ...qlogEvents(trace, {own, peer}, packets)].map(event => ({event, group}));
  });
  return grouped.sort((a, b) => a.event.atNs - b.event.atNs).map(({event, group}) => serialised(event, group));
}

function serialised({atNs, name, category, data}: QlogEvent, group: string | undefined): Json {
  return {time: atNs / 1e6, name, category, ...(group === undefined ? {} : {group_id: group}), data};
}

const QUIC_SCHEMAS = ['urn:ietf:params:qlog:events:quic-13', 'urn:ietf:params:qlog:events:http3-13'];

/** Returns a value as a record of the sequence, with the separator (RFC 7464 §2.2). */
function record(value: Json): string {
  return `\u001e${JSON.stringify(value)}\n`;
}
