import {readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {Ajv2020} from 'ajv/dist/2020.js';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import type {Json} from '../../app/base/json.ts';
import {PRESETS} from '../../app/run/scenario/presets.ts';
import {parseScenario} from '../../app/run/scenario/scenario.ts';
import {anyScenario} from '../../app/run/scenario/testing/anyScenario.ts';
import {root} from '../../main/setup/command.mjs';

// Compares schemas/scenario.schema.json with the program. Ajv, which knows nothing of the program's own checks, validates
// scenarios by the schema.

const file = JSON.parse(readFileSync(join(root, 'schemas/scenario.schema.json'), 'utf8')) as object;
const accepts = new Ajv2020({strict: true, allErrors: false}).compile(file);

const examples = readdirSync(join(root, 'examples')).filter(name => name.endsWith('.scenario.json'));

/** The limits that come from rules between several keys. The program has these rules, and the schema does not. */
const BETWEEN_KEYS =
  /absent|at least \d+(,| with)|at most (\d+, for|streams)|null without pipelining|none on a live path|on a live path|a whole loss with p and r|at most \d+ characters|the length of the trace|more than startMs/;

describe('the JSON Schema of scenarios', () => {
  test.each(PRESETS.map(({name, scenario}) => [name, scenario]))('takes the preset %s', (_, scenario) => {
    expect(accepts(scenario), JSON.stringify(accepts.errors)).toBe(true);
  });

  test.each(examples)('takes the example %s', name => {
    const scenario = JSON.parse(readFileSync(join(root, 'examples', name), 'utf8')) as Json;
    expect(parseScenario(scenario)).toMatchObject({ok: true});
    expect(accepts(scenario), JSON.stringify(accepts.errors)).toBe(true);
  });

  test('takes 200 random scenarios that the program takes', () => {
    fc.assert(
      fc.property(anyScenario, scenario => {
        expect(accepts(scenario), JSON.stringify(accepts.errors)).toBe(true);
      }),
      {numRuns: 200, seed: 24},
    );
  });

  test('takes and refuses the same as the program, for 200 scenarios in which one value or key was changed', () => {
    let refused = 0;
    fc.assert(
      fc.property(anyScenario, fc.nat(), value, misspelt, (scenario, at, other, isMisspelt) => {
        const document = changed(scenario, at, other, isMisspelt);
        const parsed = parseScenario(document);
        const isAlike = parsed.ok || !BETWEEN_KEYS.test(parsed.problems[0]?.limit ?? '');
        if (!parsed.ok && isAlike) refused++;
        const shown = JSON.stringify({document, parsed, errors: accepts.errors});
        if (isAlike) expect(accepts(document), shown).toBe(parsed.ok);
      }),
      {numRuns: 200, seed: 24},
    );
    expect(refused).toBeGreaterThan(100);
  });
});

test('a scenario file may name its schema', () => {
  const scenario = {$schema: './schemas/scenario.schema.json', seed: 7};
  expect(accepts(scenario)).toBe(true);
  expect(parseScenario(scenario)).toMatchObject({ok: true, scenario: {seed: 7}});
  expect(parseScenario({$schema: 7})).toMatchObject({ok: false});
});

const misspelt = fc.boolean();
const value: fc.Arbitrary<Json> = fc.oneof(
  fc.constantFrom<Json>(0, -1, 0.5, 1, 7, 1e13, true, null, '', 'tcp', 'all', [], {}),
  fc.constantFrom<Json>({down: 1}, {rate: 0.1}, {rate: 2}, {p: 0.1}, {packets: [1]}, {packets: [-1]}, {objects: 3}),
);

/** The document in which one place has another value, or one key another name. */
function changed(document: Json, at: number, value: Json, isMisspelt: boolean): Json {
  const copy = structuredClone(document) as {[key: string]: Json};
  const places: [object: {[key: string]: Json}, key: string][] = [];
  const collect = (node: {[key: string]: Json}): void => {
    for (const [key, inner] of Object.entries(node)) {
      places.push([node, key]);
      if (typeof inner === 'object' && inner !== null) collect(inner as {[key: string]: Json});
    }
  };
  collect(copy);
  const [object, key] = places[at % places.length] ?? [copy, 'seed'];
  if (!isMisspelt || Array.isArray(object)) object[key] = value;
  else {
    object[`${key}x`] = object[key] as Json;
    delete object[key];
  }
  return copy;
}
