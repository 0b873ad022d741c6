import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { secretResource } from '#api/core.js';
import { ensureTools } from '#sandbox/tools.js';
import { conditionOf, createHarness, type Harness } from '../../apiserver/source/harness.js';
import { Pusher, tarLayer } from '../../support/oci.js';

const execute = promisify(execFile);
const KEYS = {
  'p-256': () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  'p-384': () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
  'p-521': () => generateKeyPairSync('ec', { namedCurve: 'P-521' }),
  rsa: () => generateKeyPairSync('rsa', { modulusLength: 3_072 }),
  ed25519: () => generateKeyPairSync('ed25519'),
};
const NAMES = Object.keys(KEYS) as (keyof typeof KEYS)[]; // what it has

let harness: Harness;
let cosign: string;
let folder: string;

/** The real cosign, with no configuration but ours. */
async function run(...args: readonly string[]): Promise<void> {
  await execute(cosign, args, { cwd: folder, env: { HOME: folder, COSIGN_PASSWORD: '' } });
}

async function makeKey(name: keyof typeof KEYS): Promise<void> {
  const { privateKey } = KEYS[name]();
  await writeFile(path.join(folder, `${name}.pem`), privateKey.export({ type: 'pkcs8', format: 'pem' }));
  await run('import-key-pair', '--key', `${name}.pem`, '--output-key-prefix', name);
  const stringData = { 'cosign.pub': await readFile(path.join(folder, `${name}.pub`), 'utf8') };
  const object = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: harness.namespace }, stringData };
  await harness.host.create(secretResource, object);
}

beforeAll(async () => {
  ({ cosign } = await ensureTools(['cosign'], { log: (line) => process.stdout.write(`${line}\n`) }));
  folder = await mkdtemp(path.join(tmpdir(), 'fairlead-cosign-'));
  harness = await createHarness('src-cosign');
  for (const name of NAMES) await makeKey(name);
}, 1_800_000);

afterAll(async () => {
  await harness.close();
  await rm(folder, { recursive: true, force: true });
});

test.each(
  NAMES.flatMap((name) => [
    { name, layout: 'layer', isBundle: false },
    { name, layout: 'bundle', isBundle: true },
  ]),
)('an artifact that cosign signed with $name in a $layout', async ({ name, layout, isBundle }) => {
  const object = `${name}-${layout}`;
  const place = `${harness.world.registry}/${harness.namespace}/${object}`;
  const pusher = new Pusher(`http://${harness.world.registry}`, `${harness.namespace}/${object}`);
  const digest = await pusher.image('latest', [await tarLayer({ 'app.yaml': 'a: 1\n' })]);
  const spec = { url: `oci://${place}`, insecure: true, verify: { secretRef: { name } } };
  await harness.apply('OCIRepository', object, spec);
  await harness.until('OCIRepository', object, (current) =>
    expect(conditionOf(current, 'SourceVerified')).toMatchObject({ status: 'False', reason: 'VerificationError' }),
  );
  const offline = ['--tlog-upload=false', '--use-signing-config=false', '--allow-http-registry', '--yes'];
  await run('sign', '--key', `${name}.key`, `--new-bundle-format=${isBundle}`, ...offline, `${place}@${digest}`);
  await harness.reconcile('OCIRepository', object);
  const { status } = await harness.untilReady('OCIRepository', object);
  expect(status?.artifact?.revision).toBe(`latest@${digest}`);
});
