import { beforeAll, expect, test } from '@jest/globals';
import { fieldsOfFlux, pathsIn } from '../spec-fields.js';
import { allCases } from './cases.js';
import { COMMON_SPEC } from './story.js';

const LIMIT_MS = 600_000;
const REJECTED = 'rejected by the embedded engine, with a way out';

/** Fields of Flux that no case sets, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  suspend: 'nothing is reconciled, so that nothing is reported either',
  'kubeConfig.configMapRef.name': REJECTED,
  'decryption.serviceAccountName': REJECTED,
};

let fields: string[];
let compared: Set<string>;

beforeAll(async () => {
  const cases = allCases({}).filter(({ differs }) => differs === undefined);
  const specs = cases.flatMap(({ steps, others = {} }) => [...steps.map(({ spec }) => spec), ...Object.values(others)]);
  fields = (await fieldsOfFlux('kustomize-controller')).get('Kustomization') ?? [];
  compared = new Set([COMMON_SPEC, ...specs].flatMap((spec) => pathsIn(spec)));
}, LIMIT_MS);

test('each field of the spec is compared, or says why not', () => {
  expect(fields.length).toBeGreaterThan(50);
  expect(fields.filter((field) => !compared.has(field) && LEFT_OUT[field] === undefined)).toEqual([]);
});

test('what is left out is a field that no case sets', () => {
  expect(Object.keys(LEFT_OUT).filter((field) => !fields.includes(field) || compared.has(field))).toEqual([]);
});
