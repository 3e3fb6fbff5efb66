import type {Scenario} from '../../../../app/run/scenario/scenario.ts';
import {namedRun, panesOfRuns} from '../../../../app/run/trace/joinRuns.ts';
import {encodeRun, MOST_FILE_BYTES, type Run} from '../../../../app/run/trace/runFile.ts';
import {load} from '../../../engine/load.ts';
import {writeWhole} from '../../../files/outputFile.ts';
import {program} from '../../../files/program.ts';
import {openPage} from '../../../pages/openPage.ts';
import {GATEWAY} from '../../bundled.ts';
import {type CommandContext, command} from '../../command.ts';
import {anyScenarioWithPage} from '../../options/chosenPage.ts';
import {LIVE_TOKEN, liveTokensOf, refuseLive} from '../../options/live.ts';
import {OUT_COMPRESSED, outOf} from '../../options/output.ts';
import {SCENARIO_OPTIONS, type ScenarioChoice, scenarioChoice} from '../../options/scenario.ts';
import {ACCESS_OPTIONS} from '../../options/trust.ts';
import {UsageError} from '../../options/usageError.ts';
import {printLeftOut} from '../../output.ts';
import {loadWithNotes, printUnfinished} from '../run/live.ts';
import {compressed, type Prepared, prepared, saveComputed} from './saved.ts';

interface TraceSettings extends ScenarioChoice {
  readonly out: string;
  /** Tokens for live servers. If the list is empty, those in `INTERLEAVE_TOKEN` are used. */
  readonly tokens: readonly string[];
}

export const trace = command({
  name: 'trace',
  group: 'Save a load for other programs',
  summary: 'Save everything that happened in a load, to open it later',
  usage: ['--out FILE [options]'],
  options: {...SCENARIO_OPTIONS, out: OUT_COMPRESSED, token: LIVE_TOKEN, ...ACCESS_OPTIONS},
  details: `
The file has the scenario, the hash of the page, the bytes of every object over time, every packet and whether it was
lost, and which data waited for which other data. The same scenario and seed give the same file, byte for byte.
interleave run, why, record, still and filmstrip read the file with --trace, interleave diff compares it, and the window
opens it.

If a live load ends early, for example by Ctrl+C, the file has what had arrived by then, and the exit code is not 0.
`,
  examples: [
    {does: 'Save a load', line: 'interleave trace --scenario n07-movie --set seed=7 --out movie.trace'},
    {does: 'Print the numbers of a saved load, without loading it again', line: 'interleave run --trace movie.trace'},
  ],
  read: ({values}): TraceSettings => ({
    ...scenarioChoice(values),
    out: outOf(values),
    tokens: values.token ?? [],
  }),
  run(settings, context) {
    const prepare = async (signal: AbortSignal): Promise<Prepared | number> => {
      const scenario = await anyScenarioWithPage(settings, {fixtures: context.fixtures, module: GATEWAY, signal});
      if (scenario.path.live !== undefined) return saveLive(settings, scenario, context, signal);
      refuseLive(settings);
      return prepared(scenario, context);
    };
    const compute = ({scenario, page}: Prepared) => traceFile(load(page, scenario, scenario.seed));
    return saveComputed(settings.out, context, prepare, compute);
  },
});

/**
 * Loads all panes live and saves their trace. If the signal ends the load, the trace contains what had arrived by then.
 * @returns the exit code
 * @throws UsageError, LiveError, FileError; the signal's reason
 */
async function saveLive(
  {out, tokens}: TraceSettings,
  scenario: Scenario,
  {fixtures, write}: CommandContext,
  signal: AbortSignal,
): Promise<number> {
  const page = await openPage(scenario.page, fixtures);
  printLeftOut(page);
  const run = await loadWithNotes(page, scenario, {signal, tokenFor: liveTokensOf({tokens}), atAbort: 'keep'});
  const bytes = compressed(out, traceFile(run));
  // Even if the signal ended the load, the result is written. Writing then has a time limit, because the output may be a
  // pipe that nobody reads.
  const saving = signal.aborted ? AbortSignal.timeout(LONGEST_SAVE_MS) : signal;
  try {
    if (out === '-') await write(bytes, saving);
    else await writeWhole(out, bytes, saving);
  } catch (error) {
    throw error === saving.reason ? signal.reason : error;
  }
  const code = printUnfinished(run.panes);
  signal.throwIfAborted();
  return code;
}

/** Encodes the run as a trace file. @throws UsageError if the file would be too large to be opened again */
export function traceFile(run: Run): Uint8Array {
  const file = encodeRun({...run, program: program()});
  if (file.length <= MOST_FILE_BYTES) return file;
  throw new UsageError(
    `the trace has ${file.length} bytes, but only files of at most ${MOST_FILE_BYTES} bytes can be opened again: load fewer panes, or a smaller page`,
  );
}

/**
 * Returns a trace file with the panes of several runs. `name` is shown with the panes of its run.
 * @throws UsageError if the file would be too large to be opened again
 */
export function joinedTraceFile(runs: readonly {readonly name: string; readonly run: Run}[]): Uint8Array {
  const read = panesOfRuns(runs);
  const joined = read.ok ? namedRun(read.panes) : undefined;
  if (joined === undefined) throw new RangeError(read.ok ? 'there are no panes' : read.message);
  return traceFile(joined);
}

const LONGEST_SAVE_MS = 5000;
