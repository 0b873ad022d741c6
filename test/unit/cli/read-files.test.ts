import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { readFiles } from '#cli/command/files.js';

let dir: string;

beforeAll(async () => {
  dir = await mkdtemp(path.join(tmpdir(), 'fairlead-files-'));
});

afterAll(() => rm(dir, { recursive: true, force: true }));

async function fileWith(name: string, text: string): Promise<string> {
  const file = path.join(dir, name);
  await writeFile(file, text);
  return file;
}

function configMap(name: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}, namespace: shop}\n`;
}

it('reads all documents of all files in their order, and the items of lists', async () => {
  const list = `apiVersion: v1\nkind: List\nitems:\n- {apiVersion: v1, kind: Secret, metadata: {name: c}}\n`;
  const files = [await fileWith('a', `---\n${configMap('a')}---\n${configMap('b')}---\n`), await fileWith('b', list)];
  const objects = await readFiles(files);
  expect(objects.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
});

it('reads the manifests of a folder by name, and nothing else in it', async () => {
  const folder = await mkdtemp(path.join(dir, 'folder-'));
  await mkdir(path.join(folder, 'sub.yaml'));
  const texts = { 'b.yml': configMap('b'), 'a.yaml': configMap('a'), 'README.md': '# no manifest', 'c.json': '' };
  texts['c.json'] = JSON.stringify({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'c' } });
  for (const [name, text] of Object.entries(texts)) await writeFile(path.join(folder, name), text);
  const objects = await readFiles([folder]);
  expect(objects.map(({ object }) => object.metadata.name)).toEqual(['a', 'b', 'c']);
});

it('says which file does not exist', async () => {
  const file = path.join(dir, 'missing.yaml');
  await expect(readFiles([file])).rejects.toThrow(/cannot read .*missing.yaml: .*; choose another file with -f/);
});

it.each<[string, string, RegExp]>([
  ['what is no YAML', 'a: [', /no-yaml is not valid YAML/],
  ['a text', 'hello', /is no Kubernetes object: it is not a YAML map/],
  ['what has no kind', 'metadata: {name: a}', /has no apiVersion and kind/],
  ['what has no name', 'apiVersion: v1\nkind: Pod\nmetadata: {generateName: a-}', /the Pod has no metadata.name/],
  ['an item of a list', 'apiVersion: v1\nkind: List\nitems: [1]', /, items\[0\] is no Kubernetes object/],
  ['a second document', `${configMap('a')}---\n[]`, /, document 2 is no Kubernetes object/],
  ['nothing', '# only a comment\n', /there is no object in/],
  ['the same object twice', `${configMap('a')}---\n${configMap('a')}`, /ConfigMap shop\/a is in .* and again in/],
])('refuses %s, and names the place', async (name, text, says) => {
  const file = await fileWith(name === 'what is no YAML' ? 'no-yaml' : 'bad', text);
  await expect(readFiles([file])).rejects.toThrow(says);
});
