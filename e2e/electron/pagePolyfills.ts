import 'core-js/stable';

// Only for the smoke build, which runs in Electron 9 (build.ts): features that the product's pages use and that the
// Chromium 83 of Electron 9 lacks.
Element.prototype.replaceChildren ??= function (this: Element, ...nodes: (Node | string)[]) {
  this.textContent = '';
  this.append(...nodes);
};
AbortSignal.prototype.throwIfAborted ??= function (this: AbortSignal) {
  if (this.aborted) throw this.reason ?? new DOMException('aborted', 'AbortError');
};
crypto.randomUUID ??= () => {
  const [a, b, c, d, e, f, g, h] = Array.from(crypto.getRandomValues(new Uint16Array(8)), (word, at) => {
    // version 4 and variant 10 (RFC 9562 §5.4)
    const marked = at === 3 ? (word & 0xfff) | 0x4000 : at === 4 ? (word & 0x3fff) | 0x8000 : word;
    return marked.toString(16).padStart(4, '0');
  });
  return `${a}${b}-${c}-${d}-${e}-${f}${g}${h}` as ReturnType<Crypto['randomUUID']>;
};
