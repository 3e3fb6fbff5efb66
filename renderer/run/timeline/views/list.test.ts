import {expect, test} from 'vitest';
import {TIMELINE_NAMES} from '../../../../app/telling/movie/options.ts';
import {FEATURES} from '../../../features/list.ts';
import {shortcutsOf} from '../../../window/keyboard.ts';
import {VIEWS} from './list.ts';

test('every name of a timeline that files and commands take is one view’s, in the order of the buttons', () => {
  expect(VIEWS.map(({name}) => name)).toEqual(TIMELINE_NAMES);
});

test('no key has two uses', () => {
  const keys = shortcutsOf(FEATURES).map(({key}) => key);
  expect(keys).toEqual([...new Set(keys)]);
});
