import {c03} from './c03.ts';
import {l06} from './l06.ts';
import {n07} from './n07.ts';
import {n08} from './n08.ts';
import type {Paper} from './paper.ts';
import {r02} from './r02.ts';

/** All papers whose experiments the program repeats. To add a paper, add it to this list. */
export const PAPERS: readonly Paper[] = [n07, n08, r02, l06, c03];
