import {describe, expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {type BrowserRules, NO_TIMES} from '../../browsers/browser.ts';
import {chromium} from '../../browsers/chromium.ts';
import {firefox} from '../../browsers/firefox.ts';
import {safari} from '../../browsers/safari.ts';
import {assemblePage} from '../../page/assemble.ts';
import {outlineOf} from '../../page/outline.ts';
import type {Page} from '../../page/page.ts';
import {DocumentLoad} from './documentLoad.ts';

// Each test names the rule that it states. The sources are in docs/browsers.md.

/**
 * A load of a page whose objects come when the test says so. The method `html` lets all of the HTML come, or only its
 * first bytes. The browser needs no time, except for painting. `changed` are the rules that the test changes.
 */
class Loading {
  readonly #page: Page;
  readonly #document: DocumentLoad;
  #sent: string[] = [];
  #nowNs = 0;

  constructor(
    html: string,
    files: {readonly [path: string]: string} = {},
    rules = rulesOf(chromium),
    hasPriorities = true,
    changed: Partial<BrowserRules> = {},
    originOf: (object: number) => number = () => 0,
    carriesOne = !hasPriorities,
  ) {
    this.#page = assemblePage('page', bytesOf(html), url => {
      const text = files[url.slice(1)];
      return text === undefined ? bytesOf('x') : bytesOf(text);
    });
    const nameOf = (object: number): string => this.#page.objects[object]?.url.slice(1) ?? '';
    this.#document = new DocumentLoad({
      outline: outlineOf(this.#page),
      bodies: this.#page.objects.map(({body}) => body),
      rules: {...rules, ...NO_TIMES, paintMs: 28, ...changed},
      originOf,
      hasPriorities,
      carriesOne,
      onFound: () => undefined,
      request: (object, {urgency, isIncremental}) => {
        this.#sent.push(`${nameOf(object)} u=${urgency}${isIncremental ? ',i' : ''}`);
      },
      preconnect: address => this.#sent.push(`preconnect ${address}`),
      reprioritize: (object, {urgency}) => this.#sent.push(`${nameOf(object)} → u=${urgency}`),
    });
    this.#document.start();
    this.#sent = [];
  }

  /** The requests that the first bytes of the HTML cause. */
  html(bytes = Number.POSITIVE_INFINITY): readonly string[] {
    const all = this.#page.objects[0]?.body?.length ?? 0;
    this.#document.handleBytes(0, Math.min(bytes, all), this.#nowNs);
    if (bytes >= all) this.#document.handleDone(0, true, this.#nowNs);
    return this.#settled();
  }

  /** The requests that complete objects cause. */
  done(...names: readonly string[]): readonly string[] {
    for (const name of names) this.#document.handleDone(this.#numberOf(name), true, this.#nowNs);
    return this.#settled();
  }

  /** The requests that the failure of an object causes. */
  failed(name: string): readonly string[] {
    this.#document.handleDone(this.#numberOf(name), false, this.#nowNs);
    return this.#settled();
  }

  /** The requests that the header of a response causes, before any byte of its body. */
  header(name: string): readonly string[] {
    this.#document.handleBytes(this.#numberOf(name), 0, this.#nowNs);
    return this.#settled();
  }

  /** The requests that the first byte of an object causes. */
  begun(name: string): readonly string[] {
    this.#document.handleBytes(this.#numberOf(name), 1, this.#nowNs);
    return this.#settled();
  }

  /** The requests that the time causes. */
  later(ms: number): readonly string[] {
    this.#nowNs += ms * 1e6;
    return this.#settled();
  }

  get dueNs(): number | undefined {
    return this.#document.pollTimeoutNs(this.#nowNs);
  }

  get isDone(): boolean {
    return this.#document.isDone;
  }

  milestones() {
    const {lcpObject, insertedNs: _, ...times} = this.#document.milestones();
    const ms = Object.fromEntries(Object.entries(times).map(([name, ns]) => [name, ns === null ? null : ns / 1e6]));
    return {...ms, lcp: lcpObject === null ? null : this.#page.objects[lcpObject]?.url.slice(1)};
  }

  #numberOf(name: string): number {
    const object = this.#page.objects.findIndex(({url}) => url === `/${name}`);
    if (object < 0) throw new Error(`no object ${name}`);
    return object;
  }

  #settled(): readonly string[] {
    this.#document.settle(this.#nowNs);
    return this.#sent.splice(0);
  }
}

