/**
 * Of the window's page, in both shells. The pages on show are in frames that inherit it, and have a stricter one
 * of their own beside it (renderer/run/panes/frameDocument.ts). Nothing here is a picture or a frame that is loaded.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // the pages on show bring their own style sheets
  "style-src 'self' 'unsafe-inline'",
  'img-src blob: data:',
  'font-src blob: data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
