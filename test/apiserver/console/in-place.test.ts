import { describe, expect, it } from '@jest/globals';
import omit from 'lodash/omit.js';
import { applicationResource, type Application } from '#api/v1alpha1/application.js';
import { application, deploy } from '../../unit/application/model/builders.js';
import { asAdmin } from './as-admin.js';

/** Happens once, between the read and the first write of a request. */
let happens: (() => Promise<unknown>) | undefined;

const { setting, at, call, live } = asAdmin('in-place', async () => {
  const once = happens;
  happens = undefined;
  await once?.();
});

const form = (cluster: string): Application => {
  const { spec, ...more } = application([deploy('web', cluster)]);
  return { ...more, metadata: { name: 'web', namespace: setting.namespace }, spec };
};

const patched = (body: object) => () =>
  setting.kube.patch(applicationResource, { name: 'web', namespace: setting.namespace }, { type: 'merge', body });

async function created(): Promise<Application> {
  const { code, body } = await call(at(), { method: 'POST', body: form('eu') });
  expect(code).toBe(200);
  return body as Application;
}

const replace = () => call(at('/web'), { method: 'PUT', body: form('us') });
const preview = () => call(`/api/v1/namespaces/${setting.namespace}/preview`, { method: 'POST', body: form('us') });

describe('what is sent without a version, while somebody else writes', () => {
  it('replaces the spec if that is as it was read, and keeps what the other one wrote', async () => {
    await created();
    happens = patched({ metadata: { annotations: { beat: '1' } } });
    expect(await replace()).toMatchObject({ code: 200 });
    expect(happens).toBeUndefined();
    expect(await live('web')).toMatchObject({ metadata: { annotations: { beat: '1' } }, spec: form('us').spec });
  });

  it('is previewed', async () => {
    await created();
    happens = patched({ metadata: { annotations: { beat: '1' } } });
    expect(await preview()).toMatchObject({ code: 200 });
    expect(happens).toBeUndefined();
  });

  it.each([
    ['replaces', replace],
    ['previews', preview],
  ])('%s no newer spec', async (_, send) => {
    await created();
    happens = patched({ spec: { deletionPolicy: 'Orphan' } });
    expect(await send()).toMatchObject({ code: 409, text: expect.stringContaining('was changed meanwhile') });
    expect((await live('web'))?.spec.deletionPolicy).toBe('Orphan');
  });

  it('replaces no other object that has taken the name', async () => {
    const { metadata } = await created();
    happens = async () => {
      await setting.kube.delete(applicationResource, { name: 'web', namespace: setting.namespace });
      await setting.kube.create(applicationResource, omit(form('ap'), 'status'));
    };
    expect(await replace()).toMatchObject({ code: 409 });
    const other = await live('web');
    expect(other).toMatchObject({ spec: form('ap').spec });
    expect(other?.metadata.uid).not.toBe(metadata.uid);
  });
});
