import {expect, test} from 'vitest';
import {createStore} from 'zustand/vanilla';
import {type ExperimentChoice, FIRST_CHOICE} from './choice.ts';
import {readKeptChoice, storeChoiceForReload} from './keptChoice.ts';

const read = (text: string | null) => readKeptChoice({getItem: () => text});

test('the choice is restored after a reload of the page', () => {
  const items = new Map<string, string>();
  const store = createStore<ExperimentChoice>(() => FIRST_CHOICE);
  storeChoiceForReload(store, {setItem: (key, value) => items.set(key, value)});
  const chosen: ExperimentChoice = {
    x: {key: 'path.rttMs', isTyped: true, text: '10 60 90'},
    panels: {key: 'path.loss', isTyped: false, text: '0..5 step 1'},
    seeds: 200,
    metric: 'speedIndexMs',
    kind: 'spread',
  };
  store.setState(chosen);
  expect(readKeptChoice({getItem: key => items.get(key) ?? null})).toEqual(chosen);
});

test.each([
  ['nothing', null],
  ['no JSON', '{'],
  ['another version’s metric', JSON.stringify({...FIRST_CHOICE, metric: 'joy'})],
  ['an unknown kind', JSON.stringify({...FIRST_CHOICE, kind: 'dots'})],
  ['an axis without a key', JSON.stringify({...FIRST_CHOICE, x: {isTyped: false, text: '1'}})],
  ['a number as the text of an axis', JSON.stringify({...FIRST_CHOICE, panels: {key: 'a', isTyped: false, text: 1}})],
  ['0 seeds', JSON.stringify({...FIRST_CHOICE, seeds: 0})],
])('an invalid stored choice is not read: %s', (_, text) => {
  expect(read(text)).toBeNull();
});

test('the choice of causes is restored', () => {
  expect(read(JSON.stringify({...FIRST_CHOICE, metric: 'causes'}))?.metric).toBe('causes');
});

test('an error of the storage is ignored', () => {
  const store = createStore<ExperimentChoice>(() => FIRST_CHOICE);
  storeChoiceForReload(store, {
    setItem: () => {
      throw new Error('full');
    },
  });
  expect(() => store.setState({seeds: 10})).not.toThrow();
});
