import {expect, test} from 'vitest';
import {bytesOf} from '../base/bytes.ts';
import {assemblePage} from './assemble.ts';
import {type Outline, outlineOf} from './outline.ts';
import type {Page} from './page.ts';

function outline(html: string): Outline {
  return outlineOf(assemblePage('page', bytesOf(html), () => bytesOf('x')));
}

test('a preconnect is anonymous if it has a crossorigin other than use-credentials (HTML §2.5.4)', () => {
  const {elements} = outline(
    ['', 'crossorigin', 'crossorigin=anonymous', 'crossorigin=other', 'crossorigin=Use-Credentials']
      .map(attribute => `<link rel=preconnect href=https://other.test ${attribute}>`)
      .join(''),
  );
  const modes = elements.map(element => element.kind === 'preconnect' && element.isAnonymous);
  expect(modes).toEqual([false, true, true, true, false]);
});

test('a module script is requested with credentials only if it has use-credentials (HTML §8.1.4.2)', () => {
  const {anonymous} = outline(
    '<script src=a></script><script type=module src=b></script>' +
      '<script type=module src=c crossorigin></script><script type=module src=d crossorigin=use-credentials></script>',
  );
  expect([...anonymous]).toEqual([2, 3]);
});

test('a modulepreload is requested with credentials only if it has use-credentials (HTML §4.6.7)', () => {
  const {anonymous} = outline(
    '<link rel=preload as=script href=a><link rel=modulepreload href=b>' +
      '<link rel=modulepreload href=c crossorigin><link rel=modulepreload href=d crossorigin=use-credentials>',
  );
  expect([...anonymous]).toEqual([2, 3]);
});

test('a picture has the place of the layout, and is placed by the tags if the layout lacks it', () => {
  const html = '<img src=a.jpg width=300 height=200><img src=b.jpg width=100 height=50>';
  const page = assemblePage('page', bytesOf(html), () => bytesOf('x'));
  const boxesOf = (of: Page) =>
    outlineOf(of).elements.flatMap(element => (element.kind === 'picture' ? [element.box] : []));
  const estimated = [
    {left: 8, top: 8, width: 300, height: 200},
    {left: 308, top: 8, width: 100, height: 50},
  ];
  expect(boxesOf(page)).toEqual(estimated);
  const layout = {'/a.jpg': [1, 900, 30, 20]} as const;
  expect(boxesOf({...page, layout})).toEqual([{left: 1, top: 900, width: 30, height: 20}, estimated[1]]);
});
