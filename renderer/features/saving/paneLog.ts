import {paneTitle} from '../../../app/export/paneTitle.ts';
import {qlog, usesPacketBytes, type Vantage} from '../../../app/export/qlog.ts';
import type {CaptureAnswer, Refusal} from '../../../app/host/contract.ts';
import {capturedPackets} from '../../../app/run/packets/captureFile.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import type {Trace} from '../../../app/run/trace/trace.ts';
import type {ShownRun} from '../../session/loads.ts';
import {hasHappened} from '../../session/sources.ts';
import {sourceOf} from '../../session/traceFiles.ts';

interface LogOptions {
  readonly vantage: Vantage;
  /** The program's name and version, as `interleave --version` prints them. */
  readonly program: string;
  /** Returns the bytes of a pane's packets, which are computed for this call. */
  readonly captureOf: (run: ShownRun, pane: number) => Promise<CaptureAnswer>;
}

type LogAnswer = {readonly ok: true; readonly text: string} | Refusal;

/**
 * Returns a pane's load as a qlog file, like the one that the command line saves. For HTTP/3 the bytes of the packets
 * are computed for the file. Live and captured loads cannot be computed again, so their qlog is made without the bytes.
 */
export async function paneLog(
  run: ShownRun,
  pane: number,
  {vantage, program, captureOf}: LogOptions,
): Promise<LogAnswer> {
  const trace = run.traces[pane];
  if (trace === undefined) throw new RangeError(`invalid pane: ${pane} (there are ${run.traces.length})`);
  const {page, scenario, pane: place} = sourceOf(run, pane);
  const options = {vantage, program, title: paneTitle(page, scenario, place), scenario: scenarioDocument(scenario)};
  if (!usesPacketBytes(trace) || hasHappened(run, pane)) {
    return {ok: true, text: qlog(trace, options)};
  }
  const answer = await captureOf(run, pane);
  if (!answer.ok) return answer;
  const packets = capturedPackets(answer.capture);
  return {ok: true, text: qlog(trace, fits(trace, packets) ? {...options, packets} : options)};
}

/**
 * Whether the computed packets have the sizes of the trace's packets. The sizes can differ if another version of the
 * program wrote the trace. The computed packets are then not those of the trace.
 */
function fits({data: {packets}}: Trace, bytes: readonly Uint8Array[]): boolean {
  return bytes.length === packets.bytes.length && bytes.every((each, row) => each.length === packets.bytes[row]);
}
