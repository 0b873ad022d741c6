import type { HelmReleaseSpec } from '#api/flux/helm-release.js';
import type { Decision } from './decide.js';

/**
 * True if values of the manifest may come from Secrets, whose readers may be fewer than those of the status: by
 * reference, by values of an earlier revision, or by a chart that looks them up.
 */
export function hidesValues(
  { valuesFrom = [], upgrade }: Pick<HelmReleaseSpec, 'valuesFrom' | 'upgrade'>,
  { usesLookup }: { readonly usesLookup: boolean },
): boolean {
  return valuesFrom.some(({ kind }) => kind === 'Secret') || upgrade?.preserveValues === true || usesLookup;
}

/** What a decision would do, and why. */
export function describeDecision(decision: Decision): string {
  switch (decision.kind) {
    case 'act':
      return `${decision.action} (${decision.why})`;
    case 'correct':
      return `correct drift (${decision.why})`;
    case 'stall':
      return `nothing (${decision.message})`;
    case 'done':
      return `nothing (${decision.why})`;
    case 'resume':
      return `report revision ${decision.last.version}, whose action was interrupted`;
    case 'later':
      return 'nothing';
  }
}
