import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {afterAll, beforeAll, expect, test, vi} from 'vitest';
import {type PageSnapshot, pageAs, pageStamp} from '../../app/page/page.ts';
import {scanEnds} from '../../app/page/scanEnds.ts';
import {scenarioDocument} from '../../app/run/scenario/document.ts';
import {parseScenario, type Scenario} from '../../app/run/scenario/scenario.ts';
import {encodeRun} from '../../app/run/trace/runFile.ts';
import {load} from '../engine/load.ts';
import {bytesOf, copyPage, withConverted} from './base/pageSnapshot.ts';
import {convertPage, openPageFor} from './convertPage.ts';
import {openPage} from './openPage.ts';

const FIXTURES = join(import.meta.dirname, '../../fixtures/pages');
const home = mkdtempSync(join(tmpdir(), 'interleave-converted-'));
let served: PageSnapshot;
let progressive: PageSnapshot;

const scenarioOf = (...panes: readonly object[]): Scenario => {
  const parsed = parseScenario({page: 'gallery-baseline', path: {loss: 0.03}, panes, seed: 7});
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
};

beforeAll(async () => {
  vi.stubEnv('XDG_CACHE_HOME', home);
  served = await openPage({kind: 'named', name: 'gallery-baseline'}, FIXTURES);
  progressive = await convertPage(served, ['progressive']);
});
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(home, {recursive: true, force: true});
});

test('a converted page has the same objects and addresses, and its JPEGs are progressive and smaller', () => {
  const page = pageAs(progressive, 'progressive');
  expect(page.objects.map(({url}) => url)).toEqual(served.objects.map(({url}) => url));
  expect(pageAs(progressive, 'progressive')).toBe(page);
  expect(pageAs(progressive, undefined)).toBe(progressive);
  const photos = page.objects.flatMap(({url, body}, i) =>
    url.endsWith('.jpg') ? [{body, before: served.objects[i]?.body}] : [],
  );
  expect(photos).toHaveLength(10);
  for (const {body, before} of photos) {
    expect(body?.length).toBeLessThan(before?.length ?? 0);
    expect(scanEnds(body ?? new Uint8Array()).length).toBeGreaterThan(4);
  }
  expect(page.objects[0]?.body).toBe(served.objects[0]?.body);
});

test('the hash covers conversions, and a page without conversions keeps its hash', async () => {
  expect(await convertPage(served, [])).toBe(served);
  expect(pageStamp(served)).toEqual({hash: served.hash, leftOut: []});
  const again = await convertPage(served, ['progressive']);
  expect(pageStamp(progressive)).toEqual({hash: again.hash, leftOut: [], conversions: ['progressive']});
  const others = await Promise.all([convertPage(served, ['webp']), convertPage(served, ['progressive', 'webp'])]);
  expect(new Set([served, progressive, ...others].map(({hash}) => hash)).size).toBe(4);
});

test('the hash covers the bytes of the original and of the converted objects', () => {
  const made = progressive.converted ?? [];
  const other = made.map(each => ({
    ...each,
    objects: each.objects.map(object => object && {...object, body: object.body.slice().fill(0, -1)}),
  }));
  const hashes = [
    withConverted(served, made),
    withConverted(served, other),
    withConverted({...served, hash: 'another'}, made),
  ].map(({hash}) => hash);
  expect(new Set([served.hash, ...hashes]).size).toBe(4);
  expect(hashes[0]).toBe(progressive.hash);
});

test('the hash does not cover the duration of a conversion', async () => {
  vi.stubEnv('XDG_CACHE_HOME', join(home, 'elsewhere'));
  const slower = await convertPage(served, ['progressive']);
  vi.stubEnv('XDG_CACHE_HOME', home);
  expect(slower.hash).toBe(progressive.hash);
  expect(slower.converted?.[0]?.objects[2]?.tookMs).toBeGreaterThan(0);
});

test('conversions for other panes do not change the trace of a pane without conversion', async () => {
  const [tcp, converted] = [{pipeline: 'tcp'}, {pipeline: 'tcp', conversion: 'progressive'}];
  const both = scenarioOf(tcp, converted);
  const alone = scenarioOf(tcp);
  const page = await openPageFor(both, FIXTURES);
  const [left, right] = load(page, both, 7).panes;
  const [plain] = load(served, alone, 7).panes;
  if (left === undefined || right === undefined || plain === undefined) throw new Error('a pane is missing');
  const bytes = (panes: (typeof left)[]) => encodeRun({scenario: null, panes});
  expect(Buffer.from(bytes([left])).equals(bytes([plain]))).toBe(true);
  expect(right.conversion).toBe('progressive');
  expect(right.objects.map(({bytes}) => bytes)).toEqual(
    pageAs(progressive, 'progressive').objects.map(({body}) => body?.length ?? 0),
  );
  expect(right.outcome).toBe('complete');
});

test('a scenario without a conversion equals a scenario with the conversion “none”', () => {
  const document = scenarioDocument(scenarioOf({pipeline: 'tcp', conversion: 'none'}));
  expect(document).toEqual(scenarioDocument(scenarioOf({pipeline: 'tcp'})));
  expect(JSON.stringify(document)).not.toContain('conversion');
});

test('a load that needs a missing conversion throws an error that names the conversion', () => {
  const scenario = scenarioOf({pipeline: 'tcp', conversion: 'avif'});
  expect(() => load(progressive, scenario, 1)).toThrow(
    'the page gallery-baseline was opened without its avif pictures',
  );
});

test('converted bodies are included in the size, and are copied for other processes', () => {
  const made = progressive.converted?.[0]?.objects ?? [];
  const bytes = made.reduce((sum, object) => sum + (object?.body.length ?? 0), 0);
  expect(bytesOf(progressive)).toBe(bytesOf(served) + bytes);
  const copy = copyPage(progressive);
  expect(copy).toEqual(progressive);
  expect(copy.converted?.[0]?.objects[2]?.body.buffer).toBeInstanceOf(ArrayBuffer);
});
