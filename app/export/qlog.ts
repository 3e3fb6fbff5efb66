import type {Json} from '../base/json.ts';
import type {Trace} from '../run/trace/trace.ts';
import {type QlogEvent, qlogEvents} from './qlogEvents.ts';

// draft-ietf-quic-qlog-main-schema-14, with what qvis asks for beside it, all of which the draft lets stand there:
//   qlog_version, qlog_format   the header's fields of draft-ietf-quic-qlog-main-schema-02, which qvis knows
//   category                    of each event: where qvis looks for it
// HTTP/3's events are those of draft-ietf-quic-qlog-quic-events-13 and draft-ietf-quic-qlog-h3-events-13, of the packets'
// bytes; qvis asks for `length` in frames of data, `frame_size` in all of QUIC's and `byte_length` in those of HTTP/3, and knows
// quic:recovery_metrics_updated as metrics_updated: these stand there as well. They have `packet_lost` when its data is
// sent again.
// The other pipelines' events are QUIC's as far as they fit, in a namespace of their own, by the pipeline's name, as a trace
// is of IP packets, whatever is in them: no packet types, no packet numbers, and
//   header.packet_number        counts what an endpoint sends, from 0
//   raw.length                  is the IP packet's
//   frames                      `stream`, with the bytes of one stream, numbered as QUIC's: see qlogEvents.ts; and `ack`
//   metrics_updated             quic:recovery_metrics_updated, by the name that qvis knows
// HTTP/3 without the packets' bytes is told like them.

/** Which end of the connections writes the log. */
export type Vantage = 'client' | 'server';

export interface QlogOptions {
  readonly vantage: Vantage;
  /** One line: what was loaded how. */
  readonly title: string;
  /** As `scenarioDocument` gives it: stands in the log, so that it can be made again. */
  readonly scenario: Json;
  /** Of this program: `interleave 0.1.0 (abc1234)`. */
  readonly program: string;
  /** Each packet from its IP header on, by the trace's rows: of HTTP/3 they have what a trace has not. */
  readonly packets?: readonly Uint8Array[];
}

/** Whether the log tells more where it has the packets' bytes: of QUIC a trace has less than its packets say. */
export function isToldByPackets({pipeline}: Trace): boolean {
  return pipeline.acknowledges === 'packets';
}

/**
 * A pane's load as one end of it saw it: qlog as a JSON text sequence (RFC 7464; `.sqlog`). Times are ms since the
 * run's start. What is not known is absent. Several connections are groups; of none, only the scenario is there.
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
        // virtual time: there is no hour of the day
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
    // qvis wants it of each event or of none
    const group = connections.length === 1 ? undefined : `connection ${i + 1}`;
    return [first, ...qlogEvents(trace, {own, peer}, packets)].map(event => ({event, group}));
  });
  return grouped.sort((a, b) => a.event.atNs - b.event.atNs).map(({event, group}) => serialised(event, group));
}

function serialised({atNs, name, category, data}: QlogEvent, group: string | undefined): Json {
  return {time: atNs / 1e6, name, category, ...(group === undefined ? {} : {group_id: group}), data};
}

const QUIC_SCHEMAS = ['urn:ietf:params:qlog:events:quic-13', 'urn:ietf:params:qlog:events:http3-13'];

/** RFC 7464 §2.2. */
function record(value: Json): string {
  return `\u001e${JSON.stringify(value)}\n`;
}
