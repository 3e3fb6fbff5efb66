import {expect, test} from 'vitest';
import type {Host} from '../../app/host/contract.ts';
import {PRESETS} from '../../app/run/scenario/presets.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {openFeatures} from '../features/feature.ts';
import {FEATURES} from '../features/list.ts';
import {entriesFor} from '../features/palette/entries.ts';
import {Player} from '../session/player.ts';
import {Session} from '../session/session.ts';
import {commandsOf} from './commands.ts';
import {shortcutsOf} from './keyboard.ts';

const shortcuts = shortcutsOf(FEATURES);

function opened(document: unknown = {}) {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  const host = {on: () => () => undefined, openPage: () => new Promise(() => undefined)} as unknown as Host;
  const session = new Session(host, new Player(), parsed.scenario);
  openFeatures(session, FEATURES);
  session.store.setState({pageNames: ['gallery']});
  return {session, commands: commandsOf(session, FEATURES, shortcuts)};
}

/** Types into the palette and chooses the first entry. Returns why it was refused, or the scenario. */
function choose(text: string, document: unknown = {}): string | Scenario {
  const {session, commands} = opened(document);
  return chooseIn(session, commands, text) ?? session.store.getState().scenario;
}

/** Chooses the first entry for a text. Returns why it was refused; null if it was not. */
function chooseIn(session: Session, commands: ReturnType<typeof commandsOf>, text: string): string | null {
  const [first] = entriesFor(text, commands, []);
  if (first?.value == null) return `no value: ${first?.command.title}`;
  return first.command.value?.set(session, first.value.typed) ?? null;
}

test('every key, preset, page, story and speed is a command, and each command has its own id', () => {
  const {commands} = opened();
  const ids = commands.map(({id}) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const keys = new Set(commands.map(({key}) => key));
  for (const {key} of shortcuts) if (key !== 'Escape') expect(keys, key).toContain(key);
  for (const {name} of PRESETS) expect(ids).toContain(`preset ${name}`);
  expect(ids).toEqual(expect.arrayContaining(['page gallery', 'speed auto', 'speed 0.1', 'theme dark', 'start']));
  expect(commands.filter(({group}) => group === 'story').length).toBeGreaterThan(3);
});

test.each([
  ['loss 5', {path: {loss: {down: {rate: 0.05}, up: {rate: 0.05}}}}],
  ['loss 5 %', {path: {loss: {down: {rate: 0.05}}}}],
  ['rtt 250ms', {path: {rttMs: {down: 250, up: 250}}}],
  ['rate 2000 kbit/s', {path: {rateBps: {down: 2_000_000}}}],
  ['rate 2 mbit/s', {path: {rateBps: {down: 2_000_000}}}],
  // a number without a unit has the unit of the field, which shows 1 Mbit/s
  ['rate 5', {path: {rateBps: {down: 5_000_000}}}],
  ['queue 40', {path: {queuePackets: {down: 40}}}],
  ['seed 7', {seed: 7}],
  ['pane 2 streams 4', {panes: [{}, {streams: 4}]}],
  ['connections 6', {panes: [{connections: 6}, {}]}],
  ['pane 1 profile modern', {panes: [{profile: 'modern'}, {profile: 'classic'}]}],
  ['server thinks 30', {serverThinkMs: 30}],
])('%s sets the setting at once', (typed, scenario) => {
  expect(choose(typed)).toMatchObject(scenario);
});

test('a typed rate of loss replaces loss in bursts by independent loss', () => {
  const document = {path: {loss: {p: 0.01, r: 0.25, h: 0, k: 1}}};
  expect(choose('loss 5', document)).toMatchObject({path: {loss: {down: {model: 'bernoulli', rate: 0.05}}}});
});

test.each([
  ['loss 200', 'Loss is 200 %: must be a number from 0 to 100 %'],
  ['rtt -3', /^RTT is -3 ms: must be a number from 0/],
  ['seed -1', /^Seed is -1: must be/],
])('%s is refused with the setting’s own reason, and changes nothing', (typed, reason) => {
  const {session, commands} = opened();
  const before = session.store.getState();
  const refused = chooseIn(session, commands, typed);
  if (typeof reason === 'string') expect(refused).toBe(reason);
  else expect(refused).toMatch(reason);
  expect(session.store.getState()).toEqual(before);
});

test.each([
  ['preset one lost', 'preset one-lost-packet'],
  ['dark', 'theme dark'],
  ['wifi bad web', 'preset web-wifi-bad'],
  ['presenter', 'key p'],
  ['record', 'key r'],
  ['waterfall', 'view waterfall'],
  ['compare', 'compare'],
  ['gallery', 'page gallery'],
])('%s finds %s first', (typed, id) => {
  expect(entriesFor(typed, opened().commands, [])[0]?.command.id).toBe(id);
});
