import {pipelineOf} from '../../pipelines/index.ts';
import {handOverTimesNs} from '../scenario/handover.ts';
import {livePathOf} from '../scenario/livePath.ts';
import {paneBrowser, type Scenario} from '../scenario/scenario.ts';
import type {WhyOptions} from './criticalPath.ts';

/**
 * Returns the settings of a pane's load that its trace does not contain. `pane` is its index in the scenario. The same
 * arguments give the same object, so that results can be remembered by it.
 */
export function whyOptionsOf(scenario: Scenario, pane: number): WhyOptions {
  const known = found.get(scenario) ?? scenario.panes.map((_, each) => optionsOf(scenario, each));
  found.set(scenario, known);
  return known[pane] ?? optionsOf(scenario, pane);
}

const found = new WeakMap<Scenario, readonly WhyOptions[]>();

function optionsOf(scenario: Scenario, pane: number): WhyOptions {
  const settings = scenario.panes[pane];
  const {captured, seenAt} = scenario.path;
  const isLive = captured !== undefined || (settings !== undefined && livePathOf(scenario, settings) !== undefined);
  const pipeline = settings && pipelineOf(settings.pipeline);
  const rules = settings && paneBrowser(scenario, settings).rules;
  return {
    // a load that has happened has the times of its real server and resolver instead
    thinkNs: isLive ? 0 : scenario.serverThinkMs * 1e6,
    isHtmlAwaited: scenario.discovery === 'complete',
    startNs: isLive || rules === undefined ? 0 : Math.round(rules.startMs * 1e6),
    dnsNs: isLive ? 0 : scenario.dnsMs * 1e6,
    isMultiplexed: pipeline?.hasPriorities === true,
    handOversNs: handOverTimesNs(scenario),
    hasTls: settings !== undefined && 'tls' in settings && settings.tls === true,
    isLive,
    ...(captured !== undefined && seenAt !== undefined && {seenAt}),
  };
}
