import 'core-js/stable';

// For the smoke build only: what Chromium 83 lacks of what the product's pages use.
Element.prototype.replaceChildren ??= function (this: Element, ...nodes: (Node | string)[]) {
  this.textContent = '';
  this.append(...nodes);
};
AbortSignal.prototype.throwIfAborted ??= function (this: AbortSignal) {
  if (this.aborted) throw this.reason ?? new DOMException('aborted', 'AbortError');
};
