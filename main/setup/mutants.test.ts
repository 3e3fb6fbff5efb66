import {expect, test} from 'vitest';
import {mutantsOf, withFault} from './mutants.mjs';

/** Returns the mutated sources. */
function mutated(source: string, path = 'some.ts'): readonly string[] {
  return mutantsOf(source, path).map(mutant => withFault(source, mutant));
}

test('a mutant replaces one comparison, operator, number or boolean', () => {
  expect(mutated('a < 1;')).toEqual(['a <= 1;', 'a < 2;']);
  expect(mutated('a === b && !c;')).toEqual(['a !== b && !c;', 'a === b || !c;', 'a === b && c;']);
  expect(mutated('a += true;')).toEqual(['a -= true;', 'a += false;']);
  expect(mutated('Math.min(a, b + c)')).toEqual(['Math.max(a, b + c)', ';', 'Math.min(a, b - c)']);
});

test('a mutant makes a condition always or never true, or leaves out a call', () => {
  expect(mutated('if (a) f();')).toEqual(['if (false) f();', 'if (true) f();', 'if (a) ;']);
  expect(mutated('x = a ? b : c;')).toEqual(['x = false ? b : c;', 'x = true ? b : c;']);
});

test('types, imports, comments, thrown errors and joined texts are not mutated', () => {
  for (const source of [
    "import a from 'a';",
    'type T = 1 | true;',
    'interface I { a: 1 }',
    "throw new RangeError('1' + 2);",
    "x = 'a' + b;",
    '// a < 1',
    'let a: 1;',
  ]) {
    expect(mutated(source), source).toEqual([]);
  }
});

test('code inside of type assertions and JSX is mutated, too', () => {
  expect(mutated('x = (a < b) as T;')).toEqual(['x = (a <= b) as T;']);
  expect(mutated('x = <p>{a > b}</p>;', 'some.tsx')).toEqual(['x = <p>{a >= b}</p>;']);
});

test('a mutation is at the right place, even after letters that UTF-8 encodes in several bytes', () => {
  expect(mutated('// ä€😀\na < b;')).toEqual(['// ä€😀\na <= b;']);
});
