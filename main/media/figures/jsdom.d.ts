// This declares the part of jsdom that is used here. The types that jsdom provides would declare the browser's global
// names in all of app/ and main/.
declare module 'jsdom' {
  export class JSDOM {
    readonly window: {readonly document: import('../../../app/study/figures/svg.ts').FigureDocument};
    constructor(html: string);
  }
}
