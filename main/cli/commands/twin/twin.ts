import {showName} from '../../../../app/base/text.ts';
import {pageStamp} from '../../../../app/page/page.ts';
import {scenarioDocument} from '../../../../app/run/scenario/document.ts';
import {CLOSE, captureTwin, type ExplainedTwin, pageOfTwin} from '../../../captures/captureTwin.ts';
import type {OpenedCapture} from '../../../captures/openCaptures.ts';
import {writeWhole} from '../../../files/outputFile.ts';
import {command} from '../../command.ts';
import {preparedUntilInterrupted, untilInterrupted} from '../../interruption.ts';
import {capturesOf, KEYS} from '../../options/captures.ts';
import {type Format, fileOf, formatOf, JSON_OUTPUT, OUT_FILE} from '../../options/output.ts';
import {UsageError} from '../../options/usageError.ts';
import {json, outLine} from '../../output.ts';
import {compressed} from '../save/saved.ts';
import {joinedTraceFile} from '../save/trace.ts';
import {twinDocument, twinTable} from './twinResult.ts';

interface TwinSettings {
  readonly file: string;
  readonly keys: readonly string[];
  /** The index of the load in the capture. If undefined, the capture must have a single load. */
  readonly pane: number | undefined;
  /** The scenario file to write. Undefined if none is written. */
  readonly out: string | undefined;
  /** The trace file to write, with the captured load and its twin. Undefined if none is written. */
  readonly trace: string | undefined;
  readonly format: Format;
}

const CLOSE_PERCENT = Math.round(CLOSE * 100);

export const twin = command({
  name: 'twin',
  group: 'Load a page and compare',
  summary: 'Fit a scenario to a captured load, and explain its time',
  usage: ['CAPTURE [--keys FILE] [--out scenario.json] [options]'],
  hasOperands: true,
  options: {
    keys: KEYS,
    pane: {type: 'string', value: 'N', help: 'The page load to fit, counted from 1, if the capture has several.'},
    out: {
      ...OUT_FILE,
      help: 'Writes the scenario of the twin to this file, for --scenario of other commands and for the window.',
    },
    trace: {
      type: 'string',
      value: 'FILE',
      help: 'Writes a trace file with the captured load and its twin side by side. It is compressed if its name ends in .gz.',
    },
    json: JSON_OUTPUT,
  },
  details: `
The capture has packets that were recorded at the client: pcapng, pcap, qlog, or a network log with QUIC
(docs/captures.md). The twin is a computed load that stands for the captured load. The command fits these values to the
packets: the rates and the RTT of the path, the losses, a policer or a full queue, the think time of the server, and a
window that limits the server. Browser and server are the models that the header fields of the messages name
(User-Agent, Server). The page has the contents of the responses.
Each loss is placed on the packet of the twin that carries the same data. What the capture does not show is assumed. For
example, if the rate up cannot be seen, it is assumed to be equal to the rate down.

Everything is known about the twin, so the twin shows where the time went. The first table has what was fitted. The
second table has the causes of the time in the capture and in the twin (docs/why.md). The last table says what the twin
would save without a slow server, a window, losses, or a policer. The largest saving comes first. The twin does not
stand for the load if their page times differ by more than ${CLOSE_PERCENT} % of the shorter one. docs/captures.md says
how close twins are.

Page times count from the first packet; causes count from navigation.

--json prints {"twin": {"file", "pipeline", "fitted", "pageTimeMs", "isClose", "incomplete", "causes", "named",
"savings", "scenario"}}. "fitted" has "rateBps", "rttMs", "thinkMs", "windowBytes", "policer", "queuePackets" (null if no
limit explains losses), "leastQueuePackets", "lost", "placed", "congestion", "browser" and "server". "pageTimeMs" has
"capture" and "twin", and "isClose" says whether they differ by at most ${CLOSE_PERCENT} % of the shorter one. If
the captured load is incomplete, it has no page time: "capture" and "isClose" are null, and "incomplete" is the reason.
"named" is the name of the first saving, or null if that saving is less than a tenth of the page time. Each saving has
"name", "savedMs" and "attributedMs".
`,
  examples: [
    {does: 'Make a scenario of a capture', line: 'interleave twin load.pcapng --keys sslkeys.log --out twin.json'},
    {
      does: 'See the capture and its twin side by side',
      line: 'interleave twin load.pcapng --keys sslkeys.log --trace both.trace',
    },
  ],
  read({values, operands}): TwinSettings {
    const [file, ...others] = operands;
    if (file === undefined || others.length > 0)
      throw new UsageError(`twin needs one capture, not ${operands.length}: interleave twin CAPTURE`);
    const {pane} = values;
    if (pane !== undefined && !/^[1-9]\d{0,5}$/.test(pane))
      throw new UsageError(`--pane is ${pane || 'empty'}: must be a single page load, as in 1`);
    if (values.trace === '-') throw new UsageError('--trace is -: must be a file');
    if (values.trace !== undefined && values.trace === values.out)
      throw new UsageError(`--out and --trace are both ${values.trace}: must be different files`);
    return {
      file,
      keys: values.keys ?? [],
      pane: pane === undefined ? undefined : Number(pane) - 1,
      out: values.out === undefined ? undefined : fileOf(values),
      trace: values.trace,
      format: formatOf(values),
    };
  },
  async run({file, keys, pane, out, trace, format}, {write, fixtures}) {
    const prepare = async (signal: AbortSignal) => {
      const opened = chosen(await capturesOf([file], keys, signal), pane);
      return {opened, page: await pageOfTwin(opened, fixtures)};
    };
    const computed = await preparedUntilInterrupted(prepare, ({opened, page}) => {
      const explained = captureTwin(opened, page);
      const file = trace === undefined ? undefined : compressed(trace, traceFile(opened, explained));
      return {opened, explained, file};
    });
    if ('code' in computed) return computed.code;
    const {opened, explained, file: traced} = computed.result;
    return untilInterrupted(async signal => {
      const scenario = json(scenarioDocument(explained.twin.scenario) as object);
      if (out !== undefined) await writeWhole(out, Buffer.from(scenario), signal);
      if (trace !== undefined && traced !== undefined) await writeWhole(trace, traced, signal);
      await write(format === 'json' ? json(twinDocument(opened, explained)) : twinTable(opened, explained));
      for (const saved of [out, trace]) if (saved !== undefined) process.stderr.write(outLine(`saved ${saved}`));
      return 0;
    });
  },
});

/** @throws UsageError */
function chosen(all: readonly OpenedCapture[], pane: number | undefined): OpenedCapture {
  const loads = `${all.length} page load${all.length === 1 ? '' : 's'}`;
  if (pane === undefined && all.length > 1) throw new UsageError(`the capture has ${loads}: choose one with --pane`);
  const found = all[pane ?? 0];
  if (found === undefined) throw new UsageError(`--pane is ${(pane ?? 0) + 1}, but the capture has ${loads}`);
  return found;
}

/** Returns a trace file whose first pane is the captured load, and whose second pane is its twin. */
function traceFile({file, run}: OpenedCapture, {twin, page}: ExplainedTwin): Uint8Array {
  const own = {scenario: scenarioDocument(twin.scenario), page: pageStamp(page), panes: [twin.trace.data]};
  const name = `twin of ${showName(file, LONGEST_NAME)}`;
  return joinedTraceFile([
    {name: file, run},
    {name, run: own},
  ]);
}

const LONGEST_NAME = 60;
