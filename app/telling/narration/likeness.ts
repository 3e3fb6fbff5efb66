import {joined} from '../../base/text.ts';
import {type Page, pictureFiles} from '../../page/page.ts';
import {type Pane, pipelineOf} from '../../pipelines/index.ts';
import {conversionText} from '../../pipelines/settingTexts.ts';
import {picturesOf} from '../../run/quality/pageQuality.ts';
import type {Eye} from '../../run/quality/states.ts';
import {seedlessDocument} from '../../run/scenario/document.ts';
import {isAddress} from '../../run/scenario/pageSource.ts';
import {hasOwnDrops, ownDropsText} from '../../run/scenario/paneDrops.ts';
import {PRESETS, type Preset} from '../../run/scenario/presets.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import type {Trace} from '../../run/trace/trace.ts';
import {conversionsText, placesOf} from './conversions.ts';

/**
 * Says what all panes have in common and what differs: `same page, path, seed and profile ‘classic’ (stacks of 2007);
 * only the transport differs`. The text is empty for a single pane and for captured loads.
 */
export function likenessText({panes, path}: Scenario): string {
  if (panes.length < 2) return '';
  if (path.live !== undefined) return liveLikenessText(panes, path.atOnce === true);
  // a recording does not say which settings its ends had
  if (path.captured !== undefined) return '';
  const conversions = conversionsText(panes);
  const page = conversions === '' ? [pageAlike(panes)] : [];
  const profile = doAgree(panes, 'profile') ? [profileText(panes[0])] : [];
  const alike = [...page, ...(path.atOnce ? [] : ['path']), 'seed', ...profile];
  const details = [conversions, ownDropsText(panes, placesOf(panes))].filter(text => text !== '');
  const sharing = path.atOnce ? ', at the same time on one path' : '';
  return `same ${joined(alike)}${sharing}; ${differenceText(panes)}${details.length === 0 ? '' : `: ${joined(details)}`}`;
}

/**
 * The text for live loads. It mentions no profile and no seed, because the kernel's stack has no profile, and real
 * losses have no seed.
 */
function liveLikenessText(panes: readonly Pane[], isAtOnce: boolean): string {
  const server = new Set(panes.map(({path}) => path?.live)).size === 1 ? ' and server' : '';
  return `same page${server}, ${isAtOnce ? 'all at once' : 'one after the other'}; ${differenceText(panes)}`;
}

/**
 * The name of a page, as the window, movies and filmstrips show it. A web address is shown in full. Only the last part
 * of a file's path is shown (for `index.html`, the name of its folder), because the rest describes the machine and not
 * the page.
 */
export function pageTitle({name}: Pick<Page, 'name'>): string {
  if (isAddress(name)) return name;
  const parts = name.split(/[/\\]/).filter(part => part !== '' && part !== '.');
  const last = parts.at(-1) ?? name;
  return /^index\.x?html?$/i.test(last) ? (parts.at(-2) ?? last) : last;
}

/**
 * The size of a page and its number of pictures: `104 KB, 10 pictures`. The number is known only after the pictures
 * were measured. Until then the text has `…` instead, or `no` if the page has no files of pictures. `trace` is the
 * trace of any pane.
 */
export function pageText(page: Page, trace?: Trace, eye: Eye | null = null): string {
  const {objects} = page;
  const bytes = objects.reduce((sum, {body}) => sum + (body?.length ?? 0), 0);
  const size = bytes < 1000 ? `${bytes} B` : `${Math.round(bytes / 1000)} KB`;
  if (eye === null || trace === undefined) return `${size}, ${pictureFiles(page) === 0 ? 'no' : '…'} pictures`;
  const pictures = picturesOf(trace, eye.quality).length;
  return `${size}, ${pictures === 0 ? 'no' : pictures} picture${pictures === 1 ? '' : 's'}`;
}

/** The preset that a scenario equals, apart from its seed; undefined if there is none. */
export function presetOf(scenario: Scenario): Preset | undefined {
  const own = withoutSeed(scenario);
  return PRESETS.find(preset => {
    const parsed = parseScenario(preset.scenario);
    return parsed.ok && withoutSeed(parsed.scenario) === own;
  });
}

/** A preset's title up to the colon. The rest of the title gives details, such as numbers. */
export function presetName({title}: Preset): string {
  return title.split(':')[0] ?? title;
}

function withoutSeed(scenario: Scenario): string {
  return JSON.stringify(seedlessDocument(scenario));
}

/** The word `page`, followed by the conversion of its pictures if there is one. All panes must have the same one. */
function pageAlike([first]: readonly Pane[]): string {
  return first?.conversion === undefined ? 'page' : `page (pictures ${conversionText(first.conversion)})`;
}

/** A pane's profile in words: `profile ‘classic’ (stacks of 2007)`. */
function profileText(pane: Pane | undefined): string {
  const setting = pane === undefined ? undefined : pipelineOf(pane.pipeline).settings['profile'];
  if (pane === undefined || !('profile' in pane) || setting?.kind !== 'choice') return 'profile';
  const label = setting.choices.find(([value]) => value === pane.profile)?.[1] ?? pane.profile;
  const [, name = label, year] = /^(.*) \((\d{4})\)$/.exec(label) ?? [];
  return `profile ‘${name}’${year === undefined ? '' : ` (stacks of ${year})`}`;
}

function differenceText(panes: readonly Pane[]): string {
  const isOneTransport = new Set(panes.map(({pipeline}) => pipeline)).size === 1;
  const labels = panes
    .flatMap(({pipeline}) => Object.entries(pipelineOf(pipeline).settings))
    .filter(([key]) => !doAgree(panes, key))
    .map(([key, {label}]) => `‘${label === undefined ? key : asWithin(label)}’`);
  const settings = [...new Set(labels)];
  const named = settings.length === 0 ? [] : [`the setting${settings.length > 1 ? 's' : ''} ${joined(settings)}`];
  const pictures = conversionsText(panes) === '' ? [] : ['the page’s pictures'];
  const losses = hasOwnDrops({panes}) ? ['the losses'] : [];
  const differing = [...(isOneTransport ? [] : ['the transport']), ...named, ...pictures, ...losses];
  if (differing.length === 0) return 'nothing differs';
  if (differing.length > 1 || settings.length > 1) return `${joined(differing)} differ`;
  return `only ${differing[0]} ${pictures.length + losses.length > 0 ? 'differ' : 'differs'}`;
}

/** A label as a sentence uses it: in lower case, unless it begins with an abbreviation. */
function asWithin(label: string): string {
  return /^[A-Z]{2}/.test(label) ? label : label.toLowerCase();
}

/** Whether all panes that have this setting have the same value. */
function doAgree(panes: readonly Pane[], key: string): boolean {
  const having = panes.filter(pane => Object.hasOwn(pane, key));
  const values = having.map(pane => JSON.stringify((pane as {readonly [key: string]: unknown})[key]));
  return new Set(values).size <= 1;
}
