import {expect, test} from 'vitest';
import {signedSvg} from './signedSvg.ts';

test('the escaped name of the program is added to an SVG’s metadata', () => {
  const svg = '<svg aria-label="a > b"><svg><rect/></svg></svg>\n';
  expect(signedSvg(svg, 'interleave 0.1.0 (<&>)')).toBe(
    '<svg aria-label="a > b"><svg><rect/></svg><metadata>interleave 0.1.0 (&lt;&amp;>)</metadata></svg>\n',
  );
  expect(() => signedSvg('<svg/>', 'p')).toThrow('</svg> is missing');
});
