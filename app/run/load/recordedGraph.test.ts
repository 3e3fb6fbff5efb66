import {expect, test} from 'vitest';
import {bytesOf} from '../../base/bytes.ts';
import {NO_TIMES} from '../../browsers/browser.ts';
import {chromium} from '../../browsers/chromium.ts';
import {assemblePage} from '../../page/assemble.ts';
import {outlineOf} from '../../page/outline.ts';
import type {Insertion, RecordedBox, RecordedCause, RecordedRequest} from '../../page/recording.ts';
import {DocumentLoad} from './documentLoad.ts';

// A document that follows a recording. Files come when the test says so, and times are in ms.

interface Recorded {
  readonly html: string;
  /** Files that only scripts request. */
  readonly more?: readonly string[];
  readonly requests?: readonly Asked[];
  readonly insertions?: readonly Insertion<string>[];
  readonly boxes?: readonly RecordedBox<string>[];
  readonly cpuFactor?: number;
}

type Asked = Partial<Omit<RecordedRequest, 'object' | 'cause'>> & {
  readonly file: string;
  readonly cause: RecordedCause<string>;
};

class Following {
  readonly #files: readonly string[];
  readonly #html: Uint8Array;
  readonly #document: DocumentLoad;
  #sent: string[] = [];
  #nowNs = 0;