function rulesOf(browser: {readonly rules?: BrowserRules}): BrowserRules {
  if (browser.rules === undefined) throw new Error('no rules');
  return browser.rules;
}

const pictures = (from: number, to: number): string =>
  Array.from({length: to - from + 1}, (_, i) => `<img src=i${from + i}.jpg width=200 height=150>`).join('');

test('the browser reads no HTML until some time after the first bytes have come', () => {
  const load = new Loading('<img src=a><img src=b>', {}, rulesOf(chromium), true, {commitMs: 5});
  expect(load.html(11)).toEqual([]);
  expect(load.dueNs).toBe(5e6);
  expect(load.later(4)).toEqual([]);
  expect(load.html(11)).toEqual([]);
  expect(load.later(1)).toEqual(['a u=2,i']);
  expect(load.dueNs).toBeUndefined();
  expect(load.html()).toEqual(['b u=2,i']);
});

test('the first requests leave together, with the priorities from before layout; later requests leave at once', () => {
  const html = `<link rel=preconnect href=https://b.test>${pictures(1, 2)}${pictures(3, 3)}`;
  const times = {commitMs: 2, layoutMs: 3, sendMs: 7};
  const load = new Loading(html, {}, rulesOf(chromium), true, times);
  expect(load.html(html.indexOf('<img src=i3'))).toEqual([]);
  expect(load.later(2)).toEqual([]);
  expect(load.dueNs).toBe(5e6);
  // layout makes the pictures more urgent
  expect(load.later(3)).toEqual([]);
  expect(load.dueNs).toBe(9e6);
  expect(load.later(3)).toEqual([]);
  // the scanner and the parser both preconnect
  expect(load.later(1)).toEqual([
    'preconnect https://b.test',
    'preconnect https://b.test',
    'i1.jpg u=2,i',
    'i2.jpg u=2,i',
    'i1.jpg → u=1',
    'i2.jpg → u=1',
  ]);
  expect(load.html()).toEqual(['i3.jpg u=2,i']);
  expect(load.later(3)).toEqual(['i3.jpg → u=1']);
});

