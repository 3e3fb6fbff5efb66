import {expect, test} from 'vitest';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {linearScale, logScale} from './scale.ts';
import {readTyped, refusalText} from './typedNumber.ts';

test.each([
  ['4.3', 4.3],
  ['4,3', 4.3],
  [' ,5 ', 0.5],
  ['7.', 7],
  ['-1e3', -1000],
  ['1e999', 1e300],
])('%j is the number %d', (typed, number) => {
  expect(readTyped(typed)).toBe(number);
});

test.each(['', ' ', '4,3,2', '1.000,5', '0x10', 'Infinity', 'four', '1 000'])('%j is not a number', typed => {
  expect(readTyped(typed)).toBeUndefined();
});

const percent = linearScale({from: 0, to: 20, factor: 0.01, digits: 3});
const kilobits = logScale({from: 10, to: 1e6, factor: 1000, digits: 3, isInteger: true});
const bytes = linearScale({from: 0, to: 1e6, factor: 1, digits: 3, isInteger: true});
const loss = {settingKey: 'path.loss.rate', label: 'Loss', unit: '%', scale: percent};

test.each([
  ['200', {path: {loss: 2}}, 'Loss is 200 %: must be a number from 0 to 100 %'],
  ['-1', {path: {loss: {down: {rate: -0.01}}}}, 'Loss is -1 %: must be a number from 0 to 100 %'],
  ['a lot', {changes: [{atMs: 5, path: {loss: {rate: 'a lot'}}}]}, 'Loss is "a lot": must be a number from 0 to 100 %'],
])('the message about the typed text %j has the field’s unit', (typed, document, answer) => {
  expect(refusalText(loss, typed, problemOf(document))).toBe(answer);
});

test('a message has kbit/s for a rate and the page’s limit for a size; that of another setting is not changed', () => {
  const rate = {settingKey: 'path.rateBps', label: 'Rate', unit: 'kbit/s', scale: kilobits};
  expect(refusalText(rate, '0', problemOf({path: {rateBps: 0}}))).toBe(
    'Rate is 0 kbit/s: must be a number from 0.001 to 1000000000 kbit/s',
  );
  const small = problemOf({page: {synthetic: {indexBytes: 300}}});
  const size = {settingKey: 'page.synthetic.indexBytes', label: 'HTML', unit: 'B', scale: bytes};
  expect(refusalText(size, '300', small)).toBe('HTML is 300 B: must be at least 470, to name 10 objects');
  expect(refusalText({...size, settingKey: 'page.synthetic.objects'}, '10', small)).toBe(small.message);
});

function problemOf(document: unknown) {
  const parsed = parseScenario(document);
  const problem = parsed.ok ? undefined : parsed.problems[0];
  if (problem === undefined) throw new Error('the document is valid');
  return problem;
}
