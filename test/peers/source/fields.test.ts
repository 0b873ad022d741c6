import { beforeAll, expect, test } from '@jest/globals';
import { fieldsOfFlux, pathsIn } from '../spec-fields.js';
import { NOWHERE } from './case.js';
import { CASES } from './cases.js';

const LIMIT_MS = 600_000;
const REJECTED = 'rejected by the embedded engine, with a way out';
const COSIGN = 'compared with what the real cosign signs, in test/apiserver';
const SIGNED = ['provider', 'secretRef.name', 'matchOIDCIdentity.issuer', 'matchOIDCIdentity.subject'];

/** Fields of Flux that no case sets, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    SIGNED.flatMap((field) => [
      [`HelmChart.verify.${field}`, COSIGN],
      [`OCIRepository.verify.${field}`, COSIGN],
    ]),
  ),
  'Bucket.serviceAccountName': REJECTED,
  'GitRepository.serviceAccountName': 'only with the providers of clouds, which are rejected',
  'HelmRepository.accessFrom.namespaceSelectors.matchLabels': 'never implemented by Flux',
};

let fields: string[];
let compared: Set<string>;

/** `KIND.path.of.a.field` of all that cases set, and of what their runner sets in each spec. */
function fieldsOfCases(): Set<string> {
  const steps = CASES.filter(({ differs }) => differs === undefined).flatMap((subject) => subject.steps);
  const specs = steps.flatMap(({ objects }) => Object.entries(objects?.(NOWHERE) ?? {}));
  return new Set(
    specs.flatMap(([id, spec]) => [...pathsIn(spec), 'interval'].map((field) => `${id.split('/')[0]}.${field}`)),
  );
}

beforeAll(async () => {
  const all = await fieldsOfFlux('source-controller');
  // Others publish them, and source-controller does nothing with them.
  all.delete('ExternalArtifact');
  fields = [...all].flatMap(([kind, names]) => names.map((name) => `${kind}.${name}`));
  compared = fieldsOfCases();
}, LIMIT_MS);

test('each field of each spec is compared, or says why not', () => {
  expect(fields.length).toBeGreaterThan(60);
  expect(fields.filter((field) => !compared.has(field) && LEFT_OUT[field] === undefined)).toEqual([]);
});

test('what is left out is a field that no case sets', () => {
  expect(Object.keys(LEFT_OUT).filter((field) => !fields.includes(field) || compared.has(field))).toEqual([]);
});
