// For tests: a picture's text as its golden has it.

/** An element a line, numbers to a tenth of a pixel. */
export function normalised(svg: string): string {
  return svg.replaceAll(/-?\d+\.\d+/g, number => String(Math.round(Number(number) * 10) / 10)).replaceAll('><', '>\n<');
}
