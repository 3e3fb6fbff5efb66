import {beforeEach, expect, test} from 'vitest';
import type {AudienceState, ChannelMessage, SpeakerChannel} from './messages.ts';
import {SpeakerLink} from './speakerLink.ts';

let nowMs = 0;
let sent: ChannelMessage[] = [];
let link: SpeakerLink;
let hear: (data: unknown) => void;
beforeEach(() => {
  nowMs = 0;
  sent = [];
  const channel: SpeakerChannel = {onmessage: null, postMessage: message => sent.push(message), close: () => undefined};
  link = new SpeakerLink(channel, () => nowMs);
  hear = data => channel.onmessage?.({data} as MessageEvent);
});

const state = (revision: number, openedMs = 1): AudienceState => ({
  revision,
  openedMs,
  story: null,
  tS: 0,
  isPlaying: false,
  isPresenting: false,
  isBlank: false,
  hasDialog: false,
});
const names = () => link.store.getState().windows.map(([name]) => name);

test('each greeting names the states that are known, and the theme of the pictures', () => {
  link.setTheme('dark');
  hear({kind: 'state', from: 'a', state: state(7)});
  link.greet();
  expect(sent).toEqual([
    {kind: 'hello', seen: {}, theme: 'dark'},
    {kind: 'hello', seen: {a: 7}, theme: 'dark'},
  ]);
});

test('a window is gone when it has not answered for four seconds, or as soon as it says that it is gone', () => {
  hear({kind: 'state', from: 'a', state: state(1)});
  hear({kind: 'state', from: 'b', state: state(1)});
  nowMs = 3000;
  hear({kind: 'time', from: 'b', tS: 2});
  nowMs = 4000;
  link.greet();
  expect(names()).toEqual(['a', 'b']);
  nowMs = 4001;
  link.greet();
  expect(names()).toEqual(['b']);
  expect(link.store.getState().windows[0]?.[1].tS).toBe(2);
  hear({kind: 'gone', from: 'b'});
  expect(names()).toEqual([]);
});

test('a key goes to the window that leads, and nowhere without a window', () => {
  link.press('PageDown');
  expect(sent).toEqual([]);
  hear({kind: 'state', from: 'a', state: state(1, 5)});
  hear({kind: 'state', from: 'b', state: state(1, 4)});
  link.press('PageDown');
  expect(sent).toEqual([{kind: 'key', to: 'a', key: 'PageDown'}]);
});

test.each([null, 7, {}, {kind: 'state', from: 'a'}, {kind: 'time', from: 1, tS: 2}, {kind: 'else', from: 'a'}])(
  'data that is no message is ignored: %j',
  data => {
    hear(data);
    expect(names()).toEqual([]);
  },
);
