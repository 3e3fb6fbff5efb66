// The API of the npm package. interleave.d.ts documents it. Users of TypeScript get the types from that file.

import {check} from '../../app/base/schema.ts';
import {paneMetrics} from '../../app/run/metrics/paneMetrics.ts';
import {pageDocument} from '../../app/run/scenario/document.ts';
import {pageSource} from '../../app/run/scenario/pageSource.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import type {TraceData} from '../../app/run/trace/traceData.ts';
import {predictAll} from '../../app/study/model/prediction.ts';
import {GATEWAY, SEED_WORKER} from '../cli/bundled.ts';
import {resultDocument} from '../cli/commands/run/result.ts';
import {load as loadPanes} from '../engine/load.ts';
import {program} from '../files/program.ts';
import {openPage as openSnapshot} from '../pages/openPage.ts';
import {resolvePage} from '../pages/resolvePage.ts';
import {runSeeds} from '../workers/runSeeds.ts';
import {figureOf} from './figureOf.ts';
import {InputError} from './inputError.ts';
import type * as api from './interleave.d.ts';
import {DRAW_SVG, FIXTURES} from './places.ts';
import {opened, seedsOf} from './scenarioOf.ts';

export const openPage: typeof api.openPage = async (page, options = {}) => {
  const source = check(pageSource, page);
  if (!source.ok) throw new InputError(source.problems[0].message.trim());
  const {isPrivateAllowed = false, signal = new AbortController().signal} = options;
  const resolved = await resolvePage(source.value, {
    fixtures: FIXTURES,
    module: GATEWAY,
    isPrivateAllowed,
    gateway: undefined,
    signal,
  });
  return {...(await openSnapshot(resolved, FIXTURES)), source: pageDocument(resolved)};
};

export const load: typeof api.load = async (choice, {seed, page: given} = {}) => {
  const {scenario, page} = await opened(choice, given);
  const [drawn = scenario.seed] = seed === undefined ? [] : seedsOf([seed]);
  const {page: stamp = page, ...run} = loadPanes(page, scenario, drawn);
  return {...run, scenario: run.scenario as api.Scenario, page: stamp};
};

export const measure: typeof api.measure = ({scenario: document, panes}) => {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new InputError(`load.scenario: ${parsed.problems[0]?.message}`);
  // interleave.d.ts names only the columns that will not change, but a trace from `load` has all columns
  return panes.map((data, pane) => paneMetrics({scenario: parsed.scenario, pane, data: data as TraceData}));
};

export const run: typeof api.run = async (choice, options = {}) => {
  const {seeds, page: given, threads, onProgress = () => undefined} = options;
  const {scenario, page} = await opened(choice, given);
  const chosen = seeds === undefined ? [scenario.seed] : seedsOf(seeds);
  const runs = await runSeeds({
    page,
    scenario,
    seeds: chosen,
    worker: SEED_WORKER,
    onProgress,
    ...(threads === undefined ? {} : {threads}),
  });
  const inOrder = chosen.flatMap(seed => runs.find(each => each.seed === seed) ?? []);
  const result = resultDocument(scenario, page, inOrder, predictAll(scenario, page));
  return {program: program(), ...result, scenario: result.scenario as api.Scenario};
};

export const figure: typeof api.figure = async (results, options = {}) => {
  const drawn = figureOf([results].flat() as readonly api.RunResult[], options);
  const {drawSvg} = (await import(DRAW_SVG.href)) as typeof import('./drawSvg.ts');
  return drawSvg(drawn, options.style ?? 'print');
};
