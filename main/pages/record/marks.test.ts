import {expect, test} from 'vitest';
import {extentsOf, MARK, marked} from './marks.ts';

const HTML = `<!doctype html>
<TITLE>a < b</TITLE>
<body class="x"><p>one<p>two<br>
<script>document.write('<i>')</script><svg><path d="M0"/></svg></body>`;

test('each start tag that the HTML contains gets a number, and nothing else changes', () => {
  const names = [...marked(HTML).matchAll(/<(\w+) data-interleave-mark="(\d+)"/g)].map(([, name, n]) => `${n} ${name}`);
  expect(names).toEqual(['0 TITLE', '1 body', '2 p', '3 p', '4 br', '5 script', '6 svg', '7 path']);
  expect(marked(HTML).replaceAll(/ data-interleave-mark="\d+"/g, '')).toBe(HTML);
  expect(marked('</p></br>text')).not.toContain(MARK);
});

test('extents say where an element begins and ends, also without an end tag', () => {
  const parts = extentsOf(HTML).map(({name, opened, closed}) => [name, HTML.slice(opened, closed)]);
  expect(parts).toEqual([
    ['title', 'a < b</TITLE>'],
    ['body', HTML.slice(HTML.indexOf('<p>'))],
    ['p', 'one'],
    ['p', HTML.slice(HTML.indexOf('two'), HTML.indexOf('</body>'))],
    ['br', ''],
    ['script', `document.write('<i>')</script>`],
    ['svg', '<path d="M0"/></svg>'],
    ['path', ''],
  ]);
});

test('every document keeps as many extents as it has marks', () => {
  for (const html of [
    '<p><b><i></p></b>',
    '<ul><li>a<li>b</ul>',
    '<a<b>',
    '<p/><p',
    '<table><tr><td>x</table><p>',
    '<!--<b>--><style><b></style>',
  ])
    expect(extentsOf(html).length, html).toBe(marked(html).split(MARK).length - 1);
});
