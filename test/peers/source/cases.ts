import type { Case } from './case.js';
import { CHART_CASES } from './chart-cases.js';
import { GIT_CASES } from './git-cases.js';
import { STORE_CASES } from './store-cases.js';

export const CASES: readonly Case[] = [...GIT_CASES, ...CHART_CASES, ...STORE_CASES];
