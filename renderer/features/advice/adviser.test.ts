import {describe, expect, test} from 'vitest';
import type {Json} from '../../../app/base/json.ts';
import type {Host, SeedsAnswer} from '../../../app/host/contract.ts';
import type {PageSnapshot} from '../../../app/page/page.ts';
import type {Pane} from '../../../app/pipelines/index.ts';
import type {PageQuality} from '../../../app/run/quality/pageQuality.ts';
import {DEFAULT_THRESHOLDS, type Eye} from '../../../app/run/quality/states.ts';
import {parseScenario, type Scenario} from '../../../app/run/scenario/scenario.ts';
import {adviceText, helpText} from '../../../app/study/advice/adviceTexts.ts';
import {advisedPane} from '../../../app/study/advice/candidates.ts';
import {fakeHost} from '../../session/grid/testing/gridHost.ts';
import {type AdviceRequest, Adviser, advisedPanes, browserPanes, isSameRequest} from './adviser.ts';

// The host answers when the test tells it to. A run of seed s takes (s · 2) mod 9 s, or 9 s if that is 0, plus the time
// that its setting costs.

const object = {url: '/o', contentType: 'image/png', body: new Uint8Array(1)};
const EYE: Eye = {quality: {screen: {width: 1, height: 1}, objects: []}, thresholds: DEFAULT_THRESHOLDS};
const page = {
  name: 'p',
  objects: [object, object, object],
  hash: 'h',
  leftOut: [],
} as unknown as PageSnapshot;
const requestOf = (document: object = {}, seeds = 10): AdviceRequest => {
  return {run: {scenario: scenarioOf(document), page}, eye: null, seeds};
};

/** A fake host with which a pane's setting costs the seconds that `laterS` returns. */
function advising(laterS: (pane: {readonly [key: string]: Json}) => number) {
  const fake = fakeHost();
  const loadSeeds = async (scenario: Json, hash: string, seeds: readonly number[]): Promise<SeedsAnswer> => {
    const answer = await fake.host.loadSeeds(scenario, hash, seeds);
    const {panes} = scenario as {readonly panes: readonly {readonly [key: string]: Json}[]};
    const ms = 1000 * laterS(panes[0] ?? {});
    if (!answer.ok) return answer;
    const rows = answer.rows.map(row => ({
      ...row,
      panes: row.panes.map(pane => ({...pane, values: pane.values.map(value => value && value + ms)})),
    }));
    return {ok: true, rows};
  };
  return {...fake, adviser: new Adviser({...fake.host, loadSeeds} as unknown as Host)};
}