describe('the times that Chromium needs', () => {
  const timed = (html: string, times: Partial<BrowserRules>, files = {}): Loading =>
    new Loading(html, files, rulesOf(chromium), true, times);

  test('a style sheet is read some time after it comes, which delays its imports and the painting', () => {
    const files = {'a.css': '@import "b.css";'};
    const loading = timed('<link rel=stylesheet href=a.css><body>text', {sheetMs: 3}, files);
    loading.html();
    expect(loading.begun('a.css')).toEqual([]);
    expect(loading.dueNs).toBe(3e6);
    expect(loading.later(2)).toEqual([]);
    expect(loading.later(1)).toEqual(['b.css u=0']);
    loading.done('a.css', 'b.css');
    expect(loading.dueNs).toBe(6e6);
    expect(loading.later(2)).toEqual([]);
    expect(loading.milestones()).toMatchObject({fcpNs: null, loadNs: null});
    expect(loading.isDone).toBe(false);
    loading.later(1);
    expect(loading.milestones()).toMatchObject({fcpNs: 34, loadNs: 6});
    expect(loading.isDone).toBe(true);
  });

  test('a style sheet is not read while only the header of its response has come', () => {
    const loading = timed('<link rel=stylesheet href=a.css>', {sheetMs: 3}, {'a.css': '@import "b.css";'});
    loading.html();
    expect(loading.header('a.css')).toEqual([]);
    expect(loading.dueNs).toBeUndefined();
    expect(loading.later(2)).toEqual([]);
    expect(loading.begun('a.css')).toEqual([]);
    expect(loading.later(2)).toEqual([]);
    expect(loading.later(1)).toEqual(['b.css u=0']);
  });

  test('a style sheet that fails delays the painting as long as one that comes', () => {
    const loading = timed('<link rel=stylesheet href=a.css><body>text', {sheetMs: 3});
    loading.html();
    loading.failed('a.css');
    expect(loading.milestones()).toMatchObject({fcpNs: null});
    loading.later(3);
    expect(loading.milestones()).toMatchObject({fcpNs: 31});
  });

  test('a style sheet that has come and is not read yet gets no other priority', () => {
    const html = '<script src=s.js></script><img src=1.jpg width=200 height=150><link rel=stylesheet href=b.css>';
    const loading = timed(html, {sheetMs: 3});
    expect(loading.html()).toContain('b.css u=2');
    loading.done('b.css');
    expect(loading.done('s.js')).toEqual(['1.jpg → u=1']);
  });

  test('the parser goes on some time after the script for which it waited has come', () => {
    const loading = timed(`<script src=s.js></script><body>text${pictures(1, 3)}`, {resumeMs: 4});
    expect(loading.html()).toEqual(['s.js u=1', 'i1.jpg u=2,i', 'i2.jpg u=2,i']);
    expect(loading.done('s.js')).toEqual([]);
    expect(loading.dueNs).toBe(4e6);
    expect(loading.later(3)).toEqual([]);
    expect(loading.milestones()).toMatchObject({fcpNs: null, dclNs: null});
    expect(loading.later(1)).toContain('i3.jpg u=1,i');
    expect(loading.milestones()).toMatchObject({fcpNs: 32, dclNs: 4});
  });

  test('the parser loses no time at a script that has come before', () => {
    const loading = timed('<script src=a.js></script><script src=b.js></script><p>text', {resumeMs: 4});
    loading.html();
    loading.done('b.js');
    loading.done('a.js');
    loading.later(4);
    expect(loading.milestones()).toMatchObject({dclNs: 4});
  });

  test('waiting requests have their priorities from before layout, and only layout makes pictures urgent', () => {
    const icon = '<img src=i.png width=32 height=32>';
    const html = `<script src=s.js></script><script async src=a.js></script><body>${icon}<script src=f.js></script>`;
    const loading = timed(html, {layoutMs: 9});
    loading.html();
    expect(loading.done('s.js')).toEqual(['f.js → u=1', 'i.png u=3,i']);
    expect(loading.dueNs).toBe(9e6);
    expect(loading.later(8)).toEqual([]);
    expect(loading.later(1)).toEqual(['i.png → u=1']);
    expect(loading.dueNs).toBeUndefined();
  });

  test('layout delays neither the first frame, nor a load in which layout finds nothing or only lazy pictures', () => {
    for (const lazy of ['', '<img loading=lazy src=z.jpg width=9 height=9>']) {
      const soon = timed(`<p>text</p>${lazy}`, {layoutMs: 9});
      soon.html();
      expect(soon.milestones()).toMatchObject({fcpNs: 28, loadNs: 0});
      expect(soon.isDone).toBe(false);
      expect(soon.later(9)).toEqual(lazy === '' ? [] : ['z.jpg u=1,i']);
    }
    const loading = timed('<p>text</p><img src=a.jpg>', {layoutMs: 9});
    loading.html();
    loading.later(50);
    loading.done('a.jpg');
    expect(loading.milestones()).toMatchObject({fcpNs: 28, loadNs: 50});
    expect(loading.isDone).toBe(true);
  });

  test('the load waits for layout, which finds a font', () => {
    const css = '@font-face{font-family:F;src:url(f.woff2)} p{font-family:F}';
    const loading = timed('<link rel=stylesheet href=a.css><body><p>text', {layoutMs: 9}, {'a.css': css});
    loading.html();
    expect(loading.done('a.css')).toEqual([]);
    expect(loading.isDone).toBe(false);
    expect(loading.milestones()).toMatchObject({loadNs: null});
    expect(loading.later(9)).toEqual(['f.woff2 u=0']);
    expect(loading.milestones()).toMatchObject({loadNs: null});
    loading.done('f.woff2');
    expect(loading.isDone).toBe(true);
  });

  test('the load waits for layout, which finds a background picture', () => {
    const css = 'p{background:url(x.png)}';
    const loading = timed('<link rel=stylesheet href=a.css><body><p>text', {layoutMs: 9}, {'a.css': css});
    loading.html();
    loading.done('a.css');
    expect(loading.milestones()).toMatchObject({loadNs: null});
    expect(loading.later(9)).toEqual(['x.png u=3,i']);
    loading.done('x.png');
    expect(loading.milestones()).toMatchObject({loadNs: 9});
  });
});

