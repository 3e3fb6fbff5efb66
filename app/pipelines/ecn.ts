import {ECNS, type Ecn, ecnLabel} from '../http/ecn.ts';
import type {Setting} from './setting.ts';

/** The setting for the use of ECN by both ends of a pane. */
export const ECN_SETTING = {
  kind: 'choice',
  help:
    'How both ends use ECN. With off, queues can only drop packets. With classic, queues mark packets instead, and a ' +
    'mark reduces the window like a loss (RFC 3168). With l4s, packets have the codepoint ECT(1), the receiver counts ' +
    'marks (over TCP as in RFC 9768), the window falls in proportion to the share of marked packets (RFC 9331, RFC ' +
    '8257), and packets are paced. A queue of the kind droptail marks no packets. bbr does not react to marks, ' +
    'so it cannot have l4s.',
  label: 'ECN',
  choices: ECNS.map(name => [name, ecnLabel(name)] as const),
  default: 'off',
} as const satisfies Setting;

/** Returns a short text for a use of ECN. It is empty without ECN. */
export function ecnText(ecn: Ecn): string {
  return ecn === 'off' ? '' : ecnLabel(ecn);
}

/** Returns the options of a transport's end for a use of ECN. */
export function ecnOption(ecn: Ecn): {readonly ecn?: Ecn} {
  return ecn === 'off' ? {} : {ecn};
}

/**
 * Checks whether the use of ECN and the congestion control are allowed together. Returns undefined if they are.
 * Otherwise, returns the key of the setting to change, and a text that says which of its values are allowed.
 */
export function ecnProblem({ecn, congestion}: {readonly ecn: Ecn; readonly congestion: string}) {
  return ecn === 'l4s' && congestion === 'bbr'
    ? ({
        key: 'ecn',
        limit: 'off or classic, because bbr does not react to marks as L4S requires (RFC 9331 §4.3)',
      } as const)
    : undefined;
}
