import { APPLY_CASES } from './apply-cases.js';
import { BUILD_CASES } from './build-cases.js';
import type { Case, Files } from './case.js';
import { IGNORE_CASES } from './ignore-cases.js';
import { LIFE_CASES } from './life-cases.js';
import { REMOVAL_CASES } from './removal-cases.js';
import { sopsCases } from './sops-cases.js';
import { VARIABLE_CASES } from './variable-cases.js';

/** All of them; sops has encrypted the files of some. */
export function allCases(encrypted: Files): readonly Case[] {
  return [
    ...[...BUILD_CASES, ...APPLY_CASES, ...IGNORE_CASES, ...REMOVAL_CASES],
    ...[...LIFE_CASES, ...VARIABLE_CASES, ...sopsCases(encrypted)],
  ];
}