describe('fonts that the head preloads', () => {
  const PRELOAD = '<link rel=preload as=font href=f.woff2 crossorigin>';
  const waiting = (html: string, rules = rulesOf(chromium)): Loading => {
    return new Loading(html, {}, rules, true, {fontWait: rules.fontWait});
  };
  /** A load whose style sheet comes after this time, and whose font has not come then. */
  const withoutFont = (ms: number): Loading => {
    const loading = waiting(`${PRELOAD}<link rel=stylesheet href=a.css><body>text`);
    loading.html();
    loading.later(ms);
    loading.done('a.css');
    return loading;
  };

  test('delay painting until they come', () => {
    const loading = withoutFont(10);
    loading.later(40);
    loading.done('f.woff2');
    expect(loading.milestones()).toMatchObject({fcpNs: 78});
  });

  test('delay painting by no more than 100 ms after everything else has come', () => {
    const loading = withoutFont(300);
    expect(loading.dueNs).toBe(400e6);
    loading.later(99);
    expect(loading.milestones()).toMatchObject({fcpNs: null});
    loading.later(1);
    expect(loading.milestones()).toMatchObject({fcpNs: 428});
    expect(loading.dueNs).toBeUndefined();
  });

  test('delay layout, too, so that what is on the screen becomes urgent later', () => {
    const loading = waiting(`${PRELOAD}<body><img src=i.jpg width=200 height=150>`);
    expect(loading.html()).toEqual(['f.woff2 u=1', 'i.jpg u=2,i']);
    expect(loading.later(100)).toEqual(['i.jpg → u=1']);
  });

  test('delay painting up to 1.5 s after the navigation’s start', () => {
    const loading = withoutFont(1450);
    expect(loading.dueNs).toBe(1500e6);
    loading.later(50);
    expect(loading.milestones()).toMatchObject({fcpNs: 1528});
  });

  test('delay nothing if the body preloads them, and nothing in Firefox and Safari', () => {
    const inBody = waiting(`<body>text${PRELOAD}`);
    inBody.html();
    expect(inBody.milestones()).toMatchObject({fcpNs: 28});
    for (const browser of [firefox, safari]) {
      const loading = waiting(`${PRELOAD}<body>text`, rulesOf(browser));
      loading.html();
      expect(loading.milestones()).toMatchObject({fcpNs: 28});
    }
  });
});

test('over HTTP/1.1, Chromium sends first what it finds first, and Firefox sends first what is more urgent', () => {
  const html = `<body><img src=s.png width=9 height=9>${pictures(1, 1)}`;
  const sent = (browser: {readonly rules?: BrowserRules}, hasPriorities: boolean) =>
    new Loading(html, {}, rulesOf(browser), hasPriorities, {onScreen: null}).html();
  expect(sent(chromium, false)).toEqual(['s.png u=3,i', 'i1.jpg u=2,i']);
  expect(sent(chromium, true)).toEqual(['i1.jpg u=2,i', 's.png u=3,i']);
  const script = '<body><img src=s.png><script src=a.js></script>';
  expect(new Loading(script, {}, rulesOf(firefox), false).html()).toEqual(['a.js u=3', 's.png u=5,i']);
});

