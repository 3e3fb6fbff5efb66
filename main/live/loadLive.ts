import {lookup} from 'node:dns/promises';
import {loadPaneLive} from '../../app/load/load.ts';
import {type PageSnapshot, pageStamp} from '../../app/page/page.ts';
import {scenarioDocument} from '../../app/scenario/document.ts';
import type {Scenario} from '../../app/scenario/scenario.ts';
import type {Run} from '../../app/trace/runFile.ts';
import type {TraceData} from '../../app/trace/traceData.ts';
import {startClock} from './clock.ts';
import {RealNetwork} from './liveNetwork.ts';

/** Nobody knows where the server is. */
export class LiveError extends Error {
  override readonly name = 'LiveError';
}

/**
 * Loads the page from the scenario's live server in every pane, one after the other, so that none takes another's
 * bandwidth. `page` is what the server is to have: it says what the objects are called and how large they are. `token`
 * is what it asks for: {@link liveToken}.
 * @throws LiveError; the signal's reason when that ends it
 */
export async function loadLive(
  page: PageSnapshot,
  scenario: Scenario,
  signal: AbortSignal,
  token?: string,
): Promise<Run> {
  const at = await addressOf(scenario.path.live ?? '');
  const panes: TraceData[] = [];
  for (const pane of scenario.panes) {
    signal.throwIfAborted();
    const network = new RealNetwork({...at, clock: startClock()});
    let end = (): void => undefined;
    const ended = new Promise<never>((_, reject) => {
      end = () => reject(signal.reason);
      signal.addEventListener('abort', end);
    });
    try {
      const load = loadPaneLive(network, page, pane, {
        discovery: scenario.discovery,
        timeLimitNs: Math.round(scenario.timeLimitMs * 1e6),
        // of servers, which are elsewhere
        ...{thinkNs: 0, rateBps: 0, retryNs: RETRY_NS},
        token,
      });
      panes.push(await Promise.race([load, ended]));
    } finally {
      signal.removeEventListener('abort', end);
      network.close();
    }
  }
  return {scenario: scenarioDocument(scenario), page: pageStamp(page), panes};
}

async function addressOf(live: string): Promise<{readonly host: string; readonly port: number}> {
  const [, six, name = six ?? '', port = ''] = /^(?:\[(.*)\]|([^:]*)):(\d+)$/.exec(live) ?? [];
  try {
    const {address} = await lookup(name);
    return {host: address, port: Number(port)};
  } catch (error) {
    throw new LiveError(`${live} cannot be found: ${error instanceof Error ? error.message : error}`);
  }
}

/** What an association does not take now, it takes soon. */
const RETRY_NS = 5e6;
