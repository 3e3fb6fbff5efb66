/**
 * The Content Security Policy of the web edition's pages. It is in the pages themselves, because a static server sends
 * no headers of ours. The iframes that show loaded pages inherit it, and add a stricter policy. The policy cannot name
 * who may embed a page, because browsers read that only from a header.
 */
export const SITE_POLICY = [
  "default-src 'none'",
  // the network core is WebAssembly
  "script-src 'self' 'wasm-unsafe-eval'",
  "worker-src 'self'",
  // the iframes that paint the pictures of movies
  "frame-src 'self'",
  // the pages in the iframes have their own style sheets
  "style-src 'self' 'unsafe-inline'",
  'img-src blob: data:',
  "font-src 'self' blob: data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
].join('; ');
