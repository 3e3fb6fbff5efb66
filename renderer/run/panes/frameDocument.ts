/**
 * What the document of a frame may load: nothing but pictures and fonts that are in it, or that the renderer
 * made of delivered bytes. It holds beside the window's own policy, which the frame inherits, and stays when
 * the element that brought it is gone (CSP 3 §3.3).
 */
const FRAME_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src blob: data:; font-src blob: data:";

/**
 * Empties the document of a frame for `html`, in whose mode it then is: a page without a doctype is laid out in
 * quirks mode (HTML §13.2.6.4.1). It cannot reach anything.
 */
export function openFrame(frame: Document, html: Uint8Array): void {
  frame.open();
  // an address's name is looked up before anybody follows it, unless a page forbids it
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
 * What is shown is a function of t: what moves by the clock stands still. Important rules of a layer come before
 * those of the page (CSS Cascade 5 §6.4.4).
 */
const STILL = `@layer interleave {
  *, ::before, ::after { animation: none !important; transition: none !important }
}`;

/** One of three, by the parser's decision: none of the page's own text is written into the frame. */
function doctypeOf(html: Uint8Array): string {
  const start = new TextDecoder().decode(html.subarray(0, DOCTYPE_WITHIN_BYTES));
  const {compatMode, doctype} = new DOMParser().parseFromString(start, 'text/html');
  if (compatMode === 'BackCompat') return '';
  return LIMITED_QUIRKS.test(doctype?.publicId ?? '') ? TRANSITIONAL : '<!DOCTYPE html>';
}

/** HTML §13.2.6.4.1; those of HTML 4.01 without an address are quirks mode, which is told apart before. */
const LIMITED_QUIRKS = /^-\/\/W3C\/\/DTD (XHTML 1\.0|HTML 4\.01) (Frameset|Transitional)\/\//i;

const TRANSITIONAL = '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Transitional//EN" "">';

/** Comments may stand before it. */
const DOCTYPE_WITHIN_BYTES = 65_536;
