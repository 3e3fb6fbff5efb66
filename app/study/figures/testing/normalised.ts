/** Writes an SVG text as its golden does: one element per line, and numbers rounded to a tenth of a pixel. */
export function normalised(svg: string): string {
  return svg.replaceAll(/-?\d+\.\d+/g, number => String(Math.round(Number(number) * 10) / 10)).replaceAll('><', '>\n<');
}
