import {expect, test} from 'vitest';
import type {Command} from '../feature.ts';
import {afterUse, entriesFor} from './entries.ts';

const nothing = () => undefined;
const numbers = {read: (typed: string) => (/^\d+$/.test(typed) ? `${typed} %` : null), set: () => null};
const COMMANDS: readonly Command[] = [
  {id: 'loss', group: 'setting', title: 'Loss', value: numbers, act: nothing},
  {id: 'up', group: 'setting', title: 'Loss up', value: numbers, act: nothing},
  {id: 'explain', group: 'command', title: 'Explain the next loss', act: nothing},
  {id: 'play', group: 'command', title: 'Play or pause', act: nothing},
];

const found = (typed: string, recent: readonly string[] = []) =>
  entriesFor(typed, COMMANDS, recent).map(({command, value}) =>
    value === null ? command.id : `${command.id}=${value.text}`,
  );

test('without a text, commands come before settings, and what was used last comes first', () => {
  expect(found('')).toEqual(['explain', 'play', 'loss', 'up']);
  expect(found('', ['up', 'play'])).toEqual(['up', 'play', 'explain', 'loss']);
});

test('the best match comes first', () => {
  expect(found('loss')).toEqual(['loss', 'up', 'explain']);
  expect(found('nothing like it')).toEqual([]);
});

test('the name of a setting with a value finds the setting with this value, unless the value is invalid', () => {
  expect(found('loss 5')).toEqual(['loss=5 %', 'up=5 %']);
  expect(found('loss up 5')[0]).toBe('up=5 %');
  expect(found('loss five')).toEqual([]);
  expect(found('explain 5')).toEqual([]);
});

test('of the commands that were used, the newest eight are kept, each once', () => {
  expect(afterUse(['a', 'b'], 'b')).toEqual(['b', 'a']);
  expect(afterUse(['1', '2', '3', '4', '5', '6', '7', '8'], '9')).toEqual(['9', '1', '2', '3', '4', '5', '6', '7']);
});
