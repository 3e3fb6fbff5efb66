/**
 * Adds the name and version of the program to the text of an SVG file: `interleave 0.1.0 (abc1234)`. The name is not
 * visible in the drawing. @throws RangeError if the text does not contain `</svg>`
 */
export function signedSvg(svg: string, program: string): string {
  const end = svg.lastIndexOf('</svg>');
  if (end < 0) throw new RangeError('invalid svg: </svg> is missing');
  const text = program.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `${svg.slice(0, end)}<metadata>${text}</metadata>${svg.slice(end)}`;
}
