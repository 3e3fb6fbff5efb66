/**
 * Of the window's page, in both shells. The pages on show are in frames that inherit it: they load nothing but
 * the blobs that the renderer makes of delivered bytes, and run no scripts.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // the pages on show bring their own style sheets
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' blob: data:",
  'font-src data:',
  "connect-src 'self'",
  "frame-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
