// The modules that growingDocument.test.ts loads into a browser.
export * from '../renderer/run/panes/frameDocument.ts';
export * from '../renderer/run/panes/growingDocument.ts';
export * from '../renderer/run/panes/inertElement.ts';
