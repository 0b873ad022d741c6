import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Application } from '#api/v1alpha1/application.js';
import { kustomizationTemplateResource } from '#api/v1alpha1/kustomization-template.js';
import type { Child } from '#controllers/application/model/child/types.js';
import { eventually } from '../../support/world.js';
import { files, filesApplication } from '../../unit/application/model/builders.js';
import { useTemplates } from './harness.js';

describe('a template of files on a real API server', () => {
  const on = useTemplates();
  let namespace: string;
  beforeAll(() => void ({ namespace } = on.applications));

  function putTemplate(name: string, path: string) {
    const sourceRef = { kind: 'GitRepository', name: 'fleet', namespace };
    const metadata = { name, namespace };
    const spec = { sourceRef, path, deploy: { interval: '5m', postBuild: { substitute: { a: '1', b: '1' } } } };
    const object = { apiVersion: 'gitops.kubesphere.io/v1alpha1', kind: 'KustomizationTemplate', metadata, spec };
    return on.applications.kube.apply(kustomizationTemplateResource, object, { fieldManager: 'user', force: true });
  }

  /** One entry of a template, and one that needs none. */
  function mixed(name: string, interval: string): Application {
    const more = { template: name, postBuild: { substitute: { b: '2' } } };
    const entries = [
      files(`${name}-of-template`, undefined, more),
      files(`${name}-plain`, undefined, { path: './plain', interval }),
    ];
    return { ...filesApplication(entries), metadata: { name, namespace } };
  }

  async function childIn(name: string, part: string): Promise<Child | undefined> {
    return (await on.applications.childrenOf(name)).find(({ spec }) => spec.targetNamespace === `${name}-${part}`);
  }

  it.concurrent('is laid under its entries only, and its edits are followed', async () => {
    await putTemplate('site', './one');
    await on.applications.apply(mixed('site', '1m'));
    await on.applications.eventuallyHas('site', 2);
    const sourceRef = { kind: 'GitRepository', name: 'fleet', namespace };
    expect((await childIn('site', 'of-template'))?.spec).toMatchObject({
      sourceRef,
      path: './one',
      interval: '5m',
      prune: true,
      postBuild: { substitute: { a: '1', b: '2' } },
    });
    const plain = await childIn('site', 'plain');
    expect(plain?.spec).toMatchObject({ sourceRef, path: './plain', interval: '1m' });
    expect(plain?.spec['postBuild']).toBeUndefined();
    await on.inUse('site', new RegExp(`^KustomizationTemplate ${namespace}/site@1$`));
    await putTemplate('site', './two');
    await eventually(async () => expect((await childIn('site', 'of-template'))?.spec['path']).toBe('./two'));
    await on.inUse('site', /@2$/);
  });

  it.concurrent('that is gone holds only its own entries, whose children stay; it heals by itself', async () => {
    await putTemplate('gone', './one');
    await on.applications.apply(mixed('gone', '1m'));
    for (const child of await on.applications.eventuallyHas('gone', 2)) {
      await on.applications.report(child, 'True', 'ReconciliationSucceeded');
    }
    await on.applications.becomes('gone', 'True', 'AllReady');
    const before = await on.position('gone');
    await on.applications.kube.delete(kustomizationTemplateResource, { name: 'gone', namespace });
    await on.applications.becomes('gone', 'False', 'TemplateNotFound');
    expect(await on.writes(before, 'gone')).toEqual([]);
    expect((await on.applications.read('gone')).status?.template).toBe(`KustomizationTemplate ${namespace}/gone@1`);

    await on.applications.apply(mixed('gone', '2m'));
    await eventually(async () => expect((await childIn('gone', 'plain'))?.spec['interval']).toBe('2m'));
    await on.applications.report((await childIn('gone', 'plain'))!, 'True', 'ReconciliationSucceeded');
    const plain = (await childIn('gone', 'plain'))?.metadata.name;
    const twice = Array(2).fill(`patch kustomizations ${plain}`);
    // What is seen of the controller's write may come before its entry.
    await eventually(async () => expect(await on.writes(before, 'gone')).toEqual(twice));
    await putTemplate('gone', './one');
    await on.applications.becomes('gone', 'True', 'AllReady');
  });
});
