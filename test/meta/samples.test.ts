import { describe, expect, test } from '@jest/globals';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { dump } from 'js-yaml';
import type { Application } from '../../api/v1alpha1/application.js';
import { readManifests } from '../../cli/manifests.js';
import { CHILD_RESOURCES } from '../../controllers/application/model/child-kind.js';
import { desiredChild } from '../../controllers/application/model/desired.js';
import { entriesOf } from '../../controllers/application/model/entries.js';
import { childKindOf } from '../../controllers/application/model/flux-spec.js';
import { ROOT, textOf } from './repository.js';

/** The UID that the expected objects show; a real one comes from the API server. */
const UID = '00000000-0000-0000-0000-000000000000';

const SAMPLES = readdirSync(path.join(ROOT, 'samples'));

async function applicationsOf(sample: string): Promise<Application[]> {
  const objects = await readManifests(path.join(ROOT, 'samples', sample));
  // The API server takes the explicit nulls out; JSON in the samples has no other meaning for them.
  return objects.filter(({ kind }) => kind === 'Application').map((object) => withoutNulls(object) as Application);
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([, field]) => field !== null);
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutNulls(field)]));
}

function childrenOf(application: Application): string {
  const owned = { ...application, metadata: { ...application.metadata, uid: UID } };
  const children = entriesOf(owned).map((entry) => desiredChild(owned, entry, undefined).object);
  return children.map((child) => dump(child, { noRefs: true, lineWidth: -1 })).join('---\n');
}

describe('samples', () => {
  test.each(SAMPLES)('%s says what it is for', (sample) => {
    const lines = textOf(`samples/${sample}/README.md`).trim().split('\n');
    expect(lines[0]).toMatch(/^# /);
  });

  // UPDATE_GOLDEN=1 writes them.
  test.each(SAMPLES)('%s becomes the children in its folder expected', async (sample) => {
    const applications = await applicationsOf(sample);
    const kinds = new Set(applications.map((each) => CHILD_RESOURCES[childKindOf(each)].plural));
    expect(kinds.size).toBe(1);
    const file = `samples/${sample}/expected/${[...kinds].join('')}.yaml`;
    const text = applications.map(childrenOf).join('---\n');
    if (process.env['UPDATE_GOLDEN'] === '1' || !existsSync(file)) {
      expect(process.env['UPDATE_GOLDEN']).toBe('1');
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    expect(textOf(file)).toBe(text);
  });
});
