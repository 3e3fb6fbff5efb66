import {gzipSync} from 'node:zlib';
import {paneTitle} from '../../../../app/export/paneTitle.ts';
import type {PageSnapshot} from '../../../../app/page/page.ts';
import {MOST_PANES, type Scenario} from '../../../../app/run/scenario/scenario.ts';
import {Trace} from '../../../../app/run/trace/trace.ts';
import {load} from '../../../engine/load.ts';
import {writeWhole} from '../../../files/outputFile.ts';
import {openPageFor} from '../../../pages/convertPage.ts';
import {GATEWAY} from '../../bundled.ts';
import type {CommandContext} from '../../command.ts';
import {preparedUntilInterrupted, untilInterrupted} from '../../interruption.ts';
import {scenarioWithPage} from '../../options/chosenPage.ts';
import type {Option} from '../../options/option.ts';
import {outOf} from '../../options/output.ts';
import {type ScenarioChoice, scenarioChoice} from '../../options/scenario.ts';
import {UsageError} from '../../options/usageError.ts';
import {printLeftOut} from '../../output.ts';

// Functions that `trace`, `pcap`, `qlog` and `har` share. Each of these commands computes one load and saves it as a
// file.

/** A scenario and the page that it loads. */
export interface Prepared {
  readonly scenario: Scenario;
  readonly page: PageSnapshot;
}

/** Opens the page of the scenario. @throws PageError */
export async function prepared(scenario: Scenario, {fixtures}: CommandContext): Promise<Prepared> {
  const page = await openPageFor(scenario, fixtures);
  printLeftOut(page);
  return {scenario, page};
}

/**
 * Computes a file and writes it to `out`, compressed if `out` ends in `.gz`. If a signal interrupts this, no part of
 * the file is left.
 * @param prepare returns what `compute` needs, or the exit code if nothing is to be computed
 * @returns the exit code
 */
export async function saveComputed<P extends object>(
  out: string,
  {write}: CommandContext,
  prepare: (signal: AbortSignal) => Promise<P | number>,
  compute: (prepared: P) => Uint8Array,
): Promise<number> {
  const computed = await preparedUntilInterrupted(prepare, given => compressed(out, compute(given)));
  if ('code' in computed) return computed.code;
  const {result} = computed;
  return untilInterrupted(async signal => {
    if (out === '-') await write(result, signal);
    else await writeWhole(out, result, signal);
    return 0;
  });
}

/** Returns the bytes to write to `out`: `file`, compressed if `out` ends in `.gz`. */
export function compressed(out: string, file: Uint8Array): Uint8Array {
  return out.endsWith('.gz') ? gzipSync(file) : file;
}

/** The option `--pane`, for commands that save the load of a single pane. */
export const PANE = {
  type: 'string',
  value: 'N',
  help: 'The pane whose load is saved, counted from 1. The default is 1.',
} as const satisfies Option;

export interface PaneSettings extends ScenarioChoice {
  readonly out: string;
  /** The index of the pane. */
  readonly pane: number;
}

type PaneValues = Parameters<typeof scenarioChoice>[0] & {
  readonly pane?: string | undefined;
  readonly out?: string | undefined;
};

/** @throws UsageError */
export function paneSettings(values: PaneValues): PaneSettings {
  const pane = values.pane ?? '1';
  if (!/^[1-9]$/.test(pane) || Number(pane) > MOST_PANES)
    throw new UsageError(`--pane is ${pane || 'empty'}: must be 1 to ${MOST_PANES}`);
  return {...scenarioChoice(values), out: outOf(values), pane: Number(pane) - 1};
}

/** Saves the load of one pane in the format of `encode`. @returns the exit code */
export function savePane(
  settings: PaneSettings,
  context: CommandContext,
  encode: (prepared: Prepared) => Uint8Array,
): Promise<number> {
  const {out, pane} = settings;
  const prepare = async (signal: AbortSignal): Promise<Prepared> => {
    const {fixtures} = context;
    const scenario = await scenarioWithPage(settings, {fixtures, module: GATEWAY, signal});
    if (pane >= scenario.panes.length)
      throw new UsageError(`--pane is ${pane + 1}: the scenario has ${scenario.panes.length} panes`);
    return prepared(scenario, context);
  };
  return saveComputed(out, context, prepare, encode);
}

/** Computes the load, and returns one pane's trace, settings and title, and the scenario's document. */
export function loadPane({page, scenario}: Prepared, number: number) {
  const run = load(page, scenario, scenario.seed);
  const [data, pane] = [run.panes[number], scenario.panes[number]];
  if (data === undefined || pane === undefined)
    throw new RangeError(`invalid pane: ${number} (there are ${run.panes.length})`);
  return {trace: new Trace(data), pane, title: paneTitle(page, scenario, number), document: run.scenario};
}
