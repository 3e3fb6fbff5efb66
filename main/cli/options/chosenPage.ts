import type {PageSource} from '../../../app/run/scenario/pageSource.ts';
import type {Scenario} from '../../../app/run/scenario/scenario.ts';
import type {Story} from '../../../app/telling/story/story.ts';
import {FetchError} from '../../pages/base/pageErrors.ts';
import {privateHint} from '../../pages/gateway/chosenGateway.ts';
import {type ResolveOptions, resolvePage} from '../../pages/resolvePage.ts';
import {withProgress} from '../progress.ts';
import {remoteOf} from './gateway.ts';
import {chosenScenario, type ScenarioChoice} from './scenario.ts';
import {UsageError} from './usageError.ts';

/** The settings that decide from which servers a page may be fetched. */
type PageChoice = Pick<ScenarioChoice, 'isPrivateAllowed' | 'trust'>;

export type PageContext = Pick<ResolveOptions, 'fixtures' | 'module' | 'signal'>;

/**
 * Returns the chosen scenario with its page resolved ({@link withPage}), for commands that load nothing live.
 * @throws UsageError, PageError, FetchError, FileError
 */
export async function scenarioWithPage(choice: ScenarioChoice, context: PageContext): Promise<Scenario> {
  const scenario = chosenScenario(choice);
  const {live} = scenario.path;
  if (live !== undefined)
    throw new UsageError(`path.live is ${live}: only interleave run, trace and experiment can load live`);
  return withPage(scenario, choice, context);
}

/** Like {@link scenarioWithPage}, but the scenario's path may be live. */
export async function anyScenarioWithPage(choice: ScenarioChoice, context: PageContext): Promise<Scenario> {
  return withPage(chosenScenario(choice), choice, context);
}

/**
 * Returns the scenario with its page resolved ({@link resolvePage}): an address is fetched, and a file or a folder
 * without an index.html is opened. The result is stored, and replaces the page of the scenario. Other pages stay
 * unchanged.
 * @throws UsageError, PageError, FetchError, FileError
 */
export async function withPage(
  scenario: Scenario,
  {isPrivateAllowed, trust}: PageChoice,
  context: PageContext,
): Promise<Scenario> {
  const gateway = remoteOf({});
  try {
    const page = await withProgress('objects', onProgress =>
      resolvePage(scenario.page, {...context, isPrivateAllowed, trust, gateway, onProgress}),
    );
    return {...scenario, page};
  } catch (error) {
    if (!(error instanceof FetchError) || !error.isPrivate) throw error;
    throw new FetchError(`${error.message} ${privateHint(gateway)}`);
  }
}

/** Returns the story with pages that the engine can open. A page that several steps show is fetched only once. */
export async function storyWithPages(story: Story, choice: PageChoice, context: PageContext): Promise<Story> {
  const pages = new Map<string, PageSource>();
  const steps: Story['steps'][number][] = [];
  for (const step of story.steps) {
    const key = JSON.stringify(step.scenario.page);
    const page = pages.get(key) ?? (await withPage(step.scenario, choice, context)).page;
    pages.set(key, page);
    steps.push({...step, scenario: {...step.scenario, page}});
  }
  return {...story, steps};
}
