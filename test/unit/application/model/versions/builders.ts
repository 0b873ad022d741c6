import type { SourceReference } from '#api/v1alpha1/application-spec.js';
import type { Application, ApplicationStatus } from '#api/v1alpha1/application.js';
import type { UnresolvedRange } from '#controllers/application/model/spec/resolved-versions.js';
import { application, deploy, files } from '../builders.js';

/** An Application in stages whose chart has this version; without one if it is undefined. */
export function ranged(version: string | undefined, status: ApplicationStatus = {}): Application {
  const chart = { chart: 'podinfo', ...(version === undefined ? {} : { version }) };
  const { spec, ...base } = application([]);
  const source = { sourceRef: { kind: 'HelmRepository', name: 'charts' } } as const;
  const config = { helmRelease: { chart, deploy: [deploy('prod', 'eu')] } };
  return { ...base, spec: { ...spec, rollout: {}, fluxApp: { spec: { source, config } } }, status };
}

/** An Application in stages whose files come from this source. */
export function filed(sourceRef: SourceReference, status: ApplicationStatus = {}): Application {
  const { spec, ...base } = application([]);
  const config = { kustomization: [files('prod', 'eu')] };
  return { ...base, spec: { ...spec, rollout: {}, fluxApp: { spec: { source: { sourceRef }, config } } }, status };
}

/** What floats in `ranged`. */
export function range(version: string): UnresolvedRange {
  const source = { kind: 'HelmRepository', namespace: 'shop', name: 'charts' };
  return { source, chart: { name: 'podinfo', version, interval: '10m' } };
}
