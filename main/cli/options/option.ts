import {parseArgs} from 'node:util';
import {messageOf, nearest} from '../../../app/base/text.ts';
import {UsageError} from './usageError.ts';

/** One option of a command: how it is parsed, and the line that explains it in help. */
export interface Option {
  readonly type: 'string' | 'boolean';
  /** One letter, for `-s`. */
  readonly short?: string;
  /** Whether it may be given several times. */
  readonly multiple?: boolean;
  /** The placeholder for its value in help, such as `FILE`. */
  readonly value?: string;
  /** Whether the value may be left out. A boolean option; its value is read as an operand. */
  readonly isValueOptional?: boolean;
  /** Whole sentences. */
  readonly help: string;
}

export interface Options {
  readonly [name: string]: Option;
}

/** What the user gave, by the options' names. */
export type Values<O extends Options> = {
  readonly [K in keyof O]?:
    | (O[K]['type'] extends 'boolean' ? boolean : O[K] extends {readonly multiple: true} ? string[] : string)
    | undefined;
};

export interface Arguments<O extends Options> {
  readonly values: Values<O>;
  /** The arguments that are not options, in their order. */
  readonly operands: readonly string[];
}

/** @throws UsageError for an unknown option, which suggests the nearest one, and for an operand that is not allowed */
export function parseOptions<O extends Options>(
  args: readonly string[],
  options: O,
  hasOperands: boolean,
): Arguments<O> {
  const given = hasOperands ? splitOptionalValues(args, options) : joinNegative(args);
  try {
    const {values, positionals} = parseArgs({args: given, options, allowPositionals: hasOperands});
    return {values: values as Values<O>, operands: positionals};
  } catch (error) {
    const message = messageOf(error);
    const typed = /Unknown option '--?([^']+)'/.exec(message)?.[1];
    const near = typed === undefined ? undefined : nearest(typed, Object.keys(options));
    const hint = near === undefined ? '' : `; did you mean --${near}?`;
    throw new UsageError((message.split(/\. |\n/)[0] ?? message) + hint);
  }
}

/** `--listen=ADDRESS` becomes `--listen ADDRESS`: parseArgs knows no option whose value may be left out. */
function splitOptionalValues(args: readonly string[], options: Options): string[] {
  const isSplit = (arg: string): boolean => {
    const [, name = ''] = /^--([^=]+)=/.exec(arg) ?? [];
    return Object.hasOwn(options, name) && options[name]?.isValueOptional === true;
  };
  return args.flatMap(arg => (isSplit(arg) ? arg.split(/=(.*)/s, 2) : [arg]));
}

/** `--from -3s` becomes `--from=-3s`: parseArgs takes a negative time for an option. */
function joinNegative(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1);
    if (/^-[\d.]/.test(arg) && before?.startsWith('--')) joined.splice(-1, 1, `${before}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}
