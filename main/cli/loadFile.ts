import {gzipSync} from 'node:zlib';
import {har} from '../../app/export/har.ts';
import {paneTitle} from '../../app/export/paneTitle.ts';
import {isToldByPackets, qlog} from '../../app/export/qlog.ts';
import {type PageSnapshot, pageAs} from '../../app/page/page.ts';
import {capturedPackets} from '../../app/run/packets/captureFile.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun, MOST_FILE_BYTES, type Run} from '../../app/run/trace/runFile.ts';
import {Trace} from '../../app/run/trace/trace.ts';
import {capture, load} from '../engine/load.ts';
import {program, programVersion} from '../files/program.ts';
import {openPageFor} from '../pages/convertPage.ts';
import type {Command} from './command.ts';
import {tellLeftOut} from './output.ts';
import {UsageError} from './usageError.ts';

type FileCommand = Extract<Command, {name: 'trace' | 'pcap' | 'qlog' | 'har'}>;

/** The page of such a command's load. @throws UsageError, PageError */
export async function pageOfFile(command: FileCommand, scenario: Scenario, fixtures: string): Promise<PageSnapshot> {
  if (command.name !== 'trace' && command.pane >= scenario.panes.length) {
    throw new UsageError(`--pane is ${command.pane + 1}: the scenario has ${scenario.panes.length}`);
  }
  const page = await openPageFor(scenario, fixtures);
  tellLeftOut(page);
  return page;
}

/** What such a command writes of its load; packed if its file's name says so. @throws UsageError */
export function loadAsFile(command: FileCommand, page: PageSnapshot, scenario: Scenario): Uint8Array {
  const file = fileOf(command, page, scenario);
  return command.out.endsWith('.gz') ? gzipSync(file) : file;
}

/** The run as a trace file that can be opened again. @throws UsageError if it is too large for that */
export function traceFile(run: Run): Uint8Array {
  const file = encodeRun({...run, program: program()});
  if (file.length <= MOST_FILE_BYTES) return file;
  throw new UsageError(
    `the trace has ${file.length} bytes, and no file of more than ${MOST_FILE_BYTES} is opened again: load fewer panes, or a smaller page`,
  );
}

function fileOf(command: FileCommand, page: PageSnapshot, scenario: Scenario): Uint8Array {
  if (command.name === 'trace') return traceFile(load(page, scenario, scenario.seed));
  if (command.name === 'pcap') return capture(page, scenario, scenario.seed, command.pane);
  const {trace, pane, title, document} = loadPane(page, scenario, command.pane);
  const bytes =
    command.name === 'qlog' && isToldByPackets(trace)
      ? {packets: capturedPackets(capture(page, scenario, scenario.seed, command.pane))}
      : {};
  return new TextEncoder().encode(
    command.name === 'qlog'
      ? qlog(trace, {vantage: command.vantage, title, scenario: document, program: program(), ...bytes})
      : har(trace, {
          page: pageAs(page, pane.conversion),
          pane,
          title,
          version: programVersion(),
          hasContent: command.hasContent,
        }),
  );
}

function loadPane(page: PageSnapshot, scenario: Scenario, number: number) {
  const run = load(page, scenario, scenario.seed);
  const [data, pane] = [run.panes[number], scenario.panes[number]];
  if (data === undefined || pane === undefined)
    throw new RangeError(`invalid pane: ${number} (there are ${run.panes.length})`);
  return {trace: new Trace(data), pane, title: paneTitle(page, scenario, number), document: run.scenario};
}
