import {pipelineOf} from '../../pipelines/index.ts';
import {capturedPart} from '../scenario/capturedPath.ts';
import {handOverTimesNs} from '../scenario/handover.ts';
import {livePathOf} from '../scenario/livePath.ts';
import {paneBrowser, type Scenario} from '../scenario/scenario.ts';
import type {WhyOptions} from './criticalPath.ts';

/**
 * Returns the settings of a pane's load that the trace of the load does not contain. `pane` is the index of the pane in
 * the scenario. The same arguments give the same object, so that results can be cached by this object.
 */
export function whyOptionsOf(scenario: Scenario, pane: number): WhyOptions {
  const known = found.get(scenario) ?? scenario.panes.map((_, each) => optionsOf(scenario, each));
  found.set(scenario, known);
  return known[pane] ?? optionsOf(scenario, pane);
}

const found = new WeakMap<Scenario, readonly WhyOptions[]>();

function optionsOf(scenario: Scenario, pane: number): WhyOptions {
  const settings = scenario.panes[pane];
  const recorded = capturedPart(scenario.path);
  const isLive = settings !== undefined && livePathOf(scenario, settings) !== undefined;
  const isComputed = recorded === undefined && !isLive;
  const pipeline = settings && pipelineOf(settings.pipeline);
  const rules = settings && paneBrowser(scenario, settings).rules;
  return {
    // a live or captured load has the times of its real server and resolver, so no settings apply
    thinkNs: isComputed ? scenario.serverThinkMs * 1e6 : 0,
    isHtmlAwaited: scenario.discovery === 'complete',
    startNs: !isComputed || rules === undefined ? 0 : Math.round(rules.startMs * 1e6),
    dnsNs: isComputed ? scenario.dnsMs * 1e6 : 0,
    hasPriorities: pipeline?.hasPriorities === true,
    handOversNs: handOverTimesNs(scenario),
    hasTls: settings !== undefined && 'tls' in settings && settings.tls === true,
    // live loads are recorded at the client
    seenAt: recorded?.seenAt ?? (isLive ? 'client' : null),
    isFindingSeen: recorded === undefined || recorded.captured === 'har',
    isPaintSeen: recorded === undefined,
  };
}
