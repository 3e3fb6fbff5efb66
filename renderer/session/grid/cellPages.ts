import {refusal} from '../../../app/base/refusal.ts';
import type {Host, Refusal} from '../../../app/host/contract.ts';
import {conversionsOf} from '../../../app/pipelines/index.ts';
import {scenarioDocument} from '../../../app/run/scenario/document.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import {pageKey} from '../pageKey.ts';
import type {GridPlan} from './gridPlan.ts';

type PageHash = {readonly ok: true; readonly hash: string} | Refusal;

/**
 * The pages that the cells of a grid load, as hashes under which the host keeps them. Each page keeps the content that
 * it had when it was opened first, so that all runs of a cell load the same page.
 */
export class CellPages {
  readonly #host: Host;
  readonly #hashes: Map<string, string>;

  /** At first it has only the page on screen. */
  constructor(host: Host, {key, hash}: GridPlan['page']) {
    this.#host = host;
    this.#hashes = new Map([[key, hash]]);
  }

  /** The hash of the scenario's page. `run` names the opening, so that it can be cancelled. */
  async hashOf(scenario: Scenario, run: string): Promise<PageHash> {
    const hash = this.#hashes.get(pageKey(scenario));
    return hash === undefined ? this.openAgain(scenario, run) : {ok: true, hash};
  }

  /** Opens a page for the first time, or again. If its content has changed since the first time, it is refused. */
  async openAgain(scenario: Scenario, run: string): Promise<PageHash> {
    const page = scenarioDocument(scenario)['page'] ?? null;
    const answer = await this.#host.openPage(page, run, conversionsOf(scenario.panes));
    if (!answer.ok) return answer;
    const {name, hash} = answer.page;
    const before = this.#hashes.get(pageKey(scenario));
    if (before === undefined) this.#hashes.set(pageKey(scenario), hash);
    if (before === undefined || before === hash) return {ok: true, hash};
    const message = `the page ${name} has changed since the first of its runs`;
    return refusal(message);
  }
}
