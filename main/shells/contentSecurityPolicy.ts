/**
 * The Content Security Policy of the window's page, in Electron and in the web shell. The iframes that show loaded
 * pages inherit it, and add a stricter policy (renderer/run/panes/frameDocument.ts). The window itself loads only its
 * own scripts, style sheets and typeface.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // the pages in the iframes have their own style sheets
  "style-src 'self' 'unsafe-inline'",
  'img-src blob: data:',
  "font-src 'self' blob: data:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
