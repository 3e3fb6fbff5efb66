/** An SVG file's text that says which program wrote it, `interleave 0.1.0 (abc1234)`, where nothing is drawn. */
export function signedSvg(svg: string, program: string): string {
  const end = svg.lastIndexOf('</svg>');
  if (end < 0) throw new RangeError('invalid svg: it has no end');
  const text = program.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `${svg.slice(0, end)}<metadata>${text}</metadata>${svg.slice(end)}`;
}
