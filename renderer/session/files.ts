import {signedSvg} from '../../app/export/signedSvg.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import {joinedRun} from '../../app/run/trace/joinRuns.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import type {Story} from '../../app/telling/story/story.ts';
import {storyText} from '../../app/telling/story/storyDocument.ts';
import type {ShownRun} from './loads.ts';
import type {Session} from './session.ts';
import {panesOnShow} from './traceFiles.ts';

/** Hands the scenario to the browser as a file to keep. */
function saveScenario(scenario: Scenario, version: string): void {
  const document = {program: `interleave ${version}`, ...(scenarioDocument(scenario) as object)};
  const text = `${JSON.stringify(document, null, 2)}\n`;
  saveBytes(`interleave-seed-${scenario.seed}.json`, new TextEncoder().encode(text), 'application/json');
}

/** Likewise what happened: a trace file, with each pane's run where they are of several. */
export function saveTraces(run: ShownRun, version: string): void {
  const joined = joinedRun(panesOnShow(run));
  if (joined === undefined) return;
  const name = joined.sources === undefined ? `interleave-seed-${run.scenario.seed}` : 'interleave-joined';
  saveBytes(`${name}.trace`, encodeRun({...joined, program: `interleave ${version}`}), 'application/octet-stream');
}

/** What the window shows, as far as it can be kept: its scenario, or what happened: trace files beside each other as one, or a live load. */
export function saveShown({store, traces}: Session): void {
  const {scenario, run, version} = store.getState();
  const hasHappened = traces.panesOf(scenario) !== undefined || run?.live !== undefined;
  if (!hasHappened) saveScenario(scenario, version);
  else if (run !== null) saveTraces(run, version);
}

/** Likewise a story by its title. */
export function saveStory(story: Story, version: string): void {
  const name = story.title.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-+|-+$/g, '');
  const bytes = new TextEncoder().encode(storyText(story, `interleave ${version}`));
  saveBytes(`${name.toLowerCase() || 'interleave'}.story.json`, bytes, 'application/json');
}

/** Hands an SVG to the browser as a file to keep, which says that this version of the program wrote it. */
export function saveSvg(name: string, svg: string, version: string): void {
  const text = signedSvg(svg, `interleave ${version}`);
  saveBytes(name, new TextEncoder().encode(text), 'image/svg+xml');
}

/** Hands bytes to the browser as a file to keep. */
export function saveBytes(name: string, bytes: Uint8Array, type: string): void {
  const address = URL.createObjectURL(new Blob([bytes as Uint8Array<ArrayBuffer>], {type}));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** Copies without the clipboard permission, which Electron's window denies with all others. */
export function copyText(text: string): void {
  const area = document.createElement('textarea');
  area.value = text;
  document.body.append(area);
  area.select();
  document.execCommand('copy');
  area.remove();
}
