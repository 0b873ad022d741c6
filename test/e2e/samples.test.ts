import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import path from 'node:path';
import omit from 'lodash/omit.js';
import type { KubeObject } from '#api/meta.js';
import { applicationResource } from '#api/v1alpha1/application.js';
import { APPLIED_DIGEST_ANNOTATION } from '#api/v1alpha1/labels.js';
import { readManifests } from '#cli/install/package.js';
import { PROJECT_NAMESPACE } from '#sandbox/project.js';
import { kubectl, kubectlJson } from '#bench/scenarios/shell.js';
import { applySample, untilReady } from '#bench/scenarios/setup.js';
import { useSetup } from '../support/fixture.js';
import { sandboxSamples } from '../support/samples.js';
import { eventually } from '../support/world.js';

const FOLDER = path.resolve('samples');
const SAMPLES = sandboxSamples();
const PROJECT = ['-n', PROJECT_NAMESPACE] as const;

interface ChildLike extends KubeObject {
  readonly spec: object;
}

/** What `expected/` of a sample holds, in one list. */
function expectedOf(sample: string): Promise<ChildLike[]> {
  // Children and templates: each has a spec.
  return readManifests(path.join(FOLDER, sample, 'expected')) as Promise<ChildLike[]>;
}

async function applicationsOf(sample: string): Promise<string[]> {
  const objects = await readManifests(path.join(FOLDER, sample));
  return objects.filter(({ kind }) => kind === applicationResource.kind).map(({ metadata }) => metadata.name);
}

describe('every sample for a sandbox, applied as it is to one with the embedded engine', () => {
  const setup = useSetup();
  // That of the setup came first: nobody uses the templates any more.
  afterAll(() =>
    kubectl(setup.world, setup.world.host, ...PROJECT, 'delete', 'helmtemplates,kustomizationtemplates', '--all'),
  );

  beforeAll(async () => {
    for (const sample of SAMPLES) await applySample(setup.world, sample);
  });

  function live(object: KubeObject): Promise<ChildLike> {
    const group = object.apiVersion.split('/')[0] ?? '';
    const type = `${object.kind.toLowerCase()}s.${group}/${object.metadata.name}`;
    return kubectlJson<ChildLike>(setup.world, setup.world.host, ...PROJECT, type);
  }

  it.each(SAMPLES)(
    '%s runs, and made what its folder expected says',
    async (sample) => {
      const expected = await expectedOf(sample);
      for (const name of await applicationsOf(sample)) await untilReady(setup, name);
      for (const object of expected) {
        const { metadata, spec } = await live(object);
        // The digest is over the UID of the Application too.
        const [marks, expectedMarks] = [metadata, object.metadata].map((each) =>
          omit(each.annotations, APPLIED_DIGEST_ANNOTATION),
        );
        expect(marks).toEqual(expectedMarks);
        expect(spec).toEqual(object.spec);
      }
    },
    600_000,
  );

  it('the template that a sample saved counts its user', async () => {
    const name = `${PROJECT_NAMESPACE}-save-template`;
    await eventually(async () => {
      const template = await kubectlJson<{ status?: { usedBy?: number } }>(
        setup.world,
        setup.world.host,
        ...PROJECT,
        `helmtemplates/${name}`,
      );
      expect(template.status?.usedBy).toBe(1);
    });
  });
});
