import {expect, test} from 'vitest';
import {TIMELINE_NAMES} from '../../../../app/telling/movie/options.ts';
import {FEATURES} from '../../../features/list.ts';
import {shortcutsOf} from '../../../window/keyboard.ts';
import {VIEWS} from './list.ts';

test('every timeline name in files and commands belongs to one view, in the order of the buttons', () => {
  expect(VIEWS.map(({name}) => name)).toEqual(TIMELINE_NAMES);
});

test('no two keyboard shortcuts, including those of views, have the same key', () => {
  const keys = shortcutsOf(FEATURES).map(({key}) => key);
  expect(keys).toEqual([...new Set(keys)]);
});