describe('the parser of Chromium', () => {
  test('stops at a script, while the scanner reads on', () => {
    const loading = new Loading('<script src=a.js></script><p>text<script src=b.js></script>');
    expect(loading.html()).toEqual(['a.js u=1', 'b.js u=1']);
    loading.later(100);
    expect(loading.milestones()).toMatchObject({fcpNs: null, dclNs: null});
    loading.done('a.js');
    expect(loading.milestones()).toMatchObject({fcpNs: 128, dclNs: null});
    loading.later(100);
    loading.done('b.js');
    expect(loading.milestones()).toMatchObject({fcpNs: 128, dclNs: 200, loadNs: 200});
  });

  test('waits at a script for the style sheets before it (HTML §4.12.1.1)', () => {
    const loading = new Loading('<link rel=stylesheet href=a.css><script>1</script><body>text');
    loading.html();
    expect(loading.milestones()).toMatchObject({dclNs: null});
    loading.later(50);
    loading.done('a.css');
    expect(loading.milestones()).toMatchObject({fcpNs: 78, dclNs: 50});
  });

  test('does not wait for async, defer and module scripts, but DOMContentLoaded waits for the last two', () => {
    const loading = new Loading(
      '<script async src=a.js></script><script defer src=d.js></script><script type=module src=m.mjs></script><p>text',
    );
    expect(loading.html()).toEqual(['m.mjs u=1', 'a.js u=3', 'd.js u=3']);
    expect(loading.milestones()).toMatchObject({fcpNs: 28, dclNs: null});
    loading.later(10);
    loading.done('d.js');
    expect(loading.milestones()).toMatchObject({dclNs: null});
    loading.done('m.mjs');
    expect(loading.milestones()).toMatchObject({dclNs: 10, loadNs: null});
    loading.later(10);
    loading.done('a.js');
    expect(loading.milestones()).toMatchObject({loadNs: 20});
  });

  test('waits for a style sheet in the body, but paints what stands before it', () => {
    const loading = new Loading(
      '<p>text</p><link rel=stylesheet href=a.css><img loading=lazy src=z.jpg width=9 height=9>',
    );
    expect(loading.html()).toEqual(['a.css u=0']);
    expect(loading.milestones()).toMatchObject({fcpNs: 28});
    expect(loading.done('a.css')).toEqual(['z.jpg u=1,i']);
  });
});

describe('what Chromium finds', () => {
  test('a style sheet’s imports when its first bytes come, its fonts and pictures when the page is laid out', () => {
    const css =
      '@import "b.css"; @font-face{font-family:F;src:url(f.woff2)} h1{font-family:F} .x{background:url(x.png)}';
    const loading = new Loading('<link rel=stylesheet href=a.css><h1 class=x>text</h1>', {'a.css': css});
    expect(loading.html()).toEqual(['a.css u=0']);
    expect(loading.begun('a.css')).toEqual(['b.css u=0']);
    expect(loading.done('a.css')).toEqual([]);
    expect(loading.done('b.css')).toEqual(['f.woff2 u=0', 'x.png u=3,i']);
  });

  test('no font or picture of a rule that matches nothing, and no font for characters that the page lacks', () => {
    const css =
      '@font-face{font-family:F;src:url(f.woff2)} @font-face{font-family:G;src:url(g.woff2);unicode-range:U+400-4FF}' +
      ' h2{font-family:F} p{font-family:G} .y{background:url(y.png)} p:hover{background:url(z.png)}' +
      ' @media print{p{background:url(p.png)}} @media (max-width:600px){p{background:url(m.png)}}';
    const loading = new Loading('<link rel=stylesheet href=a.css><p>text</p>', {'a.css': css});
    loading.html();
    expect(loading.done('a.css')).toEqual([]);
    expect(loading.isDone).toBe(true);
  });

  test('style sheets that do not apply to the screen, but only by the parser and with the lowest priority', () => {
    const loading = new Loading('<link rel=stylesheet media=print href=p.css><link rel=stylesheet href=a.css><p>text');
    expect(loading.html()).toEqual(['a.css u=0', 'p.css u=4']);
    loading.done('a.css');
    expect(loading.milestones()).toMatchObject({fcpNs: 28, loadNs: null});
  });

  test('lazy pictures after layout, and only up to 1,250 px below the screen', () => {
    const gap = (px: number) => `<div style="height:${px}px"></div>`;
    const lazy = (name: string) => `<img loading=lazy src=${name}.jpg width=100 height=100>`;
    const loading = new Loading(`<p>text</p>${lazy('in')}${gap(1500)}${lazy('near')}${gap(6000)}${lazy('far')}`);
    expect(loading.html()).toEqual(['in.jpg u=1,i', 'near.jpg u=3,i']);
    expect(loading.done('in.jpg', 'near.jpg')).toEqual([]);
    expect(loading.isDone).toBe(true);
  });

  test('preloads with the priorities of what they are for, fonts less urgent than style sheets', () => {
    const as = (kind: string, name: string) => `<link rel=preload as=${kind} href=${name}>`;
    const loading = new Loading(
      `${as('font', 'f.woff2')}${as('style', 'a.css')}${as('script', 'b.js')}<link rel=modulepreload href=m.mjs>`,
    );
    expect(loading.html()).toEqual(['a.css u=0', 'f.woff2 u=1', 'b.js u=1', 'm.mjs u=1']);
  });

  test('nothing in noscript and templates, and no script for old browsers', () => {
    const html =
      '<noscript><img src=n.png></noscript><template><img src=t.png></template><script nomodule src=o.js></script>';
    expect(new Loading(html).html()).toEqual([]);
  });
});

