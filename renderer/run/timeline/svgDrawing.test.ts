import {expect, test} from 'vitest';
import {clipped, drawLine, drawText} from './drawing.ts';
import {SvgDrawing} from './svgDrawing.ts';

const drawing = () => new SvgDrawing({width: 100, height: 50}, '#ffffff');
const inside = (svg: SvgDrawing) => svg.file().trim().split('\n').slice(2, -1);

test('a file is complete SVG with its size and background', () => {
  expect(drawing().file()).toBe(
    '<svg xmlns="http://www.w3.org/2000/svg" width="100" height="50" viewBox="0 0 100 50">\n' +
      '<rect width="100" height="50" fill="#ffffff"/>\n</svg>\n',
  );
});

test('lines have their colour, width and dashes, and the drawing’s opacity', () => {
  const svg = drawing();
  svg.globalAlpha = 0.25;
  const points = [
    {x: 1, y: 2},
    {x: 3.456, y: 4},
  ];
  drawLine(svg, points, {colour: '#123456', width: 2, dash: [4, 3]});
  expect(inside(svg)).toEqual([
    '<path d="M1 2L3.46 4" fill="none" stroke="#123456" stroke-width="2" stroke-dasharray="4 3" opacity="0.25"/>',
  ]);
});

test('a circle can be filled, and can have an edge', () => {
  const svg = drawing();
  svg.drawCircle({x: 10, y: 20}, 4, {fill: 'red', line: {colour: 'blue', width: 2}});
  svg.drawCircle({x: 1, y: 2}, 3.456, {});
  expect(inside(svg)).toEqual([
    '<circle cx="10" cy="20" r="4" fill="red" stroke="blue" stroke-width="2"/>',
    '<circle cx="1" cy="2" r="3.46" fill="none"/>',
  ]);
});

test('text is escaped, and positioned as on a canvas', () => {
  const svg = drawing();
  drawText(svg, 'a < b & c', {x: 5, y: 6}, {colour: 'red', font: '12px serif', align: 'right'});
  expect(inside(svg)).toEqual([
    '<text x="5" y="6" text-anchor="end" dominant-baseline="central" style="font:12px serif" fill="red">a &lt; b &amp; c</text>',
  ]);
});

test('clips can be nested, end at `restore`, and restore the opacity', () => {
  const svg = drawing();
  const box = {x: 0, y: 0, width: 10, height: 10};
  clipped(svg, box, () => {
    svg.globalAlpha = 0.5;
    clipped(svg, box, () => svg.fillRect(1, 1, 2, 2));
  });
  svg.fillRect(3, 3, 4, 4);
  const text = inside(svg).join('');
  expect(text.match(/<g clip-path="url\(#clip[01]\)">/g)).toHaveLength(2);
  expect(text).toMatch(/<\/g><\/g><rect x="3" y="3" width="4" height="4" fill="#000"\/>$/);
  expect(text).toContain('<rect x="1" y="1" width="2" height="2" fill="#000" opacity="0.5"/>');
});
