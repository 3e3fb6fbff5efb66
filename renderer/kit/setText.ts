/**
 * Sets the text of an element that contains nothing else, if it differs. Where possible it changes the text node: a new
 * node would make Chromium compute all `:has()` rules around the element again.
 */
export function setText(element: HTMLElement | null, text: string): void {
  if (element === null || element.textContent === text) return;
  const {firstChild} = element;
  if (firstChild instanceof Text && firstChild === element.lastChild && text !== '') firstChild.data = text;
  else element.textContent = text;
}
