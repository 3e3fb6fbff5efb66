import type {Json} from '../scenario/document.ts';
import type {Trace} from '../trace/trace.ts';
import {type QlogEvent, qlogEvents} from './qlogEvents.ts';

// draft-ietf-quic-qlog-main-schema-14, with what qvis asks for beside it, all of which the draft lets stand there:
//   qlog_version, qlog_format   the header's fields of draft-ietf-quic-qlog-main-schema-02, which qvis knows
//   category                    of each event: where qvis looks for it
// The events are those of draft-ietf-quic-qlog-quic-events-13 as far as they fit. They stand in namespaces of their own,
// by the pipeline's name, as a trace is of IP packets, whatever is in them: no packet types, no packet numbers (HTTP/3
// has QUIC's datagrams, and no event of draft-ietf-quic-qlog-h3-events), and
//   header.packet_number        counts what an endpoint sends, from 0
//   raw.length                  is the IP packet's
//   frames                      `stream` (bytes of a stream) or `data` (a chunk, TSN from 0), and `ack`, whose
//                               `largest_acknowledged` is QUIC's own number
//   packet_lost                 when its data is sent again
//   metrics_updated             quic:recovery_metrics_updated, by the name that qvis knows

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
}

/**
 * A pane's load as one end of it saw it: qlog as a JSON text sequence (RFC 7464; `.sqlog`). Times are ms since the
 * run's start. What is not known is absent. Several connections are groups; of none, only the scenario is there.
 */
export function qlog(trace: Trace, {vantage, title, scenario, program}: QlogOptions): string {
  const {name, label} = trace.pipeline;
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
      event_schemas: [`interleave://qlog/${name}`, 'urn:ietf:params:qlog:events:simulation'],
    },
  };
  return [header, ...eventsOf(trace, vantage, scenario)].map(record).join('');
}

function eventsOf(trace: Trace, vantage: Vantage, scenario: Json): readonly Json[] {
  const {connections} = trace.data;
  const first: QlogEvent = {
    ...{atNs: 0, name: 'simulation:scenario', category: 'simulation'},
    data: {details: scenario},
  };
  if (connections.length === 0) return [serialised(first, undefined)];
  const grouped = connections.flatMap(({client, server}, i) => {
    const [own, peer] = vantage === 'client' ? [client, server] : [server, client];
    // qvis wants it of each event or of none
    const group = connections.length === 1 ? undefined : `connection ${i + 1}`;
    return [first, ...qlogEvents(trace, {own, peer})].map(event => ({event, group}));
  });
  return grouped
    .sort((a, b) => a.event.atNs - b.event.atNs)
    .map(({event, group}) => serialised(event, group));
}

function serialised({atNs, name, category, data}: QlogEvent, group: string | undefined): Json {
  return {time: atNs / 1e6, name, category, ...(group === undefined ? {} : {group_id: group}), data};
}

/** RFC 7464 §2.2. */
function record(value: Json): string {
  return `\u001e${JSON.stringify(value)}\n`;
}
