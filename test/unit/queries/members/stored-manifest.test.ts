import { afterAll, describe, expect, test } from '@jest/globals';
import { gzipSync } from 'node:zlib';
import { storedManifestTask, type StoredManifest } from '#queries/members/stored-manifest.js';
import { answerOf } from '#runtime/isolation/offload.js';
import { billionLaughs } from '../../../support/billion-laughs.js';
import { builtOffload } from '../../../support/offload.js';

const offload = builtOffload();

afterAll(() => offload.close());

function packed(value: unknown): string {
  return Buffer.from(gzipSync(JSON.stringify(value)).toString('base64')).toString('base64');
}

function read(release: unknown): Promise<StoredManifest> {
  const answer = offload.run(storedManifestTask, JSON.stringify({ data: packed(release), namespace: 'shop' }), 'shop');
  return answerOf<StoredManifest>(answer, ({ message }) => ({ problem: message }));
}

const configMap = (name: string, size = 1): string =>
  `---\n# Source: web/x.yaml\napiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  size: 9007199254740993\n` +
  `  text: ${'x'.repeat(size)}\n`;
const SECRET = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: s\nstringData:\n  password: letmein # as ever\n';

describe('the manifest of a stored release', () => {
  test('has each object as it was rendered, then the hooks, and no content of Secrets', async () => {
    const list = `---\nkind: List\nitems:\n- ${SECRET.trimEnd().replaceAll('\n', '\n  ')}\n`;
    const hook = { manifest: SECRET, events: ['pre-install', 'pre-upgrade'] };
    const found = await read({ manifest: configMap('a') + list, hooks: [hook] });
    const secret = expect.stringContaining("stringData:\n  password: '*****'");
    expect(found).toEqual({
      objects: [
        expect.objectContaining({ kind: 'ConfigMap', name: 'a', namespace: 'shop', hook: '', problem: '' }),
        expect.objectContaining({ kind: 'Secret', name: 's', hook: '' }),
        expect.objectContaining({ kind: 'Secret', name: 's', hook: 'pre-install, pre-upgrade' }),
      ],
      more: 0,
    });
    const yaml = 'objects' in found ? found.objects.map((object) => object.yaml) : [];
    expect(yaml).toEqual([expect.stringContaining('size: 9007199254740993'), secret, secret]);
    expect(JSON.stringify(found)).not.toContain('letmein');
  });

  test('is cut, and says how much is left', async () => {
    const large = Array.from({ length: 12 }, (_, at) => configMap(`n${at}`, 1_000_000)).join('');
    const found = await read({ manifest: large });
    expect(found).toMatchObject({ more: 7 });
    const many = await read({ manifest: Array.from({ length: 1_010 }, (_, at) => configMap(`n${at}`)).join('') });
    expect(many).toMatchObject({ more: 10 });
  });

  test.each<[string, object, string]>([
    ['what is no manifest', { manifest: { a: 1 }, hooks: 'x' }, ''],
    ['hooks that are none', { manifest: configMap('a'), hooks: [null, 1, { events: [{}], manifest: 7 }] }, ''],
    ['what is no YAML', { manifest: '---\n{' }, 'not a release that can be read'],
    ['kinds that are none', { manifest: '---\nkind: [a]\n' }, 'not a release that can be read'],
    ['aliases of aliases', { manifest: billionLaughs(20) }, 'not a release that can be read'],
    ['what no API server takes', { manifest: 'x'.repeat(1_600_000) }, 'larger than any'],
    ['what unpacks to far more', { manifest: 'x'.repeat(17 * 1024 * 1024) }, 'has more than'],
  ])('of %s is read or refused', async (_, release, problem) => {
    const found = await read(release);
    if (problem === '') expect(found).toMatchObject({ more: 0 });
    else expect(found).toEqual({ problem: expect.stringContaining(problem) });
  });
});
