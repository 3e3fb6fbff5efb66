// This file makes the mutants of a TypeScript file. A mutant is the same file with one small fault. mutate.mjs finds
// out whether a test notices each fault.
import {parseAst} from 'vite';

/**
 * One fault: the text from `start` to `end` becomes `text`.
 *
 * @typedef {{start: number, end: number, text: string}} Mutant
 */

/**
 * A node of the syntax tree (ESTree).
 *
 * @typedef {{type: string, start: number, end: number} & Record<string, any>} Node
 */

/**
 * Returns the mutants of a source file, in the order of their places in the file. A mutant has another operator,
 * number, boolean or condition than the source, lacks a call or a `!`, or has `Math.max` for `Math.min` or the reverse.
 * Types and imports are not changed, because the type checker finds their faults. `throw` statements are not changed,
 * because most faults there would only change the text of an error, which no test should repeat.
 *
 * @param {string} source
 * @param {string} path its extension says whether it has types and JSX
 * @returns {Mutant[]}
 */
export function mutantsOf(source, path) {
  const lang = /\.tsx$/.test(path) ? 'tsx' : /\.ts$/.test(path) ? 'ts' : 'js';
  /** @type {Mutant[]} */
  const mutants = [];
  visit(/** @type {any} */ (parseAst(source, {lang})), node => {
    for (const mutant of faultsIn(node, source)) mutants.push(mutant);
  });
  return mutants.sort((a, b) => a.start - b.start || a.end - b.end || (a.text < b.text ? -1 : 1));
}

/**
 * Returns the source with one fault.
 *
 * @param {string} source
 * @param {Mutant} mutant
 */
export function withFault(source, {start, end, text}) {
  return source.slice(0, start) + text + source.slice(end);
}

/** Each operator, and the operator that replaces it in a mutant. @type {Readonly<Record<string, string>>} */
const CONFUSED = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
};

/**
 * @param {Node} node
 * @param {string} source
 * @returns {Mutant[]}
 */
function faultsIn(node, source) {
  const of = (/** @type {Node} */ part) => source.slice(part.start, part.end);
  const whole = (/** @type {string} */ text) => ({start: node.start, end: node.end, text});
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression':
    case 'AssignmentExpression': {
      const operator = CONFUSED[node['operator']];
      // a plus that joins texts cannot become a minus
      if (operator === undefined || (node['operator'] === '+' && [node['left'], node['right']].some(isText))) return [];
      const between = {start: node['left'].end, end: node['right'].start};
      const text = source.slice(between.start, between.end).replace(node['operator'], operator);
      return [{...between, text}];
    }
    case 'UnaryExpression':
      return node['operator'] === '!' ? [whole(of(node['argument']))] : [];
    case 'IfStatement':
    case 'ConditionalExpression': {
      const {start, end} = node['test'];
      return ['true', 'false'].map(text => ({start, end, text}));
    }
    case 'Literal':
      if (typeof node['value'] === 'boolean') return [whole(String(!node['value']))];
      return typeof node['value'] === 'number' ? [whole(String(node['value'] + 1))] : [];
    case 'MemberExpression':
      if (of(node) === 'Math.min') return [whole('Math.max')];
      return of(node) === 'Math.max' ? [whole('Math.min')] : [];
    case 'ExpressionStatement':
      return node['expression'].type === 'CallExpression' ? [whole(';')] : [];
    default:
      return [];
  }
}

/** @param {Node} node */
function isText(node) {
  return node.type === 'TemplateLiteral' || (node.type === 'Literal' && typeof node['value'] === 'string');
}

/**
 * Visits the nodes that run, parents first.
 *
 * @param {Node} node
 * @param {(node: Node) => void} found
 */
function visit(node, found) {
  if (node.type.startsWith('TS') && !KEPT_TYPESCRIPT.has(node.type)) return;
  if (LEFT_ALONE.has(node.type)) return;
  found(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') visit(child, found);
    }
  }
}

/** Nodes of TypeScript that contain code that runs: `x as T`, `x satisfies T`, `x!`. */
const KEPT_TYPESCRIPT = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression']);
const LEFT_ALONE = new Set(['ImportDeclaration', 'ThrowStatement']);
