import {parseArgs} from 'node:util';
import {messageOf, nearest} from '../../../app/base/text.ts';
import {UsageError} from './usageError.ts';

/** An option of a command: how it is parsed, and how help explains it. */
export interface Option {
  readonly type: 'string' | 'boolean';
  /** The option's one-letter name: `s` for `-s`. */
  readonly short?: string;
  /** Whether the option may be given several times. */
  readonly multiple?: boolean;
  /** The placeholder for the option's value in help, such as `FILE`. */
  readonly value?: string;
  /**
   * Whether the user may leave out the option's value. Such an option has the type `boolean`, and its value is parsed
   * as an operand.
   */
  readonly isValueOptional?: boolean;
  /** What help says about the option, in whole sentences. */
  readonly help: string;
}

export interface Options {
  readonly [name: string]: Option;
}

/** The values that the user gave, keyed by the names of the options. */
export type Values<O extends Options> = {
  readonly [K in keyof O]?:
    | (O[K]['type'] extends 'boolean' ? boolean : O[K] extends {readonly multiple: true} ? string[] : string)
    | undefined;
};

export interface Arguments<O extends Options> {
  readonly values: Values<O>;
  /** The arguments that are not options, in the order in which the user gave them. */
  readonly operands: readonly string[];
}

/**
 * Parses the arguments of a command.
 * @throws UsageError for an unknown option, with the nearest known one as a suggestion; for an option without its
 * value; and for an operand if `hasOperands` is false
 */
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

/**
 * Splits `--listen=ADDRESS` into `--listen ADDRESS`, because parseArgs does not support options whose value may be left
 * out.
 */
function splitOptionalValues(args: readonly string[], options: Options): string[] {
  const isSplit = (arg: string): boolean => {
    const [, name = ''] = /^--([^=]+)=/.exec(arg) ?? [];
    return Object.hasOwn(options, name) && options[name]?.isValueOptional === true;
  };
  return args.flatMap(arg => (isSplit(arg) ? arg.split(/=(.*)/s, 2) : [arg]));
}

/** Joins `--from -3s` into `--from=-3s`, because parseArgs would read the negative time as an option. */
function joinNegative(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const before = joined.at(-1);
    if (/^-[\d.]/.test(arg) && before?.startsWith('--')) joined.splice(-1, 1, `${before}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}
