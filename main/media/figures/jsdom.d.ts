// What is used of jsdom: its own types would make the browser's names known to all of app/ and main/.
declare module 'jsdom' {
  export class JSDOM {
    readonly window: {readonly document: import('../../../app/study/figures/svg.ts').FigureDocument};
    constructor(html: string);
  }
}
