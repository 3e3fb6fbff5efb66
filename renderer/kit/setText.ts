/**
 * Sets the text of an element that contains only text. If the element already has this text, nothing is done. Where
 * possible, the existing text node is changed: a new node would make Chromium compute all `:has()` rules around the
 * element again.
 */
export function setText(element: HTMLElement | null, text: string): void {
  if (element === null || element.textContent === text) return;
  const {firstChild} = element;
  if (firstChild instanceof Text && firstChild === element.lastChild && text !== '') firstChild.data = text;
  else element.textContent = text;
}