describe('the adviser', () => {
  test('refuses a scenario whose panes do not have the same losses', async () => {
    const {adviser, asked} = advising(() => 0);
    await adviser.ask(requestOf({panes: [{pipeline: 'tcp', drop: {down: {packets: [3]}}}]}));
    expect(adviser.store.getState()).toMatchObject({isBusy: false, answers: null});
    expect(adviser.store.getState().problem).toMatch(
      /^panes\[0\]\.drop is .*: must be absent here, because all settings/,
    );
    expect(asked).toEqual([]);
  });

  test('finds the best setting, and then measures on other seeds what would help', async () => {
    const {adviser, asked, answerAll} = advising(({pipeline, streams, scheduler, profile}) => {
      if (profile === 'modern') return 0;
      if (pipeline === 'h2') return scheduler === 'weighted' ? 0.5 : 3;
      return streams === 2 && scheduler === 'weighted' ? 1 : 3;
    });
    const asking = adviser.ask(requestOf());
    await answerAll();
    await asking;
    const {answers, helps, isBusy, problem} = adviser.store.getState();
    const advice = answers?.streams;
    expect([isBusy, problem]).toEqual([false, null]);
    const browsers = answers?.browsers;
    const other = browsers?.aims.find(({aim}) => aim.name === 'pageTime');
    expect(other && browsers?.candidates[other.best]?.name).toBe('HTTP/2 (weighted)');
    const rival = helps?.rivals.find(({aim}) => aim.name === 'pageTime');
    expect(rival).toMatchObject({behindMs: 500, streams: {streams: 2}, browser: {name: 'HTTP/2 (weighted)'}});
    const own = advice?.aims.find(({aim}) => aim.name === 'pageTime');
    expect(own && advice?.candidates[own.best]).toMatchObject({streams: 2, scheduler: 'weighted'});
    // the page has two objects besides its HTML, and ten streams are set
    expect(advice?.candidates).toHaveLength(3 * 4);
    expect(own && advice && adviceText(own, advice)).toMatch(
      /^Over SCTP \(no browser supports it; without TLS\), page time T is least with 2 streams, weighted: /,
    );
    const seeds = new Set(asked.flatMap(each => each.seeds));
    expect(seeds).toEqual(new Set(Array.from({length: 20}, (_, i) => i + 1)));
    const helped = helps?.helped.filter(({aim}) => aim.name === 'pageTime') ?? [];
    expect(helped.map(({label, savedMs}) => `${label}: ${savedMs}`)).toEqual([
      'HTTP/2 (weighted) instead: 2500',
      'SCTP instead, 2 streams, weighted: 2000',
      'a newer stack: 3000',
      'HTTP/2 (weighted) instead: 2500',
      '2 streams, weighted: 2000',
      'a newer stack: 3000',
    ]);
    // seeds 11 to 20 take 4.9 s on average
    expect(helpText(helped, ['TCP', 'SCTP'], 10)).toBe(
      'The largest saving is with a newer stack (TCP): 3.00 ± 0.00 s of 7.90 s.',
    );
  });

  test('converts the page that is open, and uses the measured quality of the converted page', async () => {
    const {host, answerAll} = advising(() => 0);
    const converted = [{conversion: 'progressive', objects: [null, object, null]}];
    const opened: unknown[] = [];
    const eyes: (Eye | null)[] = [];
    const measured = {...EYE.quality, converted: [{conversion: 'progressive', objects: []}]} as PageQuality;
    const own = {
      ...host,
      openPage: async (_name: Json, _run: string, conversions: unknown) => {
        opened.push(conversions);
        return {ok: true, page: {...page, hash: 'progressive', converted}};
      },
      loadSeeds: (scenario: Json, hash: string, seeds: readonly number[], _run: string, eye: Eye | null) => {
        const {panes} = scenario as {readonly panes: readonly {readonly conversion?: string}[]};
        expect(hash).toBe(panes[0]?.conversion === undefined ? 'h' : 'progressive');
        eyes.push(eye);
        return host.loadSeeds(scenario, hash, seeds);
      },
    } as unknown as Host;
    const adviser = new Adviser(own, async ({hash}) => {
      expect(hash).toBe('progressive');
      return measured;
    });
    const asking = adviser.ask({...requestOf(), eye: EYE});
    await answerAll();
    await asking;
    const {helps} = adviser.store.getState();
    expect(helps?.plan.changes.map(({side, help}) => `${side} ${help}`)).toContain('1 progressive');
    expect(opened[0]).toEqual(['progressive']);
    expect(new Set(eyes.map(eye => eye?.quality))).toEqual(new Set([EYE.quality, measured]));
  });

  test('leaves out progressive pictures if they cannot be measured', async () => {
    const {host, answerAll} = advising(() => 0);
    const converted = [{conversion: 'progressive', objects: [object]}];
    const openPage = async () => ({ok: true, page: {...page, converted}});
    const adviser = new Adviser({...host, openPage} as unknown as Host, async () => {
      throw new Error('no screen');
    });
    const asking = adviser.ask({...requestOf(), eye: EYE});
    await answerAll();
    await asking;
    const {helps, problem, isBusy} = adviser.store.getState();
    expect([problem, isBusy]).toEqual([null, false]);
    expect(helps?.plan.absent.map(({side, help}) => `${side} ${help}`)).toContain('0 progressive');
  });

  test('aborts measuring when it is cancelled, and does not continue when advice is requested again', async () => {
    const {host, answerAll} = advising(() => 0);
    const converted = [{conversion: 'progressive', objects: [object]}];
    const openPage = async () => ({ok: true, page: {...page, converted}});
    const signals: AbortSignal[] = [];
    const adviser = new Adviser({...host, openPage} as unknown as Host, (_, {signal}) => {
      if (signal !== undefined) signals.push(signal);
      return new Promise((_resolve, reject) => {
        signal?.throwIfAborted();
        signal?.addEventListener('abort', reject);
      });
    });
    const request = {...requestOf(), eye: EYE};
    const first = adviser.ask(request);
    await answerAll();
    await expect.poll(() => signals).toHaveLength(1);
    expect(adviser.store.getState()).toMatchObject({isBusy: true, isConverting: true});
    adviser.cancel();
    expect(signals[0]?.aborted).toBe(true);
    expect(adviser.store.getState()).toMatchObject({isBusy: false, isConverting: false});
    const second = adviser.ask(request);
    await first;
    expect(adviser.changes.store.getState().plan).toBeNull();
    adviser.cancel();
    await answerAll();
    await second;
  });

  test('reports nothing of a cancelled request, and only the newest of several requests', async () => {
    const {adviser, answer, answerAll} = advising(() => 0);
    const first = adviser.ask(requestOf());
    await answer();
    adviser.cancel();
    await answerAll();
    await first;
    expect(adviser.store.getState()).toMatchObject({
      isBusy: false,
      answers: null,
      helps: null,
      problem: null,
    });
    const [second, third] = [adviser.ask(requestOf()), adviser.ask(requestOf({path: {loss: 0.1}}))];
    // the request that was given up must not report the end of the newer one
    const idle: unknown[] = [];
    adviser.store.subscribe(state => (state.isBusy || state.helps !== null ? 0 : idle.push(state)));
    await answerAll();
    await Promise.all([second, third]);
    expect(idle).toEqual([]);
    const {request, helps, isBusy} = adviser.store.getState();
    expect(request?.run.scenario.path.loss.down).toMatchObject({rate: 0.1});
    expect([helps === null, isBusy]).toEqual([false, false]);
  });

  test('reports why the host refuses', async () => {
    const {adviser, refuse} = advising(() => 0);
    const asking = adviser.ask(requestOf());
    await refuse('no');
    await refuse('no');
    await asking;
    expect(adviser.store.getState()).toMatchObject({isBusy: false, problem: 'no', answers: null});
  });
});

