// What growingDocument.test.ts takes into a browser.
export * from '../renderer/panes/frameDocument.ts';
export * from '../renderer/panes/growingDocument.ts';
export * from '../renderer/panes/inertElement.ts';
