// The part of jsdom that is used here. Its own types would make the browser's global names known in all of app/ and
// main/.
declare module 'jsdom' {
  export class JSDOM {
    readonly window: {readonly document: import('../../../app/study/figures/svg.ts').FigureDocument};
    constructor(html: string);
  }
}