describe('the priorities of Chromium', () => {
  test('the first five pictures that are not small are Medium; pictures on the screen become High after layout', () => {
    const loading = new Loading(
      `<link rel=stylesheet href=a.css><body>${pictures(1, 6)}<img src=s.jpg width=10 height=9>`,
    );
    const medium = ['i1', 'i2', 'i3', 'i4', 'i5'].map(name => `${name}.jpg u=2,i`);
    expect(loading.html()).toEqual(['a.css u=0', ...medium, 'i6.jpg u=3,i', 's.jpg u=3,i']);
    const raised = ['i1', 'i2', 'i3', 'i4', 'i5', 'i6', 's'].map(name => `${name}.jpg → u=1`);
    expect(loading.done('a.css')).toEqual(raised);
  });

  test('fetchpriority=high makes pictures and async scripts High, low makes style sheets High and others Low', () => {
    const loading = new Loading(
      '<link rel=stylesheet fetchpriority=low href=a.css><script async fetchpriority=high src=h.js></script>' +
        '<script fetchpriority=low src=l.js></script><img fetchpriority=high src=h.jpg><img fetchpriority=low src=l.jpg>',
    );
    expect(loading.html()).toEqual(['a.css u=1', 'h.js u=1', 'h.jpg u=1,i']);
    // a less urgent script waits like any other request, even if the parser waits for it
    expect(loading.done('a.css', 'h.js')).toEqual(['l.js u=3']);
    expect(loading.done('l.js')).toEqual(['l.jpg u=3,i']);
  });

  test('scripts and style sheets behind the first picture are Medium until the parser reaches them', () => {
    const loading = new Loading(
      '<script src=a.js></script><img src=1.jpg width=200 height=150><link rel=stylesheet href=b.css><script src=c.js></script>',
    );
    expect(loading.html()).toEqual(['a.js u=1', '1.jpg u=2,i', 'b.css u=2']);
    expect(loading.done('a.js')).toEqual(['b.css → u=0', '1.jpg → u=1', 'c.js u=2']);
    expect(loading.done('b.css')).toEqual(['c.js → u=1']);
  });
});

