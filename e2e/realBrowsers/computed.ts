import type {PageSnapshot} from '../../app/page/page.ts';
import {measure} from '../../app/run/metrics/metrics.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {loadToMeasure} from '../../main/engine/load.ts';
import type {Cell} from './cells.ts';
import type {CellLoads} from './comparison.ts';
import type {PathOfCell, UnequalPath} from './path.ts';
import type {Protocol} from './servers.ts';

/** The parts of a cell that its scenario depends on. */
type ServedCell = Pick<Cell, 'browser' | 'server' | 'protocol'> & {readonly path: PathOfCell | UnequalPath};

/** The pane that stands for a browser that uses this protocol. */
const PANES: {readonly [P in Protocol]: object} = {
  h1: {pipeline: 'tcp', profile: 'modern', connections: 6, pipelining: false, tls: true},
  h2: {pipeline: 'h2', profile: 'modern', tls: true},
  h3: {pipeline: 'h3', profile: 'modern'},
};

/** Computes the loads of a cell for these seeds. Without losses, all seeds give the same load, and one is enough. */
export function computedLoads(cell: Cell, page: PageSnapshot, seeds: readonly number[]): CellLoads {
  const scenario = scenarioOf(cell);
  const loads = (cell.path.loss === 0 ? seeds.slice(0, 1) : seeds).map(seed =>
    measure(loadToMeasure(page, scenario, seed, 0)),
  );
  const completions = page.objects.map((_, i) => loads.map(({objects}) => objects[i]?.completeMs ?? null));
  return {
    finishMs: loads.map(({finishMs}) => finishMs),
    fcpMs: loads.map(({fcpMs}) => fcpMs),
    lcpMs: loads.map(({lcpMs}) => lcpMs),
    completions,
  };
}

/** Returns the scenario that corresponds to real loads. @throws Error if it is not valid */
export function scenarioOf({browser, server, protocol, path}: ServedCell): Scenario {
  // The certificate of the real servers names all hosts. Nevertheless, the scenario has a certificate for each site:
  // Chromium uses a separate connection to another site if the page preconnects to that site, as `today` does.
  const document = {path, panes: [PANES[protocol]], browser, server, certificate: 'site'};
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems.map(({message}) => message).join('\n'));
  return parsed.scenario;
}
