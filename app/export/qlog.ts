import type {Json} from '../base/json.ts';
import type {Trace} from '../run/trace/trace.ts';
import {type QlogEvent, qlogEvents} from './qlogEvents.ts';

// The format is draft-ietf-quic-qlog-main-schema-14, with additional fields that qvis needs and the draft permits:
//   qlog_version, qlog_format   the header's fields of draft-ietf-quic-qlog-main-schema-02, which qvis knows
//   category                    the category in which qvis looks for an event
// The events of HTTP/3 are those of draft-ietf-quic-qlog-quic-events-13 and draft-ietf-quic-qlog-h3-events-13, and are
// made from the packets' bytes. In addition there is what qvis needs: `length` in frames with data, `frame_size` in all
// QUIC frames, `byte_length` in HTTP/3 frames, and quic:recovery_metrics_updated under the name metrics_updated. A
// `packet_lost` event has the time at which the packet's data is retransmitted.
// The events of other pipelines are those of QUIC as far as they fit, in a namespace named after the pipeline. A trace
// consists of IP packets, whatever is in them, so there are no packet types and no packet numbers, and
//   header.packet_number        counts the packets that an endpoint sends, from 0
//   raw.length                  is the length of the IP packet
//   frames                      are `stream`, with one stream's bytes, numbered like QUIC's (see qlogEvents.ts), and `ack`
//   metrics_updated             is quic:recovery_metrics_updated under the name that qvis knows
// HTTP/3 without the packets' bytes is logged in the same way.

/** The end of the connections that writes the log. */
export type Vantage = 'client' | 'server';

export interface QlogOptions {
  readonly vantage: Vantage;
  /** One line about what was loaded and how. */
  readonly title: string;
  /** The result of `scenarioDocument`, which is written into the log so that the run can be repeated. */
  readonly scenario: Json;
  /** The version of this program: `interleave 0.1.0 (abc1234)`. */
  readonly program: string;
  /**
   * The bytes of each packet from its IP header on, by the trace's rows. For HTTP/3, the packets contain more than the
   * trace.
   */
  readonly packets?: readonly Uint8Array[];
}

/**
 * Whether the log contains more if the packets' bytes are given. This is so for QUIC, whose packets contain more than
 * the trace.
 */
export function isToldByPackets({pipeline}: Trace): boolean {
  return pipeline.acknowledges === 'packets';
}

/**
 * A pane's load as one end saw it, in qlog as a JSON text sequence (RFC 7464; `.sqlog`). Times are ms since the run's
 * start. Unknown values are absent. Each of several connections is a group; without any connection the log contains
 * only the scenario.
 */
export function qlog(trace: Trace, options: QlogOptions): string {
  const {vantage, title, scenario, program, packets = null} = options;
  const {name, label} = trace.pipeline;
  const quic = isToldByPackets(trace) && packets !== null ? QUIC_SCHEMAS : [];
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
        // virtual time has no date
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
    // qvis needs `group_id` in each event or in none
    const group = connections.length === 1 ? undefined : `connection ${i + 1}`;
    return [first, ...qlogEvents(trace, {own, peer}, packets)].map(event => ({event, group}));
  });
  return grouped.sort((a, b) => a.event.atNs - b.event.atNs).map(({event, group}) => serialised(event, group));
}

function serialised({atNs, name, category, data}: QlogEvent, group: string | undefined): Json {
  return {time: atNs / 1e6, name, category, ...(group === undefined ? {} : {group_id: group}), data};
}

const QUIC_SCHEMAS = ['urn:ietf:params:qlog:events:quic-13', 'urn:ietf:params:qlog:events:http3-13'];

/** The record separator (RFC 7464 §2.2). */
function record(value: Json): string {
  return `\u001e${JSON.stringify(value)}\n`;
}