describe('while scripts in the head load', () => {
  test('Chromium delays less urgent requests: two Medium ones may run, and a Low one beside at most one other', () => {
    const loading = new Loading(`<script src=s.js></script><body>${pictures(1, 7)}`);
    expect(loading.html()).toEqual(['s.js u=1', 'i1.jpg u=2,i', 'i2.jpg u=2,i']);
    expect(loading.done('i1.jpg')).toEqual(['i3.jpg u=2,i']);
    expect(loading.done('i2.jpg', 'i3.jpg')).toEqual(['i4.jpg u=2,i', 'i5.jpg u=2,i']);
    expect(loading.done('i4.jpg')).toEqual([]);
    expect(loading.done('i5.jpg')).toEqual(['i6.jpg u=3,i']);
    expect(loading.done('s.js')).toContain('i7.jpg u=1,i');
  });

  test('style sheets in the head do not make Chromium wait, because they do not hold up the parser', () => {
    const loading = new Loading(`<link rel=stylesheet href=a.css><body>${pictures(1, 9)}`);
    expect(loading.html()).toHaveLength(10);
  });

  test('Firefox requests everything at once, and Safari waits for all urgent requests', () => {
    const html = `<script src=s.js></script><body>${pictures(1, 3)}`;
    expect(new Loading(html, {}, rulesOf(firefox)).html()).toEqual([
      's.js u=2',
      'i1.jpg u=5,i',
      'i2.jpg u=5,i',
      'i3.jpg u=5,i',
    ]);
    const inSafari = new Loading(html, {}, rulesOf(safari));
    expect(inSafari.html()).toEqual(['s.js u=1,i']);
    expect(inSafari.done('s.js')).toEqual(['i1.jpg u=5,i', 'i2.jpg u=5,i', 'i3.jpg u=5,i']);
  });
});

describe('over HTTP/1.1, in Chromium', () => {
  const far = '<p>text</p><div style="height:3000px"></div>';
  const overH1 = (html: string, originOf?: (object: number) => number): Loading =>
    new Loading(html, {}, rulesOf(chromium), false, {}, originOf);

  test('a request below High waits while six requests to its origin run', () => {
    const html = `${far}${pictures(1, 9)}`;
    expect(new Loading(html).html()).toHaveLength(9);
    const loading = overH1(html);
    expect(loading.html()).toHaveLength(6);
    expect(loading.done('i1.jpg')).toEqual(['i7.jpg u=3,i']);
  });

  test('with pipelining, only the limit of ten requests below High counts', () => {
    const html = `${far}${pictures(1, 14)}`;
    const loading = new Loading(html, {}, rulesOf(chromium), false, {}, () => 0, false);
    expect(loading.html()).toHaveLength(10);
    expect(loading.done('i1.jpg')).toEqual(['i11.jpg u=3,i']);
  });

  test('a request does not wait for six requests to another origin, but at most ten requests below High run', () => {
    // the first seven pictures are of one origin, and the others of another one
    const loading = overH1(`${far}${pictures(1, 14)}`, object => (object <= 7 ? 0 : 1));
    const sent = loading.html().map(line => line.split('.')[0]);
    expect(sent).toEqual(['i1', 'i2', 'i3', 'i4', 'i5', 'i6', 'i8', 'i9', 'i10', 'i11']);
    // i7 is the first one that waits, and five requests to its origin run
    expect(loading.done('i1.jpg')).toEqual(['i7.jpg u=3,i']);
  });

  test('a request that waits for a connection keeps its place when layout makes it urgent; later ones pass it', () => {
    const html = `<p>text</p>${Array.from({length: 8}, (_, i) => `<img src=i${i + 1}.jpg width=90 height=90>`).join('')}`;
    const loading = new Loading(html, {}, rulesOf(chromium), false, {layoutMs: 9});
    expect(loading.html()).toEqual([1, 2, 3, 4, 5, 6].map(i => `i${i}.jpg u=3,i`));
    expect(loading.later(9)).toEqual(['i7.jpg u=1,i', 'i8.jpg u=1,i']);
    // over HTTP/2 the server is told of all pictures
    const multiplexed = new Loading(html, {}, rulesOf(chromium), true, {layoutMs: 9});
    expect(multiplexed.html()).toHaveLength(8);
    expect(multiplexed.later(9)).toEqual([1, 2, 3, 4, 5, 6, 7, 8].map(i => `i${i}.jpg → u=1`));
  });
});

