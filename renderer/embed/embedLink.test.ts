import {expect, test} from 'vitest';
import type {Host} from '../../app/host/contract.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {Player} from '../session/player.ts';
import {Session} from '../session/session.ts';
import {type EmbedMessage, linkEmbed} from './embedLink.ts';
import {readCommand} from './messages.ts';

const BLOG = 'https://blog.test';

/** A session that computes nothing, in a frame whose page receives `sent`. */
function embedded(origin: string | null = null) {
  const host = new Proxy({} as Host, {get: () => () => new Promise(() => undefined)});
  const parsed = parseScenario({path: {loss: 0.01}});
  if (!parsed.ok) throw new Error('the scenario is not valid');
  const session = new Session(host, new Player(), parsed.scenario);
  session.player.setEnd(10e9);
  const sent: unknown[] = [];
  let listener = (_: EmbedMessage): void => undefined;
  const parent = {postMessage: (event: unknown, target: string) => void sent.push([event, target])};
  const addEventListener = (_type: 'message', added: typeof listener) => {
    listener = added;
  };
  linkEmbed(session, {parent, addEventListener}, origin);
  const post = (data: unknown, from = BLOG, source: unknown = parent) => listener({data, origin: from, source});
  return {session, sent, post};
}

test('a frame sends nothing before the first command, and then answers the origin of the command', () => {
  const {session, sent, post} = embedded();
  void session.player.seek(1e9);
  session.player.setSpeed(2);
  expect(sent).toEqual([]);
  post({interleave: 1, command: 'seek', tS: 2.5});
  expect(session.player.tNs).toBe(2.5e9);
  expect(sent).toEqual([
    [
      {
        interleave: 1,
        event: 'state',
        state: expect.objectContaining({tS: 2.5, endS: 10, isPlaying: false, step: null}),
      },
      BLOG,
    ],
  ]);
  session.player.setSpeed(1);
  expect(sent).toHaveLength(2);
});

test('only the page around the frame is heard, and only from the origin in the address', () => {
  const {session, sent, post} = embedded('https://other.test');
  post({interleave: 1, command: 'seek', tS: 2});
  post({interleave: 1, command: 'seek', tS: 2}, 'https://other.test', {});
  post({command: 'seek', tS: 2}, 'https://other.test');
  post('seek', 'https://other.test');
  expect([session.player.tNs, sent]).toEqual([0, []]);
  post({interleave: 1, command: 'seek', tS: 2}, 'https://other.test');
  expect([session.player.tNs, sent.length]).toEqual([2e9, 1]);
});

test('a page without an origin that can be named is answered, too', () => {
  const {sent, post} = embedded();
  post({interleave: 1, command: 'state'}, 'null');
  expect(sent).toEqual([[expect.objectContaining({event: 'state'}), '*']]);
});

test('a key is set as by --set, and a value that is not allowed is refused with a reason', () => {
  const {session, sent, post} = embedded();
  post({interleave: 1, command: 'set', key: 'path.loss', value: 0.05});
  expect(session.store.getState().scenario.path.loss.down).toMatchObject({rate: 0.05});
  for (const [key, value, why] of [
    ['path.loss', 7, 'path.loss'],
    ['panes[9].streams', 1, 'there is no item 9'],
    ['colour', 'red', 'colour'],
  ] as const) {
    post({interleave: 1, command: 'set', key, value});
    expect(sent.at(-1)).toEqual([{interleave: 1, event: 'refused', message: expect.stringContaining(why)}, BLOG]);
  }
  expect(session.store.getState().scenario.path.loss.down).toMatchObject({rate: 0.05});
  post({interleave: 1, command: 'next'});
  expect(sent.at(-1)).toEqual([{interleave: 1, event: 'refused', message: 'no story is open'}, BLOG]);
});

test.each([
  [{interleave: 2, command: 'play'}, 'interleave'],
  [{interleave: 1, command: 'explode'}, 'command'],
  [{interleave: 1, command: 'play', tS: 1}, 'the command play takes nothing else'],
  [{interleave: 1, command: 'seek'}, 'the command seek takes tS'],
  [{interleave: 1, command: 'seek', tS: -1}, 'tS'],
  [{interleave: 1, command: 'seek', tS: Number.NaN}, 'tS'],
  [{interleave: 1, command: 'set', key: 'seed'}, 'the command set takes key and value'],
  [{interleave: 1, command: 'set', key: 'x'.repeat(101), value: 1}, 'key'],
  [{interleave: 1, command: 'set', key: 'seed', value: 1n}, 'value'],
  [{interleave: 1, command: 'set', key: 'seed', value: 'x'.repeat(1_000_000)}, 'value'],
  [{interleave: 1, command: 'play', more: 1}, 'more'],
])('the message %o is refused', (message, why) => {
  const read = readCommand(message);
  expect(read).toEqual({ok: false, message: expect.stringContaining(why)});
});

test('a value that contains itself is refused', () => {
  const value: unknown[] = [];
  value.push(value);
  expect(readCommand({interleave: 1, command: 'set', key: 'seed', value}).ok).toBe(false);
});
