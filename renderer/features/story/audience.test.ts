// @vitest-environment jsdom
import {afterEach, beforeEach, expect, test, vi} from 'vitest';
import type {Host} from '../../../app/host/contract.ts';
import {parseStory} from '../../../app/telling/story/story.ts';
import {Player} from '../../session/player.ts';
import {Session} from '../../session/session.ts';
import {type ChannelMessage, SPEAKER_KEYS, type SpeakerChannel} from '../../speaker/messages.ts';
import {Audience} from './audience.ts';
import {STORY_PLAYER} from './sessionStoryPlayer.ts';

vi.hoisted(() => {
  vi.stubGlobal('matchMedia', () => ({matches: false, addEventListener: () => undefined}));
});
const {shortcutsOf} = await import('../../window/keyboard.ts');
const {FEATURES} = await import('../list.ts');

const parsed = parseStory({
  story: 1,
  title: 'A lecture',
  steps: [
    {scenario: 'n07-movie', to: 4, text: 'After {rtt}.', notes: 'Slowly!'},
    {to: 9, text: 'Then.'},
  ],
});
if (!parsed.ok) throw new Error(parsed.problems[0].message);
const {story} = parsed;

let nowMs = 0;
let sent: ChannelMessage[] = [];
let pressed: string[] = [];
let loads = 0;
let session: Session;
let audience: Audience;
let hear: (message: ChannelMessage) => void;
beforeEach(() => {
  nowMs = 0;
  sent = [];
  pressed = [];
  loads = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  // a host that never answers
  const openPage = () => {
    loads += 1;
    return new Promise(() => undefined);
  };
  const host = {on: () => () => undefined, cancelLoad: async () => undefined, openPage} as unknown as Host;
  const [first] = story.steps;
  if (first === undefined) throw new Error('the story has steps');
  session = new Session(host, new Player(), first.scenario);
  const channel: SpeakerChannel = {onmessage: null, postMessage: message => sent.push(message), close: () => undefined};
  audience = new Audience(session, channel, key => pressed.push(key));
  hear = message => channel.onmessage?.({data: message} as MessageEvent);
});
afterEach(() => vi.restoreAllMocks());

const hello = (seen = {}): ChannelMessage => ({kind: 'hello', seen, theme: 'light'});
const name = () => (sent.find(({kind}) => kind === 'state') as {readonly from: string}).from;
const lastState = () => sent.findLast(message => message.kind === 'state')?.state;

test('a window sends its state only after a speaker view has asked for it', () => {
  session.stateOf(STORY_PLAYER).open(story);
  expect([sent.length, loads]).toEqual([0, 1]);
  hear(hello());
  expect(lastState()?.story).toMatchObject({
    title: 'A lecture',
    step: 0,
    steps: [
      {text: 'After 1080 ms.', notes: 'Slowly!', plannedS: null},
      {text: 'Then.', notes: ''},
    ],
  });
  // the runs are computed for the planned durations
  expect(loads).toBe(2);
});

test('each `hello` of a speaker view that does not know the state gets the state once', () => {
  hear(hello());
  expect(sent.map(({kind}) => kind)).toEqual(['state']);
  hear(hello());
  expect(sent.map(({kind}) => kind)).toEqual(['state', 'state']);
});

test('a speaker view gets each change of the state, and only the time if it knows the state already', () => {
  hear(hello());
  expect(lastState()).toMatchObject({revision: 1, isBlank: false, story: null});
  session.display.present(true);
  session.display.blank(true);
  expect(lastState()).toMatchObject({revision: 3, isBlank: true, isPresenting: true});
  const {length} = sent;
  hear(hello({[name()]: 3}));
  expect(sent.slice(length)).toEqual([{kind: 'time', from: name(), tS: 0}]);
  // four seconds after the last greeting nobody listens
  nowMs = 4001;
  session.display.blank(false);
  expect(sent).toHaveLength(length + 1);
});

test('a received key is pressed only if the speaker view has this key, and if it is sent to this window', () => {
  hear(hello());
  hear({kind: 'key', to: name(), key: 'PageDown'});
  hear({kind: 'key', to: 'another', key: 'PageUp'});
  hear({kind: 'key', to: name(), key: 'd'});
  expect(pressed).toEqual(['PageDown']);
});

test('a window that is closed says so', () => {
  hear(hello());
  audience.close();
  expect(sent.at(-1)).toEqual({kind: 'gone', from: name()});
});

test('the speaker view has p, b, Escape, and all keys of the window that play the run or change the timeline', () => {
  const keys = shortcutsOf(FEATURES).flatMap(({key, group, isForWatching}) =>
    isForWatching && (group === 'play' || group === 'timeline') ? [key] : [],
  );
  expect([...SPEAKER_KEYS].sort()).toEqual([...keys, 'p', 'b', 'Escape'].sort());
});
