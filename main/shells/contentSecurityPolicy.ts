/**
 * The policy of the window's page, in both shells. Frames that show pages inherit it, and have a stricter one of their
 * own in addition (renderer/run/panes/frameDocument.ts). The window itself loads no pictures or frames.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  // the shown pages bring their own style sheets
  "style-src 'self' 'unsafe-inline'",
  'img-src blob: data:',
  'font-src blob: data:',
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');
