// @vitest-environment jsdom
import {expect, test} from 'vitest';
import {setText} from './setText.ts';

test('a text is changed in its node, and the same text is not set again', () => {
  const element = document.createElement('p');
  setText(element, 'one');
  const node = element.firstChild;
  setText(element, 'two');
  expect(element.firstChild).toBe(node);
  expect(element.textContent).toBe('two');
  const observer = new MutationObserver(() => undefined);
  observer.observe(element, {childList: true, characterData: true, subtree: true});
  setText(element, 'two');
  expect(observer.takeRecords()).toEqual([]);
  setText(element, '');
  expect(element.childNodes).toHaveLength(0);
  setText(null, 'no element yet');
});

test('other contents are replaced', () => {
  const element = document.createElement('p');
  element.innerHTML = 'one <b>two</b>';
  setText(element, 'three');
  expect(element.innerHTML).toBe('three');
});
