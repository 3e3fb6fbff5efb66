import {expect, test} from 'vitest';
import {MOST_OBJECTS} from '../page/page.ts';
import {getFields} from './messageFields.ts';
import {USUAL_PRIORITY} from './priority.ts';

test('equal requests get the same list of fields, and different requests different lists', () => {
  const [picture, page] = [
    {urgency: 3, isIncremental: true},
    {urgency: 0, isIncremental: true},
  ];
  const lists = [
    getFields('/1.jpg', 'https', 200, picture),
    getFields('/2.jpg', 'https', 200, picture),
    getFields('/1.jpg', 'http', 200, picture),
    getFields('/1.jpg', 'https', 300, picture),
    getFields('/1.jpg', 'https', 200, page),
    getFields('/1.jpg', 'https', 200, USUAL_PRIORITY),
    getFields('/1.jpg', 'https', 200, USUAL_PRIORITY, 'T'),
  ];
  expect(new Set(lists.map(fields => fields.join('\n'))).size).toBe(lists.length);
  expect(getFields('/1.jpg', 'https', 200, {...picture})).toBe(lists[0]);
});

test('the cache has room for all requests of two panes with the largest page, and is limited', () => {
  const get = (i: number) => getFields(`/${i}.jpg`, 'https', 200, USUAL_PRIORITY);
  const load = () => Array.from({length: 2 * MOST_OBJECTS}, (_, i) => get(i));
  load(); // the cache may be cleared during the first load, because it has requests of other tests
  const second = load();
  expect(load().filter((fields, i) => fields !== second[i])).toEqual([]);
  get(2 * MOST_OBJECTS);
  expect(get(0)).not.toBe(second[0]);
  expect(get(0)).toEqual(second[0]);
});