test('advice depends on the scenario without its seed, and on the number of seeds', () => {
  expect(isSameRequest(requestOf({seed: 1}), requestOf({seed: 2}))).toBe(true);
  expect(isSameRequest(requestOf(), requestOf({path: {loss: 0.1}}))).toBe(false);
  expect(isSameRequest(requestOf({}, 10), requestOf({}, 20))).toBe(false);
});

test('an advised pane replaces the advised side, or is added if there is none', () => {
  const pipelines = (document: object) => {
    const scenario = scenarioOf(document);
    const {pane, number} = advisedPane(scenario);
    const chosen = {...pane, scheduler: 'weighted'} as Pane;
    return advisedPanes(scenario, {number}, chosen).map(each => `${each['pipeline']} ${each['scheduler'] ?? ''}`);
  };
  expect(pipelines({})).toEqual(['tcp ', 'sctp weighted']);
  expect(pipelines({panes: [{pipeline: 'tcp'}]})).toEqual(['tcp ', 'sctp weighted']);
});

test('a pane that browsers offer replaces one with the same pipeline, or else one over TCP, or else is added', () => {
  const places = (...panes: readonly string[]) => {
    const scenario = scenarioOf({panes: panes.map(pipeline => ({pipeline}))});
    const [h2] = scenarioOf({panes: [{pipeline: 'h2'}]}).panes;
    return h2 === undefined ? [] : browserPanes(scenario, h2).map(each => each['pipeline']);
  };
  expect(places('tcp', 'h2', 'sctp')).toEqual(['tcp', 'h2', 'sctp']);
  expect(places('sctp', 'tcp')).toEqual(['sctp', 'h2']);
  expect(places('sctp')).toEqual(['sctp', 'h2']);
});

function scenarioOf(document: object): Scenario {
  const parsed = parseScenario(document);
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message);
  return parsed.scenario;
}
