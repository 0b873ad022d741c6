import { TerminalError } from '#lib/errors.js';
import { notSupported } from '../model/not-supported.js';
import { registryUrlProblem } from '../model/oci-chart.js';
import type { HelmRepository } from '../model/types.js';

/** Throws TerminalError `URLInvalid` | `FeatureNotSupported` for a registry that charts cannot be pulled from. */
export function requireRegistry({ spec: { url, provider } }: HelmRepository): void {
  const problem = registryUrlProblem(url);
  if (problem !== undefined) throw new TerminalError('URLInvalid', problem);
  if (provider !== undefined && provider !== 'generic') throw notSupported(`spec.provider ${provider}`);
}
