import {expect, test} from 'vitest';
import {smallQuality} from '../../run/quality/testing/smallQuality.ts';
import {PRESETS} from '../../run/scenario/presets.ts';
import {parseScenario, type Scenario} from '../../run/scenario/scenario.ts';
import {smallTrace} from '../../run/trace/testing/smallTrace.ts';
import {Trace} from '../../run/trace/trace.ts';
import {likenessText, pageText, pageTitle, presetName, presetOf} from './likeness.ts';

const scenarioOf = (document: object): Scenario => {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
};

test('the title of a page is its name or web address, but only the last part of a file path', () => {
  expect(
    [
      'gallery',
      'https://example.com/a/b/index.html',
      '/home/me/shop',
      './shop/index.html',
      'C:\\Users\\me\\shop.mhtml',
      '../shop/',
      '/',
    ].map(name => pageTitle({name})),
  ).toEqual(['gallery', 'https://example.com/a/b/index.html', 'shop', 'shop', 'shop.mhtml', 'shop', '/']);
});

test('the text says what the panes have in common and which of their settings differ', () => {
  const tcp = {pipeline: 'tcp', profile: 'classic'};
  const sctp = {pipeline: 'sctp', profile: 'classic', streams: 10};
  const text = (...panes: readonly object[]) => likenessText(scenarioOf({panes}));
  expect(text(tcp, sctp)).toBe(
    'same page, path, seed and profile ‘classic’ (stacks of 2007); only the transport differs',
  );
  expect(text(tcp, {...sctp, profile: 'modern'})).toBe(
    'same page, path and seed; the transport and the setting ‘profile’ differ',
  );
  expect(text(sctp, {...sctp, streams: 2})).toBe(
    'same page, path, seed and profile ‘classic’ (stacks of 2007); only the setting ‘streams’ differs',
  );
  expect(text(tcp, tcp)).toBe('same page, path, seed and profile ‘classic’ (stacks of 2007); nothing differs');
  expect(text({...tcp, tls: true}, {...tcp, connections: 2}, {pipeline: 'h3'})).toBe(
    'same page, path, seed and profile ‘classic’ (stacks of 2007); the transport and the settings ‘connections’ and ‘TLS’ differ',
  );
  expect(text({...tcp, tls: true}, {...tcp, connections: 2})).toMatch(/; the settings ‘connections’ and ‘TLS’ differ$/);
  // a setting without a field in the window has the name that scenarios give it
  expect(text(sctp, {...sctp, messageBytes: 1024})).toMatch(/; only the setting ‘messageBytes’ differs$/);
  expect(text(tcp)).toBe('');
});

test('the text says if single panes drop packets', () => {
  const drop = {down: {packets: [30], applies: 'data'}};
  const text = (...panes: readonly object[]) => likenessText(scenarioOf({panes}));
  expect(text({pipeline: 'tcp'}, {pipeline: 'sctp', drop})).toBe(
    'same page, path, seed and profile ‘classic’ (stacks of 2007); the transport and the losses differ: ' +
      'right also loses data packet 30',
  );
  expect(text({pipeline: 'tcp'}, {pipeline: 'tcp', drop})).toMatch(
    /; only the losses differ: right also loses data packet 30$/,
  );
});

test('the text says if the panes share the path', () => {
  const panes = [{pipeline: 'h3'}, {pipeline: 'h2'}];
  expect(likenessText(scenarioOf({path: {atOnce: true}, panes}))).toBe(
    'same page, seed and profile ‘classic’ (stacks of 2007), at the same time on one path; only the transport differs',
  );
});

test('the text about live loads mentions neither seed nor path nor profile', () => {
  const panes = [{pipeline: 'tcp'}, {pipeline: 'sctp'}];
  const text = (path: object, own: object = {}) =>
    likenessText(scenarioOf({path: {live: 'a:1', ...path}, panes: [panes[0], {...panes[1], ...own}]}));
  expect(text({})).toBe('same page and server, one after the other; only the transport differs');
  expect(text({atOnce: true})).toBe('same page and server, all at once; only the transport differs');
  expect(text({}, {path: {live: 'b:1'}})).toBe('same page, one after the other; only the transport differs');
});

test('the text does not say ‘same page’ if the pictures of the panes are converted differently', () => {
  const tcp = {pipeline: 'tcp', profile: 'classic'};
  const progressive = {...tcp, conversion: 'progressive'};
  const text = (...panes: readonly object[]) => likenessText(scenarioOf({panes}));
  expect(text(tcp, progressive)).toBe(
    'same path, seed and profile ‘classic’ (stacks of 2007); only the page’s pictures differ: left as served, ' +
      'right progressive',
  );
  expect(text(progressive, {pipeline: 'sctp', conversion: 'avif', streams: 3}, tcp)).toBe(
    'same path, seed and profile ‘classic’ (stacks of 2007); the transport and the page’s pictures differ: ' +
      'pane 1 progressive, pane 2 AVIF, pane 3 as served',
  );
  expect(text({...progressive, tls: true}, tcp)).toMatch(/; the setting ‘TLS’ and the page’s pictures differ: /);
  expect(text(progressive, progressive)).toBe(
    'same page (pictures progressive), path, seed and profile ‘classic’ (stacks of 2007); nothing differs',
  );
});

test('a scenario equals a preset whatever its seed is, unless anything else differs', () => {
  for (const preset of PRESETS) {
    const scenario = scenarioOf({...preset.scenario, seed: 77});
    expect(presetOf(scenario)?.name).toBe(preset.name);
    // any edit sets typicalOf to null, because the seed was not chosen as typical for the edited scenario
    expect(presetOf({...scenario, typicalOf: null})?.name).toBe(preset.name);
    expect(presetOf({...scenario, serverThinkMs: 1})).toBeUndefined();
  }
  expect(PRESETS.map(presetName)).toContain('The movies of Natarajan et al., 2007');
});

test('the size of a page is the sum of its objects, and the number of pictures is that of the measured ones', () => {
  const object = (contentType: string, bytes: number | null) => ({
    url: '/',
    contentType,
    body: bytes === null ? null : new Uint8Array(bytes),
  });
  const page = {name: 'p', headerBytes: 0, requestBytes: 0};
  const html = object('text/html', 3000);
  expect(pageText({...page, objects: [html, object('image/png', 900), object('image/jpeg', null)]})).toBe(
    '4 KB, … pictures',
  );
  expect(pageText({...page, objects: [object('text/html', 10)]})).toBe('10 B, no pictures');
  const eye = {quality: smallQuality(), thresholds: {recognisable: 0.5, good: 0.9}};
  expect(pageText({...page, objects: [html]}, new Trace(smallTrace()), eye)).toBe('3 KB, 1 picture');
  const blind = {...eye, quality: {...eye.quality, objects: []}};
  expect(pageText({...page, objects: [html]}, new Trace(smallTrace()), blind)).toBe('3 KB, no pictures');
});
