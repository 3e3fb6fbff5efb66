import type {Drawing, Point} from './drawing.ts';

/**
 * A drawing that becomes an SVG file. It has a canvas's methods for lines, rectangles, text and rectangular clipping.
 */
export class SvgDrawing implements Drawing {
  globalAlpha = 1;
  lineWidth = 1;
  strokeStyle = '#000';
  fillStyle = '#000';
  font = '10px sans-serif';
  textAlign: CanvasTextAlign = 'start';
  textBaseline: CanvasTextBaseline = 'alphabetic';
  readonly #size: {readonly width: number; readonly height: number};
  readonly #elements: string[] = [];
  readonly #saved: {readonly alpha: number; readonly groups: number}[] = [];
  #path: string[] = [];
  #dash: readonly number[] = [];
  /** How many groups are open. */
  #groups = 0;
  #clips = 0;

  /** `size` in px. */
  constructor(size: {readonly width: number; readonly height: number}, background: string) {
    this.#size = size;
    this.#elements.push(`<rect width="${size.width}" height="${size.height}" fill="${background}"/>`);
  }

  beginPath(): void {
    this.#path = [];
  }

  moveTo(x: number, y: number): void {
    this.#path.push(`M${short(x)} ${short(y)}`);
  }

  lineTo(x: number, y: number): void {
    this.#path.push(`L${short(x)} ${short(y)}`);
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push(`M${short(x)} ${short(y)}h${short(width)}v${short(height)}h${short(-width)}z`);
  }

  /** Draws a circle, filled or with a line at its edge. The context of a canvas has no such method. */
  drawCircle(
    {x, y}: Point,
    radius: number,
    {fill, line}: {readonly fill?: string; readonly line?: {readonly colour: string; readonly width: number}},
  ): void {
    const edge = line === undefined ? '' : ` stroke="${line.colour}" stroke-width="${short(line.width)}"`;
    this.#add(`<circle cx="${short(x)}" cy="${short(y)}" r="${short(radius)}" fill="${fill ?? 'none'}"${edge}`);
  }

  stroke(): void {
    const dash = this.#dash.length === 0 ? '' : ` stroke-dasharray="${this.#dash.join(' ')}"`;
    this.#add(
      `<path d="${this.#path.join('')}" fill="none" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"${dash}`,
    );
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    const box = `x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}"`;
    this.#add(`<rect ${box} fill="${this.fillStyle}"`);
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = {left: 'start', center: 'middle', right: 'end', start: 'start', end: 'end'}[this.textAlign];
    const baseline = this.textBaseline === 'middle' ? ' dominant-baseline="central"' : '';
    const place = `x="${short(x)}" y="${short(y)}" text-anchor="${anchor}"${baseline}`;
    this.#elements.push(
      `<text ${place} style="font:${this.font}" fill="${this.fillStyle}"${this.#opacity()}>${escaped(text)}</text>`,
    );
  }

  /** Clips everything to the path until {@link restore} is called. */
  clip(): void {
    const id = `clip${this.#clips++}`;
    this.#elements.push(
      `<clipPath id="${id}"><path d="${this.#path.join('')}"/></clipPath><g clip-path="url(#${id})">`,
    );
    this.#groups++;
  }

  save(): void {
    this.#saved.push({alpha: this.globalAlpha, groups: this.#groups});
  }

  restore(): void {
    const saved = this.#saved.pop();
    if (saved === undefined) return;
    this.globalAlpha = saved.alpha;
    for (; this.#groups > saved.groups; this.#groups--) this.#elements.push('</g>');
  }

  setLineDash(dash: readonly number[]): void {
    this.#dash = dash;
  }

  /** The file's text. */
  file(): string {
    const {width, height} = this.#size;
    const root = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`;
    return `${root}\n${this.#elements.join('\n')}\n</svg>\n`;
  }

  /** Adds an element. `element` is the tag without its closing characters. */
  #add(element: string): void {
    this.#elements.push(`${element}${this.#opacity()}/>`);
  }

  #opacity(): string {
    return this.globalAlpha === 1 ? '' : ` opacity="${short(this.globalAlpha)}"`;
  }
}

function short(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
