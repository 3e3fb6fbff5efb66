// What growingDocument.test.ts takes into a browser.
export * from '../renderer/run/panes/frameDocument.ts';
export * from '../renderer/run/panes/growingDocument.ts';
export * from '../renderer/run/panes/inertElement.ts';