test('Safari requests a style sheet that does not apply to the screen with the lowest priority', () => {
  const html = '<p>text</p><link rel=stylesheet media=print href=p.css>';
  expect(new Loading(html, {}, rulesOf(safari)).html()).toEqual(['p.css u=7,i']);
});

test('the scanner of Safari reads ahead only while a script, or a style sheet in the body, holds up the parser', () => {
  const inSafari = (html: string) => new Loading(html, {}, rulesOf(safari));
  // the scanner and the parser both preconnect
  const [preconnect, done] = ['<link rel=preconnect href=https://b.test>', 'preconnect https://b.test'];
  expect(inSafari(`<p>text</p>${preconnect}`).html()).toEqual([done]);
  const inHead = inSafari(`<link rel=stylesheet href=a.css>${preconnect}`);
  expect([...inHead.html(), ...inHead.done('a.css')]).toEqual([done, 'a.css u=1,i']);
  for (const [name, html] of [
    ['s.js', '<script src=s.js></script>'],
    ['s.css', '<link rel=stylesheet href=s.css>'],
  ] as const) {
    const loading = inSafari(`<p>text</p>${html}${preconnect}`);
    expect(loading.html()).toEqual([done, `${name} u=1,i`]);
    expect(loading.done(name)).toEqual([done]);
  }
});

describe('Largest Contentful Paint', () => {
  test('is the largest picture or text by the part that is on the screen', () => {
    const img = (name: string, width: number, height: number) => `<img src=${name} width=${width} height=${height}>`;
    const sized = `${img('a.jpg', 300, 200)}${img('b.jpg', 200, 1000)}${img('c.jpg', 100, 3000)}`;
    const loading = new Loading(`<p>text</p>${sized}`);
    loading.html();
    expect(loading.milestones()).toMatchObject({fcpNs: 28, lcpNs: 28, lcp: null});
    loading.later(100);
    loading.done('a.jpg');
    expect(loading.milestones()).toMatchObject({lcpNs: 128, lcp: 'a.jpg'});
    loading.later(100);
    loading.done('b.jpg');
    expect(loading.milestones()).toMatchObject({lcpNs: 228, lcp: 'b.jpg'});
    loading.later(100);
    loading.done('c.jpg');
    expect(loading.milestones()).toMatchObject({lcpNs: 228, lcp: 'b.jpg', loadNs: 300});
  });

  test('is not painted before the style sheets of the head have come', () => {
    const loading = new Loading('<link rel=stylesheet href=a.css><body><img src=a.jpg width=300 height=200>');
    loading.html();
    loading.done('a.jpg');
    expect(loading.milestones()).toMatchObject({fcpNs: null, lcpNs: null});
    loading.later(40);
    loading.done('a.css');
    expect(loading.milestones()).toMatchObject({fcpNs: 68, lcpNs: 68, lcp: 'a.jpg'});
  });
});

test('HTML in pieces is scanned and parsed as it comes', () => {
  const html = '<p>text</p><img src=a.jpg><img src=b.jpg>';
  const loading = new Loading(html);
  expect(loading.html(html.indexOf('<img src=b'))).toEqual(['a.jpg u=2,i']);
  expect(loading.html(html.length - 1)).toEqual([]);
  expect(loading.html()).toEqual(['b.jpg u=2,i']);
});

test('a part of the HTML is read when it comes, before the rest', () => {
  const html = '<p>text</p><img src=a.jpg><img src=b.jpg><p>more text</p>';
  const loading = new Loading(html);
  expect(loading.html(html.indexOf('<img src=b'))).toEqual(['a.jpg u=2,i']);
  expect(loading.html(html.indexOf('more'))).toEqual(['b.jpg u=2,i']);
});

test('if the document fails, the load ends when all objects that were found have ended', () => {
  const loading = new Loading('<p>text</p><img src=a.jpg><img src=b.jpg>');
  expect(loading.html(30)).toEqual(['a.jpg u=2,i']);
  expect(loading.failed('')).toEqual([]);
  expect(loading.isDone).toBe(false);
  loading.failed('a.jpg');
  expect(loading.isDone).toBe(true);
});
