import { expect, it } from '@jest/globals';
import { manifestJson, manifestYaml } from '#cli/render/render.js';
import type { ChildManifests } from '#cli/render/manifests.js';
import { parseYamlDocuments } from '#lib/yaml/yaml.js';

const ESCAPE = '\u001b]0;title\u0007';
const OVERRIDE = '\u202e';

const all: readonly ChildManifests[] = [
  {
    child: 'HelmRelease/shop/web-eu',
    application: 'shop/web',
    cluster: 'eu',
    namespace: 'web',
    documents: [{ text: 'kind: A' }, { text: 'kind: B', path: `web/templates/${ESCAPE}b.yaml` }],
  },
  {
    child: 'Kustomization/shop/files-us',
    application: 'shop/files',
    cluster: `us${OVERRIDE}\n---`,
    namespace: undefined,
    documents: [{ text: `kind: C\nnote: "${OVERRIDE}x"` }],
  },
];

it('YAML says before the documents of each child whose they are and where they go, and obeys nobody', () => {
  expect(manifestYaml(all)).toBe(`# HelmRelease/shop/web-eu on eu, namespace web
---
kind: A
---
# Source: web/templates/ ]0;title b.yaml
kind: B
# Kustomization/shop/files-us on us ---
---
{
  "kind": "C",
  "note": "\\u202ex"
}`);
  expect(parseYamlDocuments(manifestYaml(all))).toEqual([
    { kind: 'A' },
    { kind: 'B' },
    { kind: 'C', note: `${OVERRIDE}x` },
  ]);
});

it('JSON has one List for each child', () => {
  const json = manifestJson(all);
  expect(json).not.toContain(OVERRIDE);
  const list = { apiVersion: 'v1', kind: 'List' };
  expect(JSON.parse(json)).toEqual({
    ...list,
    items: [
      {
        ...{ ...list, child: 'HelmRelease/shop/web-eu', application: 'shop/web', cluster: 'eu', namespace: 'web' },
        items: [{ kind: 'A' }, { kind: 'B' }],
      },
      {
        ...{ ...list, child: 'Kustomization/shop/files-us', application: 'shop/files', cluster: `us${OVERRIDE}\n---` },
        items: [{ kind: 'C', note: `${OVERRIDE}x` }],
      },
    ],
  });
});
