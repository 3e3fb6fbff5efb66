import {MOST_PANES} from '../../../../app/run/scenario/scenario.ts';
import type {OpenedCapture} from '../../../captures/openCaptures.ts';
import {writeWhole} from '../../../files/outputFile.ts';
import {command} from '../../command.ts';
import {untilInterrupted} from '../../interruption.ts';
import {capturesOf, KEYS} from '../../options/captures.ts';
import {type Format, fileOf, formatOf, JSON_OUTPUT, OUT_COMPRESSED} from '../../options/output.ts';
import {paneNumbers} from '../../options/paneNumbers.ts';
import {UsageError} from '../../options/usageError.ts';
import {json, outLine} from '../../output.ts';
import {compressed} from '../save/saved.ts';
import {joinedTraceFile, traceFile} from '../save/trace.ts';
import {captureDocuments, captureTable} from './captureResult.ts';

interface OpenSettings {
  readonly files: readonly string[];
  readonly keys: readonly string[];
  /** The indices of the loads that are chosen. If undefined, all loads are chosen. */
  readonly panes: readonly number[] | undefined;
  /** The trace file to write. Undefined if none is written. */
  readonly out: string | undefined;
  readonly format: Format;
}

export const open = command({
  name: 'open',
  group: 'Load a page and compare',
  summary: 'Read page loads that other programs recorded',
  usage: ['CAPTURE… [--keys FILE] [--out FILE] [options]'],
  hasOperands: true,
  options: {
    keys: KEYS,
    panes: {type: 'string', value: '1,2', help: 'The page loads to take, counted from 1. The default is all of them.'},
    out: {
      ...OUT_COMPRESSED,
      help: `Writes the loads (at most ${MOST_PANES}) to a trace file, which other commands and the window open. It is compressed if its name ends in .gz.`,
    },
    json: JSON_OUTPUT,
  },
  details: `
A capture is a file of packets (pcapng or pcap, from Wireshark, tcpdump or interleave pcap), a qlog of a QUIC stack, a
network log of Chromium, or a HAR file of the developer tools of a browser. The content of a file decides, not its name.
Files may be compressed (gzip). Each page load becomes a pane. In a file of packets, a page load is everything that one
client (IP address) sent and received until no handshake, request or response was under way for 3 s. docs/captures.md
says how to record each kind, and what it shows.

The table has the times and numbers that interleave run prints. A cell is empty or – if the capture does not show its
value. Page time T counts from the first request; the other times count from the first packet, or from the start of the
first request if there are no packets. The notes say what could not be read and what is not known.

--out writes a trace file, which the window, diff, and the option --trace of run, why, record, still and filmstrip
accept. A captured run cannot be loaded again. Its page, with the contents that the capture has, is stored on this
machine, like a page that --page opens.

--json prints {"captures": [{"file", "kind", "seenAt", "url", "connections", "objects", "bytes", "notes", "notKnown",
"pane"}]}. "pane" has the metrics of interleave run --json; numbers that are not known are null. Its schema is
schemas/capture.schema.json.
`,
  examples: [
    {does: 'Read a capture of packets with its secrets', line: 'interleave open load.pcapng --keys sslkeys.log'},
    {does: 'Compare what a browser recorded over two versions of HTTP', line: 'interleave open h2.har h3.har'},
    {does: 'Save a captured load for other commands', line: 'interleave open load.qlog --out load.trace'},
  ],
  read({values, operands}): OpenSettings {
    if (operands.length === 0) throw new UsageError('open needs a capture: interleave open CAPTURE');
    return {
      files: operands,
      keys: values.keys ?? [],
      panes: values.panes === undefined ? undefined : paneNumbers(values.panes),
      out: values.out === undefined ? undefined : fileOf(values),
      format: formatOf(values),
    };
  },
  run({files, keys, panes, out, format}, {write}) {
    return untilInterrupted(async signal => {
      const opened = chosen(await capturesOf(files, keys, signal), panes);
      if (out !== undefined) await writeWhole(out, compressed(out, fileOfLoads(opened)), signal);
      await write(format === 'json' ? json(captureDocuments(opened)) : captureTable(opened));
      if (out !== undefined) process.stderr.write(outLine(`saved ${out}`));
      return 0;
    });
  },
});

/** @throws UsageError */
function chosen(all: readonly OpenedCapture[], panes: readonly number[] | undefined): readonly OpenedCapture[] {
  return (panes ?? [...all.keys()]).map(number => {
    const found = all[number];
    if (found !== undefined) return found;
    const loads = all.length === 1 ? '1 page load' : `${all.length} page loads`;
    throw new UsageError(`--panes has ${number + 1}, but the captures have ${loads}`);
  });
}

/** Returns a trace file with a pane for each load. @throws UsageError if there are too many loads */
function fileOfLoads(opened: readonly OpenedCapture[]): Uint8Array {
  if (opened.length > MOST_PANES)
    throw new UsageError(
      `the captures have ${opened.length} page loads (at most ${MOST_PANES}): choose some with --panes`,
    );
  const [only, ...others] = opened;
  if (only !== undefined && others.length === 0) return traceFile(only.run);
  return joinedTraceFile(opened.map(({file, run}) => ({name: file, run})));
}
