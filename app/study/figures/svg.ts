/** The methods of a DOM document that are needed to draw a figure. The documents of browsers and of jsdom have them. */
export interface FigureDocument {
  createElementNS(namespace: string, name: string): unknown;
}

/** The properties and methods of a DOM element that are needed to draw a figure. */
export interface SvgElement {
  readonly outerHTML: string;
  textContent: string | null;
  append(...nodes: readonly (SvgElement | string)[]): void;
  setAttribute(name: string, value: string): void;
  getAttribute(name: string): string | null;
}

export interface SvgAttributes {
  readonly [name: string]: string | number;
}

export function createSvg(document: FigureDocument, name: string, attributes: SvgAttributes): SvgElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', name) as SvgElement;
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

export function text(document: FigureDocument, words: string, attributes: SvgAttributes): SvgElement {
  const element = createSvg(document, 'text', attributes);
  element.textContent = words;
  return element;
}
