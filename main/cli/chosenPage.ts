import type {PageSource} from '../../app/run/scenario/pageSource.ts';
import type {Scenario} from '../../app/run/scenario/scenario.ts';
import type {Story} from '../../app/telling/story/story.ts';
import {FetchError} from '../pages/base/pageErrors.ts';
import {privateHint} from '../pages/gateway/chosenGateway.ts';
import {type ResolveOptions, resolvePage} from '../pages/resolvePage.ts';
import type {ScenarioChoice} from './command.ts';
import {remoteOf} from './gatewayOptions.ts';
import {startProgress} from './progress.ts';
import {chosenScenario} from './scenarioFile.ts';
import {UsageError} from './usageError.ts';

/** Where a page may be fetched from. */
type PageChoice = Pick<ScenarioChoice, 'isPrivateAllowed' | 'trust'>;

export type PageSurroundings = Pick<ResolveOptions, 'fixtures' | 'module' | 'signal'>;

/**
 * As {@link chosenScenario}, its page fetched or opened and kept where it is of elsewhere. One that loads live is for who
 * asks for {@link anyScenarioWithPage}.
 */
export async function scenarioWithPage(choice: ScenarioChoice, around: PageSurroundings): Promise<Scenario> {
  const scenario = chosenScenario(choice);
  const {live} = scenario.path;
  if (live !== undefined) throw new UsageError(`path.live is ${live}: only interleave run and trace load live`);
  return withPage(scenario, choice, around);
}

/** Also one that loads live. */
export async function anyScenarioWithPage(choice: ScenarioChoice, around: PageSurroundings): Promise<Scenario> {
  return withPage(chosenScenario(choice), choice, around);
}

/** The scenario with a page that the engine can open. @throws UsageError, PageError, FetchError, FileError */
export async function withPage(
  scenario: Scenario,
  {isPrivateAllowed, trust}: PageChoice,
  around: PageSurroundings,
): Promise<Scenario> {
  const progress = startProgress(process.stderr, 'objects');
  const gateway = remoteOf({});
  try {
    const options = {...around, isPrivateAllowed, trust, gateway, onProgress: progress.show};
    return {...scenario, page: await resolvePage(scenario.page, options)};
  } catch (error) {
    if (!(error instanceof FetchError) || !error.isPrivate) throw error;
    throw new FetchError(`${error.message} ${privateHint(gateway)}`);
  } finally {
    progress.end();
  }
}

/** A story whose steps have such pages. */
export async function storyWithPages(story: Story, choice: PageChoice, around: PageSurroundings): Promise<Story> {
  // steps of one page are to have the same
  const pages = new Map<string, PageSource>();
  const steps: Story['steps'][number][] = [];
  for (const step of story.steps) {
    const key = JSON.stringify(step.scenario.page);
    const page = pages.get(key) ?? (await withPage(step.scenario, choice, around)).page;
    pages.set(key, page);
    steps.push({...step, scenario: {...step.scenario, page}});
  }
  return {...story, steps};
}
