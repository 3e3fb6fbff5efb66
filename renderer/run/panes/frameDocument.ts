/**
 * The content security policy of a frame: it may load only pictures and fonts that the document contains, or that the
 * renderer made from delivered bytes. This policy applies in addition to the window's own, which the frame inherits.
 * It stays in force when the element that set it is removed (CSP 3 §3.3).
 */
const FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src blob: data:; font-src blob: data:";

/**
 * Empties the document of a frame and sets the rendering mode that `html` needs: a page without a doctype is laid out
 * in quirks mode (HTML §13.2.6.4.1). The document cannot reach any network.
 */
export function openFrame(frame: Document, html: Uint8Array): void {
  frame.open();
  // without the second meta element, browsers look up the host names of links in advance
  frame.write(
    `${doctypeOf(html)}<html><head><meta http-equiv="Content-Security-Policy" content="${FRAME_POLICY}">
    <meta http-equiv="x-dns-prefetch-control" content="off"></head></html>`,
  );
  frame.close();
  frame.documentElement.replaceWith(frame.createElement('html'));
  const view = frame.defaultView as (Window & typeof globalThis) | null;
  if (view === null) return;
  const still = new view.CSSStyleSheet();
  still.replaceSync(STILL);
  frame.adoptedStyleSheets = [still];
}

/**
 * Stops CSS animations and transitions, because the content must depend only on the run time t and not on the clock.
 * Important rules in a layer override the page's rules (CSS Cascade 5 §6.4.4).
 */
const STILL = `@layer interleave {
  *, ::before, ::after { animation: none !important; transition: none !important }
}`;

/**
 * Returns one of two fixed doctypes, or an empty string for quirks mode. The page's own doctype is not used, so that no
 * text of the page is written into the frame.
 */
function doctypeOf(html: Uint8Array): string {
  const start = new TextDecoder().decode(html.subarray(0, DOCTYPE_WITHIN_BYTES));
  const {compatMode, doctype} = new DOMParser().parseFromString(start, 'text/html');
  if (compatMode === 'BackCompat') return '';
  return LIMITED_QUIRKS.test(doctype?.publicId ?? '') ? TRANSITIONAL : '<!DOCTYPE html>';
}

/**
 * The public identifiers that HTML §13.2.6.4.1 lists for limited-quirks mode. HTML 4.01 without a system identifier
 * gives quirks mode, which is tested before.
 */
const LIMITED_QUIRKS = /^-\/\/W3C\/\/DTD (XHTML 1\.0|HTML 4\.01) (Frameset|Transitional)\/\//i;

const TRANSITIONAL = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "">';

/** How far from the beginning a doctype is searched. Comments may come before it. */
const DOCTYPE_WITHIN_BYTES = 65_536;
