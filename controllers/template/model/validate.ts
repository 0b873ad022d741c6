import type { HelmTemplateSpec } from '#api/v1alpha1/helm-template.js';
import type { TemplateReason } from '#api/v1alpha1/conditions.js';
import type { Template } from '#api/v1alpha1/template.js';
import { selectorProblem } from '#lib/kube/label-selector.js';
import { describeObject } from '#lib/net/urls.js';
import { isVersionRange } from '#lib/semver/version-range.js';
import type { Violation as ReasonedViolation } from '#lib/errors.js';

/** What the checks need besides the template. */
export interface Rules {
  /** May a source be in another namespace than what uses it? */
  readonly allowCrossNamespace: boolean;
  /** What is wrong with its JSON schema, as far as one was tried. */
  readonly schemaProblem?: string | undefined;
}

/** Why a template cannot be used. */
export type Violation = ReasonedViolation<TemplateReason>;

type Check = (template: Template, rules: Rules) => Violation | undefined;

/** The Helm part of a template, if it has one. */
export function helmSpecOf(template: Template): HelmTemplateSpec | undefined {
  return 'chart' in template.spec ? template.spec : undefined;
}

function sourceIsElsewhere({ metadata, spec }: Template, rules: Rules): Violation | undefined {
  const { sourceRef } = spec;
  if (rules.allowCrossNamespace || sourceRef.namespace === metadata.namespace) return undefined;
  const message = `spec.sourceRef.namespace: ${describeObject(sourceRef.kind, sourceRef)} is in another namespace, which --no-cross-namespace-refs forbids; create a source in ${metadata.namespace ?? 'the same namespace'}`;
  return { reason: 'AccessDenied', message };
}

function versionIsNoRange(template: Template): Violation | undefined {
  const version = helmSpecOf(template)?.chart.version;
  // Git, buckets and OCI artifacts hold the one version that they hold.
  const isUsed = template.spec.sourceRef.kind === 'HelmRepository';
  if (!isUsed || version === undefined || version === '' || isVersionRange(version)) return undefined;
  const message = `spec.chart.version: "${version}" is neither a valid version nor a valid range; use e.g. "1.2.3", "1.x" or ">=1.2 <2"`;
  return { reason: 'InvalidVersion', message };
}

function schemaIsInvalid(_template: Template, { schemaProblem }: Rules): Violation | undefined {
  if (schemaProblem === undefined) return undefined;
  return { reason: 'InvalidSchema', message: `spec.valuesSchema cannot be used: ${schemaProblem}` };
}

function selectorIsInvalid({ spec }: Template): Violation | undefined {
  const problem = selectorProblem(spec.sharedWith?.selector ?? {});
  if (problem === undefined) return undefined;
  return { reason: 'InvalidSelector', message: `spec.sharedWith.selector.${problem}` };
}

const CHECKS: readonly Check[] = [sourceIsElsewhere, versionIsNoRange, schemaIsInvalid, selectorIsInvalid];

/** The first thing that keeps a template from being used. Never throws. */
export function findViolation(template: Template, rules: Rules): Violation | undefined {
  for (const check of CHECKS) {
    const found = check(template, rules);
    if (found !== undefined) return found;
  }
  return undefined;
}