  constructor({html, more = [], requests = [], insertions = [], boxes = [], cpuFactor = 1}: Recorded) {
    this.#html = bytesOf(html);
    const named = assemblePage('page', this.#html, () => bytesOf('x'));
    const extra = more.map(file => ({url: `/${file}`, contentType: 'image/png', body: bytesOf('x')}));
    const page = {...named, objects: [...named.objects, ...extra]};
    this.#files = page.objects.map(({url}) => url.slice(1));
    const numbered = <C extends RecordedCause<string>>(cause: C) =>
      ('object' in cause ? {...cause, object: this.#numberOf(cause.object)} : cause) as RecordedCause;
    const recording = {
      browser: 'Chrome/156',
      viewport: {width: 1024, height: 768},
      requests: requests.map(({file, cause, ...request}) => {
        const object = this.#numberOf(file);
        return {...UNSTATED, ...request, object, cause: numbered(cause)};
      }),
      insertions: insertions.map(each => ({...each, cause: numbered(each.cause)})),
      boxes: boxes.map(box => ({...box, object: box.object === null ? null : this.#numberOf(box.object)})),
      all: {requests: 9, bytes: 0},
    };
    const {rules} = chromium;
    if (rules === undefined) throw new Error('no rules');
    this.#document = new DocumentLoad({
      outline: outlineOf(page),
      bodies: page.objects.map(({body}) => body),
      rules: {...rules, ...NO_TIMES, paintMs: 28},
      originOf: () => 0,
      hasPriorities: true,
      carriesOne: false,
      onFound: () => undefined,
      request: object => this.#sent.push(this.#files[object] ?? ''),
      reprioritize: () => undefined,
      preconnect: () => undefined,
      recorded: {recording, cpuFactor},
    });
    this.#document.start();
    this.#document.handleBytes(0, this.#html.length, 0);
    this.#document.handleDone(0, true, 0);
    this.#document.settle(0);
  }

  /** What has been requested since the last call. */
  sent(): readonly string[] {
    return this.#sent.splice(0).filter(file => file !== '');
  }

  /** Lets files come at `ms`. The document is called at every time for which it asks until then. */
  at(ms: number, ...files: readonly string[]): readonly string[] {
    const untilNs = ms * 1e6;
    for (;;) {
      const nextNs = this.#document.pollTimeoutNs(this.#nowNs);
      if (nextNs === undefined || nextNs >= untilNs) break;
      this.#nowNs = nextNs;
      this.#document.settle(nextNs);
    }
    this.#nowNs = untilNs;
    for (const file of files) this.#document.handleDone(this.#numberOf(file), true, untilNs);
    this.#document.settle(untilNs);
    return this.sent();
  }

  get isDone(): boolean {
    return this.#document.isDone;
  }

  milestones() {
    return this.#document.milestones();
  }

  #numberOf(file: string): number {
    const object = this.#files.indexOf(file);
    if (object < 0) throw new Error(`no file ${file}`);
    return object;
  }
}

const UNSTATED = {cpuMs: 0, waitMs: 0, type: 'image', priority: 'Low', blocking: false, runMs: 0} as const;
const byScript = (object: string) => ({by: 'script', object}) as const;

const GALLERY: Recorded = {
  html: '<body><p>text</p><script src="app.js"></script><img src="late.png">',
  more: ['in.png', 'list.json', 'item.png'],
  requests: [
    {file: 'app.js', cause: {by: 'html', object: ''}, type: 'script', runMs: 40},
    {file: 'in.png', cause: byScript('app.js'), cpuMs: 30},
    {file: 'list.json', cause: byScript('app.js'), type: 'data', cpuMs: 35},
    {file: 'item.png', cause: {by: 'data', object: 'list.json'}, cpuMs: 4, waitMs: 100},
  ],
};

test('a request of a script is sent when the script has run for as long as in the recording', () => {
  const load = new Following(GALLERY);
  expect(load.sent()).toEqual(['app.js', 'late.png']);
  expect(load.at(200, 'app.js')).toEqual([]);
  expect(load.at(229)).toEqual([]);
  expect(load.at(231)).toEqual(['in.png']);
  expect(load.at(300)).toEqual(['list.json']);
});

test('the CPU factor stretches the run time of scripts, but not the waits of timers', () => {
  const slow = new Following({...GALLERY, cpuFactor: 4});
  slow.at(200, 'app.js');
  expect(slow.at(319)).toEqual([]);
  expect(slow.at(321)).toEqual(['in.png']);
  slow.at(400);
  slow.at(500, 'list.json');
  expect(slow.at(615)).toEqual([]);
  expect(slow.at(617)).toEqual(['item.png']);
  const none = new Following({...GALLERY, cpuFactor: 0});
  none.sent();
  expect(none.at(200, 'app.js')).toEqual(['list.json', 'in.png']);
});

test('a script that runs holds up the parser, and the document is parsed when the script ends', () => {
  const load = new Following(GALLERY);
  load.at(200, 'app.js', 'late.png');
  load.at(300);
  expect(load.milestones().dclNs).toBe(240e6);
});

test('an object that a file names twice does not hold up the load after it has come', () => {
  const cause = {by: 'html', object: ''} as const;
  const load = new Following({
    html: '<body><p>text</p>',
    more: ['in.png'],
    requests: [
      {file: 'in.png', cause, cpuMs: 5},
      {file: 'in.png', cause, cpuMs: 50},
    ],
  });
  expect(load.at(10, 'in.png')).toEqual(['in.png']);
  load.at(70);
  expect(load.isDone).toBe(true);
});

test('the load event waits for requests of scripts but not of timers; the load is done after all requests', () => {
  const load = new Following(GALLERY);
  load.at(200, 'app.js', 'late.png');
  load.at(250, 'in.png');
  expect(load.milestones().loadNs).toBeNull();
  load.at(300, 'list.json');
  load.at(310);
  expect(load.milestones().loadNs).toBe(300e6);
  expect(load.isDone).toBe(false);
  load.at(500);
  load.at(600, 'item.png');
  expect(load.isDone).toBe(true);
});

test('an inline script is known by its number among all script elements', () => {
  const load = new Following({
    html: '<body><script type="application/json">{}</script><script>a()</script><script src="b.js"></script>',
    more: ['one.png', 'two.png'],
    requests: [
      {file: 'one.png', cause: {by: 'inline', script: 1}, cpuMs: 10},
      {file: 'two.png', cause: {by: 'inline', script: 0}},
    ],
  });
  expect(load.sent()).toEqual(['b.js']);
  expect(load.at(11)).toEqual(['one.png']);
});

test('inserted scripts run when they have come, deferred scripts in their order, and event handlers last', () => {
  const load = new Following({
    html: '<script src="a.js" defer></script><script src="b.js" defer></script>',
    more: ['c.js', 'd.png', 'e.png', 'f.png', 'g.png'],
    requests: [
      {file: 'a.js', cause: {by: 'html', object: ''}, type: 'script', runMs: 10},
      {file: 'c.js', cause: byScript('a.js'), type: 'script'},
      {file: 'd.png', cause: byScript('c.js')},
      {file: 'e.png', cause: byScript('b.js')},
      {file: 'f.png', cause: {by: 'load', event: 'DOMContentLoaded'}},
      {file: 'g.png', cause: {by: 'load', event: 'load'}},
    ],
  });
  expect(load.at(100, 'b.js')).toEqual(['a.js', 'b.js']);
  expect(load.at(200, 'a.js')).toEqual(['c.js']);
  expect(load.at(220)).toEqual(['e.png', 'f.png']);
  expect(load.milestones().dclNs).toBe(210e6);
  expect(load.at(300, 'c.js')).toEqual(['d.png']);
  expect(load.at(400, 'd.png', 'e.png', 'f.png')).toEqual(['g.png']);
  expect(load.milestones().loadNs).toBe(400e6);
});

test('insertions are made when their script ends, and those of scripts that never run are not', () => {
  const at = {at: 0, html: '<p>'};
  const load = new Following({
    ...GALLERY,
    insertions: [
      {...at, cause: byScript('app.js')},
      {...at, cause: {by: 'data', object: 'list.json'}},
      {...at, cause: {by: 'inline', script: 7}},
    ],
  });
  load.at(200, 'app.js');
  load.at(300);
  expect(load.milestones().insertedNs).toEqual([240e6, null, null]);
  load.at(400, 'list.json');
  expect(load.milestones().insertedNs).toEqual([240e6, 400e6, null]);
});

test('an inserted picture can be the largest, at its recorded place', () => {
  const load = new Following({
    ...GALLERY,
    boxes: [
      {object: 'in.png', x: 0, y: 0, width: 800, height: 600},
      {object: 'late.png', x: 0, y: 5000, width: 900, height: 900},
    ],
  });
  load.at(200, 'app.js', 'late.png');
  load.at(250, 'in.png');
  const {lcpObject, lcpNs} = load.milestones();
  expect([lcpObject, lcpNs]).toEqual([3, 278e6]);
});
