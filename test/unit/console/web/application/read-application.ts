import type { Application } from '#api/v1alpha1/application.js';
import { detailOf } from '#console/shared/application-detail.js';
import type { May, ReadApplication } from '#queries/answers/application.js';
import { application, RUNNING } from '../../../../support/application.js';

const ALL: May = { patch: true, update: true, delete: true, listRevisions: true };

/** As the server answers it; everything may be done unless `may` says otherwise. */
export function readApplication(status = RUNNING, spec: object = {}, may: Partial<May> = {}): ReadApplication {
  const config = { fluxApp: { spec: { config: {} } } };
  const web = application('web', status, '{ uid: u, resourceVersion: "7" }');
  const whole = { ...web, spec: { kind: 'fluxcd', ...config, ...spec } } as Application;
  return { ...detailOf(whole), may: { ...ALL, ...may } };
}
