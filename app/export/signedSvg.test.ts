import {expect, test} from 'vitest';
import {signedSvg} from './signedSvg.ts';

test('the program stands in an SVG’s metadata, whatever its name has, and all else stays', () => {
  const svg = '<svg aria-label="a > b"><svg><rect/></svg></svg>\n';
  expect(signedSvg(svg, 'interleave 0.1.0 (<&>)')).toBe(
    '<svg aria-label="a > b"><svg><rect/></svg><metadata>interleave 0.1.0 (&lt;&amp;>)</metadata></svg>\n',
  );
  expect(() => signedSvg('<svg/>', 'p')).toThrow('it has no end');
});
