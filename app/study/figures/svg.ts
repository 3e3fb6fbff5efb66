/** What a figure needs of a document; a browser's and jsdom's have it. */
export interface FigureDocument {
  createElementNS(namespace: string, name: string): unknown;
}

/** What a figure needs of an element. */
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
