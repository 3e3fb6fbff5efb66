import {expect, test} from 'vitest';
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

test('the cache of requests is limited', () => {
  const fields = getFields('/', 'https', 200, USUAL_PRIORITY);
  for (let i = 0; i < 1000; i++) getFields(`/${i}.jpg`, 'https', 200, USUAL_PRIORITY);
  expect(getFields('/', 'https', 200, USUAL_PRIORITY)).not.toBe(fields);
  expect(getFields('/', 'https', 200, USUAL_PRIORITY)).toEqual(fields);
});
